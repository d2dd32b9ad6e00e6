"""Bytes of a step are those of the grids that it reads and writes, counted in whole grids."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engines.api import Dab, Problem
from engines.formulas.graph import const, symbol
from engines.stencil.engine import StencilEngine
from engines.stencil.equations.explicit import traffic as equations_traffic
from engines.stencil.equations.implicit.solving import CYCLES, implicit_traffic
from engines.stencil.parameters import StencilParameters
from engines.stencil.poisson.levels import finest, hierarchy
from engines.stencil.poisson.traffic import method_traffic
from engines.stencil.setup.sides import Ghost

ENGINE = StencilEngine()
PLANE = {"kind": "2D", "cells_x": 24, "cells_y": 17, "size_x": 24.0, "size_y": 17.0}
CUBE = {"kind": "3D", "cells_x": 9, "cells_y": 8, "cells_z": 7, "size_x": 9.0, "size_y": 8.0, "size_z": 7.0}
LAYERS = {"kind": "two layers"}


def equation(kind: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, **fields}


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
@pytest.mark.parametrize(
    ("grid", "fields", "read", "written"),
    [
        (PLANE, equation("diffusion"), 1, 1),
        (CUBE, equation("diffusion", source=2.0), 2, 1),
        (CUBE, equation("diffusion", conductivity=LAYERS), 4, 1),
        (CUBE, equation("Gray-Scott"), 2, 2),
    ],
)
def test_whole_grids_are_counted(cpu, grid, fields, read, written, precision):
    given = {"grid": grid, "equation": fields, "numerics": {"precision": precision, "fuse": False}}
    simulation = ENGINE.build(Problem(StencilParameters.model_validate(given)), cpu)
    (traffic,) = simulation.traffic
    one = simulation.geometry.n_cells * {"fp32": 4, "fp64": 8}[precision]
    assert (traffic.bytes_read, traffic.bytes_written) == (read * one, written * one)


def test_a_source_counts_from_the_first_dab_on(cpu):
    simulation = ENGINE.build(Problem(StencilParameters.model_validate({"grid": PLANE})), cpu)
    one = simulation.geometry.n_cells * 4
    fresh = simulation.state()
    depth = simulation.traffic[0].fused
    assert simulation.traffic[0].bytes_read == one // depth
    simulation.paint(Dab("source", (12.0, 8.0, 0.0), 3.0, 1.0))
    assert simulation.traffic[0].bytes_read == 2 * one // depth
    simulation.restore(fresh)
    assert simulation.traffic[0].bytes_read == one // depth


def grids(*cells: int, three: bool = False, faces: bool = False) -> list[Any]:
    return [SimpleNamespace(cells=n, three=three, faces=object() if faces else None) for n in cells]


@pytest.mark.parametrize("method", ["jacobi", "sor"])
@pytest.mark.parametrize(("three", "faces"), list(itertools.product((False, True), (False, True))))
def test_a_sweep_reads_field_source_and_faces_and_writes_the_field(method, three, faces):
    """Of each neighbour a difference, a product and a sum and one of the diagonal, at 2 d sides: 8 d; with faces each
    a product more and one for the diagonal's: 12 d. Then source, quotient, relaxation and sum."""
    dimensions = 3 if three else 2
    u, s, new = np.zeros((3, 480), np.float32)
    kappa = np.zeros((dimensions if faces else 0, 480), np.float32)
    told = method_traffic(method, grids(480, three=three, faces=faces), 4, sweeps=3)
    assert told.kernel == method
    assert (told.bytes_read, told.bytes_written) == (u.nbytes + s.nbytes + kappa.nbytes, new.nbytes)
    assert told.flops == ((12 if faces else 8) * dimensions + 4) * u.size


@pytest.mark.parametrize(("three", "faces"), list(itertools.product((False, True), (False, True))))
def test_a_cycle_sweeps_restricts_and_prolongs_on_each_level_and_multiplies_on_the_last(three, faces):
    dimensions, sweeps, size = (3 if three else 2), 3, 8
    read = written = flops = 0
    for fine, coarse in ((640, 80), (80, 10)):
        level = fine * (2 + (dimensions if faces else 0))  # field, source and faces
        of_cell = (12 if faces else 8) * dimensions
        for _ in range(sweeps):
            read, written, flops = read + level, written + fine, flops + (of_cell + 4) * fine
        read, written = read + level, written + 2 * coarse  # the residual, and an error that is zero
        flops += (of_cell + 2) * fine
        read, written = read + fine + coarse, written + fine
        flops += 2 * 2**dimensions * fine  # a weight and a sum for each coarse neighbour
    inverse = np.zeros((10, 10))
    read, written, flops = read + inverse.size + 10, written + 10, flops + 2 * inverse.size
    told = method_traffic("multigrid", grids(640, 80, 10, three=three, faces=faces), size, sweeps)
    assert (told.bytes_read, told.bytes_written, told.flops) == (read * size, written * size, flops)


@pytest.mark.parametrize(("dtype", "size"), [(np.float32, 4), (np.float64, 8)])
def test_equations_move_the_arrays_of_their_passes_and_of_the_solves_of_implicit_diffusion(dtype, size):
    shape = (16, 12)
    passes = [
        SimpleNamespace(arrays_read=3, arrays_written=1, flops=7),
        SimpleNamespace(arrays_read=2, arrays_written=2, flops=5),
    ]
    plain = equations_traffic(SimpleNamespace(passes=passes, diffusivities={}), shape, dtype)
    one = np.zeros(shape, dtype).nbytes
    assert one == 16 * 12 * size
    assert (plain.bytes_read, plain.bytes_written, plain.flops) == (5 * one, 3 * one, 12 * 16 * 12)
    solve = implicit_traffic(shape, False, dtype)
    both = equations_traffic(
        SimpleNamespace(passes=passes, diffusivities={"u": const(1.0), "v": symbol("D")}), shape, dtype
    )
    assert both.bytes_read - plain.bytes_read == 2 * solve.bytes_read
    assert both.bytes_written - plain.bytes_written == 2 * solve.bytes_written
    assert both.flops - plain.flops == 2 * solve.flops
    insulated = (Ghost(False), Ghost(False))
    levels = hierarchy(finest(shape, (1.0, 1.0), (insulated, insulated), None))
    cycle = method_traffic("multigrid", levels, size, 3)
    cycles = CYCLES[np.dtype(dtype).name]
    assert solve.bytes_read - cycles * cycle.bytes_read == 2 * one
    assert solve.bytes_written - cycles * cycle.bytes_written == 2 * one
    assert solve.flops == cycles * cycle.flops
