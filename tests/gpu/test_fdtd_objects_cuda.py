"""What objects ask of a device: windings of surfaces, and painted materials."""

import numpy as np
import pytest

from engines.api import Dab, Problem
from engines.backend.cpu import CpuBackend
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.parameters import FdtdParameters, GridSetting, PointSource, Pulse
from engines.geometry.solids.solid import rotation_matrix
from engines.geometry.solids.voxels import windings_on_cpu, windings_on_gpu
from tests.engines.fdtd.stl_cases import cube, torus

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("shape", ["torus", "cube"])
def test_windings_are_those_of_the_cpu_to_the_last_bit(gpu, shape):
    soup = torus(200, 120) if shape == "torus" else cube((-1, -1, -1), (0.5, 0.5, 0.5))
    corners, triangles = np.unique(soup.reshape(-1, 3), axis=0, return_inverse=True)
    corners = corners.astype(float)
    if shape == "torus":
        corners = np.ascontiguousarray(corners @ rotation_matrix((1, 2, 3), 25.0).T)
    triangles = triangles.reshape(-1, 3).astype(np.int32)
    x, y, z = np.arange(-80, 81) / 64, np.arange(-70, 71) / 64, np.arange(-66, 67) / 64
    expected = windings_on_cpu(corners, triangles, x, y, z)
    assert expected.any()
    np.testing.assert_array_equal(windings_on_gpu(gpu, corners, triangles, x, y, z), expected)


def test_a_painted_material_steps_as_on_the_cpu(gpu):
    """float64: both round alike but for contraction; 60 steps of at most 12 operations."""
    grid = GridSetting(cells_x=40, cells_y=40, cells_z=40, size_x=2.0, size_y=2.0, size_z=2.0)
    source = PointSource(place=(1.0, 1.0, 1.0), signal=Pulse())
    parameters = FdtdParameters(grid=grid, sources=[source], numerics={"precision": "fp64"})
    fields = []
    for backend in (gpu, CpuBackend()):
        simulation = FdtdEngine().build(Problem(parameters), backend)
        simulation.advance(30)
        simulation.paint(Dab("material", (1.3, 1.0, 1.0), 0.2, 1.0))
        simulation.advance(30)
        fields.append((simulation.field("material"), simulation.field("Ez")))
    np.testing.assert_array_equal(fields[0][0], fields[1][0])
    assert fields[1][0].any()
    np.testing.assert_allclose(fields[0][1], fields[1][1], rtol=1e-5, atol=1e-5 * np.abs(fields[1][1]).max())
