"""Headless pictures: values read back from the framebuffer as the colours that they stand for."""

from dataclasses import replace

import numpy as np
import pytest

from engines.api.errors import DeviceError
from tests.ui.scene.meshes import ACTIVATION, VOLTAGE, info, kuhn_cube
from ui.scene import renderer
from ui.scene.colormaps import MISSING, colormap
from ui.scene.scene import Scene
from ui.scene.visuals.screen import Target
from ui.scene.visuals.surface import Palette
from workbench.project.project import CameraView, ClipPlane, ViewSettings

SIZE = (240, 200)


@pytest.fixture
def egl():
    try:
        return renderer._canvas()[0]
    except DeviceError as error:
        pytest.skip(str(error))


@pytest.fixture
def canvas(egl):
    with renderer.current(egl):
        yield egl


def pixels(scene: Scene, lit: float = 0.0):
    """The 3D part alone, without background: (h, w, 4), black where nothing was drawn."""
    from vispy import gloo

    target, palette = Target(), Palette()
    width, height = SIZE
    target.begin(width, height)
    gloo.set_clear_color((0, 0, 0, 1))
    gloo.clear(color=True, depth=True)
    scene.camera.distance = scene.camera.fitting_distance(width / height)
    look = replace(scene.look(), lit=lit)
    scene.layer.draw(look, scene.camera.view(), scene.camera.projection(width / height), palette)
    target.end()
    image = np.array(target.read())
    scene.layer.release()
    target.release()
    return image.astype(int)


def scene_with(mesh, voltage, activation, time=30.0, **view) -> Scene:
    scene = Scene()
    scene.set_geometry(mesh)
    scene.info = info(mesh)
    scene.apply_view(ViewSettings(**view), SIZE[0] / SIZE[1])
    fields = {"voltage": np.full(mesh.n_cells, voltage, np.float32), "activation": activation}
    scene.show_fields({name: np.asarray(v, np.float32) for name, v in fields.items()}, time)
    return scene


@pytest.mark.parametrize("value", [-90.0, -42.0, 0.0, 39.0, 55.0])
def test_a_uniform_value_has_its_colour_of_the_map(canvas, value) -> None:
    mesh = kuhn_cube(3)
    image = pixels(scene_with(mesh, value, np.full(mesh.n_cells, -1.0), front=False))
    drawn = image[..., :3].reshape(-1, 3)[image[..., :3].sum(axis=2).ravel() > 0]
    low, high = VOLTAGE.range
    place = 255 * np.clip((value - low) / (high - low), 0, 1)
    expected = colormap("voltage", dark=True)[round(place)].astype(int)
    assert len(drawn) > 0.2 * SIZE[0] * SIZE[1]
    # The texture interpolates between two entries, and squaring and rooting round once each.
    assert np.abs(drawn - expected).max() <= 4


def test_cells_without_data_are_grey(canvas) -> None:
    mesh = kuhn_cube(3)
    image = pixels(scene_with(mesh, 0.0, np.full(mesh.n_cells, -1.0), field="activation", front=False))
    drawn = image[..., :3].reshape(-1, 3)[image[..., :3].sum(axis=2).ravel() > 0]
    assert np.abs(drawn - np.array(MISSING)).max() <= 2


def test_front_glows_between_its_edge_and_its_width_only(canvas) -> None:
    mesh = kuhn_cube(12)
    # Activation runs along y at 1 ms/mm, so at 6 ms the band covers 2 < y < 6 mm of the face that is looked at.
    times = mesh.centroids[:, 1]
    activation = np.where(times <= 6.0, times, -1.0)
    scene = scene_with(mesh, -85.0, activation, time=6.0, camera=CameraView(azimuth=0.0, elevation=0.0))
    image = pixels(scene)
    row = image[SIZE[1] // 2]
    (left, right), _ = scene.camera.to_pixels(np.array([[10.0, 0.3, 5.0], [10.0, 9.7, 5.0]]), *SIZE)
    y_of = np.interp(np.arange(SIZE[0]), [left[0], right[0]], [0.3, 9.7], left=np.nan, right=np.nan)
    quiet = colormap("voltage", dark=True)[10].astype(int)
    away = np.abs(row[:, :3] - quiet).sum(axis=1)
    cell = 10.0 / 12
    assert away[(y_of > 6.0 + cell) & (y_of < 9.5)].max() < 15
    assert away[(y_of > 4.0) & (y_of < 6.0 - cell)].min() > 100
    assert away[(y_of > 0.5) & (y_of < 2.0 - cell)].max() < 40


def test_no_front_runs_where_the_field_has_no_value(canvas) -> None:
    mesh = kuhn_cube(12)
    times = mesh.centroids[:, 1]
    voltage = np.where(mesh.centroids[:, 2] > 5.0, np.nan, -85.0)
    camera = CameraView(azimuth=0.0, elevation=0.0)
    scene = scene_with(mesh, voltage, np.where(times <= 6.0, times, -1.0), time=6.0, camera=camera)
    image = pixels(scene)
    (above, below), _ = scene.camera.to_pixels(np.array([[10.0, 5.0, 8.0], [10.0, 5.0, 2.0]]), *SIZE)
    grey, front = (image[round(at[1]), round(at[0]), :3] for at in (above, below))
    assert np.abs(grey - np.array(MISSING)).max() <= 2
    assert np.abs(front - np.array(MISSING)).max() > 40


def test_region_preview_shows_two_colours_with_a_crisp_border(canvas) -> None:
    mesh = kuhn_cube(4)
    scene = Scene()
    scene.set_geometry(mesh)
    scene.apply_view(ViewSettings(camera=CameraView(azimuth=-90.0, elevation=0.0)), SIZE[0] / SIZE[1])
    image = pixels(scene)
    row = image[SIZE[1] // 2, :, :3]
    colours = {tuple(c) for c in row if c.sum() > 0}
    assert len(colours) == 2
    assert [name for name, _ in scene.layer.regions] == ["left", "right"]


def test_clipping_shows_the_cut_with_the_values_inside(canvas) -> None:
    mesh = kuhn_cube(6)
    clip = ClipPlane(origin=(5.0, 5.0, 5.0), normal=(1.0, 0.0, 0.0))
    scene = scene_with(mesh, 0.0, np.full(mesh.n_cells, -1.0), clip=clip, camera=CameraView(azimuth=0, elevation=0))
    fields = {"voltage": np.where(mesh.centroids[:, 0] < 6.7, 40.0, -90.0), "activation": -np.ones(mesh.n_cells)}
    scene.show_fields({name: v.astype(np.float32) for name, v in fields.items()}, 1.0)
    middle = pixels(scene)[SIZE[1] // 2, SIZE[0] // 2, :3]
    assert middle == pytest.approx(colormap("voltage", dark=True)[255].astype(int), abs=4)


def test_light_keeps_what_faces_the_viewer_near_its_colour(canvas) -> None:
    mesh = kuhn_cube(3)
    scene = scene_with(mesh, 0.0, np.full(mesh.n_cells, -1.0), front=False, camera=CameraView(azimuth=0, elevation=0))
    plain, lit = (pixels(scene, lit)[SIZE[1] // 2, SIZE[0] // 2, :3] for lit in (0.0, 1.0))
    # The light on a surface that faces the viewer is 1.1 in linear light, 1.05 in sRGB, plus a weak sheen.
    assert np.abs(lit - plain).max() < 25


def test_render_is_a_whole_picture_with_bar_and_overlay(egl) -> None:
    mesh = kuhn_cube(3)
    values = {"voltage": np.zeros(mesh.n_cells, np.float32), "activation": -np.ones(mesh.n_cells, np.float32)}
    picture = renderer.render(mesh, info(mesh), values, 12.5, ViewSettings(), size=(640, 400), lines=["Steps\t1"])
    assert picture.shape == (400, 640, 4)
    assert (picture[..., 3] == 255).all()
    bar = colormap("voltage", dark=True)[200].astype(int)
    right = picture[:, 480:, :3].reshape(-1, 3).astype(int)
    assert np.abs(right - bar).max(axis=1).min() <= 2
    assert picture[:, 200:440].std() > 10
    again = renderer.render(mesh, info(mesh), values, 12.5, ViewSettings(), size=(640, 400), lines=["Steps\t1"])
    assert (picture == again).all()


def test_render_without_a_simulation_previews_the_regions(egl) -> None:
    picture = renderer.render(kuhn_cube(3), None, None, 0.0, ViewSettings(), size=(320, 240))
    assert picture.shape == (240, 320, 4)


def test_unknown_geometry_is_refused_with_a_sentence(egl) -> None:
    from engines.api.errors import ProblemError

    with pytest.raises(ProblemError, match="cannot draw a dict"):
        renderer.render({}, None, None, 0.0, ViewSettings())


def test_fields_that_miss_are_marked_on_the_bar() -> None:
    from ui.scene.visuals.plates import DARK, colour_bar

    lut = colormap("viridis", dark=True)
    with_note = colour_bar(ACTIVATION, ACTIVATION.range, lut, DARK, 1.0, 300)
    gaps = replace(ACTIVATION, missing_title="between the cells, at some length")
    assert colour_bar(gaps, ACTIVATION.range, lut, DARK, 1.0, 300).shape[1] > with_note.shape[1]
    without = colour_bar(replace(ACTIVATION, missing=None), ACTIVATION.range, lut, DARK, 1.0, 300)
    grey = (np.abs(with_note[..., :3].astype(int) - np.array(MISSING)).max(axis=2) == 0).sum()
    assert grey > 50
    assert (np.abs(without[..., :3].astype(int) - np.array(MISSING)).max(axis=2) == 0).sum() < grey


def test_one_sees_the_body_through_the_plates_that_lie_over_it(egl) -> None:
    mesh = kuhn_cube(3)
    seen = {}
    for distance in (14.0, 200.0):
        camera = CameraView(azimuth=0.0, elevation=0.0, distance=distance)
        scene = scene_with(mesh, 39.0, np.full(mesh.n_cells, -1.0), front=False, camera=camera)
        scene.time = 30.0
        with renderer.current(egl):
            image = renderer._canvas()[1].read(scene, *SIZE, ratio=1.0, resolution=1.0).astype(int)
            scene.layer.release()
        seen[distance] = image[20, 15, :3], image[100, 20, :3]
    (over_body, body), (over_nothing, nothing) = seen.values()
    assert np.abs(body - nothing).sum() > 150
    assert 15 < np.abs(over_body - over_nothing).sum() < 0.6 * np.abs(body - nothing).sum()
