"""The camera's maps agree with each other."""

from types import SimpleNamespace

import numpy as np
import pytest

from ui.scene.cameras.camera import DIRECTIONS, VIEWS, Camera, _directions, bounding_sphere
from ui.scene.cameras.room import Room
from ui.scene.overlays.hud import named_axes
from workbench.project.project import CameraView

# Written out: what the sources have is held against these.
FRAMED = (1.2, 1.17)

CORNERS = np.array([[x, y, z] for x in (0, 10) for y in (0, 20) for z in (0, 30)], float)


@pytest.fixture(params=[(0.0, 0.0), (0.2, -0.15)], ids=["in the middle", "beside plates"])
def camera(request) -> Camera:
    camera = Camera(azimuth=35.0, elevation=20.0, offset=request.param)
    camera.fit(CORNERS)
    return camera


def test_ray_through_a_pixel_meets_the_point_that_appears_there(camera: Camera) -> None:
    point = np.array([3.0, 12.0, 21.0])
    (pixel,), _ = camera.to_pixels(point, 800, 600)
    origin, direction = camera.ray(*pixel, 800, 600)
    nearest = origin + direction * ((point - origin) @ direction)
    assert nearest == pytest.approx(point, abs=1e-9)


def test_zoom_keeps_what_is_under_the_pointer_in_the_plane_of_the_center(camera: Camera) -> None:
    pixel = np.array([610.0, 140.0])
    origin, direction = camera.ray(*pixel, 800, 600)
    share = ((camera.center - origin) @ camera.back) / (direction @ camera.back)
    under = origin + share * direction
    camera.zoom(1.7, *pixel, 800, 600)
    (after,), _ = camera.to_pixels(under, 800, 600)
    assert after == pytest.approx(pixel, abs=1e-6)


def test_pan_moves_the_center_with_the_pointer(camera: Camera) -> None:
    before = camera.center.copy()
    camera.pan(25, -10, 600)
    (pixel,), _ = camera.to_pixels(before, 800, 600)
    assert pixel == pytest.approx(np.add(camera.middle(800, 600), (25, -10)), abs=0.1)


@pytest.mark.parametrize("axis", VIEWS)
def test_look_along_stands_on_the_axis(camera: Camera, axis: str) -> None:
    camera.look_along(axis)
    expected = np.zeros(3)
    expected["xyz".index(axis[-1])] = -1.0 if axis.startswith("-") else 1.0
    assert camera.back == pytest.approx(expected, abs=1e-12)


def test_whole_scene_is_in_view_and_in_the_depth_range(camera: Camera) -> None:
    for aspect in (0.6, 1.0, 2.0):
        camera.distance = camera.fitting_distance(aspect)
        matrix = camera.projection(aspect) @ camera.view()
        clip = CORNERS @ matrix[:, :3].T + matrix[:, 3]
        ndc = clip[:, :3] / clip[:, 3:]
        assert np.abs(ndc[:, 2]).max() < 1
        assert np.abs(ndc[:, :2] - camera.offset).max() < 1


def test_settings_round_trip(camera: Camera) -> None:
    other = Camera()
    other.apply(camera.settings(), 1.5)
    assert other.view() == pytest.approx(camera.view())


def test_bounding_sphere_of_a_box_and_of_a_cone() -> None:
    center, radius = bounding_sphere(CORNERS)
    assert center == pytest.approx([5, 10, 15], abs=0.4)
    assert radius == pytest.approx(np.sqrt(350.0), rel=0.02)
    angle = np.linspace(0, 2 * np.pi, 60)
    cone = np.vstack([np.stack([10 * np.cos(angle), 10 * np.sin(angle), np.full(60, 12.5)], axis=1), [[0, 0, -12.5]]])
    center, radius = bounding_sphere(cone)
    # Through rim and apex: R² + (h/2 − z)² = (h/2 + z)², so z = R² / 2h = 2 and the radius 14.5.
    assert center == pytest.approx([0, 0, 2.0], abs=0.4)
    assert radius == pytest.approx(14.5, rel=0.02)


def test_a_ball_is_shown_whole() -> None:
    """The body that reaches its bounding sphere everywhere; meshes of balls were cut at the edges of the view."""
    angles = np.linspace(0, 2 * np.pi, 100)
    rings = [
        np.stack([np.cos(angles) * np.cos(e), np.sin(angles) * np.cos(e), np.full(100, np.sin(e))], 1) for e in angles
    ]
    points = 5.0 * np.concatenate(rings)
    camera = Camera()
    camera.fit(points, 1.4)
    pixels, _ = camera.to_pixels(points, 840, 600)
    assert pixels.min() > 0
    assert pixels[:, 0].max() < 840
    assert pixels[:, 1].max() < 600


def test_axes_whose_names_would_lie_upon_each_other_keep_that_of_the_longer_one() -> None:
    camera = Camera()
    camera.azimuth, camera.elevation = -90.0, 62.0  # y at 0.88 of its length, z at 0.47, both upwards
    assert named_axes(camera.axes) == [True, True, False]
    camera.azimuth, camera.elevation = 30.0, 20.0
    assert named_axes(camera.axes) == [True, True, True]


def test_a_drag_turns_by_half_a_degree_a_pixel_and_the_azimuth_stays_within_half_a_turn() -> None:
    camera = Camera(azimuth=30.0, elevation=20.0)
    camera.rotate(10.0, 6.0)
    assert (camera.azimuth, camera.elevation) == (25.0, 23.0)
    camera.rotate(-350.0, 0.0)
    assert camera.azimuth == -160.0, "200 degrees are 160 the other way"
    camera.rotate(50.0, -30.0)
    assert (camera.azimuth, camera.elevation) == (175.0, 8.0)
    camera.rotate(0.0, 400.0)
    assert camera.elevation == 90.0
    camera.rotate(0.0, -800.0)
    assert camera.elevation == -90.0


@pytest.mark.parametrize("axis", ["z", "slant", "x"])
@pytest.mark.parametrize("aspect", [0.7, 1.5])
def test_a_frame_fills_the_picture_but_for_the_room_of_its_ticks(axis: str, aspect: float) -> None:
    """None of its corners is outside, and one is where the room begins."""
    corners = np.array([[x, y, z] for x in (0.0, 40.0) for y in (0.0, 20.0) for z in (0.0, 6.0)])
    camera = Camera()
    camera.look_along(axis)
    camera.fit(corners, aspect, corners)
    pixels, depth = camera.to_pixels(corners, 200.0 * aspect, 200.0)
    across = np.abs(pixels / [100.0 * aspect, 100.0] - 1)
    assert (depth > 0).all()
    assert (across * FRAMED).max() == pytest.approx(1.0, abs=1e-6)


def test_directions_are_unit_vectors_spread_evenly() -> None:
    found = _directions(64).T
    np.testing.assert_array_equal(found, DIRECTIONS.T)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0)
    np.testing.assert_allclose(found.mean(axis=0), 0.0, atol=0.02)
    np.testing.assert_allclose(found.T @ found / len(found), np.eye(3) / 3, atol=0.02)
    nearest = np.sort(found @ found.T, axis=1)[:, -2]
    assert nearest.max() < np.cos(0.5 * np.sqrt(4 * np.pi / len(found))), "none lies close to another"


def test_the_slant_sees_a_relief_from_before_and_above_and_no_other_name_is_known(camera: Camera) -> None:
    camera.look_along("slant")
    assert camera.back[2] == pytest.approx(np.sin(np.deg2rad(38)))
    assert camera.back[1] < 0 < camera.back[0]
    with pytest.raises(KeyError):
        camera.look_along("w")


def test_zooming_ends_where_the_scene_is_a_point_or_fills_all(camera: Camera) -> None:
    for factor, end in ((1e9, 0.02), (1e-9, 40.0)):
        camera.zoom(factor, 100.0, 100.0, 200.0, 200.0)
        assert camera.distance == pytest.approx(end * camera.radius)


def test_a_point_alone_has_a_radius_and_of_very_many_all_are_within() -> None:
    assert bounding_sphere(np.ones((1, 3)))[1] == 1.0
    points = np.random.default_rng(0).normal(size=(60_001, 3))
    points[17] = (9.0, 0.0, 0.0)
    center, radius = bounding_sphere(points)
    assert np.linalg.norm(points - center, axis=1).max() == pytest.approx(radius)


def test_a_view_without_distance_and_center_fits_the_scene(camera: Camera) -> None:
    fitted = camera.fitting_distance(1.5)
    camera.pan(30.0, 10.0, 200.0)
    camera.zoom(3.0, 0.0, 0.0, 300.0, 200.0)
    camera.apply(CameraView(azimuth=1.0, elevation=2.0, distance=None, center=None), 1.5)
    assert (camera.azimuth, camera.elevation, camera.distance) == (1.0, 2.0, pytest.approx(fitted))
    np.testing.assert_array_equal(camera.center, camera.scene_center)
    camera.apply(CameraView(azimuth=1.0, elevation=2.0, distance=7.0, center=(1.0, 2.0, 3.0)), 1.5)
    assert (camera.distance, *camera.center) == (7.0, 1.0, 2.0, 3.0)


@pytest.mark.parametrize("framed", [False, True])
@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize(("width", "body"), [(1000, 700.0), (400, 200.0), (100, 50.0)])
def test_a_body_has_what_plates_leave_of_a_view_and_half_of_it_at_least(width, body, ratio, framed) -> None:
    """Plates at the left and right keep 200 and 100 points, in a narrow view in proportion; what is on top, 60."""
    room = Room(left=200.0, top=60.0, right=100.0, least=0.5, tight=True)
    camera = SimpleNamespace(frame=(1, 1) if framed else None, offset=None, distance=None)
    camera.fitting_distance = lambda aspect, part: (aspect, part)
    wide, high = width * ratio, 500 * ratio
    room.place(camera, wide, high, ratio, fit=False)
    assert camera.distance is None, "it is only moved aside"
    room.place(camera, wide, high, ratio, fit=True)
    body, tall = body * ratio, 440 * ratio
    left = (wide - body) * 2 / 3
    if framed:  # what has ticks at its left and below begins where they do, and reaches to the other edges
        body, tall = (2 * free * more / (1 + more) for free, more in zip((body, tall), FRAMED, strict=True))
    assert camera.offset == pytest.approx(((2 * left + body) / wide - 1, tall / high - 1))
    assert camera.distance == pytest.approx((body / tall, tall / high))


def test_what_is_on_top_leaves_half_of_the_height_at_least() -> None:
    camera = SimpleNamespace(frame=None, fitting_distance=lambda aspect, part: (aspect, part))
    Room(left=0.0, top=300.0, right=1.0).place(camera, 201, 400, 1.0, fit=True)
    assert camera.distance == pytest.approx((1.0, 0.5))
    Room(left=0.0, top=300.0, right=1.0, of_round=0.5).place(camera, 251, 400, 1.0, fit=True)
    assert camera.distance == pytest.approx((1.0, 250 / 400)), "a ball has no corners to be covered"


def test_the_view_is_28_degrees_high() -> None:
    camera = Camera(azimuth=-90.0, elevation=0.0)
    camera.fit(CORNERS)
    camera.distance = 100.0
    right, up, _ = camera.axes
    for part, at in ((0.0, 300.0), (1.0, 0.0), (-1.0, 600.0)):
        place = np.asarray(camera.center) + part * 100.0 * np.tan(np.radians(14.0)) * up
        (pixel,), (depth,) = camera.to_pixels(place[None], 800, 600)
        assert pixel == pytest.approx((400.0, at))
        assert depth == pytest.approx(100.0)
    (pixel,), _ = camera.to_pixels((np.asarray(camera.center) + 10 * right)[None], 800, 600)
    assert pixel[0] > 400
