"""What plates over a scene say, one below the other, and which stands where."""

from dataclasses import replace

import numpy as np
import pytest

from tests.ui.scene.layers.test_lattice_layer import lattice, shown
from tests.ui.scene.meshes import gather, kuhn_cube
from tests.ui.scene.meshes import info as of_mesh
from tests.ui.scene.overlays.scenes import full, linked
from tests.ui.scene.test_markers import MARKED, MARKERS
from tests.ui.scene.test_solids import ball, box
from tests.ui.scene.test_solids import scene_of as solid
from ui.scene.cameras.room import BESIDE_PLATES
from ui.scene.overlays import hud as module
from ui.scene.overlays.hud import FIT, GONE, Hud, _overlap
from ui.scene.scene import Scene
from workbench.project.project import ViewSettings


@pytest.fixture
def compose(monkeypatch):
    """Composes the plates of a scene; what was written on each is noted beside them."""

    def compose(scene, size=(800, 600), ratio=1.0, handles=True):
        written, made = {}, {}
        for name in ("text_plate", "legend", "label", "bare_text", "colour_bar"):
            plain = getattr(module.plates, name)

            def noted(first, *rest, plain=plain, **named):
                image = plain(first, *rest, **named)
                written[id(image)], made[id(image)] = (first, *rest), image  # kept, so that no other has its place
                return image

            monkeypatch.setattr(module.plates, name, noted)
        placed, strokes = Hud().compose(scene, *size, ratio, handles)
        monkeypatch.undo()
        return {name: (written[id(image)], image, left, top) for name, image, left, top in placed}, strokes

    return compose


def below_each_other(plates, *names):
    """These begin in one column, each six pixels below the end of the one before."""
    assert {plates[name][2] for name in names} == {12}
    tops = [plates[name][3] for name in names]
    ends = [plates[name][3] + plates[name][1].shape[0] for name in names]
    assert tops[0] == 12
    assert tops[1:] == [end + 6 for end in ends[:-1]]


@pytest.mark.parametrize(("unit", "text"), [("ms", "t = 1.5"), ("iterations", "2 iterations")])
def test_the_time_is_told_with_its_unit_and_of_what_is_counted_alone(compose, unit, text):
    scene = full()
    scene.info = replace(scene.info, time_unit=unit)
    (lines, *_), _, left, top = compose(scene)[0]["time"]
    assert lines[0].startswith(text)
    assert ("t = " in lines[0]) == (unit == "ms")
    assert (left, top) == (12, 12)
    scene.time = None
    assert "time" not in compose(scene)[0]


@pytest.mark.parametrize(("scale", "said"), [(1.0, ""), (200.0, "displacement × 200"), (1.5, "displacement × 1.5")])
def test_how_many_times_displacements_are_drawn_is_told_where_it_is_not_once(compose, scale, said):
    scene = shown(lattice(4, 3), np.zeros(12), np.zeros((12, 3)), deformation=scale)
    plates, _ = compose(scene)
    assert plates["moved"][0][0] == (said,) if said else "moved" not in plates
    if said:
        below_each_other(plates, "time", "moved")


@pytest.mark.parametrize("gone", [False, True])
def test_links_are_told_with_their_range_and_grey_ones_where_there_are_any(compose, gone):
    scene = full("above")
    scene.links = linked((1.0, np.nan if gone else 0.3, -2.0, 0.5))
    plates, _ = compose(scene)
    lines = plates["links"][0][0]
    assert lines == (("Stretch\t−2 … 2 %", GONE) if gone else ("Stretch\t−2 … 2 %",))
    below_each_other(plates, "time", "links")


def test_meters_materials_and_markers_stand_below_the_time_and_each_other(compose):
    scene = solid(ball(0, (5, 5, 5), 2.0, material="Glass"), box(1, (1, 1, 1), (2, 2, 2), material="Gold"))
    scene.time, scene.lines = 1.0, ["Bandwidth\t4.70 GB/s"]
    scene.info = replace(scene.info, marked=MARKED)
    scene.markers = MARKERS
    plates, _ = compose(scene, (900, 900))
    assert plates["lines"][0][0] == ("Bandwidth\t4.70 GB/s",)
    assert [name for name, _ in plates["materials"][0][0]] == ["Glass", "Gold"]
    assert plates["markers"][0][3] == "Spiral tips: 2"
    assert [name for name, _ in plates["markers"][0][0]] == ["1 left", "1 right"]
    below_each_other(plates, "time", "lines", "materials", "markers")
    scene.view.overlay = False
    plates, _ = compose(scene, (900, 900))
    assert "lines" not in plates
    below_each_other(plates, "time", "materials", "markers")
    scene.view.markers = False
    scene.view.solidity = 0.0
    assert {"materials", "markers"}.isdisjoint(compose(scene, (900, 900))[0])


def test_as_many_meters_are_listed_as_there_is_room_for_above_the_axes(compose):
    scene = full("above")
    scene.lines = [f"Meter {n}\t{n}.00 GB/s" for n in range(6)]
    for height, fewest, most in ((900, 6, 6), (240, 2, 5), (130, 1, 1)):
        said, image, _, top = (plate := compose(scene, (900, height))[0]["lines"])[0][0], *plate[1:]
        assert said == tuple(scene.lines[: len(said)])
        assert fewest <= len(said) <= most
        assert len(said) == 1 or top + image.shape[0] <= height - 95


@pytest.mark.parametrize(("height", "covered"), [(280, 0.0), (343, 0.0), (343, 64.0), (500, 64.0), (900, 64.0)])
@pytest.mark.parametrize("materials", [2, 9])
def test_no_legend_lies_over_the_axes_and_meters_make_way_for_it(compose, covered, height, materials):
    """As in a window of 1280x720 with charts and a sentence on top: 343 points of the view."""
    boxes = (box(n, (1, 1, 1), (2, 2, 2), material=f"Material {n}") for n in range(materials))
    scene = solid(*boxes)
    scene.time, scene.covered = 1.0, covered
    scene.lines = [f"Meter {n}\t{n}.00 GB/s" for n in range(5)]
    plates, _ = compose(scene, (900, height))
    (entries, *_), image, _, top = plates["materials"]
    assert top + image.shape[0] <= height - 95
    assert plates["lines"][3] + plates["lines"][1].shape[0] <= top
    names = [name for name, _ in entries]
    whole = [f"Material {n}" for n in range(materials)]
    assert names == whole or names == [*whole[: len(names) - 1], f"and {materials - len(names) + 1} more"]
    assert names == whole or height < 900


@pytest.mark.parametrize(("width", "height", "covered"), [(330, 263, 128.0), (900, 280, 64.0), (900, 343, 64.0)])
def test_where_there_is_no_room_for_the_axes_nothing_lies_over_them(compose, width, height, covered):
    """As in a window of 1024x640 with meters and a long sentence on top."""
    scene = solid(*(box(n, (1, 1, 1), (2, 2, 2), material=f"Material {n}") for n in range(9)))
    scene.room = BESIDE_PLATES
    scene.time, scene.covered, scene.lines = 1.0, covered, ["Bandwidth\t963 MB/s, 1 %"]
    plates, _ = compose(scene, (width, height))
    names = [name for name in plates if name.startswith("axis ")]
    assert bool(names) == (height > 300)
    for name in names:
        _, image, left, top = plates[name]
        spot = (left, top, *image.shape[1::-1])
        others = ((x, y, *each.shape[1::-1]) for other, (_, each, x, y) in plates.items() if other != name)
        assert not any(_overlap(spot, other) for other in others)


def test_without_values_the_regions_are_named_at_the_upper_right(compose):
    scene, mesh = Scene(), kuhn_cube(2)
    scene.set_simulation(of_mesh(mesh))
    scene.apply_view(ViewSettings(), 1.5)
    plates, _ = compose(scene)
    (entries, *_), image, left, top = plates["legend"]
    assert [name for name, _ in entries] == ["left", "right"]
    assert [colour for _, colour in entries] == [tuple(int(part) for part in row) for row in scene.layer.region_colours]
    assert (left, top) == (800 - 12 - image.shape[1], 12)
    request = scene.replan(force=True)
    fields = {"voltage": np.full(mesh.n_cells, -20.0), "activation": np.full(mesh.n_cells, 3.0)}
    assert request is not None
    assert all(len(gather(fields[name], part)) for name, part in request.parts.values())
    scene.show_fields({name: values.astype(np.float32) for name, values in fields.items()}, 1.0)
    plates, _ = compose(scene)
    assert "legend" not in plates
    (field, limits, lut, *_), image, left, top = plates["bar"]
    assert (field.name, limits) == ("voltage", (-90.0, 40.0))
    assert lut is scene.lut(field)
    assert left == 800 - 12 - image.shape[1]
    assert image.shape[0] == round(0.46 * 600)
    assert abs(top + image.shape[0] / 2 - 300) <= 1


@pytest.mark.parametrize(("height", "tall"), [(300, 170), (600, 276), (1500, 380)])
def test_a_bar_is_about_half_as_high_as_the_view_within_bounds(compose, height, tall):
    plates, _ = compose(full(size=(900, height)), (900, height))
    assert plates["bar"][1].shape[0] == tall


def test_an_empty_scene_has_nothing_over_it(compose):
    assert compose(Scene()) == ({}, [])


@pytest.mark.parametrize("handles", [True, False])
def test_a_bar_says_how_much_is_beyond_its_ends_and_where_a_click_fits_it(compose, handles):
    """Pictures for files say the same, and offer nothing."""
    scene = full()
    values = np.zeros(1000, np.float32)
    values[:300], values[300:400] = 7.0, -7.0
    for each, lines in ((values, ("7 % below", "20 % above")), (0 * values, ("", ""))):  # of those on three slices
        scene.show_fields({"u": each}, 1.5)
        plates, _ = compose(scene, ratio=2.0, handles=handles)
        (*_, beyond, offer), image, left, top = plates["bar"]
        offers = handles and any(lines)
        assert (beyond, offer) == (lines, FIT if offers else "")
        area = (left / 2, top / 2, image.shape[1] / 2, image.shape[0] / 2)
        assert scene.fit_offered == (area if offers else None)


@pytest.mark.parametrize(("value", "said"), [(-61.25, "−61.25 K"), (None, "")])
def test_the_value_under_the_pointer_is_told_with_its_unit(compose, monkeypatch, value, said):
    scene = full()
    scene.pointer = (0.5, 0.5)
    monkeypatch.setattr(scene, "reading", lambda width, height: value)
    plates, _ = compose(scene)
    assert plates["reading"][0][0] == said if said else "reading" not in plates
