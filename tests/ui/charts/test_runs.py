"""Runs are things: each that ends is listed with what differs, named, pinned behind the next, kept with the project."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from engines.api import Finding
from engines.api.charts import ChartData, Curve
from engines.api.errors import InstabilityError
from tests.ui.charts.test_panel import drawn, run_until
from ui.charts.runs.dialog import BEHIND, DIFFERS, NAME, REACHED, STORED
from ui.charts.runs.runs import SessionRuns, differing
from workbench.project.project import MeasuredData, Project
from workbench.run.frames import Frame
from workbench.run.lines import PREFIX
from workbench.run.streams.traces import TraceBuffer
from workbench.words.numbers import spaced

# Written out: what the sources have is held against these.
MOST = 12


def moment(time, charts):
    return Frame(0, 0, time, {}, charts)


def again(window, qtbot, time):
    window.controller.reset()
    qtbot.waitUntil(lambda: window.controller.phase == "ready", timeout=10_000)
    run_until(qtbot, window, time)


def test_before_a_run_there_are_no_curves_to_keep(charted):
    panel = charted.charts.panel
    panel.keep_run()
    assert panel.runs.runs == []
    assert panel.buttons.forget.isHidden()


def test_a_run_that_has_ended_is_listed_named_after_what_differs_and_pinned(charted, qtbot, monkeypatch):
    kind = charted.controller.runner.post(type).result(20)
    monkeypatch.setattr(kind, "noticed", lambda self: (Finding("No re-entry."),) if self.time > 19 else ())
    run_until(qtbot, charted, 20.0)
    charted.model.edit(("run", "until"), charted.controller.time)
    charted.controller.run()
    qtbot.waitUntil(lambda: getattr(charted.findings.finding, "message", "") == "No re-entry.")
    panel, runs = charted.charts.panel, charted.charts.runs.runs
    drawn(qtbot, panel, "voltage", until=19.5)
    assert runs.runs == []
    qtbot.waitUntil(lambda: charted.controller.phase == "finished", timeout=10_000)
    charted.actions_["runs"].trigger()
    assert charted.charts.runs.dialog.table.item(0, NAME).text() == "run 1", "one that stands at its end is there, too"
    charted.charts.runs.dialog.close()
    charted.model.edit(("run", "until"), None)
    charted.model.edit(("parameters", "numerics", "step"), 0.04)
    again(charted, qtbot, 5.0)
    charted.actions_["runs"].trigger()
    dialog = charted.charts.runs.dialog
    table = dialog.table
    assert table.rowCount() == 1
    assert table.item(0, NAME).text() == "run 1: Time step 0.02 ms"
    assert table.item(0, DIFFERS).text() == "Time step 0.02 ms"
    assert dialog.note.text().startswith("Behind: ")
    table.selectRow(0)
    assert dialog.note.text() == "run 1: Time step 0.02 ms: No re-entry.", "what was told at its end"
    assert float(table.item(0, REACHED).text().split()[0]) >= 20.0
    cell = panel.cells["voltage"]
    assert cell.kept == ()
    table.item(0, BEHIND).setCheckState(Qt.CheckState.Checked)
    assert cell.kept == ("run 1: Time step 0.02 ms",)
    table.item(0, NAME).setText("fine")
    assert [entry.title for entry in cell.legend.entries if entry.mark == "dotted"] == ["fine"]
    again(charted, qtbot, 5.0)
    assert [run.title for run in runs.runs] == ["fine", "run 2"]
    assert dialog.table.item(0, DIFFERS).text() == "nothing"
    dialog.table.selectRow(0)
    qtbot.mouseClick(dialog.remove_button, Qt.MouseButton.LeftButton)
    assert [run.title for run in runs.runs] == ["fine"]

    dialog.table.item(0, STORED).setCheckState(Qt.CheckState.Checked)
    (stored,) = charted.model.document.project.runs
    assert stored.said == ["No re-entry."]
    saved = Project.model_validate_json(charted.model.document.project.model_dump_json())
    assert saved.runs == [stored]
    np.testing.assert_allclose(stored.series["mean"].y, 4 - np.array(stored.series["mean"].x) / 100, atol=1e-6)
    assert len(stored.series["mean"].x) <= 801
    document = charted.model.snapshot()
    charted.model.undo_stack.clear()
    charted.model.open(document)
    qtbot.waitUntil(lambda: charted.controller.phase == "ready", timeout=10_000)
    (kept,) = (run for run in runs.runs if run.stored)
    assert (kept.title, kept.pinned, kept.said) == ("fine", True, ("No re-entry.",))
    qtbot.waitUntil(lambda: "fine" in panel.cells["voltage"].kept)
    dialog.close()


def test_a_live_parameter_is_of_the_run_that_goes_on_with_it(charted, qtbot):
    """Changed after the end of one, it is what the next begins with."""
    run_until(qtbot, charted, 20.0)
    runs, place = charted.charts.runs.runs, ("conductivity_scale",)
    charted.model.edit(("parameters", *place), 0.5)
    assert runs.parameters[place[0]] == 1.0
    run_until(qtbot, charted, charted.controller.time + 10)
    assert runs.parameters[place[0]] == 0.5
    charted.model.edit(("parameters", *place), 2.0)
    charted.controller.reset()
    assert [run.parameters[place[0]] for run in runs.runs] == [0.5]
    assert runs.parameters[place[0]] == 2.0


def test_the_error_in_which_a_run_ended_is_told_of_it_where_runs_are_listed(charted, qtbot, monkeypatch):
    run_until(qtbot, charted, 10.0)

    def fail(simulation, steps):
        raise InstabilityError("The voltage is no number: use a step below -1e-3 ms.")

    kind = charted.controller.runner.post(type).result(20)
    monkeypatch.setattr(kind, "advance", fail)
    charted.controller.run()
    qtbot.waitUntil(lambda: charted.controller.phase == "failed", timeout=20_000)
    monkeypatch.undo()
    error = str(charted.controller.runner.error)
    runs = charted.charts.runs
    runs.show()
    dialog, (failed,) = runs.dialog, runs.runs.runs
    dialog.table.selectRow(0)
    assert dialog.note.text() == f"run 1: {spaced(error)}"
    dialog.table.item(0, STORED).setCheckState(Qt.CheckState.Checked)
    assert charted.model.document.project.runs[0].said == [error]
    charted.controller.reset()
    qtbot.waitUntil(lambda: charted.controller.phase == "ready", timeout=10_000)
    assert (runs.runs.runs, failed.said) == ([failed], (error,)), "once, as a past run, too"
    dialog.close()


def test_a_reset_that_the_form_forbids_leaves_the_run_as_it_is(charted, qtbot):
    run_until(qtbot, charted, 20.0)
    charted.model.edit(("parameters", "numerics", "step"), -1.0)
    charted.controller.reset()
    assert charted.controller.time >= 20.0
    assert charted.charts.runs.runs.runs == []


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ({"a": 1, "b": {"c": 2.0}}, {"a": 1, "b": {"c": 3.0}}, [(("b", "c"), 2.0, 3.0)]),
        ({"a": [1, 2]}, {"a": [1, 3]}, [(("a",), [1, 2], [1, 3])]),
        ({"a": [{"x": 1}, {"x": 2}]}, {"a": [{"x": 1}, {"x": 5}]}, [(("a", 1, "x"), 2, 5)]),
        ({"a": [{"x": 1}]}, {"a": []}, [(("a",), [{"x": 1}], [])]),
        ({"a": 1}, {"b": 1}, [(("a",), 1, None), (("b",), None, 1)]),
    ],
)
def test_what_differs_in_two_sets_of_parameters(before, after, found):
    assert differing(before, after) == found


def series(count, capacity=64):
    buffer = TraceBuffer(capacity)
    buffer.append(np.arange(float(count)), np.arange(float(count)) ** 2)
    return {"voltage": buffer, "unseen": TraceBuffer()}


def test_the_oldest_runs_go_but_for_those_that_are_pinned_or_kept_with_the_project(qapp):
    runs, heard = SessionRuns(), []
    runs.changed.connect(lambda: heard.append([run.title for run in runs.runs]))
    for number in range(MOST + 4):
        runs.begin({"number": number}, lambda place, value: f"{place[0]} {value}")
        run = runs.keep(float(number), series(3), {}, pinned=number == 1)
        run.stored = number == 2
        again = runs.keep(number + 0.5, series(5), {})
        assert again is run, "it takes the place of what was kept of it before"
        assert run.pinned == (number == 1)
        assert (run.time, len(run.series["voltage"])) == (number + 0.5, 5)
    numbers = [1, 2, *range(4, MOST + 4)]
    assert [run.parameters["number"] for run in runs.runs] == numbers
    named = [f"run {number + 1}: number {number}" for number in numbers[:-1]]
    assert [run.title for run in runs.runs] == [*named, f"run {MOST + 4}"] == heard[-1]
    assert [run.parameters["number"] for run in runs.pinned] == [1]
    runs.edit(runs.runs[-1], title="last", pinned=True)
    runs.edit(runs.runs[0], title="last", pinned=False)
    assert (runs.runs[0].title, runs.runs[-1].title) == ("run 2: number 1", "last"), "no two have one name"
    assert runs.pinned == [runs.runs[-1]]
    first, last = runs.runs[0], runs.runs[-1]
    runs.remove([last])
    assert last not in runs.runs
    runs.keep(1.0, series(3), {})
    assert runs.runs[-1] is not last, "what was removed is kept anew"
    runs.of_engine("")
    assert first not in runs.runs, "it is one too many, now that it is not pinned"
    assert not any(run.stored for run in runs.runs)
    runs.of_engine("other")
    assert runs.runs == []
    runs.keep(1.0, series(3), {})
    assert runs.runs[0].title == "run 1"


@pytest.mark.parametrize("count", [1, 4, 5, 63, 64, 1000])
def test_a_kept_run_is_a_copy_that_takes_no_more_room_than_its_points(qapp, count):
    live, runs = series(count), SessionRuns()
    times, values = live["voltage"].times, live["voltage"].values
    kept = runs.keep(1.0, live, {}).series
    live["voltage"].append(np.array([1e9]), np.array([0.0]))
    assert list(kept) == ["voltage"], "what nothing was seen of is not kept"
    np.testing.assert_array_equal(kept["voltage"].times, times)
    np.testing.assert_array_equal(kept["voltage"].values, values)
    assert len(kept["voltage"]._times) < len(times) + 4


def test_the_buttons_keep_the_curves_of_a_run_and_take_them_away(charted, qtbot):
    panel = charted.charts.panel
    panel.buttons.keep.click()
    assert not panel.runs.pinned, "there is nothing yet"
    assert panel.buttons.forget.isHidden()
    run_until(qtbot, charted, 10.0)
    panel.buttons.keep.click()
    (kept,) = panel.runs.pinned
    time, series, _ = panel.present
    assert time == pytest.approx(charted.controller.time, rel=0.5)
    assert set(kept.series) == set(series)
    lines = [cell for cell in panel.cells.values() if cell.chart.kind == "line"]
    assert {bool(cell.chart.series) for cell in lines} == {True}
    assert all(cell.kept == (kept.title,) and cell._kept[kept.title].curves for cell in lines)
    assert not panel.buttons.forget.isHidden()
    panel.buttons.forget.click()
    assert not panel.runs.pinned
    assert panel.buttons.forget.isHidden()
    panel.set_info(None)
    panel.buttons.keep.click()
    assert not panel.runs.pinned, "there is no run that they would be of"


def test_charts_of_their_own_belong_to_their_run_and_moment(charted, qtbot):
    """Those of a frame stay until the next ones, those of a moment before as long as it is looked at."""
    panel = charted.charts.panel
    now, then = (ChartData((Curve(title, np.arange(2.0), np.ones(2)),)) for title in ("now", "then"))
    info = panel._info
    panel.show_frame(moment(3.0, {"sizes": now}))
    assert panel.present[0] == 3.0
    assert panel.present[2] == {"sizes": now}
    panel.show_frame(moment(4.0, {}))
    assert panel.present[2] == {"sizes": now}
    shown = panel.cells["sizes"].plot
    qtbot.waitUntil(lambda: [curve.title for curve in shown.data.curves] == ["now"])
    panel.look_back(moment(1.0, {"sizes": then}))
    qtbot.waitUntil(lambda: [curve.title for curve in shown.data.curves] == ["then"])
    panel.look_back(None)
    qtbot.waitUntil(lambda: [curve.title for curve in shown.data.curves] == ["now"])
    panel.clear()
    assert panel.present[::2] == (0.0, {})
    panel.show_frame(moment(3.0, {"sizes": now}))
    panel.set_info(info)
    assert panel.present[2] == {}


def test_what_is_asked_for_is_what_somebody_may_see(charted):
    panel = charted.charts.panel
    asked = []
    panel.wanted.connect(lambda names, lines: asked.append(names))
    panel.set_in_front(False)
    panel.choose("sizes", False)
    panel.set_in_front(True)
    panel.choose("sizes", True)
    panel.set_in_front(False)
    panel.enlarge("sizes")  # in the room of the 3D view, whatever lies before the panel
    panel.enlarge("sizes")
    assert asked == [(), ("sizes",), (), ("sizes",), ()]
    panel.set_in_front(True)
    panel.set_info(None)
    assert asked[-1] == ()


def test_along_lines_is_asked_where_their_charts_are_shown(charted):
    panel, asked = charted.charts.panel, []
    panel.set_in_front(True)
    panel.wanted.connect(lambda names, lines: asked.append([line.name for line in lines]))
    field = charted.controller.info.fields[0].name
    lines = [{"name": name, "field": field, "start": [0, 0, 0], "end": [1, 0, 0]} for name in ("one", "two")]
    charted.model.edit(("lines",), lines, "lines")
    for shown in (("one", "two"), ("two",), (), ("one",)):
        for name in ("one", "two"):
            panel.choose(PREFIX + name, name in shown)
        assert asked[-1] == list(shown)


def test_measured_data_take_the_place_of_those_of_their_name_in_their_chart(charted):
    panel = charted.charts.panel

    def names():
        return [(each.chart, each.title, len(each.x)) for each in charted.model.document.project.measured]

    panel.add_measured(*(MeasuredData(chart=chart, title="mine", x=[0.0], y=[1.0]) for chart in ("voltage", "losses")))
    panel.add_measured(MeasuredData(chart="voltage", title="yours", x=[0.0], y=[1.0]))
    panel.add_measured(MeasuredData(chart="voltage", title="mine", x=[0.0, 1.0], y=[1.0, 2.0]))
    assert names() == [("losses", "mine", 1), ("voltage", "yours", 1), ("voltage", "mine", 2)]
    panel.remove_measured("voltage")
    assert names() == [("losses", "mine", 1)]
    charted.model.undo_stack.undo()
    assert len(names()) == 3
