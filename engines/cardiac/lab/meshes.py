"""The meshes of the tables: jittered boxes, so that there is one of any size.

A box of cubes, each cut into six tetrahedra, whose inner points are moved at random by up to a fifth of a cube's edge:
as irregular as a generator's mesh where shapes are concerned (13.8 entries a row, where the thesis' hearts have 14.5),
but with a numbering that goes through the box plane by plane. Tables say where that matters.
"""

from __future__ import annotations

import math

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.backend.timing import measured_once
from engines.cardiac.diffusion.sliced import SLICE, SlicedMatrix
from engines.cardiac.diffusion.weights import assemble
from engines.cardiac.tissue.operator import cell_order
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh

JITTER = 0.2
EDGE = 0.5
"""Of a cube [mm]; a tetrahedron's typical edge (thesis, eq. 3.12) is 0.56 mm then."""
DIFFUSIVITY = np.diag([0.1, 0.02, 0.02])
"""[mm²/ms], of the size that heart tissue has; fibres along x."""

THESIS_CELLS = (6_774_958, 8_472_263, 9_537_830, 10_033_105, 14_007_495, 11_688_851)
"""Of the hearts of tables 6.3 and 6.4; the last is that of chapter 4 and of tables 6.5 and 6.6."""


def side_of(cells: int) -> int:
    """Cubes along the edge of the smallest cube with at least so many tetrahedra."""
    return math.ceil((cells / 6) ** (1 / 3) - 1e-9)


def cube(side: int, edge: float) -> TetMesh:
    """``side``³ cubes of ``edge`` [mm]."""
    return box_mesh((side,) * 3, (side * edge,) * 3, jitter=JITTER, fibre=None)


def tissue_matrix(backend: Backend, cells: int) -> tuple[SlicedMatrix, Array]:
    """``(matrix, order)`` of a box of at least ``cells`` cells, in the engine's order of the mesh's cells.

    Kept for as long as the backend. Rows are not searched for modes that grow: what is timed costs the same.
    """

    def make() -> tuple[SlicedMatrix, Array]:
        mesh = cube(side_of(cells), EDGE)
        order, neighbours = cell_order(mesh)
        operator = assemble(mesh.take_cells(order), DIFFUSIVITY, neighbours, energy_limit=np.inf)
        return operator.matrix, order

    return measured_once(backend, (__name__, cells), make)


def first_rows(matrix: SlicedMatrix, rows: int) -> SlicedMatrix:
    """The operator on the first cells alone, about ``rows`` of them, in whole slices: no current leaves them."""
    slices = -(-rows // SLICE)
    if slices * SLICE >= matrix.n_rows:
        return matrix
    n, end = slices * SLICE, int(matrix.starts[slices])
    columns, weights = matrix.columns[:end].copy(), matrix.weights[:end].copy()
    outside = np.flatnonzero(columns >= n)
    widths = np.diff(matrix.starts[: slices + 1]) // SLICE
    of_slice = np.repeat(np.arange(slices, dtype=np.int32), widths * SLICE)
    columns[outside] = SLICE * of_slice[outside] + outside % SLICE
    weights[outside] = 0.0
    return SlicedMatrix(n, matrix.starts[: slices + 1], columns, weights)
