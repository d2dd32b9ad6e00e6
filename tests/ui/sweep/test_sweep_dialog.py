"""The sweep dialog: numbers chosen, runs that come in, their curves, what becomes of them, and how it is given up."""

import threading
import time as clock
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

from engines.api.charts import ChartData, ChartInfo, Curve
from engines.api.errors import ProblemError
from tests.ui.sweep.choices import CONDUCTIVITY, STEP, through, vary
from tests.ui.wave import FakeBackend, Wave
from ui.sweep import dialog as dialogs
from ui.sweep import results
from ui.sweep.dialog import SweepDialog
from ui.sweep.results import SweepResults
from ui.sweep.tree import NAME
from workbench.sweep import plan as plans
from workbench.sweep import readings
from workbench.sweep.readings import Reading
from workbench.sweep.running import run_in_a_row as in_a_row
from workbench.words.numbers import spaced


def test_numbers_are_chosen_from_a_tree_that_can_be_searched(dialog):
    assert dialog.numbers.search.isClearButtonEnabled()
    numbers = dialog.numbers
    numbers.search.setText("sigma il")
    shown = [name for name, leaf in numbers._leaves.items() if not leaf.isHidden()]
    assert shown == [CONDUCTIVITY]
    leaf = numbers._leaves[CONDUCTIVITY]
    assert not leaf.parent().isHidden()
    assert leaf.text(1) == "0.17 S/m"
    leaf.setCheckState(0, Qt.CheckState.Checked)
    editor = dialog.editors[CONDUCTIVITY]
    assert editor.variation().values == (0.136, 0.153, 0.17, 0.187, 0.204)
    editor.kind.setCurrentText("Factors")
    assert editor.variation().values[2] == pytest.approx((0.136 * 0.204) ** 0.5)
    numbers.set_chosen(STEP, True)
    numbers.set_chosen("tissue.sigma_el", True)
    assert numbers.names == [STEP, "tissue.sigma_el"], "two at most: the first makes way"
    checked = {name for name, each in numbers._leaves.items() if each.checkState(0) is Qt.CheckState.Checked}
    assert checked == set(numbers.names)
    assert list(dialog.editors) == [STEP, "tissue.sigma_el"]
    numbers.set_chosen(STEP, False)
    assert list(dialog.editors) == ["tissue.sigma_el"]


def test_a_number_that_is_varied_is_the_one_that_the_problem_has_now(dialog, qtbot):
    dialog.numbers.set_chosen(STEP, True)
    editor = dialog.editors[STEP]
    dialog._model.edit(("parameters", "numerics", "step"), 0.03)
    qtbot.waitUntil(lambda: editor.number.value == 0.03, timeout=2000)
    assert dialog.editors == {STEP: editor}, "what was typed beside it stays"


def test_how_long_the_runs_will_take_follows_from_those_that_are_through(desk, monkeypatch):
    """From the third on: of ten four took 60 s, so that six are left for 90."""
    monkeypatch.setattr(dialogs.clock, "monotonic", lambda: 160.0)
    desk._began, desk.plan = 100.0, range(10)
    for ended, text in ((2, "Run 3"), (3, "Run 3, about 2 min 20 s left"), (4, "Run 3, about 1 min 30 s left")):
        desk.rows = [None] * ended
        desk._show_progress("Run 3", 0.25)
        assert desk.activity.text() == text
        assert desk.bar.value() == 250
    desk.plan, desk.rows = None, []


def test_each_number_says_what_it_is_in_both_columns(dialog):
    leaves = dialog.numbers._leaves
    assert len(leaves) > 3
    for name, leaf in leaves.items():
        assert leaf.data(0, NAME) == name
        assert leaf.toolTip(0) == leaf.toolTip(1)
        assert leaf.toolTip(0).endswith(name)
        assert leaf.text(1)


def test_it_tells_what_the_runs_would_come_to_or_what_is_wrong(dialog, qtbot):
    vary(dialog, STEP, "0.02, 0.04")
    dialog.editors[STEP].changed.emit()
    qtbot.waitUntil(lambda: dialog.outlook.text().startswith("2 runs, about "), timeout=5000)
    vary(dialog, STEP, "0.02, 0.2")
    dialog.editors[STEP].changed.emit()
    dialog.editors[STEP].list.setText("0.02, -1")
    dialog.editors[STEP].changed.emit()
    qtbot.waitUntil(lambda: "'numerics.step' cannot be −1" in dialog.outlook.text(), timeout=5000)
    dialog.run()
    assert "'numerics.step' cannot be −1" in dialog.sentence.text()
    assert not dialog.job.busy


def test_rows_of_workers_come_in_any_order_and_stand_in_that_of_the_cases_at_the_end(dialog, qtbot):
    services, seen = dialog._services, []

    def run_sweep(plan, progress, keep):
        rows = list(in_a_row(plan, FakeBackend()))
        for count, row in enumerate(reversed(rows), 1):
            keep(row)
            progress(f"{count} of 3 runs are through, 2 workers", count / 3)
            more.wait(5)

    more = threading.Event()
    dialog.job.progressed.connect(lambda text, part: seen.append((text, [row.place for row in dialog.rows])))
    services.run_sweep = run_sweep
    vary(dialog, STEP, "0.02, 0.03, 0.04")
    dialog.run()
    qtbot.waitUntil(lambda: len(dialog.rows) == 1, timeout=10_000)
    assert dialog.results.table.item(0, 0).text() == "3", "each case is there as it ends"
    more.set()
    through(qtbot, dialog)
    assert [row.place for row in dialog.rows] == [0, 1, 2]
    assert [dialog.results.table.item(line, 0).text() for line in range(3)] == ["1", "2", "3"]
    assert any("workers" in text for text, _ in seen)


def test_what_can_be_pressed_before_during_and_after_a_sweep(dialog, qtbot):
    services, more, half = dialog._services, threading.Event(), threading.Event()

    def run_sweep(plan, progress, keep):
        for count, row in enumerate(in_a_row(plan, FakeBackend()), 1):
            keep(row)
            progress(f"Run {count} of 2", count / 2)
            half.set()
            more.wait(20)

    services.run_sweep = run_sweep

    def states():
        parts = (dialog._left, dialog.run_button, dialog.export_button, dialog.use_button)
        return [part.isEnabled() for part in parts], dialog.run_button.text(), dialog.bar.isVisibleTo(dialog)

    at_first, at_the_end = [True, True, False, False], [True, True, True, False]
    assert states() == (at_first, "Run", False)
    vary(dialog, STEP, "0.02, 0.03")
    dialog.run()
    assert states() == ([False, True, False, False], "Stop", True)
    qtbot.waitUntil(lambda: half.is_set() and dialog.bar.value() == 500, timeout=10_000)
    assert dialog.activity.text().startswith("Run 1 of 2")
    more.set()
    through(qtbot, dialog)
    assert states() == (at_the_end, "Run", False)
    assert dialog.activity.text() == ""
    dialog.results.overlay.chosen.emit(1)
    assert states() == ([True] * 4, "Run", False)
    more.clear()
    dialog.run()
    assert dialog.bar.value() == 0
    qtbot.waitUntil(lambda: dialog.bar.value() == 500, timeout=10_000)
    dialog.run_button.click()
    assert (dialog.activity.text(), dialog.run_button.isEnabled()) == ("Stopping", False)
    more.set()
    through(qtbot, dialog)
    assert states()[0][:3] == [True] * 3
    assert states()[1:] == ("Run", False)


def looks(line):
    """How wide and opaque a curve is, and how far in front."""
    pen = line.opts["pen"]
    return pen.widthF(), pen.color().alpha(), line.zValue()


def test_an_end_that_is_none_begins_no_sweep(dialog, qtbot):
    vary(dialog, STEP, "0.02, 0.04")
    box = dialog.until.box
    dialog.until.set_value(2.0)
    box.setText("-3")
    box.editingFinished.emit()
    assert box.toolTip() == "In 'Run to': Give a number above 0, or switch 'Run to' off. Until then 2 holds."
    with pytest.raises(ProblemError, match="In 'Run to': Give a number above 0"):
        dialog.planned()


def test_rows_come_in_one_fails_and_a_case_is_taken_over_as_one_edit(dialog, qtbot, tmp_path, monkeypatch):
    model = dialog._model
    vary(dialog, STEP, "0.02, 0.5, 0.04")  # the fake refuses steps above 0.1
    dialog.run()
    assert dialog.run_button.text() == "Stop"
    through(qtbot, dialog)
    assert [bool(row.error) for row in dialog.rows] == [False, True, False]
    assert "1 of 3 runs failed" in dialog.sentence.text()
    table, overlay = dialog.results.table, dialog.results.overlay
    assert table.rowCount() == 3
    texts = [table.item(1, column).text() for column in range(table.columnCount())]
    assert texts[1] == "0.5"
    assert spaced("above the stable 0.1 ms") in texts[-1]
    assert sorted(overlay.lines) == [0, 2]
    assert overlay.lines[0].getData()[0][-1] == pytest.approx(2.0)
    assert overlay.lines[0].opts["pen"].color() != overlay.lines[2].opts["pen"].color()
    overlay.show_curves(overlay._info, "ms", [], "Step", [])  # dressed anew: the axes tell plain numbers still
    dialog.results.show_rows(dialog.plan, dialog.rows)
    assert overlay.plot.getAxis("left").autoSIPrefixScale == 1.0
    assert {looks(line) for line in overlay.lines.values()} == {(1.6, 255, 5)}
    overlay.chosen.emit(2)  # a click on a curve
    assert table.currentRow() == 2
    assert [looks(overlay.lines[place]) for place in (2, 0)] == [(3.0, 255, 10), (1.6, 120, 5)]
    dialog.use_button.click()
    assert model.document.parameters.numerics.step == 0.04
    assert "run 3 of the sweep" in model.undo_stack.undoText()
    model.undo_stack.undo()
    assert model.document.parameters.numerics.step == 0.02
    with monkeypatch.context() as patch:
        patch.delitem(model.draft["parameters"], "numerics")
        dialog.use_button.click()
    name = dialog.plan.variations[0].number.name
    assert (dialog.sentence.text(), dialog.sentence.objectName()) == (spaced(dialogs.GONE.format(name=name)), "error")
    dialog.export(tmp_path / "out")
    qtbot.waitUntil(lambda: dialog.sentence.text().startswith("Written to"), timeout=5000)
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"sweep.csv", "sweep.h5", "overlay.png"}


def test_another_reading_is_taken_of_the_runs_that_there_are(dialog, qtbot, monkeypatch):
    dialog.kept.set_charts([])  # as of a problem that was not built yet
    assert dialog.kept.kept() is None
    vary(dialog, STEP, "0.02, 0.04")
    dialog.run()
    through(qtbot, dialog)
    assert "mean" in [each.name for each in dialog.kept.kept()], "its first run has told what there is"
    table = dialog.results.table
    last = table.item(0, 4).text()
    assert dialog.kept.list.isColumnHidden(2), "names have its room"
    dialog.kept.choose("mean", Reading("at", 1.0))
    assert not dialog.kept.list.isColumnHidden(2)
    assert table.horizontalHeaderItem(4).text() == "Mean voltage\nvalue at 1 [mV]"
    assert table.item(0, 4).text() != last
    assert dialog.results.cell.plot.data.curves[0].x == pytest.approx([0.02, 0.04])
    assert table.horizontalHeaderItem(table.columnCount() - 1).text() != "trouble", "it is one of the samples"
    monkeypatch.setattr(readings, "SURE", 1e-9)
    dialog.kept.choose("mean", Reading("at", 1.05))
    words = "value at 1.05, lies on a line between the points at "
    assert table.horizontalHeaderItem(table.columnCount() - 1).text() == "trouble"
    assert words in table.item(0, table.columnCount() - 1).text()
    item = dialog.kept._rows["mean"][0]
    item.setCheckState(0, Qt.CheckState.Unchecked)
    dialog.run()
    assert dialog.sentence.text() == "Nothing is kept of the runs: choose at least one chart or series."


@pytest.mark.keeps_time
def test_stop_keeps_what_is_through_and_the_window_stays_responsive(dialog, qtbot, monkeypatch):
    monkeypatch.setattr(Wave, "advance", _slowly)
    vary(dialog, STEP, "0.1, 0.05, 0.025")
    begun = clock.perf_counter()
    dialog.run()
    assert clock.perf_counter() - begun < 0.2
    qtbot.waitUntil(lambda: len(dialog.rows) == 1, timeout=10_000)
    begun = clock.perf_counter()
    dialog.run_button.click()
    through(qtbot, dialog)
    assert clock.perf_counter() - begun < 0.5  # told at each batch of 20 ms, looked at each 50 ms
    assert dialog.sentence.text() == "Stopped: the runs until then stay."
    assert 1 <= len(dialog.rows) < 3


def test_closing_asks_while_it_runs_and_the_window_does_not(window, services, qtbot, monkeypatch):
    window.sweeps.open()
    assert window.sweeps.dialog is None
    assert "Open a project first" in window.banner.text
    window.open_preset(services.presets()[0])
    qtbot.waitUntil(lambda: window.controller.phase == "ready", timeout=10_000)
    qtbot.waitUntil(window.actions_["sweep"].isEnabled)  # when the gallery has made way
    window.actions_["sweep"].trigger()
    dialog = window.sweeps.dialog
    dialog.until.edited.emit(2.0)
    monkeypatch.setattr(Wave, "advance", _slowly)
    asked = []
    answers = iter([QMessageBox.StandardButton.No, QMessageBox.StandardButton.Yes])
    monkeypatch.setattr(QMessageBox, "question", lambda *given: asked.append(given[2]) or next(answers))
    vary(dialog, STEP, "0.1, 0.05, 0.025")
    dialog.run()
    dialog.close()
    assert dialog.isVisible()
    assert dialog.job.busy
    dialog.close()
    assert not dialog.isVisible()
    through(qtbot, dialog)
    assert len(asked) == 2
    window.actions_["sweep"].trigger()
    assert window.sweeps.dialog is dialog, "what was found stays"
    dialog.run()
    window.close()
    assert len(asked) == 2
    assert not any(thread.name.startswith("workbench-tools") for thread in threading.enumerate())


def test_many_runs_are_asked_about(dialog, monkeypatch):
    monkeypatch.setattr("ui.sweep.dialog.MANY", 2)
    asked = []
    no = QMessageBox.StandardButton.No
    monkeypatch.setattr(QMessageBox, "question", lambda *given: asked.append(given[2]) or no)
    vary(dialog, STEP, "0.01, 0.02, 0.03")
    dialog.run()
    assert asked == ["These are 3 runs. Make them all?"]
    assert not dialog.job.busy
    assert plans.MANY >= 1000


def test_the_tree_follows_the_problem(dialog, qtbot):
    model = dialog._model
    vary(dialog, CONDUCTIVITY, "0.1, 0.2")
    stimuli = model.draft["parameters"]["stimuli"]
    model.edit(("parameters", "stimuli"), [*stimuli, *stimuli])
    qtbot.waitUntil(lambda: any(name.startswith("stimuli.1.") for name in dialog.numbers._leaves))
    assert dialog.numbers.names == [CONDUCTIVITY]
    model.edit(("parameters", *CONDUCTIVITY.split(".")), 0.3)
    qtbot.waitUntil(lambda: dialog.numbers._leaves[CONDUCTIVITY].text(1) == "0.3 S/m")
    assert dialog.planned().variations[0].values == (0.1, 0.2)


def test_a_dialog_that_is_gone_hears_nothing_more(dialog, qtbot):
    """Its lists went with it, and each edit or other problem ended in an error."""
    controller, model = dialog._controller, dialog._model
    gone = SweepDialog(controller, dialog.parentWidget())
    with qtbot.waitSignal(gone.destroyed):
        gone.deleteLater()
    with qtbot.captureExceptions() as caught:
        controller.info_changed.emit(controller.info)
        model.edit(("parameters", "tissue", "sigma_il"), 0.2)
    assert not caught


def test_what_was_wrong_is_no_longer_said_of_other_values(dialog):
    vary(dialog, STEP, "-1")
    dialog.run()
    assert "−1" in dialog.sentence.text()
    assert dialog.sentence.isVisible()
    dialog.editors[STEP].list.setText("0.02, 0.05")
    dialog.editors[STEP].list.textEdited.emit("")
    assert not dialog.sentence.isVisible()


def _slowly(self, steps):
    clock.sleep(5e-3 * steps)
    self.step += steps


def test_curves_are_chosen_from_where_a_chart_has_several(qtbot, monkeypatch):
    shown = SweepResults()
    qtbot.addWidget(shown)
    shown.chart.addItem("A chart", "chart")
    monkeypatch.setattr(shown, "_show_curves", lambda: None)
    for titles, several in ((["one", "two"], True), (["one"], False), ([], False)):
        monkeypatch.setattr(results, "curves_of", lambda rows, name, titles=titles: titles)
        shown._show_chart()
        assert (not shown.curve.isHidden()) == several


def test_a_curve_without_a_column_shows_that_of_no_other_and_it_is_said(dialog, qtbot):
    vary(dialog, CONDUCTIVITY, "0.1, 0.2")
    dialog.run()
    through(qtbot, dialog)
    shown, rows = dialog.results, dialog.rows
    assert shown.unread.isHidden()
    assert not shown.cell.isHidden()
    curves = tuple(Curve(f"c{k}", np.arange(2.0), np.ones(2)) for k in range(13))
    charts = ((ChartInfo("many", "Many", "V", x_unit="s"), ChartData(curves), Reading("max")),)
    shown.show_rows(dialog.plan, [replace(row, charts=charts) for row in rows], anew=True)
    assert shown.unread.text() == "Many: the first 12 of 13 curves have a column; all of them are in the files."
    assert not shown.unread.isHidden()
    for place, hidden in ((12, True), (11, False)):
        shown.curve.setCurrentIndex(place)
        assert shown.cell.isHidden() == hidden


def test_the_chart_that_is_laid_over_first_is_one_that_can_be_compared_and_tells_what_no_series_does(
    qtbot, monkeypatch
):
    shown = SweepResults()
    qtbot.addWidget(shown)
    series, moment, whole = (
        ChartInfo(name, name, "V", names, comparable=comparable)
        for name, names, comparable in (("a", ("voltage",), True), ("b", (), False), ("c", (), True))
    )
    monkeypatch.setattr(
        results, "charts_of", lambda rows: [replace(whole, name="m", kind="matrix"), series, moment, whole]
    )
    monkeypatch.setattr(results, "unread", lambda rows: [])
    monkeypatch.setattr(shown.table, "show_rows", lambda plan, rows, anew: None)
    monkeypatch.setattr(shown, "_show_chart", lambda: None)
    for chosen in ("c", "a"):
        shown.show_rows(None, [object()])
        assert [shown.chart.itemData(k) for k in range(shown.chart.count())] == ["a", "b", "c"]
        assert shown.chart.currentData() == chosen
        shown.chart.setCurrentIndex(0)  # which is kept as more come


def test_whether_answers_converge_is_asked_with_one_number_and_told_below_the_table(qtbot, dialog):
    vary(dialog, CONDUCTIVITY, "0.1, 0.2")
    dialog.make_finer()
    assert list(dialog.editors) == [STEP], "what was chosen makes way"
    editor = dialog.editors[STEP]
    assert editor.kind.currentText() == "Finer"
    assert editor.last.isHidden()
    first = editor.number.value
    assert editor.variation().values == pytest.approx((2 * first, first, first / 2))
    dialog.run()
    through(qtbot, dialog)
    told = dialog.results.settled
    assert told.isVisibleTo(dialog)
    curve = dialog.results.column().curve
    assert told.text() == f"{curve}: {dialog.results.convergence().told}"
    editor.kind.setCurrentText("Even")
    dialog.run()
    through(qtbot, dialog)
    assert told.isHidden(), "it is no study of convergence"
