"""Opening, dropping, saving, exporting, undoing, and what is said when it goes wrong."""

import csv
import os
import re
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QMessageBox

import workbench
from engines.api.charts import ChartInfo
from engines.named_files import file_parameters
from engines.stencil.parameters import Diffusion, Picture, StencilParameters
from tests.engines.spiking.brian2.texts import CUBA
from tests.ui.doubles import keep_aside
from ui.session.files import file_stem
from ui.window.ending import SignalEnding
from ui.window.questions.outside import OutsideDialog
from ui.window.questions.overtaken import OvertakenDialog
from workbench.project.boundary import NOTHING, Permission
from workbench.project.document import open_document
from workbench.project.presets import presets


def drop(window, path):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    place, action, button = QPointF(300, 300), Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(place.toPoint(), action, data, button, Qt.KeyboardModifier.NoModifier)
    window.dragEnterEvent(enter)
    assert enter.isAccepted()
    window.dropEvent(QDropEvent(place, action, data, button, Qt.KeyboardModifier.NoModifier))


def test_a_dropped_file_opens_on_another_thread(window, qtbot, services):
    drop(window, "/tmp/heart.vtu")
    qtbot.waitUntil(lambda: window.model.document is not None)
    assert window.model.document.project.title == "heart"
    assert services.open_threads == ["workbench-files_0"]
    assert window.stack.currentWidget() is window.viewport
    qtbot.waitUntil(lambda: bool(services.recent()) and not window.background.busy)
    assert services.recent()[0].path == "/tmp/heart.vtu"
    assert window.recent_menu.actions()[0].text() == "heart  (/tmp/heart.vtu)"


def test_a_dropped_picture_is_that_of_the_problem_where_this_has_one(opened, monkeypatch):
    """A snapshot, which has a project in it, is opened, and so is what is none."""
    monkeypatch.setattr("ui.session.files.holds_project", lambda path: path.name.startswith("project"))
    edited, other = [], []
    monkeypatch.setattr(opened.model, "edit", lambda place, value, _: edited.append((place, value)))
    monkeypatch.setattr(opened, "open_path", lambda path: other.append(str(path)))
    problem = StencilParameters(equation=Diffusion(initial=Picture()))
    drop(opened, "/tmp/cat.png")
    monkeypatch.setattr("ui.session.files.file_parameters", lambda _: file_parameters(problem))
    for name in ("cat.png", "cat.JPEG", "cat.csv", "project.png"):
        drop(opened, f"/tmp/{name}")
    place = ("parameters", "equation", "initial", "picture")
    assert edited == [(place, "/tmp/cat.png"), (place, "/tmp/cat.JPEG")]
    assert other == ["/tmp/cat.png", "/tmp/cat.csv", "/tmp/project.png"], "the first where no parameter is a picture"


def test_bad_input_is_one_sentence_and_the_open_document_stays(opened, qtbot):
    window = opened
    window.model.edit(("parameters", "tissue", "sigma_il"), 0.3)
    drop(window, "/tmp/surface.bad")
    keep_aside(window)
    qtbot.waitUntil(lambda: bool(window.banner.text))
    assert window.banner.text == "'surface.bad' holds no tetrahedra: save the volume mesh."
    assert window.model.document.parameters.tissue.sigma_il == 0.3
    assert window.model.undo_stack.canUndo()
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.phase == "running")


def test_the_newest_of_two_openings_wins(window, qtbot, services):
    services.delay = 0.1
    window.open_path(Path("/tmp/first.vtu"))
    window.open_path(Path("/tmp/second.vtu"))
    qtbot.waitUntil(lambda: window.model.document is not None and not window.background.busy)
    assert window.model.document.project.title == "second"


@pytest.mark.parametrize(
    ("typed", "kind", "saved"),
    [
        ("heart", "Project in one file (*.zip)", "heart.zip"),
        ("heart.v2", "Project in one file (*.zip)", "heart.v2.zip"),
        ("heart.zip", "Project folder (*)", "heart"),
        ("heart.v2", "Project folder (*)", "heart.v2"),
        ("other", "Project in one file (*.zip)", None),
    ],
)
def test_a_project_is_saved_as_the_kind_that_was_chosen(
    opened, qtbot, services, monkeypatch, tmp_path, typed, kind, saved
):
    """A name without an ending became a folder, whatever stood below it."""
    (tmp_path / "other.zip").write_text("precious")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / typed), kind))
    monkeypatch.setattr(QMessageBox, "question", lambda *_: QMessageBox.StandardButton.No)
    opened.actions_["save_as"].trigger()
    qtbot.waitUntil(lambda: not opened.background.busy)
    assert [path for _, path in services.saved] == ([] if saved is None else [tmp_path / saved])


def test_saving_clears_the_star_and_edits_bring_it_back(opened, qtbot, services, monkeypatch, tmp_path):
    window = opened
    window.model.edit(("parameters", "tissue", "sigma_il"), 0.3)
    assert window.isWindowModified()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(tmp_path / "heart.zip"), "Project in one file"))
    window.actions_["save"].trigger()  # never saved before: asks where
    qtbot.waitUntil(lambda: not window.isWindowModified())
    document, path = services.saved[-1]
    assert path == tmp_path / "heart.zip"
    assert document.parameters.tissue.sigma_il == 0.3
    assert document.project.parameters["tissue"]["sigma_il"] == 0.3
    qtbot.waitUntil(lambda: bool(services.recent()))
    assert services.recent()[0].path == str(path)
    assert str(path) in services.pictures, "among the recent it has a picture of itself"
    window.model.edit(("parameters", "tissue", "sigma_il"), 0.4)
    assert window.isWindowModified()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: pytest.fail("asked although the place is known"))
    window.actions_["save"].trigger()
    qtbot.waitUntil(lambda: len(services.saved) == 2)
    window.model.undo_stack.undo()
    qtbot.waitUntil(lambda: not window.background.busy)
    assert window.isWindowModified()


def test_a_full_disk_is_a_sentence_and_nothing_is_lost(opened, qtbot, tmp_path):
    window = opened
    window.model.edit(("parameters", "tissue", "sigma_il"), 0.3)
    window.files.save_to(tmp_path / "full.zip")
    qtbot.waitUntil(lambda: "disk is full" in window.banner.text)
    assert window.isWindowModified()
    assert window.model.document.path is None
    assert window.log.lines.text(window.log.lines.rowCount() - 1).endswith("then save again.")


def test_a_slow_disk_keeps_the_window_waiting_for_no_write(opened, qtbot, services, monkeypatch, tmp_path):
    """Saving, and the list of recent projects: each write comes 0.2 s late, and none on the window's thread."""
    threads = []

    def late(write):
        def written(*given):
            threads.append(threading.current_thread())
            time.sleep(0.2)
            return write(*given)

        return written

    for name in ("save", "remember", "autosave", "forget_autosave"):
        monkeypatch.setattr(services, name, late(getattr(services, name)))
    opened.model.edit(("parameters", "tissue", "sigma_il"), 0.3)
    opened.keeper.timer.timeout.emit()
    opened.files.save_to(tmp_path / "heart.zip")
    qtbot.waitUntil(lambda: not opened.isWindowModified() and not opened.background.busy)
    assert len(threads) >= 4
    assert threading.main_thread() not in threads


def test_undo_and_redo_reach_form_document_and_probes(opened):
    window, stack = opened, opened.model.undo_stack
    box = window.problem.form.root.children_by_key["tissue"].children_by_key["sigma_il"].box
    window.model.edit(("parameters", "tissue", "sigma_il"), 0.3)
    window.probes.add((1.0, 2.0, 3.0))
    window.probes.rename(0, "Apex")
    assert [marker[0] for marker in window.viewport.markers] == ["Apex"]
    stack.undo()
    assert [marker[0] for marker in window.viewport.markers] == ["P1"]
    stack.undo()
    assert window.viewport.markers == []
    stack.undo()
    assert box.text() == "0.17"
    assert window.model.document.parameters.tissue.sigma_il == 0.17
    for _ in range(3):
        stack.redo()
    assert box.text() == "0.3"
    assert window.model.document.project.probes[0].name == "Apex"


def test_held_arrow_keys_are_one_undo(opened, qtbot):
    window = opened
    box = window.problem.form.root.children_by_key["tissue"].children_by_key["surface_to_volume"].box
    for _ in range(5):
        qtbot.keyClick(box, Qt.Key.Key_Up)
    assert window.model.document.parameters.tissue.surface_to_volume == 190
    assert window.model.undo_stack.count() == 1
    window.model.undo_stack.undo()
    assert window.model.document.parameters.tissue.surface_to_volume == 140


def test_exports(opened, qtbot, services, monkeypatch, tmp_path):
    window, told = opened, []
    window.files.done.connect(told.append)
    window.probes.add((2.0, 4.0, 2.0))
    window.controller.run()
    qtbot.waitUntil(lambda: len(window.probes.store.probes.get(("P1", "voltage"), ())) > 10)
    window.controller.pause()
    qtbot.waitUntil(lambda: window.controller.phase == "paused" and not window.background.busy)
    for action, name in (("snapshot", "s.png"), ("mesh", "m.vtu"), ("timing_log", "t.jsonl"), ("traces", "v.csv")):
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, name=name: (str(tmp_path / name), ""))
        window.actions_[action].trigger()
        qtbot.waitUntil(lambda name=name: (tmp_path / name).exists() and not window.background.busy)
    monkeypatch.setattr("ui.session.files.folder_for", lambda *a: tmp_path)
    window.actions_["results"].trigger()
    qtbot.waitUntil(lambda: (tmp_path / "voltage.npy").exists() and not window.background.busy)
    assert len(np.load(tmp_path / "voltage.npy")) == window.model.document.geometry.n_cells
    assert told[-1] == f"Written to {tmp_path}."
    network = ChartInfo("raster", "Spikes, by neuron", "1", kind="raster")
    monkeypatch.setattr(window.controller, "info", replace(window.controller.info, charts=(network,)))
    window.actions_["results"].trigger()
    qtbot.waitUntil(lambda: len(told) == 6)
    assert told[-1].startswith(
        f"Written to {tmp_path}. Its spikes are those of the raster; 'workbench run PROJECT --out"
    )
    rows = list(csv.DictReader((tmp_path / "v.csv").open()))
    buffer = window.probes.store.probes["P1", "voltage"]
    assert [float(row["time [ms]"]) for row in rows] == list(buffer.times)
    assert rows[0]["unit"] == "mV"
    assert float(rows[0]["value"]) == -85.0


@pytest.mark.parametrize("answer", ["Yes", "No"])
def test_a_file_that_the_dialog_did_not_ask_about_as_its_suffix_was_left_out_is_asked_about(
    opened, qtbot, monkeypatch, tmp_path, answer
):
    window, asked = opened, []
    (tmp_path / "v.png").write_text("precious")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "v"), ""))
    button = QMessageBox.StandardButton[answer]
    monkeypatch.setattr(QMessageBox, "question", lambda *told: (asked.append(told[2]), button)[1])
    window.actions_["snapshot"].trigger()
    assert asked == ["'v.png' is there already. Replace it?"]
    if answer == "Yes":
        qtbot.waitUntil(lambda: (tmp_path / "v.png").read_bytes() != b"precious" and not window.background.busy)
    else:
        qtbot.waitUntil(lambda: not window.background.busy)
        assert (tmp_path / "v.png").read_text() == "precious"


def test_traces_that_there_are_not_are_not_written(opened, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: pytest.fail("there is nothing to write"))
    opened.actions_["traces"].trigger()
    assert opened.banner.text.startswith("No probe has recorded anything yet")


def test_the_problem_is_copied_as_the_script_that_makes_it(window, qtbot, qapp):
    window.actions_["copy_as_python"].trigger()
    assert window.banner.text == "There is nothing to copy: open a project first."
    project = workbench.new("stencil").set("grid.cells_x", 48)
    window.model.open(project._document)
    window.actions_["copy_as_python"].trigger()
    qtbot.waitUntil(lambda: qapp.clipboard().text().startswith("import workbench"))
    assert qapp.clipboard().text() == project.script()
    assert "wb.new('stencil').set('grid.cells_x', 48)" in project.script()


def test_a_copied_script_of_brian2_opens(window, qtbot, qapp, services, monkeypatch):
    """By Edit > Open copied script; what else is copied is told in a sentence."""
    monkeypatch.setattr(services, "open", lambda path, permission=NOTHING: open_document(path, permission=permission))
    qapp.clipboard().setText(" ")
    window.actions_["open_copied"].trigger()
    assert window.banner.text.startswith("There is no text to open: copy a Brian2 script")
    qapp.clipboard().setText(CUBA.replace("4000", "400").replace("3200", "320"))
    window.actions_["open_copied"].trigger()
    qtbot.waitUntil(lambda: window.model.document is not None)
    assert [each.number for each in window.model.document.parameters.populations] == [320, 80]
    assert window.model.document.path is None
    qapp.clipboard().setText("a letter")
    window.actions_["open_copied"].trigger()
    qtbot.waitUntil(lambda: "Copied script.py" in window.banner.text)
    assert len(window.model.document.parameters.populations) == 2


def test_edits_are_kept_by_themselves(opened, qtbot, services):
    window = opened
    window.model.edit(("parameters", "tissue", "sigma_il"), 0.3)
    window.keeper.timer.timeout.emit()
    qtbot.waitUntil(lambda: bool(services.autosaved))
    assert services.autosaved[0].parameters.tissue.sigma_il == 0.3
    window.keeper.timer.timeout.emit()  # nothing new: nothing written
    qtbot.waitUntil(lambda: not window.background.busy)
    assert len(services.autosaved) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_close_the_window_and_keep_what_is_unsaved(opened, qtbot, services, number):
    outside = signal.signal(number, signal.SIG_DFL)  # whoever runs the tests may have it ignored
    before = signal.getsignal(number)
    ending = SignalEnding(opened.close_at_once, opened)
    opened.model.edit(("parameters", "tissue", "sigma_il"), 0.27)
    try:
        os.kill(os.getpid(), number)
        qtbot.waitUntil(lambda: not opened.isVisible())
    finally:
        ending.restore()
    assert services.autosaved[-1].parameters.tissue.sigma_il == 0.27
    assert signal.getsignal(number) is before
    signal.signal(number, outside)


def test_the_layout_comes_back(qtbot, qapp, services, tmp_path):
    from PySide6.QtCore import QSettings

    from tests.ui.viewport.doubles import FakeViewport
    from ui.window.main_window import MainWindow

    def make():
        settings = QSettings(str(tmp_path / "w.ini"), QSettings.Format.IniFormat)
        window = MainWindow(services, FakeViewport, settings)
        qtbot.addWidget(window)
        window.show()
        window.open_path(Path("/tmp/a.vtu"))
        qtbot.waitUntil(lambda: window.stack.currentWidget() is window.viewport)
        return window

    first = make()
    first.dock_layout.docks["probes"].hide()
    first.close()
    second = make()
    assert not second.dock_layout.docks["probes"].isVisible()
    assert second.dock_layout.docks["meters"].isVisible()
    second.actions_["layout"].trigger()
    assert second.dock_layout.docks["probes"].isVisible()
    second.close()


def test_what_was_wrong_with_one_file_is_not_said_of_the_next(opened, qtbot):
    drop(opened, "/tmp/surface.bad")
    qtbot.waitUntil(lambda: bool(opened.banner.text) and opened.banner.isVisible())
    opened.files.open_path(Path("/tmp/a.vtu"))  # as the menu opens it
    qtbot.waitUntil(lambda: opened.model.document.project.title != "Slab", timeout=5000)
    assert not opened.banner.isVisible()


OUTSIDE = frozenset([Path("/private/cat.png"), Path("/private/heart.vtu")])


def asked(window, qtbot, name):
    """The question that opening this file asks."""
    window.open_path(Path(f"/tmp/{name}.outside"))
    qtbot.waitUntil(lambda: bool(window.findChildren(OutsideDialog)))
    (dialog,) = window.findChildren(OutsideDialog)
    qtbot.waitUntil(dialog.isVisible)
    return dialog


@pytest.mark.parametrize(("button", "saved"), [("Replace it", "taken.zip"), ("Save as…", "mine.zip"), ("Cancel", None)])
def test_a_project_that_somebody_else_has_saved_since_is_asked_about(
    opened, qtbot, services, monkeypatch, tmp_path, button, saved
):
    window = opened
    window.model.edit(("parameters", "tissue", "sigma_il"), 0.3)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(tmp_path / "mine.zip"), "Project in one file"))
    window.files.save_to(tmp_path / "taken.zip")
    qtbot.waitUntil(lambda: window.findChild(OvertakenDialog) is not None)
    dialog = window.findChild(OvertakenDialog)
    assert dialog.text() == "Somebody else has saved there since."
    assert services.saved == []
    next(each for each in dialog.buttons() if each.text().replace("&", "") == button).click()
    qtbot.waitUntil(lambda: not window.background.busy)
    assert [path.name for _, path in services.saved] == ([saved] if saved else [])
    qtbot.waitUntil(lambda: window.isWindowModified() is (saved is None))


@pytest.mark.parametrize("button", ["with_them", "without"])
def test_files_outside_the_project_are_listed_before_they_are_read(window, qtbot, services, button):
    dialog = asked(window, qtbot, "theirs")
    assert "/private/cat.png\n/private/heart.vtu" in dialog.text()
    assert dialog.textFormat() is Qt.TextFormat.PlainText
    assert window.model.document is None
    getattr(dialog, button).click()
    qtbot.waitUntil(lambda: window.model.document is not None)
    answer = Permission(files=OUTSIDE) if button == "with_them" else Permission(left_out=OUTSIDE)
    assert services.permissions == [NOTHING, answer]
    qtbot.waitUntil(lambda: bool(services.recent()))
    assert services.recent()[0].path == "/tmp/theirs.outside"


def test_escape_opens_nothing_and_says_nothing(opened, qtbot, services):
    before = opened.model.document
    dialog = asked(opened, qtbot, "theirs")
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not opened.findChildren(OutsideDialog))
    assert opened.model.document is before
    assert services.permissions == [NOTHING]
    assert not opened.banner.isVisible()


def test_nothing_opens_without_its_mesh(window, qtbot):
    dialog = asked(window, qtbot, "mesh")
    assert dialog.with_them.isEnabled()
    assert not dialog.without.isEnabled()
    dialog.close()


@pytest.mark.parametrize("title", ["../../.config/autostart/x", "/etc/x", "a\\b:c\n\u202e", "..", "x" * 5000])
def test_a_title_suggests_a_name_and_no_folder(title, tmp_path):
    name = f"{file_stem(title)}.zip"
    assert (tmp_path / name).parent == tmp_path
    assert name.isprintable()
    (tmp_path / name).write_bytes(b"")


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("CUBA: 4\u202f000 spiking neurons", "CUBA 4000 spiking neurons"),
        ("CUBA, 4,000 neurons", "CUBA, 4,000 neurons"),
        ("Izhikevich 2003: rhythms of 1\u202f000 neurons", "Izhikevich 2003 rhythms of 1000 neurons"),
        ('a/b: what? * is "it"', "a-b what is it"),
        ("Spiral wave after S1–S2", "Spiral wave after S1–S2"),
        ("two\nlines\tof text: ", "two lines of text"),
        ("-.: ", "project"),
        ("", "project"),
    ],
)
def test_what_a_title_suggests_can_be_read(title, stem):
    assert file_stem(title) == stem


def test_titles_of_presets_suggest_names_without_stray_signs():
    titles = {preset.title: file_stem(preset.title) for preset in presets()}
    assert len(titles) > 40
    assert len(set(titles.values())) == len(titles)
    for stem in titles.values():
        assert not re.search(r"  | -|- |^\W|\W$|[^\w ,'’().–-]|\u202f", stem), stem


def test_a_snapshot_has_the_state_of_the_run_where_one_is_built(opened, qtbot, monkeypatch, tmp_path):
    given, files, controller = [], opened.files, opened.controller
    monkeypatch.setattr(files, "_ask", lambda *_: tmp_path / "picture.png")
    monkeypatch.setattr(opened.services, "export_snapshot", lambda *told: given.append(told[3]))
    files.export_snapshot()
    qtbot.waitUntil(lambda: len(given) == 1)
    monkeypatch.setattr(controller, "info", None)
    files.export_snapshot()
    qtbot.waitUntil(lambda: len(given) == 2)
    assert given == [controller.runner, None]
    assert controller.runner is not None


def test_the_first_error_is_that_of_the_whole_or_is_named_by_its_field(opened):
    model = opened.model
    assert model.first_error() == ""
    model.errors = {("parameters",): "These do not fit."}
    assert model.first_error() == "These do not fit."
    model.errors = {("parameters", "numerics", "step"): "Must be above 0."}
    assert model.first_error().endswith(": must be above 0.")
    model.errors = {}
