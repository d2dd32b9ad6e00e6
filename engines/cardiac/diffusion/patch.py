"""Rows of the operator made anew around cells whose conductivity has changed, from a patch of the mesh alone.

A row depends on its own and its neighbours' gradients, those on what their neighbours conduct, and the shares of them
that are kept on one ring more: what changes at a cell changes shares up to two rings and rows up to three rings away.
A cell that does not conduct has no flux through any of its faces: for its neighbours these are a boundary.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.cardiac.diffusion.kernels import energy_need, fill_rows, kept_shares, least_squares
from engines.cardiac.diffusion.sliced import SLICE, WIDTH, slice_starts
from engines.cardiac.diffusion.weights import ENERGY_LIMIT, RELAXATION_CAP
from engines.geometry.meshes.adjacency import BOUNDARY
from engines.geometry.meshes.mesh import TetMesh

RINGS_OF_SHARES, RINGS_OF_ROWS, RINGS_OF_PATCH = 2, 3, 5
"""How far from a changed cell shares and rows change, and what must be known for that."""


def rings(cells: Array, neighbours: Array, count: int) -> Array:
    """The cells and those up to ``count`` faces away from them, ascending; neighbours: (n_cells, 4)."""
    cells = np.unique(cells)
    for _ in range(count):
        around = neighbours[cells].ravel()
        cells = np.unique(np.concatenate([cells, around[around != BOUNDARY]]))
    return cells


@dataclass(frozen=True)
class Patch:
    """A part of a mesh with what its operator is made of; all arrays over ``cells``, (n,) ascending, of the whole mesh.

    neighbours: (n, 4) within the patch; faces to other cells, and those of cells that do not conduct, are boundaries.
    gradients: (n, 4, 3) by least squares, all of each.
    """

    cells: Array
    geometry: tuple[Array, Array, Array, Array, Array]
    neighbours: Array
    gradients: Array

    @classmethod
    def around(cls, cells: Array, mesh: TetMesh, tensors: Array, neighbours: Array, conducts: Array) -> Patch:
        """``mesh``, ``tensors: (n, 3, 3)`` [mm²/ms] and ``conducts: (n,)`` bool of ``cells``; neighbours of all."""
        near = neighbours[cells]
        place = np.minimum(np.searchsorted(cells, near), len(cells) - 1)
        joined = (cells[place] == near) & conducts[place] & conducts[:, None]
        within = np.where(joined, place, BOUNDARY).astype(np.int32)
        geometry = (mesh.points, mesh.cells, mesh.volumes, mesh.centroids, tensors)
        return cls(cells, geometry, within, least_squares(*geometry, within))

    def shares(self, cautious: Array) -> Array:
        """(n,) the share of its gradient that each cell may keep; where ``cautious`` (n, bool), no mode can grow."""
        need = energy_need(*self.geometry, self.neighbours, self.gradients, RELAXATION_CAP)
        return kept_shares(self.geometry[2], self.neighbours, need, np.where(cautious, 1.0, ENERGY_LIMIT))

    def rows(self, shares: Array, places: Array) -> tuple[Array, Array]:
        """Columns (in the whole mesh) and weights [1/ms], (m, 16) each, of the cells at ``places`` of the patch."""
        n = len(self.cells)
        starts = slice_starts(np.full(n, WIDTH, np.uint8))
        columns, weights = np.empty(starts[-1], np.int32), np.empty(starts[-1])
        fill_rows(*self.geometry, self.neighbours, self.gradients, shares, RELAXATION_CAP, starts, columns, weights)
        by_row = [
            values.reshape(-1, WIDTH, SLICE).transpose(0, 2, 1).reshape(-1, WIDTH) for values in (columns, weights)
        ]
        return self.cells[by_row[0][places]], by_row[1][places]
