"""A grid in the scene without OpenGL: what is asked for, kept, picked, lifted."""

from dataclasses import replace

import numpy as np
import pytest

from engines.geometry.grid import Grid
from tests.ui.scene.grids import ARRIVAL, CONCENTRATION, FLOW, gather, info
from ui.scene.layers.grid import VOLUME, GridLayer
from ui.scene.layers.layer import Plan
from ui.scene.scene import Scene
from ui.scene.shapes.vertex_means import NO_DATA
from ui.scene.visuals.surface import Look
from workbench.project.project import CameraView, ViewSettings
from workbench.run.frames import Frame

FLAT = Grid((30, 40), (0.5, 0.5), origin=(10.0, -5.0, 2.0))
DEEP = Grid((12, 16, 20), (1.0, 2.0, 0.5), origin=(1.0, 2.0, 3.0))
DOWN = np.array([0.0, 0.0, -1.0])


def answered(grid: Grid, values, field=CONCENTRATION, **plan) -> GridLayer:
    layer = GridLayer(grid)
    shape = layer.plan_shape(Plan(field, **plan))
    layer.adopt(shape)
    layer.set_values({name: gather(values, part) for name, (_, part) in layer.parts(shape).items()}, 1.0)
    return layer


# What is asked for.


def test_an_image_asks_for_each_cell_once_and_a_big_one_for_no_more_than_the_view_shows() -> None:
    layer = GridLayer(FLAT)
    ((_, selection),) = layer.parts(layer.plan_shape(Plan(CONCENTRATION))).values()
    assert np.array_equal(selection.elements, np.arange(FLAT.n_cells))
    big = GridLayer(Grid((3000, 4000), (1.0, 1.0)))
    for samples in (1_000_000, 300_000):
        ((_, selection),) = big.parts(big.plan_shape(Plan(CONCENTRATION, samples=samples))).values()
        assert samples / 2 < len(selection) <= samples
    assert big.note() == "one of each 4 × 4 cells"


@pytest.mark.parametrize(
    ("grid", "levels", "volume", "kept"),
    [
        (DEEP, 0, False, (0, False)),
        (DEEP, 1, False, (1, True)),
        (DEEP, 2, True, (0, False)),
        (FLAT, 2, False, (0, False)),
    ],
)
def test_slices_stand_beside_surfaces_of_equal_value_alone(grid, levels, volume, kept) -> None:
    plan = GridLayer(grid).plan_shape(Plan(CONCENTRATION, levels=levels, cuts=True, volume=volume)).plan
    assert (plan.levels, plan.cuts) == kept


@pytest.mark.parametrize("count", [1, 2, 4])
def test_surfaces_of_equal_value_have_no_more_triangles_together_than_were_asked_for(count) -> None:
    grid, most = Grid((32, 32, 32), (1.0, 1.0, 1.0)), 3000
    layer = GridLayer(grid)
    layer.adopt(layer.plan_shape(Plan(CONCENTRATION, levels=most)))
    box = layer.shape.levels
    shape = [-(-(high - low) // stride) for low, high, stride in zip(box.low, box.high, box.strides, strict=True)][::-1]
    values = np.linalg.norm(np.stack(np.meshgrid(*(np.linspace(-1, 1, n) for n in shape), indexing="ij")), axis=0)
    layer.levels = tuple(np.linspace(0.6, 0.8, count))
    drawn = [len(layer._level_surface(values, level).triangles) for level in layer.levels]
    assert 0 < sum(drawn) <= most
    assert sum(drawn) > most / 20, "and not few"


def test_slices_ask_for_their_own_layers_of_cells() -> None:
    layer = GridLayer(DEEP)
    parts = layer.parts(layer.plan_shape(Plan(CONCENTRATION, slices=(0.0, 0.5, 1.0))))
    indices = {name: np.unravel_index(part.elements, DEEP.shape) for name, (_, part) in parts.items()}
    assert set(np.unique(indices["x"][2])) == {0}
    assert set(np.unique(indices["y"][1])) == {8}
    assert set(np.unique(indices["z"][0])) == {11}
    assert [len(part) for _, part in parts.values()] == [12 * 16, 12 * 20, 16 * 20]


def test_a_volume_asks_for_a_box_of_samples_and_a_relief_without_a_graphics_card_for_few() -> None:
    big = GridLayer(Grid((400, 400, 400), (1.0, 1.0, 1.0)))
    parts = big.parts(big.plan_shape(Plan(CONCENTRATION, volume=True)))
    assert list(parts) == [VOLUME]
    assert 144**3 / 4 < len(parts[VOLUME][1]) <= 144**3
    flat = GridLayer(Grid((900, 900), (1.0, 1.0)))
    counts = [
        len(flat.parts(flat.plan_shape(Plan(CONCENTRATION, height=height, coarse=True)))["z"][1]) for height in (0, 0.2)
    ]
    assert counts[0] == 900 * 900
    assert counts[1] <= 96 * 96


@pytest.mark.parametrize("grid", [FLAT, DEEP, Grid((700, 900), (1.0, 1.0)), Grid((90, 300, 200), (1.0, 0.7, 0.3))])
@pytest.mark.parametrize("plan", [Plan(CONCENTRATION, samples=5000), Plan(ARRIVAL, volume=True), Plan(height=0.3)])
def test_a_settled_plan_stays_as_it_is(grid, plan) -> None:
    settled = GridLayer(grid).settled(plan)
    assert GridLayer(grid).settled(settled) == settled


def test_what_makes_no_difference_asks_nothing_new() -> None:
    scene = Scene()
    scene.set_geometry(FLAT)
    request = scene.set_simulation(info(FLAT))
    values = {name: np.zeros(len(part), np.float32) for name, (_, part) in request.parts.items()}
    scene.show_frame(Frame(request.serial, 1, 0.1, values))
    scene.samples, scene.coarse = 700_000, True
    scene.view.slices = (0.1, 0.1, 0.1)
    assert scene.replan() is None
    scene.samples = 100
    assert scene.replan() is not None


def test_a_moved_slice_asks_again_and_the_others_keep_their_values() -> None:
    layer = answered(DEEP, np.arange(DEEP.n_cells, dtype=np.float32))
    layer.adopt(layer.plan_shape(replace(layer.shape.plan, slices=(0.9, 0.5, 0.5))))
    assert set(layer._values) == {"y", "z"}


# Values.


def test_missing_values_and_what_is_no_number_are_marked() -> None:
    values = np.linspace(0, 10, FLAT.n_cells).astype(np.float32)
    values[7], values[8] = -1.0, np.nan
    kept = answered(FLAT, values, ARRIVAL)._values["z"]
    assert kept.masked
    assert (kept.array.ravel()[[7, 8]] == np.float32(NO_DATA)).all()
    assert kept.array.ravel()[9] == values[9]
    assert not answered(FLAT, np.ones(FLAT.n_cells), CONCENTRATION)._values["z"].masked


@pytest.mark.parametrize(
    ("log", "places"),
    [(True, [0.0, 0.0, 0.5, 0.75, 1.0, 1.25]), (False, [-0.0101, 0.0, 9 / 99, 30.6228 / 99, 1.0, 3.184119])],
)
def test_a_value_has_its_place_between_the_ends_of_the_colours(log, places) -> None:
    layer = GridLayer(FLAT)
    layer._limits, layer._log = (2.0, 200.0), log
    found = layer._place(2 * np.array([0.0, 1.0, 10.0, 10**1.5, 100.0, 10**2.5]))
    np.testing.assert_allclose(found, places, atol=1e-4)


def test_vectors_are_shown_by_their_length() -> None:
    values = np.tile(np.array([3.0, 4.0], np.float32), (FLAT.n_cells, 1))
    layer = GridLayer(FLAT)
    layer.adopt(layer.plan_shape(Plan(FLOW)))
    layer.set_fields({"flow": values}, 0.0)
    assert (layer._values["z"].array == 5.0).all()


def test_whole_fields_in_the_grid_s_own_shape_are_taken_too() -> None:
    values = np.random.default_rng(0).random(FLAT.shape).astype(np.float32)
    layer = GridLayer(FLAT)
    layer.adopt(layer.plan_shape(Plan(CONCENTRATION)))
    layer.set_fields({"u": values}, 0.0)
    assert np.array_equal(layer._values["z"].array, values)


# Where a ray meets it.


@pytest.mark.parametrize("cell", [0, 39, 40, 617, 1199])
def test_a_ray_finds_the_cell_of_an_image(cell) -> None:
    center = FLAT.centers(np.array([cell]))[0] + [0.2, -0.2, 0.0]
    element, position = GridLayer(FLAT).pick(center + np.array([3.0, 4.0, 12.0]), np.array([-3.0, -4.0, -12.0]) / 13)
    assert element == cell
    assert position == pytest.approx(center, abs=1e-9)


def test_beside_the_grid_there_is_nothing() -> None:
    assert GridLayer(FLAT).pick(np.array([9.9, 0.0, 10.0]), DOWN) is None
    assert GridLayer(FLAT).pick(np.array([12.0, 0.0, 10.0]), -DOWN) is None


def test_the_nearest_slice_is_met() -> None:
    layer = GridLayer(DEEP)
    # From +x through the z slice's height: the slice across x is met first, beyond it the others.
    low, high = DEEP.bounds
    eye = np.array([high[0] + 5, 7.0, 5.2])
    element, position = layer.pick(eye, np.array([-1.0, 0.0, 0.0]))
    assert np.unravel_index(element, DEEP.shape)[2] == 10
    assert position == pytest.approx([low[0] + 10.5 * 1.0, 7.0, 5.2])
    assert layer.tangents(position)[0] == pytest.approx([0, 1, 0])


@pytest.mark.parametrize("axis", [0, 1])
def test_a_relief_is_as_high_as_its_values_wherever_its_grid_begins(axis) -> None:
    grid = Grid((10, 20), (0.5, 0.5), (30.0, -40.0, 2.0))
    places = grid.centers(np.arange(200))
    values = places[:, axis] - places[:, axis].min()
    layer = answered(grid, values.astype(np.float32), height=0.5)
    layer._limits = (0.0, float(values.max()))
    raised = layer.shown_at(places)[:, 2] - places[:, 2]
    np.testing.assert_allclose(raised, layer._lift * values / values.max(), atol=1e-5)


def test_a_relief_is_met_where_it_stands_and_answers_with_a_place_of_the_grid() -> None:
    ramp = np.tile(np.linspace(0.0, 1.0, 40, dtype=np.float32), 30)
    layer = answered(FLAT, ramp, height=0.5)
    layer._limits = Look().limits
    lift = 0.5 * 20.0
    # Sideways, half as high as the ramp's end: it is met half way up.
    element, position = layer.pick(np.array([-20.0, 0.0, 2.0 + lift / 2]), np.array([1.0, 0.0, 0.0]))
    assert position == pytest.approx([20.0, 0.0, 2.0], abs=0.6)  # a cell is 0.5 long
    assert element == FLAT.nearest(position)[0]
    assert layer.shown_at(position[None])[0, 2] == pytest.approx(2.0 + lift / 2, abs=0.3)  # a cell's rise


def test_a_volume_is_met_where_it_is_opaque() -> None:
    z, y, x = np.indices(DEEP.shape)
    ball = ((x == 10) & (y == 8) & (z >= 4)).astype(np.float32).ravel()
    layer = answered(DEEP, ball, volume=True)
    middle = DEEP.centers(np.array([np.ravel_multi_index((8, 8, 10), DEEP.shape)]))[0]
    element, _ = layer.pick(middle + np.array([0, 0, 40.0]), DOWN)
    assert np.unravel_index(element, DEEP.shape)[1:] == (8, 10)
    assert layer.pick(middle + np.array([3.0, 0, 40.0]), DOWN) is None


# The camera.


def test_a_grid_of_two_dimensions_is_seen_from_above_and_fills_the_picture() -> None:
    scene = Scene()
    scene.set_geometry(FLAT)
    scene.apply_view(ViewSettings(), 1.5)
    assert (scene.camera.azimuth, scene.camera.elevation) == (-90.0, 90.0)
    low, high = FLAT.bounds
    pixels, _ = scene.camera.to_pixels(np.stack([low, high]), 600, 400)
    assert pixels[0, 0] < pixels[1, 0]
    assert pixels[0, 1] > pixels[1, 1]  # y is up
    across, up = np.abs(pixels[1] - pixels[0])
    assert across / up == pytest.approx(20 / 15)
    assert 0.8 * 400 < up < 400


def test_building_anew_leaves_the_camera_where_it_is() -> None:
    scene = Scene()
    scene.set_geometry(FLAT)
    scene.apply_view(ViewSettings(camera=CameraView(azimuth=10, elevation=50, distance=31.0)), 1.5)
    scene.set_simulation(info(Grid((30, 40), (0.5, 0.5), origin=(10.0, -5.0, 2.0))))
    assert (scene.camera.azimuth, scene.camera.distance, scene.auto_fit) == (10, 31.0, False)
    scene.set_simulation(info(DEEP))
    assert scene.auto_fit
    assert scene.camera.elevation == GridLayer(DEEP).home.elevation


# Looking closely.


def test_near_a_huge_grid_its_cells_are_asked_for_and_a_creeping_view_asks_nothing_new() -> None:
    grid = Grid((16384, 16384), (1.0, 1.0))
    scene = Scene()
    scene.set_geometry(grid)
    scene.apply_view(ViewSettings(), 1.5)
    request = scene.set_simulation(info(grid))
    assert list(request.parts) == ["z"]
    values = {"z": np.zeros(len(request.parts["z"][1]), np.float32)}
    scene.show_frame(Frame(request.serial, 1, 0.1, values))
    scene.auto_fit = False
    scene.camera.center, scene.camera.distance = np.array([5000.5, 9000.5, 0.0]), 900.0
    closer = scene.replan()
    selection = closer.parts["z detail"][1]
    assert sum(len(part) for _, part in closer.parts.values()) <= 9 / 8 * scene.samples
    row, column = np.divmod(selection.elements, 16384)
    assert np.unique(np.diff(np.unique(column))).tolist() == [1]  # each cell
    half = 900.0 * np.tan(np.deg2rad(14.0))
    assert row.min() <= 9000 - half
    assert row.max() >= 9000 + half
    assert column.min() <= 5000 - 1.5 * half
    assert column.max() >= 5000 + 1.5 * half
    answer = {name: np.zeros(len(part), np.float32) for name, (_, part) in closer.parts.items()}
    scene.show_frame(Frame(closer.serial, 1, 0.1, answer))
    assert scene.layer.note() == ""
    scene.camera.center = scene.camera.center + np.array([3.0, 0.0, 0.0])
    assert scene.replan() is None
    scene.camera.center = scene.camera.center + np.array([700.0, 0.0, 0.0])
    assert scene.replan() is not None


def test_a_small_grid_has_no_part_of_its_own() -> None:
    layer = GridLayer(FLAT)
    assert layer.settled(Plan(CONCENTRATION, window=(3, 3, 8, 8))).window is None


@pytest.mark.parametrize(
    ("cells", "angles"),
    [
        ((5, 4, 1), (0.0, 0.0)),
        ((5, 1, 4), (-90.0, 0.0)),
        ((1, 5, 4), (-90.0, 90.0)),
        ((5, 4), (-90.0, 90.0)),
        ((5, 4, 3), (-60.0, 24.0)),
    ],
)
def test_a_sheet_is_faced_and_a_box_is_seen_aslant(cells, angles) -> None:
    layer = GridLayer(Grid(cells, (1.0,) * len(cells)))
    assert (layer.home.azimuth, layer.home.elevation) == angles
    assert (layer.frame is None) == (angles == (-60.0, 24.0))
