"""A window on an engine that makes its own grid: begun from the menu, previewed while edited, with pictures."""

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, QSettings, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog

from engines.api import Preset
from engines.api.errors import ProblemError
from engines.geometry.particles import Particles
from tests.ui.doubles import FakeServices, keep_aside
from tests.ui.viewport.doubles import FakeViewport
from tests.workbench.fake_grid_engine import FadeEngine, FadeParameters, FromPicture
from ui.forms.fields.file import FileEditor
from ui.forms.form import ParameterForm
from ui.forms.schema import Kind, default_values, fields_of, plain
from ui.panels.gallery import Gallery
from ui.window.main_window import MainWindow
from ui.window.status import geometry_text
from workbench.export.png import KEYWORD, encode_png


@pytest.fixture
def services():
    return FakeServices(engines=[FadeEngine()])


@pytest.fixture
def fading(window, qtbot):
    """The window with a new project of the grid engine, built."""
    window.new_menu.actions()[0].trigger()
    qtbot.waitUntil(lambda: window.controller.phase == "ready", timeout=10_000)
    return window


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "elsewhere" / "cat.png"
    path.parent.mkdir()
    path.write_bytes(encode_png(np.zeros((3, 5, 4), np.uint8)))
    return path


def drop(widget, path):
    """Drag a file onto a widget, as the system would; whether it was taken."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    place = QPointF(widget.rect().center())
    enter = QDragEnterEvent(place.toPoint(), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(widget, enter)
    if enter.isAccepted():
        QApplication.sendEvent(widget, QDropEvent(place, Qt.DropAction.CopyAction, data, buttons, keys))
    return enter.isAccepted()


# ---- the grid ------------------------------------------------------------------------------------------------


def test_the_menu_begins_projects_of_engines_that_need_no_mesh(fading):
    assert [action.text() for action in fading.new_menu.actions()] == ["Fade"]
    assert fading.model.document.project.title == "Fade"
    assert fading.status.geometry_label.text() == "6 × 4 cells"
    assert fading.viewport.geometry_shown is fading.model.document.geometry
    assert fading.model.document.path is None


def test_a_problem_is_called_what_it_simulates_until_somebody_names_it(fading, qtbot):
    model, title = fading.model, fading.problem.title

    def called():
        return title.text(), fading.windowTitle().partition("[")[0], model.document.title

    assert called() == ("Fade",) * 3
    model.edit(("parameters", "count"), True)
    assert called() == ("Fade, counted",) * 3
    fading.problem.title.editingFinished.emit()
    assert model.document.project.title == "Fade", "nobody has typed a name"
    model.edit(("title",), "Mine")
    assert called() == ("Mine",) * 3
    model.undo_stack.undo()
    model.undo_stack.undo()
    assert called() == ("Fade",) * 3


def test_without_such_an_engine_there_is_no_menu(qtbot, qapp, tmp_path):
    settings = QSettings(str(tmp_path / "w.ini"), QSettings.Format.IniFormat)
    window = MainWindow(FakeServices(), FakeViewport, settings)
    qtbot.addWidget(window)
    assert not window.new_menu.menuAction().isVisible()
    window.close_at_once()


def test_preview_probes_and_estimate_follow_the_grid(fading, qtbot):
    first = fading.model.document.geometry
    fading.probes.add((3.9, 3.9, 0.0))
    fading.model.edit(("parameters", "rate"), 0.0)
    assert fading.viewport.geometry_shown is first
    fading.model.edit(("parameters", "grid", "nx"), 12)
    assert fading.viewport.geometry_shown.shape == (4, 12)
    assert fading.status.geometry_label.text() == "12 × 4 cells"
    assert fading.controller.phase == "idle"
    assert fading.controller.runner is None
    qtbot.waitUntil(lambda: fading.estimates.figures["memory"].text() == "384 B", timeout=3000)
    fading.controller.run()
    qtbot.waitUntil(lambda: fading.controller.info is not None, timeout=5000)
    assert fading.controller.info.geometry is fading.viewport.geometry_shown
    qtbot.waitUntil(lambda: fading.probes.store.probes.get(("P1", "u")) is not None, timeout=5000)
    # Cell (5, 3) of twelve along x: the ramp's height there at the beginning.
    assert fading.probes.store.probes["P1", "u"].values[0] == pytest.approx(5.5 / 12)
    fading.model.undo_stack.undo()
    assert fading.viewport.geometry_shown.shape == (4, 12)  # the run goes on with its own grid


def test_another_beginning_is_seen_before_the_first_step_as_soon_as_it_can_run(fading, qtbot, monkeypatch):
    """What cannot run, such as typed lines that are not whole yet, the estimate alone knows."""

    def refuse(document):
        raise ProblemError("Line 1 ends too soon.")

    controller, first = fading.controller, fading.controller.runner
    fading.model.edit(("parameters", "start", "height"), 2.0)
    assert controller.stale
    qtbot.waitUntil(lambda: controller.runner is not first and controller.phase == "ready", timeout=5000)
    assert not controller.stale
    second = controller.runner
    monkeypatch.setattr(fading.services, "estimate", refuse)
    fading.model.edit(("parameters", "start", "height"), 3.0)
    qtbot.waitUntil(lambda: "too soon" in fading.estimates.sentence.text(), timeout=3000)
    qtbot.wait(100)
    assert controller.runner is second
    assert controller.phase == "ready"


def test_an_estimate_that_comes_after_the_window_has_closed_begins_no_run(fading):
    fading.model.edit(("parameters", "start", "height"), 2.0)
    estimate = fading.services.estimate(fading.model.snapshot())
    fading.close_at_once()
    fading.estimates.show_estimate(estimate)
    assert fading.controller.runner is None


def test_a_grid_that_cannot_be_says_why_and_the_last_one_stays(fading, qtbot):
    fading.model.edit(("parameters", "grid", "nx"), 5000)
    assert fading.viewport.geometry_shown.shape == (4, 6)
    assert fading.model.first_error() == "A grid of 5000 cells along x is too long: take at most 4096."
    fading.controller.step()
    assert fading.model.document.parameters.grid.nx == 6
    qtbot.waitUntil(lambda: "at most 4096" in fading.estimates.sentence.text(), timeout=3000)
    fading.model.undo_stack.undo()
    assert fading.model.valid


def test_time_is_counted_as_the_parameters_say(fading, qtbot):
    assert fading.timeline.until.unit_label.text() == "ms"
    fading.model.edit(("parameters", "count"), True)  # built, no step taken: what Run will do counts
    assert fading.timeline.time_label.text() == "0 iterations"
    assert fading.timeline.until.unit_label.text() == ""  # in words they would leave no room for the bar
    assert fading.timeline.pace.unit_label.text() == "/s"
    fading.estimates.recompute()
    qtbot.waitUntil(lambda: fading.estimates.figures["step"].text() == "1 iteration", timeout=3000)
    assert fading.estimates.names["pace"].text() == "Wall time per iteration"
    fading.model.edit(("run", "until"), 1250.0)
    fading.controller.run()
    qtbot.waitUntil(lambda: fading.controller.phase == "finished", timeout=5000)
    assert fading.timeline.time_label.text() == "1\u202f250 iterations"
    assert fading.probes.plot.axes[2] == "iterations"
    fading.model.edit(("parameters", "count"), False)  # the run that stands there has counted iterations
    assert fading.timeline.time_label.text() == "1\u202f250 iterations"


def test_viewers_hear_what_can_be_painted(fading):
    assert fading.controller.info.brushes[0].name == "u"


def test_the_size_of_a_geometry_in_words():
    grid = FadeEngine().geometry_of(type("P", (), {"parameters": FadeParameters(grid={"nx": 1200, "ny": 3, "nz": 2})}))
    assert geometry_text(grid) == "1\u202f200 × 3 × 2 cells"
    assert geometry_text(None) == ""
    assert geometry_text(Particles(np.zeros((1, 3)), np.ones(1))) == "1 sphere"
    assert geometry_text(Particles(np.zeros((2, 3)), np.ones(2))) == "2 spheres"
    assert geometry_text(type("Mesh", (), {"n_cells": 1, "n_points": 1})) == "1 cell, 1 point"


# ---- files -----------------------------------------------------------------------------------------------------


@pytest.fixture
def editor(qtbot):
    spec = next(spec for spec in fields_of(FromPicture) if spec.key == "picture")
    editor = FileEditor(spec)
    editor.edits, editor.said = [], []
    editor.edited.connect(lambda path, value: editor.edits.append(value))
    editor.refused.connect(editor.said.append)
    qtbot.addWidget(editor)
    editor.show()
    return editor


def test_the_line_of_a_file_takes_no_drop_as_its_text(editor):
    assert not editor.line.acceptDrops()
    assert editor.line.placeholderText() == "Drop a picture here"


def test_file_fields_are_known_wherever_they_are():
    assert [spec.kind for spec in fields_of(FromPicture)] == [Kind.CHOICE, Kind.FILE]
    mask = next(spec for spec in fields_of(FadeParameters) if spec.key == "mask")
    assert (mask.kind, mask.file, mask.optional) == (Kind.FILE, "picture", True)
    assert default_values(FromPicture) == {"kind": "picture", "picture": ""}


def test_a_file_is_chosen_typed_or_dropped(editor, qtbot, picture, monkeypatch):
    asked = []

    def choose(parent, title, folder, kinds):
        asked.append((folder, kinds))
        return str(picture), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", choose)
    editor.button.click()
    assert editor.edits == [str(picture)]
    assert asked[0][1] == "Pictures (*.png *.jpg *.jpeg);;All files (*)"
    editor.set_value(str(picture))
    editor.button.click()
    assert asked[1][0] == str(picture.parent)
    assert len(editor.edits) == 1  # the same again is no edit
    editor.line.clear()
    assert editor.line.isModified()
    qtbot.keyClick(editor.line, Qt.Key.Key_Return)
    assert editor.edits[-1] == ""
    assert not editor.line.isModified(), "from now on Undo is the document's"
    editor.set_value("")
    assert drop(editor, picture)
    assert editor.edits[-1] == str(picture)
    monkeypatch.chdir(picture.parent)
    qtbot.keyClicks(editor.line, "cat.png")
    qtbot.keyClick(editor.line, Qt.Key.Key_Return)
    assert editor.edits[-1] == str(picture)  # the engine is given an absolute path


def test_a_file_that_is_not_there_is_said_and_asks_for_nothing(editor, qtbot, tmp_path):
    qtbot.keyClicks(editor.line, str(tmp_path / "dog.png"))
    qtbot.keyClick(editor.line, Qt.Key.Key_Return)
    assert editor.edits == []
    assert editor.said == [f"There is no file '{tmp_path / 'dog.png'}'."]
    assert editor.line.property("wrong")
    editor.set_value("")  # as it was: what was typed is not lost by an edit elsewhere
    assert editor.line.property("wrong")
    editor.set_value(str(tmp_path / "cat.png"))
    assert not editor.line.property("wrong")


def test_a_form_has_file_fields_in_unions_and_options(qtbot, picture):
    form = ParameterForm()
    qtbot.addWidget(form)
    form.set_model(FadeParameters)
    form.set_values(plain(FadeParameters(start=FromPicture(picture=str(picture)), mask=str(picture))))
    start = form.root.children_by_key["start"].form.children_by_key["picture"]
    assert start.line.text() == str(picture)
    mask = form.root.children_by_key["mask"]
    assert mask.check.isChecked()
    assert mask.editor.line.text() == str(picture)


def test_a_picture_dropped_on_the_window_is_the_problems_picture(fading, qtbot, picture, tmp_path):
    fading.model.edit(("parameters", "start"), {"kind": "picture", "picture": ""})
    drop(fading, picture)
    assert fading.model.draft["parameters"]["start"]["picture"] == str(picture)
    assert fading.model.document.parameters.start.picture == str(picture)
    fading.model.undo_stack.undo()
    assert fading.model.draft["parameters"]["start"]["picture"] == ""
    photo = picture.with_name("cat.JPG")
    photo.write_bytes(b"a picture of another kind")
    drop(fading, photo)
    assert fading.model.draft["parameters"]["start"]["picture"] == str(photo)
    snapshot = tmp_path / "shot.png"
    text = fading.model.document.portable_project().model_dump_json()
    snapshot.write_bytes(encode_png(np.zeros((3, 5, 4), np.uint8), {KEYWORD: text}))
    drop(fading, snapshot)  # it holds a project: it is opened
    keep_aside(fading)
    qtbot.waitUntil(lambda: fading.model.document.project.title == "shot", timeout=5000)


def test_after_saving_the_form_names_the_copy(fading, qtbot, picture, tmp_path):
    fading.model.edit(("parameters", "start"), {"kind": "picture", "picture": str(picture)})
    fading.model.edit(("parameters", "mask"), str(picture))
    fading.files.save_to(tmp_path / "project")
    fading.model.edit(("parameters", "mask"), None)  # while it is being saved
    copy = str(tmp_path / "project" / "cat.png")
    qtbot.waitUntil(lambda: fading.model.document.path == tmp_path / "project", timeout=5000)
    assert fading.model.draft["parameters"]["start"]["picture"] == copy
    assert fading.model.draft["parameters"]["mask"] is None
    assert fading.model.document.parameters.start.picture == copy
    assert fading.problem.form.root.children_by_key["start"].form.children_by_key["picture"].line.text() == copy
    assert fading.isWindowModified()
    picture.unlink()
    fading.files.save()
    qtbot.waitUntil(lambda: not fading.isWindowModified(), timeout=5000)


# ---- the gallery ---------------------------------------------------------------------------------------------


def test_chips_show_the_problems_of_one_engine(qtbot):
    presets = [
        Preset(name, name.title(), "", None, engine=engine)
        for name, engine in (("a", "wave"), ("b", "fade"), ("c", "wave"), ("d", "other"))
    ]
    gallery = Gallery()
    qtbot.addWidget(gallery)
    gallery.resize(900, 500)
    gallery.set_presets(presets, {"fade": "Fade", "wave": "Wave & more", "empty": "Nothing here"})
    gallery.show()
    assert [button.text() for button in gallery.chips.buttons.values()] == ["All", "Fade", "Wave && more"]
    assert [card.preset.id for card in gallery.shown] == ["b", "a", "c", "d"]
    gallery.chips.buttons["wave"].click()
    assert [card.preset.id for card in gallery.cards if card.isVisible()] == ["a", "c"]
    assert [gallery._grid.indexOf(card) >= 0 for card in gallery.cards] == [False, True, True, False]
    gallery.chips.buttons[""].click()
    assert all(card.isVisible() for card in gallery.cards)


def test_problems_of_one_engine_need_no_chips(qtbot):
    gallery = Gallery()
    qtbot.addWidget(gallery)
    gallery.set_presets([Preset("a", "A", "", None, engine="wave")], {"wave": "Wave", "fade": "Fade"})
    assert gallery.chips.isHidden()


def test_chips_begin_another_line_where_they_do_not_fit(qtbot):
    gallery = Gallery()
    qtbot.addWidget(gallery)
    names = ["Cardiac monodomain", "Stencil", "Battery", "Peridynamics", "Electromagnetics", "Spiking"]
    gallery.set_presets([Preset(name, name, "", None, engine=name) for name in names], {name: name for name in names})
    heights = {}
    for width in (340, 1200):
        gallery.resize(width, 400)
        gallery.show()
        qtbot.wait(20)
        heights[width] = gallery.chips.height()
        assert all(gallery.chips.rect().contains(button.geometry()) for button in gallery.chips.buttons.values())
    assert heights[340] > 2 * heights[1200]
