"""What is asked anywhere in the window reaches the part that does it: signals of pages, panels and docks."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QDockWidget, QLabel, QWidget

from tests.ui.wave import slab
from ui.tools.result import ResultView
from ui.window.layout import Areas
from workbench.project.project import ViewSettings

LEFT, RIGHT, BELOW = Areas.LeftDockWidgetArea, Areas.RightDockWidgetArea, Areas.BottomDockWidgetArea
DOCKS = {
    "problem": ("Problem", LEFT, False),
    "view": ("View", LEFT, False),
    "meters": ("Meters", RIGHT, True),
    "probes": ("Probes", RIGHT, True),
    "inspection": ("Element", RIGHT, False),
    "measurement": ("Measure", RIGHT, False),
    "timeline": ("Timeline", BELOW, False),
    "charts": ("Charts", BELOW, False),
    "log": ("Log", BELOW, True),
}
"""Title, area, and whether it has a bar with its title."""


def test_each_dock_has_its_area_and_its_bar(window):
    docks = {dock.objectName(): dock for dock in window.findChildren(QDockWidget)}
    assert docks.keys() >= DOCKS.keys()
    for name, (title, area, bar) in DOCKS.items():
        dock = docks[name]
        assert dock.windowTitle() == title
        assert window.dockWidgetArea(dock) == area, name
        assert (dock.titleBarWidget() is None) == bar, name
        fixed = dock.features() == QDockWidget.DockWidgetFeature.NoDockWidgetFeatures
        assert fixed == (name == "timeline")
    assert window.corner(Qt.Corner.BottomLeftCorner) == LEFT
    assert window.corner(Qt.Corner.BottomRightCorner) == RIGHT


def test_what_watches_others_lets_them_have_their_events(opened):
    """Each event filter of the window: what means nothing to it, and what it only follows, goes on."""
    bases = {
        each: [kind for kind in type(each).__mro__ if kind.__module__.startswith("ui.")]
        for each in opened.findChildren(QObject)
    }
    watching = [each for each, kinds in bases.items() if any("eventFilter" in vars(kind) for kind in kinds)]
    assert len({type(each) for each in watching}) >= 5
    for each in watching:
        for kind in (QEvent.Type.User, QEvent.Type.Resize, QEvent.Type.Show):
            assert not each.eventFilter(opened, QEvent(kind)), (type(each).__name__, kind)


def test_the_gallery_makes_a_project_of_the_engine_that_is_asked_for(window, services, monkeypatch):
    engines, made = [SimpleNamespace(id=name) for name in ("first", "second", "third")], []
    monkeypatch.setattr(services, "engines", lambda: engines)
    monkeypatch.setattr(window, "new_project", made.append)
    for engine in engines:
        window.welcome.gallery.new_asked.emit(engine.id)
    assert made == engines


def test_how_a_table_was_read_that_leaves_a_doubt_is_in_the_log_and_said(window):
    sentence = "'3,700' in 'lab.csv' is read as 3.7."
    window.charts.overlay.doubt.emit(sentence)
    assert [each.severity for each in window.log.lines.messages if each.text == sentence] == ["warning"]
    assert window.banner.text == sentence


@pytest.mark.parametrize("page", ["welcome", "files"])
def test_a_path_that_is_chosen_is_opened(window, monkeypatch, page):
    opened = []
    monkeypatch.setattr(window.files, "open_path", lambda path, then: opened.append(path))
    monkeypatch.setattr(window.imports, "takes", lambda path: False)
    getattr(window, page).path_chosen.emit(Path("/here/project.json"))
    window.recent_menu.chosen.emit(Path("/there"))
    assert opened == [Path("/here/project.json"), Path("/there")]


def test_the_camera_goes_where_the_panel_asks(window, monkeypatch):
    """Each direction is looked along, and Show all goes home."""
    calls = []
    monkeypatch.setattr(window.viewport, "reset_camera", lambda: calls.append("home"), raising=False)
    monkeypatch.setattr(window.viewport, "view_along", calls.append, raising=False)
    for where in ("x", "-z", "reset", "slant"):
        window.view_panel.camera_asked.emit(where)
    assert calls == ["x", "-z", "home", "slant"]


def test_the_range_that_fits_is_that_of_the_picture(window, monkeypatch):
    fitted = []
    monkeypatch.setattr(window.viewport, "span", lambda: (1.0, 2.0), raising=False)
    monkeypatch.setattr(window.view_panel.colours, "fit_range", fitted.append)
    window.view_panel.fit_asked.emit()
    window.viewport.fit_asked.emit()
    assert fitted == 2 * [(1.0, 2.0)]


def test_what_the_viewport_says_is_shown(window):
    window.viewport.quality_changed.emit("Software rendering: 75 % resolution")
    assert window.status.quality.text() == "Software rendering: 75 % resolution"
    window.viewport.view = ViewSettings(contours=True)
    window.viewport.view_changed.emit()
    assert window.view_panel.contours.isChecked()


def test_run_numbers_of_the_timeline_and_the_device_are_edits(opened):
    for signal, value, name in (
        (opened.timeline.until_edited, 12.5, "until"),
        (opened.timeline.pace_edited, 2.0, "pace"),
        (opened.device_menu.chosen, "cpu", "device"),
    ):
        signal.emit(value)
        assert getattr(opened.model.document.project.run, name) == value
        assert opened.model.undo_stack.canUndo()
        opened.model.undo_stack.undo()
        assert getattr(opened.model.document.project.run, name) != value


def test_what_is_switched_off_is_kept_with_the_project(opened):
    for signal, value, name in (
        (opened.timeline.until_edited, 12.5, "until"),
        (opened.timeline.pace_edited, 2.0, "pace"),
    ):
        signal.emit(value)
        signal.emit(None)
        run = opened.model.snapshot().project.run
        assert (getattr(run, name), getattr(run, f"last_{name}")) == (None, value)
    opened.model.open(opened.model.snapshot())
    opened.timeline.until.check.click()
    assert opened.model.document.project.run.until == 12.5


def test_an_end_that_the_run_is_past_is_said(opened, qtbot):
    opened.model.edit(("run", "until"), None)
    opened.controller.run()
    qtbot.waitUntil(lambda: opened.controller.time > 0.1, timeout=20_000)
    opened.timeline.until_edited.emit(0.05)
    assert "past this end, and stops here" in opened.banner.text
    qtbot.waitUntil(lambda: opened.controller.phase == "finished", timeout=20_000)
    assert "past this end" in opened.banner.text


def test_hints_problems_and_messages_are_said_where_they_belong(opened):
    opened.controller.hint.emit("Look here.")
    assert opened.banner.text == "Look here."
    opened.timeline.refused.emit("Give a number above 0.")
    assert opened.banner.text == "Give a number above 0."
    opened.timeline.mended.emit("What was said before that.")
    assert opened.banner.text == "Give a number above 0."
    opened.timeline.mended.emit("Give a number above 0.")
    assert opened.banner.text == ""
    opened.placing.refused.emit("It does not fit.")
    assert opened.banner.text == "It does not fit."
    opened.charts.lines.said.emit("Click once more.")
    assert opened.banner.text == "Click once more."
    opened.dock_layout.docks["log"].hide()
    opened.status.log_asked.emit()
    assert not opened.dock_layout.docks["log"].isHidden()


def test_a_run_on_another_geometry_than_the_documents_is_shown_on_its_own(opened):
    info, shown = opened.controller.info, []
    opened.viewport.set_geometry = shown.append
    opened.controller.info_changed.emit(info)
    assert shown == [], "it stands there already"
    opened.controller.info_changed.emit(replace(info, geometry=slab((4, 2, 2))))
    assert [geometry.n_cells for geometry in shown] == [96]
    opened.controller.info_changed.emit(None)
    assert len(shown) == 1


def test_one_of_brush_measure_and_line_is_in_hand(opened):
    names = ("brush", "measure", "line")
    for name in names:
        opened.actions_[name].setEnabled(True)
        opened.actions_[name].setChecked(True)
        assert [each for each in names if opened.actions_[each].isChecked()] == [name]


def test_slices_go_through_what_is_chosen(opened, monkeypatch):
    monkeypatch.setattr(opened.placing, "middle", lambda: (0.1, 0.2, 0.3))
    opened.problem.objects.slice_button.clicked.emit()
    assert opened.view_panel._view.slices == (0.1, 0.2, 0.3)


SENTENCES = {"sentence", "hint", "refusal", "summary", "subtitle", "state", "sources", "bound", "machine", "message"}
"""What labels are called that hold a sentence."""


def test_sentences_go_on_in_the_next_line_instead_of_being_cut(opened, qtbot):
    opened.sweeps.open()
    result = ResultView()
    qtbot.addWidget(result)
    every = [opened, *opened.findChildren(QWidget), opened.pages.lab, *opened.pages.lab.findChildren(QWidget), result]
    named = [(type(each).__name__, name, label) for each in every for name, label in vars(each).items()]
    labels = [(kind, name, label) for kind, name, label in named if isinstance(label, QLabel)]
    sentences = [(kind, name, label) for kind, name, label in labels if name.lstrip("_") in SENTENCES]
    assert len({kind for kind, *_ in sentences}) > 10
    assert [(kind, name) for kind, name, label in sentences if not label.wordWrap()] == []
