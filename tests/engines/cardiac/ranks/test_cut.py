"""Parts of a tissue's rows: each has its own in the order of the whole, and a divided step has the bits of one."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.cardiac.cells.tt06 import padded_size
from engines.cardiac.diffusion.cpu import sliced_step
from engines.cardiac.diffusion.sliced import SLICE, WINDOW, SlicedMatrix
from engines.cardiac.parameters import CardiacParameters, Numerics
from engines.cardiac.ranks.cut import IMBALANCE, own_rows, part_of, window_parts
from engines.cardiac.tissue.operator import tissue_operator
from engines.geometry.meshes.box import box_mesh
from tests.engines.ranks.threads import Post, ThreadRanks, on_each


def matrix_of(shape, discretisation="cell-centred") -> SlicedMatrix:
    mesh = box_mesh(shape, tuple(0.5 * n for n in shape), jitter=0.2, seed=4, fibre=(1.0, 0.0, 0.0))
    return tissue_operator(mesh, CardiacParameters(numerics=Numerics(discretisation=discretisation))).matrix


MATRICES = {
    "cells": lambda: matrix_of((9, 8, 8)),  # 3,456: the last slice is full
    "cells, an open end": lambda: matrix_of((7, 9, 11)),  # 4,158 rows
    "vertices": lambda: matrix_of((15, 14, 13), "vertex-centred (P1)"),
}


def plain_step(matrix: SlicedMatrix, v, dt):
    """Entry by entry, as NumPy has it: out = v + dt Σ w (v_column − v)."""
    out = v.copy()
    n = matrix.n_rows
    for s in range(len(matrix.starts) - 1):
        rows = np.arange(SLICE * s, min(SLICE * (s + 1), n))
        total = np.zeros(len(rows), v.dtype)
        for k in range(matrix.starts[s], matrix.starts[s + 1], SLICE):
            entries = k + np.arange(len(rows))
            total += matrix.weights[entries].astype(v.dtype) * (v[matrix.columns[entries]] - v[rows])
        out[rows] = v[rows] + v.dtype.type(dt) * total
    return out


def compiled_step(matrix: SlicedMatrix, v, dt):
    out = v.copy()
    sliced_step(matrix, v, out, dt)
    return out


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("which", MATRICES)
def test_a_step_of_parts_is_one_of_the_whole(which, size):
    matrix = MATRICES[which]()
    owner = window_parts(matrix, size)
    parts = [part_of(matrix, owner, rank) for rank in range(size)]
    np.testing.assert_array_equal(np.sort(np.concatenate([part.rows for part in parts])), np.arange(matrix.n_rows))
    for dtype in (np.float32, np.float64):
        v = np.random.default_rng(1).uniform(-90, 40, matrix.n_rows).astype(dtype)
        for step in (plain_step, compiled_step):
            expected = step(matrix, v, 0.01)
            for rank, part in enumerate(parts):
                own = np.full(padded_size(len(part.rows)) + part.ghosts, np.nan, dtype)
                own[: len(part.rows)] = v[part.rows]
                for other, places in part.received.items():  # what the other sends of its own
                    sender = parts[other]
                    own[places] = v[sender.rows[sender.sent[rank]]]
                found = step(part.matrix, own, 0.01)
                np.testing.assert_array_equal(found[: len(part.rows)], expected[part.rows])


def test_interiors_read_own_rows_alone_and_nothing_is_sent_that_is_not_read():
    matrix = MATRICES["cells, an open end"]()
    owner = window_parts(matrix, 3)
    parts = [part_of(matrix, owner, rank) for rank in range(3)]
    for rank, part in enumerate(parts):
        assert part.interior % SLICE == 0
        assert 0 < part.interior < len(part.rows)
        read = part.matrix.columns[: part.matrix.starts[part.interior // SLICE]]
        assert read.max() < len(part.rows)
        used = np.unique(part.matrix.columns[part.matrix.columns >= len(part.rows)])
        np.testing.assert_array_equal(used, padded_size(len(part.rows)) + np.arange(part.ghosts))
        assert {other for other in range(3) if rank in parts[other].sent} == part.received.keys()
        which, here = part.here(np.arange(matrix.n_rows))
        np.testing.assert_array_equal(part.rows[here], which)


def test_parts_weigh_alike_and_cut_little():
    matrix = matrix_of((24, 16, 16))
    owner = window_parts(matrix, 2)
    assert np.bincount(owner).max() <= IMBALANCE * np.bincount(owner).mean()
    ghosts = [part_of(matrix, owner, rank).ghosts for rank in range(2)]
    shuffled = np.random.default_rng(0).permutation(owner)
    assert max(ghosts) < 0.35 * part_of(matrix, shuffled, 0).ghosts
    through_the_middle = 24 * 16 * 16  # cells in two layers of cubes beside a plane across the longest side: 6 each
    assert max(ghosts) < 0.5 * through_the_middle


def test_a_mesh_too_small_for_so_many_ranks_is_refused_in_a_sentence():
    matrix = matrix_of((9, 8, 8))
    assert -(-matrix.n_rows // WINDOW) == 14
    with pytest.raises(ProblemError, match=r"3,456 cells cannot be shared by 4 ranks.*1,024 or more: use at most 3"):
        own_rows(matrix, ThreadRanks(Post(4), 0))


def test_without_metis_all_ranks_refuse(monkeypatch):
    matrix = matrix_of((9, 8, 8))
    monkeypatch.setitem(sys.modules, "pymetis", None)

    def said(ranks):
        with pytest.raises(ProblemError) as found:
            own_rows(matrix, ranks)
        return str(found.value)

    assert "install the package 'pymetis'" in on_each(2, said)[0]
