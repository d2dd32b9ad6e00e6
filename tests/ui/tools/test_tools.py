"""Tools from the window: the menu, the dialog, cancelling, and taking over as one edit."""

from __future__ import annotations

import threading
import time as clock
from typing import ClassVar

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from engines.api.charts import ChartData, ChartInfo, Curve, Fact
from engines.api.errors import ProblemError
from engines.api.tools import Tool, ToolResult
from tests.ui.doubles import FakeServices
from tests.ui.wave import WaveEngine
from tests.workbench.fake_tools import Factor, Refusal, Slow, Stretch
from ui.forms.fields.line import Line
from ui.session.model import DocumentModel
from ui.session.running.phase import Phase
from ui.tools.dialog import ToolDialog
from ui.tools.menu import NO_PROJECT, ToolsMenu
from ui.widgets.background import Background
from workbench.project.document import open_document, save_document
from workbench.words.numbers import spaced


class Scale(Tool):
    id = "scale"
    title = "Scale the conductivity"
    summary = "Multiplies the intracellular conductivity along the fibres."
    Parameters = Factor

    def run(self, problem, parameters, backend, progress=lambda *_: None):
        assert threading.current_thread().name.startswith("workbench-tools")
        tissue = problem.parameters.tissue
        value = tissue.sigma_il * parameters.factor
        chart = ChartInfo("scale", "Conductivity", "S/m", x_title="factor", x_unit="1")
        curve = Curve("along", np.array([1.0, 2.0]), np.array([tissue.sigma_il, value]))
        changed = problem.parameters.model_copy(update={"tissue": tissue.model_copy(update={"sigma_il": value})})
        return ToolResult(
            f"The conductivity is {value:g} S/m.",
            (Fact("Conductivity", value, "S/m"),),
            ((chart, ChartData((curve,))),),
            parameters=changed,
            until=problem.parameters.tissue.sigma_il * 100,
            shows="mean",
        )


class Foreseen(Scale):
    """Tells what it would come to, and what it would not do."""

    id = "foreseen"
    asked: ClassVar[list[float]] = []

    def outlook(self, problem, parameters):
        assert threading.current_thread().name.startswith("workbench-outlooks")
        Foreseen.asked.append(parameters.factor)
        if parameters.factor > 10:
            raise ProblemError("That is too much: take a smaller factor.")
        return f"The conductivity would be {problem.parameters.tissue.sigma_il * parameters.factor:g} S/m."


class NotHere(Slow):
    id = "not-here"

    def defaults(self, problem):
        raise ProblemError("This mesh is too small for it: refine it first.")


class Desk:
    """What a dialog needs, without a window around it."""

    def __init__(self, parent):
        self.services, self.background, self.model = FakeServices(), Background(), DocumentModel()
        self.parent, self.dialogs = parent, []
        self.model.open(self.services.document())

    def dialog(self, tool):
        dialog = ToolDialog(tool, self.model, self.services, self.background, self.parent)
        self.dialogs.append(dialog)
        dialog.show()
        return dialog

    def close(self):
        for dialog in self.dialogs:
            dialog.close()
        self.background.close()


@pytest.fixture
def desk(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    desk = Desk(parent)
    yield desk
    desk.close()


@pytest.fixture
def shop(opened, monkeypatch):
    """The window with a document whose engine has tools."""
    monkeypatch.setattr(WaveEngine, "tools", lambda self: (Slow(), Stretch()))
    opened.tools.menu.set_engine(opened.model.document.engine)
    return opened


def dialog_of(window, name):
    action = next(action for action in window.tools.menu.actions() if action.text() == name)
    action.trigger()
    return next(dialog for dialog in window.tools.dialogs.values() if f"{dialog.tool.title}…" == name)


def settled(qtbot, dialog):
    qtbot.waitUntil(lambda: not dialog.job.busy, timeout=10_000)


def test_the_menu_lists_tools_or_says_why_it_is_empty(qapp, monkeypatch):
    menu, engine = ToolsMenu(), WaveEngine()
    texts = [(action.text(), action.isEnabled()) for action in menu.actions()]
    assert texts == [(NO_PROJECT, False)]
    menu.set_engine(engine)
    texts = [(action.text(), action.isEnabled()) for action in menu.actions()]
    assert texts == [("Plane wave offers no tools.", False)]
    monkeypatch.setattr(WaveEngine, "tools", lambda self: (Scale(),))
    menu.set_engine(engine)
    texts = [(action.text(), action.isEnabled(), action.toolTip()) for action in menu.actions()]
    assert texts == [("Scale the conductivity…", True, Scale.summary)]
    menu.deleteLater()


def test_a_result_is_shown_and_taken_over_as_one_edit(desk, qtbot):
    dialog, model = desk.dialog(Scale()), desk.model
    assert not dialog.isModal()
    assert not dialog.apply_button.isEnabled()
    dialog.form.edited.emit(("factor",), 3.0)
    dialog.run_button.click()
    assert dialog.run_button.text() == "Cancel"
    settled(qtbot, dialog)
    assert dialog.result_view.message.text() == spaced("The conductivity is 0.51 S/m.")
    assert dialog.result_view.values[0].text() == "0.5100 S/m"
    assert dialog.result_view.cells[0].plot.data.curves[0].y[1] == pytest.approx(0.51)
    view = dialog.result_view
    parts = [view.message, view._table, *view.cells]
    assert [view._layout.indexOf(part) for part in parts] == [*range(len(parts))], "from above"
    assert view._layout.count() == len(parts) + 1, "the rest of the room is below"
    model.edit(("parameters", "tissue", "sigma_el"), 0.7)  # edited meanwhile: stays
    model.edit(("run", "until"), 10.0)
    shown = []
    dialog.taken_over.connect(lambda result: shown.append(result.shows))
    dialog.apply_button.click()
    assert shown == ["mean"]
    assert model.document.project.run.until == 17.0, "it would not have gone far enough"
    assert dialog.sentence.text() == spaced("Taken over; the run ends at 17 ms, not at 10. Undo takes it back.")
    tissue = model.document.parameters.tissue
    assert (tissue.sigma_il, tissue.sigma_el) == (pytest.approx(0.51), 0.7)
    assert model.draft["parameters"]["tissue"]["sigma_il"] == tissue.sigma_il
    assert model.undo_stack.undoText() == "'Scale the conductivity'"
    assert not dialog.apply_button.isEnabled()
    model.undo_stack.undo()
    assert model.document.parameters.tissue.sigma_il == 0.17
    assert model.document.parameters.tissue.sigma_el == 0.7
    assert model.document.project.run.until == 10.0
    for until, then, told in ((40.0, 40.0, ""), (None, 17.0, "; the run ends at 17 ms")):
        model.edit(("run", "until"), until)
        dialog.run_button.click()
        settled(qtbot, dialog)
        dialog.apply_button.click()
        assert model.document.project.run.until == then
        assert dialog.sentence.text() == spaced(f"Taken over{told}. Undo takes it back.")
        model.undo_stack.undo()


def test_a_wrong_number_is_marked_and_keeps_it_from_running(desk, qtbot):
    dialog = desk.dialog(Scale())
    dialog.form.edited.emit(("factor",), -1.0)
    assert not dialog.run_button.isEnabled()
    dialog.form.edited.emit(("factor",), 1.0)
    assert dialog.run_button.isEnabled()
    line = next(line for line in dialog.form.findChildren(Line) if line.isVisible())
    line.selectAll()
    qtbot.keyClicks(line, "1.2.5")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    dialog.run_button.click()
    assert not dialog.job.busy, "it is no number, and the one before is not meant"
    assert dialog.sentence.text() == "In 'Factor': '1.2.5' is not a number."


def test_what_it_would_come_to_is_told_while_the_form_is_written(desk, qtbot):
    Foreseen.asked.clear()
    dialog, told = desk.dialog(Foreseen()), lambda: dialog.outlook.text()
    qtbot.waitUntil(lambda: told() == spaced("The conductivity would be 0.34 S/m."))
    assert dialog.outlook.isVisible()
    for factor in (3.0, 3.5, 4.0):  # typed at one go: asked for once
        dialog.form.edited.emit(("factor",), factor)
    qtbot.waitUntil(lambda: told() == spaced("The conductivity would be 0.68 S/m."))
    assert Foreseen.asked == [2.0, 4.0]
    dialog.form.edited.emit(("factor",), 20.0)
    qtbot.waitUntil(lambda: told() == "That is too much: take a smaller factor.")
    assert dialog.outlook.objectName() == "error"
    dialog.form.edited.emit(("factor",), -1.0)
    assert not dialog.outlook.isVisible(), "the form says what is wrong"
    dialog.form.edited.emit(("factor",), 4.0)
    desk.model.edit(("parameters", "tissue", "sigma_il"), 1.0)
    qtbot.waitUntil(lambda: told() == spaced("The conductivity would be 4 S/m."))
    assert not desk.dialog(Scale()).outlook.isVisible(), "this one has nothing to say"


def test_a_refusal_marks_its_place(desk, qtbot):
    class Told(Refusal):
        def run(self, problem, parameters, backend, progress=lambda *_: None):
            raise ProblemError("Too many cells: take a smaller factor.", ("factor",))

    dialog = desk.dialog(Told())
    dialog.run_button.click()
    settled(qtbot, dialog)
    assert dialog.sentence.text() == "Too many cells: take a smaller factor."
    assert dialog.form.root._wrong == {"factor"}


@pytest.mark.keeps_time
def test_a_refusal_is_said_once_and_until_the_numbers_change(desk, qtbot):
    class Both(Foreseen):
        id = "both"

        def run(self, problem, parameters, backend, progress=lambda *_: None):
            return self.outlook_of(parameters)

        def outlook(self, problem, parameters):
            return self.outlook_of(parameters)

        def outlook_of(self, parameters):
            raise ProblemError(f"{parameters.factor:g} is too much.", ("factor",))

    dialog = desk.dialog(Both())
    dialog.form.edited.emit(("factor",), 20.0)
    qtbot.waitUntil(lambda: dialog.outlook.text() == "20 is too much.", timeout=5000)
    dialog.run_button.click()
    settled(qtbot, dialog)
    assert dialog.sentence.text() == "20 is too much."
    assert not dialog.outlook.isVisible()
    dialog.form.edited.emit(("factor",), 3.0)
    assert not dialog.sentence.isVisible()


@pytest.mark.keeps_time
def test_cancel_comes_at_once_and_the_window_never_waits(desk, qtbot):
    dialog = desk.dialog(Slow())
    begun = clock.perf_counter()
    dialog.run_button.click()
    assert clock.perf_counter() - begun < 0.1
    qtbot.waitUntil(lambda: dialog.activity.text() == "Thinking")
    assert (dialog.run_button.text(), dialog.bar.isHidden()) == ("Cancel", False)
    assert not dialog.form.isEnabled()
    assert not dialog.apply_button.isEnabled()
    begun = clock.perf_counter()
    dialog.run_button.click()
    settled(qtbot, dialog)
    assert clock.perf_counter() - begun < 0.2  # the promise; the tool tells how far it is every 10 ms
    assert dialog.sentence.text() == "Cancelled: nothing was changed."
    assert dialog.run_button.isEnabled()
    assert dialog.run_button.text() == "Run"
    assert dialog.form.isEnabled()
    assert dialog.bar.isHidden()


def test_a_tool_that_waits_for_another_is_cancelled_too(desk, qtbot):
    first, second = desk.dialog(Slow()), desk.dialog(Scale())
    first.run()
    second.run()
    qtbot.waitUntil(lambda: second.activity.text() == "Waiting for another tool")
    second.run_button.click()
    assert not second.job.busy
    first.close()
    settled(qtbot, first)


def test_a_refusal_is_one_sentence_and_a_surprise_too(desk, qtbot):
    dialog = desk.dialog(Refusal())
    for factor, sentence in ((2.0, "The factor is too small: take another."), (99.0, "unexpected ZeroDivisionError")):
        dialog.form.edited.emit(("factor",), factor)
        dialog.run()
        settled(qtbot, dialog)
        assert sentence in dialog.sentence.text()
        assert "\n" not in dialog.sentence.text()


def test_where_a_tool_cannot_work_its_dialog_says_so(desk):
    dialog = desk.dialog(NotHere())
    assert dialog.sentence.text() == "This mesh is too small for it: refine it first."
    assert not dialog.run_button.isEnabled()


def test_a_changed_mesh_is_taken_over_undone_and_saved(shop, qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    before = shop.model.document.loaded
    dialog = dialog_of(shop, "Stretch the mesh…")
    dialog.run()
    settled(qtbot, dialog)
    dialog.apply_button.click()
    settled(qtbot, dialog)
    document = shop.model.document
    assert np.array_equal(document.loaded.points, before.points * [2, 1, 1])
    assert document.loaded.region_names == {0: "near", 1: "far"}
    qtbot.waitUntil(lambda: shop.viewport.geometry_shown is document.loaded)
    assert shop.controller.phase is Phase.IDLE  # the run of the old mesh, of which no step was taken, made way
    shop.controller.run()
    qtbot.waitUntil(lambda: shop.controller.phase is Phase.RUNNING, timeout=10_000)
    assert shop.controller.info.geometry is document.loaded
    shop.controller.pause()
    qtbot.waitUntil(lambda: shop.controller.phase is Phase.PAUSED)
    copy = shop.model.snapshot()
    shop.model.undo_stack.undo()
    assert document.loaded is before
    assert document.mesh is None
    save_document(copy, tmp_path / "saved")
    monkeypatch.setattr("engines.api.registry.engine", lambda name: document.engine)
    assert np.array_equal(open_document(tmp_path / "saved").loaded.points, before.points * [2, 1, 1])
    shop.model.undo_stack.redo()
    assert np.array_equal(document.loaded.points, before.points * [2, 1, 1])


def test_a_result_of_another_mesh_is_not_taken_over(desk, qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    first, second = desk.dialog(Scale()), desk.dialog(Stretch())
    for dialog in (first, second):
        dialog.run()
        settled(qtbot, dialog)
    second.apply_button.click()
    settled(qtbot, second)
    first.apply_button.click()
    assert "The mesh has changed since" in first.sentence.text()
    assert desk.model.document.parameters.tissue.sigma_il == 0.17


@pytest.mark.keeps_time
def test_dialogs_go_with_their_document_and_with_the_window(shop, qtbot, services):
    dialog = dialog_of(shop, "Think…")
    dialog.run()
    qtbot.waitUntil(lambda: dialog.activity.text() == "Thinking")
    shop.open_preset(services.presets()[1])
    qtbot.waitUntil(lambda: shop.model.document.project.title == "Cube", timeout=10_000)
    assert not shop.tools.dialogs
    qtbot.waitUntil(lambda: not shop.background.busy, timeout=5000)
    dialog = shop.tools.open(Slow())
    dialog.run()
    qtbot.waitUntil(lambda: dialog.activity.text() == "Thinking")
    begun = clock.perf_counter()
    shop.close()
    assert clock.perf_counter() - begun < 2.0
