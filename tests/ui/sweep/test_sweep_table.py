"""The table of a sweep: what stands in its rows, what below them, and how wide its columns are."""

from engines.api import Finding
from tests.ui.sweep.choices import CONDUCTIVITY, STEP, through, vary
from tests.ui.wave import Wave
from tests.workbench.sweep.plans import plan_of
from ui.sweep.table import TROUBLE_WIDTH
from ui.widgets.theme import theme
from workbench.sweep.running import Row
from workbench.words.numbers import spaced
from workbench.words.units import unit_text


def test_what_all_runs_are_warned_of_stands_below_the_table_and_in_each_row_what_is_its_own(dialog, qtbot, monkeypatch):
    """Each row repeated it, and cut off what was its own."""
    long = "Steps of 4e-02 ms are longer than those that anybody has tried with so many cells, and may miss spikes."
    monkeypatch.setattr(Wave, "noticed", lambda self: (Finding(long),) if self.dt > 0.03 else (), raising=False)
    vary(dialog, STEP, "0.02, 0.04, 0.02000001")
    dialog.run()
    through(qtbot, dialog)
    table, shared = dialog.results.table, dialog.results.shared
    assert shared.text() == "In all runs: Three cells are flat."
    assert shared.isVisibleTo(dialog)
    assert shared.objectName() == "warning"
    last = table.columnCount() - 1
    assert table.horizontalHeaderItem(last).text() == "trouble"
    assert [table.item(line, last).text() for line in range(3)] == ["", spaced(long), ""]
    assert table.columnWidth(last) >= TROUBLE_WIDTH
    warn = theme().palette.color("warn")
    assert [table.item(line, 0).foreground().color() == warn for line in range(3)] == [False, True, False]
    assert table.item(1, 0).toolTip() == table.item(1, last).text()
    table.choose(1)
    assert dialog.sentence.text() == f"Run 2: {spaced(long)}", "whole"
    table.choose(2)
    assert dialog.sentence.text() == ""


def test_what_is_told_of_a_run_follows_those_that_come_after_it(qtbot, dialog):
    """Rows that stood there kept what was said as they came."""
    plan = plan_of(dialog._model.snapshot(), (STEP, "0.02,0.04,0.05"))
    first, second, third = (
        Row(place, (step,), 2.0, error=error, noticed=noticed)
        for place, (step, error, noticed) in enumerate(
            ((0.02, "", ("A.", "B.")), (0.04, "It failed.", ()), (0.05, "", ("B.", "C.")))
        )
    )
    shown = dialog.results
    told = []
    for rows in ([first], [first, second], [first, second, third]):
        shown.show_rows(plan, rows)
        last = shown.table.columnCount() - 1
        trouble = shown.table.horizontalHeaderItem(last).text() == "trouble"
        told.append([shown.table.item(line, last).text() if trouble else "" for line in range(len(rows))])
    assert told == [[""], ["", "It failed."], ["A.", "It failed.", "C."]]
    assert shown.shared.text() == "In all runs that did not fail: B."
    for chosen, rows, stays in ((0, [first, second], 0), (1, [first, second], 1), (1, [second], -1)):
        shown.table.choose(chosen)
        shown.show_rows(plan, rows, anew=True)
        assert shown.table.currentRow() == stays, "the run that is chosen is, where it is still there"
    assert shown.shared.isHidden()


def test_no_number_is_cut_off(qtbot, dialog):
    plan = plan_of(dialog._model.snapshot(), (STEP, "0.02,0.04"))
    table = dialog.results.table
    rows = [Row(0, (0.02,), 2.0), Row(1, (0.04,), -1.2345e-108)]
    for count in (1, 2):
        dialog.results.show_rows(plan, rows[:count])
        item = table.item(count - 1, 2)
        needed = table.sizeHintForColumn(2)
        assert table.columnWidth(2) >= needed, item.text()


def test_headings_have_room_and_written_units(dialog, qtbot):
    vary(dialog, CONDUCTIVITY, "0.1")
    dialog.run()
    through(qtbot, dialog)
    table = dialog.results.table
    metrics = table.horizontalHeader().fontMetrics()
    for place in range(1, table.columnCount()):
        lines = table.horizontalHeaderItem(place).text().split("\n")
        assert max(map(metrics.horizontalAdvance, lines)) < table.columnWidth(place)
    number = dialog.plan.variations[0].number
    assert number.unit
    assert dialog.results.overlay._title == f"{number.titles[-1]} [{unit_text(number.unit)}]"
