"""The handle of the clip plane: where it stands and is gripped, and where a pointer moves and tilts the plane to."""

import numpy as np
import pytest

from tests.ui.scene.overlays.scenes import SIZE, at, full
from ui.scene.overlays.clip_handle import _points, grip_at, handle_strokes, moved, pushed, tilted
from workbench.project.project import ClipPlane


def test_the_clip_handle_stands_in_its_plane_and_frames_the_body():
    scene = full("slanted", clipped=True)
    lines = handle_strokes(scene, *SIZE, 1.0)
    corners = [line.start for line in lines[:4]]
    expected = [at(scene, 5 + 5.4 * a, 5 + 5.4 * b, 4.0) for a in (-1, 1) for b in (-1, 1)]
    for corner in corners:
        assert min(np.linalg.norm(corner - each) for each in expected) < 1e-6
    assert [line.end for line in lines[:4]] == [*corners[1:], corners[0]], "once around"
    foot, tip = at(scene, 5, 5, 4), at(scene, 5, 5, 4 + 0.42 * scene.camera.radius)
    arrow, ball, far_ball = lines[7], lines[8], lines[9]
    np.testing.assert_allclose([arrow.start, arrow.end], [foot, tip])
    np.testing.assert_allclose([ball.start, far_ball.start], [foot, tip])
    assert far_ball.radius > ball.radius > arrow.radius
    assert all(under.radius > over.radius for under, over in zip(lines[4:7], lines[7:], strict=True))
    scene.view.clip = ClipPlane(origin=(5.0, 5.0, 4.0), normal=(1.0, 0.0, 0.0))
    sideways = [np.array(line.start) for line in handle_strokes(scene, *SIZE, 1.0)[:4]]
    for a, b in ((-1, -1), (1, 1)):
        assert min(np.linalg.norm(each - at(scene, 5, 5 + 5.4 * a, 5 + 5.4 * b)) for each in sideways) < 1e-6
    scene.camera.distance = 0.5
    assert handle_strokes(scene, *SIZE, 1.0) == [], "part of it is behind the eye"
    assert grip_at(scene, *foot, *SIZE) is None


@pytest.mark.parametrize("normal", [(0.6, 0.0, 0.8), (0.0, 1.0, 0.0), (0.48, 0.6, 0.64), (0.3, 0.0, np.sqrt(0.91))])
def test_the_frame_of_a_turned_plane_lies_in_it_and_reaches_as_far_as_the_body(normal):
    scene = full("slanted", clipped=True)
    scene.view.clip = ClipPlane(origin=(5.0, 5.0, 5.0), normal=normal)
    foot, tip, corners = _points(scene)
    np.testing.assert_allclose(foot, (5, 5, 5))
    np.testing.assert_allclose((tip - foot) / np.linalg.norm(tip - foot), normal)
    sides = np.diff([*corners, corners[0]], axis=0)
    np.testing.assert_allclose((corners - foot) @ normal, 0, atol=1e-9)
    assert abs(sides[0] @ sides[1]) < 1e-9, "a rectangle"
    np.testing.assert_allclose(corners.mean(axis=0), foot)
    for side in sides[:2]:
        along = side / np.linalg.norm(side)
        assert np.linalg.norm(side) == pytest.approx(1.08 * np.abs(10 * along).sum()), "the shadow of the cube"


def test_the_clip_handle_is_gripped_at_its_arrow_and_its_ball_and_nowhere_else():
    scene = full("slanted", clipped=True)
    foot, tip = at(scene, 5, 5, 4), at(scene, 5, 5, 4 + 0.42 * scene.camera.radius)
    along = (tip - foot) / np.linalg.norm(tip - foot)
    across = np.array([-along[1], along[0]])
    for spot, grip in (
        (tip, "tilt"), (tip + 12 * across, "tilt"), (tip + 12 * along, "tilt"), (tip + 13.5 * along, None),
        (foot, "move"), ((foot + tip) / 2 + 8 * across, "move"), ((foot + tip) / 2 - 8 * across, "move"),
        ((foot + tip) / 2 + 9.5 * across, None), (foot - 8 * along, "move"), (foot - 9.5 * along, None),
    ):  # fmt: skip
        assert grip_at(scene, *spot, *SIZE) == grip, spot - foot
    scene.view.clip = None
    assert grip_at(scene, *tip, *SIZE) is None


def test_the_clip_plane_follows_the_pointer_along_its_arrow_and_stays_in_the_body():
    scene = full("slanted", clipped=True)
    length = 0.42 * scene.camera.radius
    whole = at(scene, 5, 5, 4 + length) - at(scene, 5, 5, 4)
    assert moved(scene, *whole, *SIZE).origin == pytest.approx((5, 5, 4 + length))
    assert moved(scene, *(-whole / 2), *SIZE).origin == pytest.approx((5, 5, 4 - length / 2))
    assert moved(scene, -whole[1], whole[0], *SIZE).origin == pytest.approx((5, 5, 4))
    for ends in (-100.0, 100.0):
        assert pushed(scene, scene.clip, ends).origin == pytest.approx((5, 5, 5 + np.sign(ends) * scene.camera.radius))
    assert pushed(scene, scene.clip, 1.0).origin == pytest.approx((5, 5, 5))
    above = full("above", clipped=True)
    assert moved(above, 30, -20, *SIZE).origin[2] == pytest.approx(4 + 20 * above.camera.mm_per_pixel(SIZE[1]))


def test_the_clip_plane_tilts_towards_where_its_ball_is_pulled():
    scene = full("slanted", clipped=True)
    right, up, _ = scene.camera.axes
    arm = 0.42 * scene.camera.radius / scene.camera.mm_per_pixel(SIZE[1])
    for dx, dy in ((arm, 0.0), (-0.3 * arm, 0.0), (0.0, 0.5 * arm)):
        expected = np.array([0, 0, 1.0]) + (dx * right - dy * up) / arm
        plane = tilted(scene, dx, dy, SIZE[1])
        assert plane.normal == pytest.approx(expected / np.linalg.norm(expected))
        assert plane.origin == pytest.approx((5, 5, 4))
