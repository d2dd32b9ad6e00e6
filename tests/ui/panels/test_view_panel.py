"""Each control of the view's panel sets what it says and nothing else, and shows again what was set; planes lie where
the slider and the choices say."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QPushButton, QSlider

from engines.api import MarkerInfo
from engines.geometry.grid import Grid
from tests.ui.scene.grids import info as of_grid
from tests.ui.scene.layers.test_lattice_layer import info as of_lattice
from tests.ui.scene.layers.test_lattice_layer import lattice
from tests.ui.scene.meshes import info as of_mesh
from tests.ui.scene.meshes import kuhn_cube
from tests.ui.scene.spheres import info as of_spheres
from tests.ui.scene.spheres import ten
from tests.ui.scene.test_categories import STATE
from ui.panels.view.panel import AXES, DIRECTIONS, ViewPanel
from workbench.project.project import CameraView, ClipPlane, ViewSettings

# Written out: what the sources have is held against these.
HIGHEST = 0.5
SLIDER_STEPS = 200

SWITCHES = ("cut_open", "front", "isochrones", "contours", "fibres", "markers", "outlines", "overlay")
CUBE = kuhn_cube(2)


@pytest.fixture
def make(qtbot):
    def make(info=None, view=None):
        panel = ViewPanel()
        qtbot.addWidget(panel)
        panel.set_info(info)
        panel.set_view(view or ViewSettings())
        panel.edits, panel.cameras = [], []
        panel.edited.connect(panel.edits.append)
        panel.camera_asked.connect(panel.cameras.append)
        return panel

    return make


def changes(panel, before):
    """What the one edit of a panel has changed, by name."""
    (view,) = panel.edits
    panel.edits.clear()
    return {name: value for name, value in view if value != getattr(before, name)}


def test_what_the_number_of_markers_means_is_told_at_their_switch(make):
    told = MarkerInfo("Spiral tips", note="Those of both sides.")
    panel = make(replace(of_mesh(CUBE), marked=told))
    assert (panel.markers.text(), panel.markers.toolTip()) == ("Spiral tips", "Those of both sides.")
    panel.set_info(of_mesh(CUBE))
    assert not panel.markers.toolTip()


@pytest.mark.parametrize("name", SWITCHES)
@pytest.mark.parametrize("was", [False, True])
def test_a_switch_sets_its_own_field_and_shows_what_is_set(make, name, was):
    view = ViewSettings(**{name: was})
    panel = make(view=view)
    box = getattr(panel, name)
    assert box.isChecked() == was
    box.setEnabled(True)
    box.click()
    assert changes(panel, view) == {name: not was}
    assert box.isChecked() == (not was)


def test_the_front_inside_is_offered_where_a_front_is_shown(make):
    view = ViewSettings(front=True)
    panel = make(view=view)
    panel.inside.setEnabled(True)
    panel.inside.click()
    assert changes(panel, view) == {"front_inside": True}
    assert not panel.inside.isEnabled(), "nothing is known of a front"


def test_how_opaque_bodies_are_is_set_and_shown_without_an_edit(make):
    view = ViewSettings(solidity=0.25, outlines=True)
    panel = make(view=view)
    assert panel.bodies.value() == 25
    assert panel.bodies.isEnabled()
    panel.bodies.setValue(60)
    assert changes(panel, view) == {"solidity": 0.6}
    panel.set_view(ViewSettings(outlines=False))
    assert not panel.bodies.isEnabled()
    assert panel.edits == []
    panel.switch_outlines()
    assert changes(panel, ViewSettings(outlines=False)) == {"outlines": True}


def test_the_field_is_chosen_by_its_title_and_brings_its_own_range(make):
    view = ViewSettings(field="voltage", range=(0.0, 1.0))
    panel = make(of_mesh(CUBE), view)
    titles = [panel.field.itemText(row) for row in range(panel.field.count())]
    assert titles == ["Transmembrane voltage [mV]", "Activation time [ms]"]
    assert panel.field.currentIndex() == 0
    panel.field.setCurrentIndex(1)
    panel.field.activated.emit(1)
    assert changes(panel, view) == {"field": "activation", "range": None}
    assert panel.isochrones.isEnabled()
    panel.set_view(view)
    assert not panel.isochrones.isEnabled()
    panel.set_info(None)
    assert (panel.field.count(), panel.field.isEnabled()) == (0, False)


def test_a_fitted_range_is_of_the_field_that_is_shown(make):
    """Of the first one too, which a new project need not name; of one that is gone nothing is shown."""
    panel = make(of_mesh(CUBE))
    panel.colours.fit_range((0.0, 7.0))
    assert changes(panel, ViewSettings()) == {"field": "voltage", "range": (0.0, 7.0)}
    panel.set_view(ViewSettings(field="gone", range=(0.0, 7.0)))
    assert panel.colours.high.value() != 7.0
    assert not panel.colours.auto.isEnabled()


@pytest.mark.parametrize(("axis", "normal"), [("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1))])
@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_plane_lies_where_the_slider_says_across_the_axis_and_on_the_side_that_is_chosen(
    make, axis, normal, flipped, share, qtbot
):
    view = ViewSettings(clip=ClipPlane(origin=(5.0, 5.0, 5.0), normal=(0.6, 0.0, 0.8)))
    panel = make(of_mesh(CUBE), view)
    assert panel.axis.currentData() == "free"
    panel.axis.setCurrentIndex(panel.axis.findData(axis))
    panel.flip.setChecked(flipped)
    panel.clip_slider.setValue(round(share * SLIDER_STEPS))
    qtbot.waitUntil(lambda: bool(panel.edits))
    plane = panel.edits[-1].clip
    sign = -1 if flipped else 1
    assert plane.normal == pytest.approx(sign * np.array(normal))
    place = 10 * (1 - share if flipped else share)
    assert plane.origin == pytest.approx([place if each else 5 for each in normal])
    again = make(of_mesh(CUBE), panel.edits[-1])
    assert (again.axis.currentData(), again.flip.isChecked()) == (axis, flipped)
    assert again.clip_slider.value() == round(share * SLIDER_STEPS)
    assert again.edits == []


def test_a_turned_plane_is_pushed_as_it_stands(make, qtbot):
    normal = (0.6, 0.0, 0.8)
    panel = make(of_mesh(CUBE), ViewSettings(clip=ClipPlane(origin=(5.0, 5.0, 5.0), normal=normal)))
    assert panel.clip_slider.value() == SLIDER_STEPS // 2
    panel.clip_slider.setValue(SLIDER_STEPS)
    qtbot.waitUntil(lambda: bool(panel.edits))
    assert panel.edits[-1].clip.normal == pytest.approx(normal)
    assert np.dot(panel.edits[-1].clip.origin, normal) == pytest.approx(14.0), "its farthest corner"


def test_without_a_plane_there_is_nothing_to_push_and_switching_asks_the_viewport(make, qtbot):
    panel = make(of_mesh(CUBE))
    heard = []
    panel.clip_active.connect(heard.append)
    assert not any(each.isEnabled() for each in (panel.axis, panel.flip, panel.clip_slider))
    panel.clip_slider.setValue(3)
    panel._emit_clip()
    assert panel.edits == []
    panel.clip.click()
    panel.clip.click()
    assert heard == [True, False]


@pytest.mark.parametrize(
    ("info", "shown"),
    [
        (of_mesh(CUBE), {"clip", "axis", "flip", "clip_slider", "front", "inside", "isochrones", "contours"}),
        (of_grid(Grid((4, 4), (1.0, 1.0)), STATE), {"grid", "contours"}),
        (of_spheres(ten()), {"clip", "axis", "flip", "clip_slider", "cut_open"}),
        (of_lattice(lattice(4, 3)), {"clip", "axis", "flip", "clip_slider", "moved"}),
    ],
)
def test_what_a_geometry_has_no_use_for_is_hidden(make, info, shown):
    panel = make(info)
    names = {*SWITCHES, "clip", "axis", "flip", "clip_slider", "inside", "grid", "moved"}
    assert {name for name in names if getattr(panel, name).isVisibleTo(panel)} == shown | {"overlay"}
    panel.show_placed(True)
    assert panel.outlines.isVisibleTo(panel)
    assert panel.bodies.isVisibleTo(panel)


def test_each_button_of_the_camera_asks_for_its_direction(make):
    panel = make()
    buttons = {button.text(): button for button in panel.findChildren(QPushButton)}
    for direction, title in DIRECTIONS:
        buttons[title].click()
        sign, axis = title.split()
        assert panel.cameras[-1] == direction == ("-" if sign == "−" else "") + axis
    buttons["Show all"].click()
    assert panel.cameras[-1] == "reset"


@pytest.mark.parametrize(("elevation", "asked"), [(90.0, ["slant"]), (40.0, [])])
def test_a_relief_that_is_lifted_is_looked_at_from_where_its_height_is_seen(make, elevation, asked, qtbot):
    view = ViewSettings(camera=CameraView(elevation=elevation))
    panel = make(of_grid(Grid((4, 4), (1.0, 1.0)), STATE), view)
    relief = panel.grid.relief
    relief.setValue(relief.maximum() // 2)
    qtbot.waitUntil(lambda: bool(panel.edits))
    assert changes(panel, view) == {"height": HIGHEST / 2}
    assert panel.cameras == asked
    relief.setValue(relief.maximum())
    qtbot.waitUntil(lambda: bool(panel.edits))
    assert panel.cameras == asked, "it was lifted before"
    again = make(of_grid(Grid((4, 4), (1.0, 1.0)), STATE), panel.edits[-1])
    assert again.grid.relief.value() == relief.maximum()
    relief.setValue(0)
    qtbot.waitUntil(lambda: panel.edits[-1].height == 0)
    assert panel.cameras == asked, "and is flat again"


def test_slices_of_a_grid_that_is_seen_from_above_leave_the_camera(make, qtbot):
    panel = make(of_grid(Grid((4, 4, 4), (1.0, 1.0, 1.0)), STATE), ViewSettings(camera=CameraView(elevation=90.0)))
    panel.grid.slices[0].setValue(1)
    qtbot.waitUntil(lambda: bool(panel.edits))
    assert panel.cameras == []


def test_slices_stand_at_the_parts_that_their_sliders_say(make, qtbot):
    view = ViewSettings()
    panel = make(of_grid(Grid((30, 20, 10), (1.0, 1.0, 1.0)), STATE), view)
    assert [label.text() for label in panel.grid.places] == ["5 mm", "10 mm", "15 mm"]
    steps = panel.grid.slices[0].maximum()
    for slider, share in zip(panel.grid.slices, (0.1, 0.5, 1.0), strict=True):
        slider.setValue(round(share * steps))
    qtbot.waitUntil(lambda: bool(panel.edits))
    assert changes(panel, view) == {"slices": pytest.approx((0.1, 0.5, 1.0))}
    assert [label.text() for label in panel.grid.places] == ["1 mm", "10 mm", "30 mm"]
    panel.show_slices((0.2, 0.4, 0.6))
    assert [slider.value() / steps for slider in panel.grid.slices] == pytest.approx([0.2, 0.4, 0.6])
    panel.grid.mode.setCurrentIndex(1)
    panel.grid.mode.activated.emit(1)
    assert panel.edits[-1].volume
    assert not panel.grid.slices[0].isEnabled()
    panel.grid.set_refusal("There is no volume here.")
    panel.set_view(panel.edits[-1])
    assert panel.grid.mode.currentIndex() == 0
    assert panel.grid.slices[0].isEnabled()
    assert not panel.grid.mode.model().item(1).isEnabled()
    assert panel.grid.slices[0].orientation() is Qt.Orientation.Horizontal


def test_the_panel_of_a_grid_shows_what_its_dimensions_have_and_disables_what_does_nothing(make):
    panel = make().grid
    assert panel.isHidden()
    for cells, flat in (((8, 8), True), ((8, 8, 8), False)):
        panel.set_grid(Grid(cells, (1.0,) * len(cells)))
        assert (panel.isHidden(), panel._flat.isHidden(), panel._deep.isHidden()) == (False, not flat, flat)
    offered = [(panel.mode.itemText(row), panel.mode.itemData(row)) for row in range(panel.mode.count())]
    assert offered == [("Slices", False), ("Volume", True)]
    for volume, refusal in ((True, ""), (False, ""), (True, "No graphics card.")):
        panel.set_refusal(refusal)
        panel.set_view(ViewSettings(volume=volume))
        assert panel.mode.currentData() == (volume and not refusal)
        assert [slider.isEnabled() for slider in panel.slices] == [not volume or bool(refusal)] * 3
        assert (panel.refusal.text(), panel.refusal.isHidden()) == (refusal, not refusal)
        assert [panel.mode.model().item(row).isEnabled() for row in range(2)] == [True, not refusal]
    panel.set_grid(None)
    assert (panel.isHidden(), panel._flat.isHidden(), panel._deep.isHidden()) == (True, True, True)
    panel._emit()  # of a slider that was let go meanwhile


def test_a_plane_begins_in_the_middle(qtbot):
    panel = ViewPanel()
    qtbot.addWidget(panel)
    assert (panel.clip_slider.value(), panel.clip_slider.maximum()) == (SLIDER_STEPS // 2, SLIDER_STEPS)
    asked = []
    panel.grid.edited.connect(asked.append)
    panel.grid.set_grid(Grid((8, 8, 8), (1.0, 1.0, 1.0)))
    panel.grid.mode.setCurrentIndex(1)
    panel.grid.mode.activated.emit(1)
    assert asked == [{"volume": True}]


@pytest.mark.parametrize("axis", range(3))
def test_each_axis_has_its_own_normal(axis):
    assert AXES["xyz"[axis]] == tuple(float(place == axis) for place in range(3))


INFOS = {
    "mesh": of_mesh(CUBE),
    "flat grid": of_grid(Grid((4, 6), (1.0, 1.0)), STATE),
    "deep grid": of_grid(Grid((4, 5, 6), (1.0, 1.0, 1.0)), replace(STATE, names=())),
    "spheres": of_spheres(ten()),
    "lattice": of_lattice(lattice(4, 3)),
}
SHOWN = [
    ViewSettings(height=0.1, slices=(0.2, 0.3, 0.4), levels=[0.25], deformation=3.0, hidden_above=0.3, solidity=0.2),
    ViewSettings(
        height=0.4,
        slices=(0.9, 0.8, 0.7),
        levels=[0.5, 0.75],
        deformation=40.0,
        hidden_above=0.6,
        solidity=0.9,
        clip=ClipPlane(origin=(2.0, 2.0, 2.0), normal=(1.0, 0.0, 0.0)),
        **dict.fromkeys(SWITCHES, True),
    ),
    ViewSettings(
        volume=True,
        levels=[0.1, 0.2, 0.3, 0.4],
        clip=ClipPlane(origin=(1.0, 1.0, 1.0), normal=(0.0, -1.0, 0.0)),
        **dict.fromkeys(SWITCHES, False),
    ),
    ViewSettings(reverse=True, symmetric=True, logarithmic=True, outliers=5.0, range=(0.1, 0.9), follow=True),
]


def sliders(panel):
    return [each for each in panel.findChildren(QSlider) if each.isVisibleTo(panel) and each.isEnabled()]


@pytest.mark.parametrize("info", INFOS.values(), ids=INFOS)
def test_showing_a_view_is_no_edit(make, info, qtbot):
    """It would be one that the person did not make, and unsaved."""
    panel = make(info)
    parts = (panel, panel.colours, panel.grid, panel.levels, panel.moved)
    said = []
    for part in parts:
        for name in ("edited", "fit_asked", "clip_active"):
            if hasattr(part, name):
                getattr(part, name).connect(lambda *_, part=part, name=name: said.append((part, name)))
    places = set()
    for view in [*SHOWN, *SHOWN[::-1]]:
        panel.set_view(view)
        places.add(tuple(each.value() for each in panel.findChildren(QSlider)))
    assert len(places) >= 4, "the sliders stand elsewhere each time"
    timers = panel.findChildren(QTimer)
    assert len(timers) >= 4
    assert not any(timer.isActive() for timer in timers), "nor is one on its way"
    assert not said


@pytest.mark.parametrize("info", INFOS.values(), ids=INFOS)
def test_a_slider_that_is_dragged_is_asked_for_where_it_rests_and_shown_there(make, info, qtbot):
    panel = make(info, SHOWN[1])
    assert sliders(panel)
    for slider in sliders(panel):
        panel.edits.clear()
        for share in (0.3, 0.35, 0.45):
            slider.setValue(round(slider.minimum() + share * (slider.maximum() - slider.minimum())))
        qtbot.waitUntil(lambda: bool(panel.edits))
        qtbot.waitUntil(lambda: not any(timer.isActive() for timer in panel.findChildren(QTimer)))
        assert panel.edits[-1] != SHOWN[1]
        here = slider.value()
        panel.set_view(panel.edits[-1])
        assert slider.value() == here, "where it was left"
