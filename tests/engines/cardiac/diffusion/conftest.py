"""Meshes for the diffusion tests (``data/make_meshes.py`` made them) and a CPU device."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import Delaunay

from engines.api import Array
from engines.geometry.meshes.mesh import TetMesh


def oriented(points: Array, cells: Array) -> TetMesh:
    a, b, c, d = (points[cells[:, k]] for k in range(4))
    negative = np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) < 0
    cells = cells.astype(np.int32)
    cells[negative] = cells[negative][:, [0, 2, 1, 3]]
    return TetMesh(points, cells, np.zeros(len(cells), np.int32))


@pytest.fixture(scope="session")
def gmsh_mesh() -> Callable[[str], TetMesh]:
    """A stored mesh by name (``cube_734``)."""
    with np.load(Path(__file__).parent / "data" / "meshes.npz") as stored:
        arrays = dict(stored)
    return lambda name: oriented(arrays[f"{name}_points"], arrays[f"{name}_cells"])


@pytest.fixture(scope="session")
def sliver_mesh() -> TetMesh:
    """Delaunay tetrahedra of 150 random points and the corners of the unit cube: volumes span five decades."""
    corners = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], float)
    points = np.vstack([corners, np.random.default_rng(5).random((150, 3))])
    return oriented(points, Delaunay(points).simplices)
