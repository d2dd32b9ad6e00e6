"""Problems that are timed."""

import numpy as np

from engines.cardiac.lab.benchmarks import JITTER, BoxProblem
from engines.geometry.meshes.box import box_mesh


def test_no_tetrahedron_is_nearly_flat_at_any_size():
    """A step that is stable for one box is for all: heights of tetrahedra in cubes are 1/√2 of the spacing, of which
    points that come towards a face from both sides by the jitter in each direction take 2√3 times that at most. The
    least that was drawn is told beside, of 6,000."""
    side, spacing = 10, 0.5
    mesh = BoxProblem(side, "fp32")().geometry
    same = box_mesh((side,) * 3, (side * spacing,) * 3, jitter=JITTER)
    np.testing.assert_array_equal(mesh.points, same.points)
    corners = mesh.points[mesh.cells]
    a, b, c = (corners[:, k] - corners[:, 0] for k in (1, 2, 3))
    volume = np.abs(np.einsum("ij,ij->i", np.cross(a, b), c)) / 6
    faces = np.stack([np.cross(a, b), np.cross(b, c), np.cross(c, a), np.cross(b - a, c - a)])
    height = 3 * volume / (np.linalg.norm(faces, axis=2) / 2).max(axis=0)
    assert 2 * 3**0.5 * JITTER < 2**-0.5 - 0.35
    assert height.min() > 0.35 * spacing
