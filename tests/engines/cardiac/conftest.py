"""What the tests of the tissue's steps share."""

from __future__ import annotations

import pytest

from engines.backend import open_backend
from engines.geometry.meshes.box import box_mesh
from engines.geometry.meshes.mesh import TetMesh


@pytest.fixture(scope="module")
def backend():
    with_device = open_backend("cpu")
    yield with_device
    with_device.close()


@pytest.fixture(scope="module")
def mesh() -> TetMesh:
    return box_mesh((5, 3, 3), (2.5, 1.5, 1.5), jitter=0.2, seed=4, fibre=(1.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def few() -> TetMesh:
    """Three groups of cells: each thread of a kernel costs time where no device runs it."""
    return box_mesh((8, 2, 1), (4.0, 1.0, 0.5), jitter=0.2, seed=4, fibre=(1.0, 0.0, 0.0))
