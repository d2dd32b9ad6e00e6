"""Pictures of grids: the colours of known cells are those of the colour map."""

from dataclasses import replace

import numpy as np
import pytest

from engines.geometry.grid import Grid
from tests.ui.scene.grids import ARRIVAL, CONCENTRATION, Pond, PondServices, info
from tests.ui.scene.test_renderer import canvas, egl  # noqa: F401  (fixtures)
from ui.scene import renderer
from ui.scene.colormaps import MISSING, colormap
from ui.scene.layers.grid import GridLayer
from ui.scene.scene import Scene
from ui.scene.visuals.plates import LIGHT
from ui.scene.visuals.screen import Target
from ui.scene.visuals.surface import Palette
from workbench.cli.runs.pictures import Pictures
from workbench.project.project import CameraView, ViewSettings

SIZE = (300, 260)


def drawn(grid: Grid, values, field=CONCENTRATION, **view):
    """The 3D part alone, black where nothing is: (h, w, 3) int, and the scene."""
    from vispy import gloo

    scene = Scene()
    scene.set_geometry(grid)
    scene.info = info(grid, field)
    scene.apply_view(ViewSettings(field=field.name, **view), SIZE[0] / SIZE[1])
    scene.show_fields({field.name: np.asarray(values, np.float32)}, 1.0)
    if scene.auto_fit:
        scene.camera.distance = scene.camera.fitting_distance(SIZE[0] / SIZE[1])
    target = Target()
    target.begin(*SIZE)
    gloo.set_clear_color((0, 0, 0, 0))
    gloo.clear(color=True, depth=True)
    matrices = scene.camera.view(), scene.camera.projection(SIZE[0] / SIZE[1])
    palette, look = Palette(), replace(scene.look(), size=SIZE)
    scene.layer.draw(look, *matrices, palette)
    scene.layer.draw_over(look, *matrices, palette)
    target.end()
    image = np.array(target.read()).astype(int)
    scene.layer.release()
    target.release()
    return image[..., :3], scene


def colours_at(image, scene, positions):
    pixels, _ = scene.camera.to_pixels(positions, *SIZE)
    column, row = np.floor(pixels).astype(int).T
    return image[row, column]


def expected(values, field=CONCENTRATION, dark=True):
    low, high = field.range
    places = np.clip(np.rint((values - low) / (high - low) * 255), 0, 255).astype(int)
    return colormap(field.colormap, dark)[places].astype(int)


@pytest.mark.usefixtures("canvas")
class TestPictures:
    def test_each_cell_of_an_image_has_its_colour_to_the_edge(self) -> None:
        grid = Grid((9, 11), (2.0, 1.0), origin=(3.0, 4.0, 0.0))
        values = np.random.default_rng(0).random(grid.n_cells)
        image, scene = drawn(grid, values)
        centers = grid.centers(np.arange(grid.n_cells))
        for offset in ([0, 0, 0], [0.8, 0.4, 0], [-0.8, -0.4, 0]):  # cells are even, up to a pixel at their edges
            # The LUT is linear between its 256 entries: half an entry is at most 2 of 255 in viridis.
            assert np.abs(colours_at(image, scene, centers + offset) - expected(values)).max() <= 2

    def test_cells_smaller_than_pixels_are_averaged(self) -> None:
        grid = Grid((500, 600), (1.0, 1.0))
        checker = np.indices(grid.shape).sum(axis=0) % 2
        image, scene = drawn(grid, checker.ravel())
        inner = colours_at(image, scene, np.array([[200.0, 200, 0], [301, 250, 0], [420, 333, 0]]))
        # Pixels of 2.3 cells mix four of them unevenly: not 0 and 1 but a quarter to three quarters.
        low, high = expected(np.array([0.2]))[0], expected(np.array([0.8]))[0]
        assert ((inner[:, 1] > low[1]) & (inner[:, 1] < high[1])).all()

    def test_a_logarithm_spreads_decades_evenly(self) -> None:
        """1e-3, 1e-2, 0.1 and 1 within 1e-4 to 1: at one, two, three and four quarters of the map."""
        grid = Grid((4, 4), (1.0, 1.0))
        image, scene = drawn(grid, np.tile([1e-3, 1e-2, 0.1, 1.0], 4), logarithmic=True)
        found = colours_at(image, scene, grid.centers(np.arange(4)))
        lut = colormap("viridis", dark=True).astype(int)
        assert np.abs(found - lut[[64, 128, 191, 255]]).max() <= 4

    def test_contours_run_where_the_values_are(self) -> None:
        """A ramp from 0 to 1 along x over 40 cells: lines at every tenth, linear between cells, and nowhere else."""
        grid = Grid((4, 40), (1.0, 1.0))
        x, _, _ = grid.centers(np.arange(grid.n_cells)).T
        image, scene = drawn(grid, x / 40, contours=True)
        bare, _ = drawn(grid, x / 40)
        assert scene.isochrone_step(CONCENTRATION) == pytest.approx(0.1)
        changed = np.abs(image - bare).sum(axis=2)[SIZE[1] // 2] > 60
        ends, _ = scene.camera.to_pixels(np.array([[0.0, 2, 0], [40.0, 2, 0]]), *SIZE)
        value_of = np.interp(np.arange(SIZE[0]) + 0.5, ends[:, 0], [0.0, 1.0], left=np.nan, right=np.nan)
        pixel = 1 / (ends[1, 0] - ends[0, 0])
        tenths = np.abs(value_of * 10 - np.round(value_of * 10)) / 10
        assert np.nanmax(tenths[changed]) < 1.5 * pixel
        lines = [k for k in range(1, 10) if changed[np.nanargmin(np.abs(value_of - k / 10))]]
        assert lines == list(range(1, 10))

    def test_a_part_that_is_looked_at_closely_shows_its_own_cells(self) -> None:
        grid = Grid((1400, 1400), (1.0, 1.0))
        values = np.random.default_rng(0).random(grid.n_cells)
        stand = CameraView(azimuth=-90, elevation=90, distance=60.0, center=(400.0, 900.0, 0.0))
        image, scene = drawn(grid, values, camera=stand)
        assert [sheet.detail for sheet in scene.layer.shape.sheets] == [False, True]
        cells = (np.arange(890, 910)[:, None] * 1400 + np.arange(390, 410)).ravel()
        assert np.abs(colours_at(image, scene, grid.centers(cells)) - expected(values[cells])).max() <= 2

    def test_missing_cells_are_grey_and_their_neighbours_untouched(self) -> None:
        grid = Grid((5, 5), (1.0, 1.0))
        values = np.full(25, 6.0)
        values[12] = -1.0
        image, scene = drawn(grid, values, ARRIVAL)
        found = colours_at(image, scene, grid.centers(np.array([12, 11, 7])))
        assert np.abs(found[0] - np.array(MISSING)).max() <= 1
        assert np.abs(found[1:] - expected(values[[11, 7]], ARRIVAL)).max() <= 2

    @pytest.mark.parametrize("axis", [0, 1, 2])
    def test_each_slice_has_the_values_of_its_cells(self, axis) -> None:
        grid = Grid((5, 6, 7), (1.0, 1.5, 2.0), origin=(-3.0, 0.0, 1.0))
        values = np.random.default_rng(axis).random(grid.n_cells)
        # The others stand at the far side, so that nothing hides this one.
        places = [0.0, 1.0, 0.0]
        places[axis] = 0.6
        stand = (CameraView(azimuth=1, elevation=1), CameraView(azimuth=-91, elevation=1), CameraView(elevation=89))
        image, scene = drawn(grid, values, slices=tuple(places), camera=stand[axis])
        index = scene.layer.shape.sheets[axis].sampling.low[axis]
        assert index == (4, 3, 3)[axis]
        cells = np.arange(grid.n_cells).reshape(grid.shape)
        cells = np.take(cells, index, axis=2 - axis)[1:-1, 1:-1].ravel()
        centers = grid.centers(cells)
        assert np.abs(colours_at(image, scene, centers) - expected(values[cells])).max() <= 2

    def test_a_relief_stands_as_high_as_its_values(self) -> None:
        grid = Grid((40, 40), (1.0, 1.0))
        flat, _ = drawn(grid, np.zeros(1600), height=0.4, camera=CameraView(azimuth=-90, elevation=0))
        high, scene = drawn(grid, np.ones(1600), height=0.4, camera=CameraView(azimuth=-90, elevation=0))
        assert flat.max() == 0  # edge on
        tops = np.flatnonzero(high.sum(axis=2).max(axis=1))
        above, _ = scene.camera.to_pixels(np.array([[20.0, 0.0, 16.0]]), *SIZE)
        assert tops[0] == pytest.approx(above[0, 1], abs=2)  # pixels

    def test_a_volume_shows_what_is_inside_and_nothing_where_values_are_low(self) -> None:
        grid = Grid((24, 24, 24), (1.0, 1.0, 1.0))
        z, y, x = np.indices(grid.shape)
        ball = ((x - 11.5) ** 2 + (y - 11.5) ** 2 + (z - 11.5) ** 2 < 36).astype(float).ravel()
        image, scene = drawn(grid, ball, volume=True, camera=CameraView(azimuth=20, elevation=10))
        middle, side = colours_at(image, scene, np.array([[12.0, 12, 12], [12.0, 12.0, 22.5]]))
        # The ball's rim mixes all colours of the map in, and it is shaded; no other part of viridis is yellow.
        assert middle[0] > 150
        assert middle[1] > 150
        assert middle[2] < 80
        assert side.max() < 8


@pytest.mark.usefixtures("egl")
def test_a_headless_picture_has_the_bar_the_ticks_and_its_own_unit() -> None:
    grid = Grid((64, 64), (0.1, 0.1), length_unit="um")
    values = {"u": np.full(grid.n_cells, 0.5, np.float32)}
    picture = renderer.render(grid, info(grid), values, 1.0, ViewSettings(), size=(640, 400), theme=LIGHT)
    assert picture.shape == (400, 640, 4)
    assert np.abs(picture[200, 320, :3].astype(int) - expected(np.array([0.5]), dark=False)[0]).max() <= 2
    mm = renderer.render(
        Grid((64, 64), (0.1, 0.1)), info(grid), None, 1.0, ViewSettings(), size=(640, 400), theme=LIGHT
    )
    assert (picture[340:] != mm[340:]).any()


def test_a_software_renderer_draws_slices_where_a_volume_is_wanted(monkeypatch, egl) -> None:  # noqa: F811
    grid = Grid((8, 8, 8), (1.0, 1.0, 1.0))
    values = {"u": np.linspace(0, 1, 512, dtype=np.float32)}
    pictures = {}
    for software in (True, False):
        kept = renderer._canvas()
        monkeypatch.setattr(renderer, "_canvas", lambda kept=kept, software=software: (*kept[:2], software))
        pictures[software] = renderer.render(grid, info(grid), values, 1.0, ViewSettings(volume=True), size=(160, 120))
        monkeypatch.undo()
    sliced = renderer.render(grid, info(grid), values, 1.0, ViewSettings(), size=(160, 120))
    assert (pictures[True] == sliced).all()
    assert (pictures[False] != sliced).any()


def test_a_new_moment_of_a_big_image_costs_little(canvas) -> None:  # noqa: F811
    import time as clock

    from ui.scene.visuals.grid import Samples

    for side, limit in ((512, 0.002), (1024, 0.006)):
        grid = Grid((side, side), (1.0, 1.0))
        layer, samples = GridLayer(grid), Samples()
        shape = layer.plan_shape(layer.settled(layer.shape.plan))
        layer.adopt(layer.plan_shape(replace(shape.plan, field=CONCENTRATION)))
        values, took = np.random.default_rng(0).random(grid.n_cells).astype(np.float32), []
        for _ in range(9):
            started = clock.thread_time()
            layer.set_values({"z": values}, 1.0)
            samples.set(*layer._values["z"])
            canvas.context.flush_commands()
            took.append(clock.thread_time() - started)
        # Measured 0.2 and 0.6 ms on one core with llvmpipe, whose texture is a copy in main memory.
        assert np.median(took) < limit
        samples.release()


@pytest.mark.usefixtures("egl")
def test_a_run_without_a_window_draws_its_grid(tmp_path) -> None:
    grid = Grid((60, 80), (1.0, 1.0))
    pond, document = Pond(grid), PondServices(grid).document()
    pictures = Pictures(tmp_path, document, 2, 1.0)
    pictures.begin(pond, info(grid))
    pond.advance(5)
    pictures.observe(pond)
    pictures.draw()
    assert pictures.trouble == ""
    assert [path.name for path in pictures.drawn] == ["picture_000000005.png"]
    assert pictures.drawn[0].stat().st_size > 20_000
