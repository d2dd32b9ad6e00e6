"""Rewinding in the window: ticks on the timeline, and a future that is left stays visible, pale."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from ui.panels.probes.panel import LEFT_NOTE
from ui.panels.timeline import Timeline
from ui.panels.timeline_bar import ProgressBar, Tick
from ui.session.running.phase import Phase
from ui.session.running.rewinding import NOTHING_BEFORE
from workbench.run.states import history
from workbench.run.states.history import Mark
from workbench.run.streams.traces import TraceBuffer, TraceStore

# Written out: what the sources have is held against these.
APART = 20


@pytest.fixture
def ran(opened, qtbot, monkeypatch):
    """A window whose run is paused after some checkpoints, with a probe."""
    monkeypatch.setattr(history, "FIRST_SECONDS", 0.1)
    window = opened
    window.viewport.picked.emit(5, (2.0, 4.0, 2.0))
    window.controller.runner._history._interval = 0.1
    window.controller.run()
    qtbot.waitUntil(lambda: len(window.controller.rewinding.marks) >= 4, timeout=10_000)
    window.controller.pause()
    qtbot.waitUntil(lambda: window.controller.phase is Phase.PAUSED)
    window.model.edit(("run", "until"), 1.2 * window.controller.time)
    return window


def steps_of(window):
    return window.controller.runner.post(lambda simulation: simulation.step).result(20)


def click(qtbot, bar, tick):
    place = QPoint(round(bar.place_of(tick)), bar.height() // 2)
    qtbot.mouseMove(bar, place)
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=place)


def test_a_click_on_a_tick_rewinds_and_going_on_is_another_branch(ran, qtbot):
    window, bar = ran, ran.timeline.bar
    end, ticks = window.controller.time, bar.ticks
    assert len(ticks) >= 4
    assert ticks[1].text.startswith("Rewind to ")
    times = window.probes.store.probes["P1", "voltage"].times.copy()
    click(qtbot, bar, ticks[1])
    qtbot.waitUntil(lambda: window.probes.readout.text() == LEFT_NOTE)
    assert window.controller.phase is Phase.PAUSED
    assert steps_of(window) == ticks[1].step
    mark = next(mark for mark in window.controller.rewinding.marks if mark.step == ticks[1].step)
    assert window.controller.time == mark.time
    assert window.probes.store.probes["P1", "voltage"].times[-1] <= mark.time
    (branch,) = window.probes.store.left
    left = branch.probes["P1", "voltage"][0]
    assert np.array_equal(left[1:], times[times > mark.time])
    assert left[-1] == pytest.approx(end, abs=0.2)
    assert len(window.probes.plot._pale) == 1
    assert window.meters.figures["step"].text().replace("\u202f", "") == str(ticks[1].step)
    shown = {name: cell.plot for name, cell in window.charts.panel.cells.items() if cell.chart.series}
    assert shown
    for plot in shown.values():
        qtbot.waitUntil(lambda plot=plot: len(plot._left._lines) == len(plot.chart.series))
        assert plot._left._lines[0].xData[-1] == pytest.approx(end, abs=0.2)
    assert bar.ticks[-1].fraction > bar.fraction  # the future can still be returned to
    window.controller.step()
    qtbot.waitUntil(lambda: steps_of(window) == ticks[1].step + 1)
    qtbot.waitUntil(lambda: bar.ticks[-1].step <= ticks[1].step + 1)
    assert window.probes.store.left == [branch]
    window.controller.reset()
    qtbot.waitUntil(lambda: window.controller.phase is Phase.READY)
    assert window.probes.store.left == []
    assert window.probes.readout.text().startswith("Activation time: ")
    assert not window.probes.plot._pale
    for plot in shown.values():
        qtbot.waitUntil(lambda plot=plot: not plot._left._lines)
    qtbot.waitUntil(lambda: not bar.ticks)


def test_it_pauses_a_run_that_goes_on_and_run_after_it_goes_on(ran, qtbot):
    window = ran
    window.model.edit(("run", "until"), None)
    window.controller.run()
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING)
    first = window.controller.rewinding.marks[0]
    window.controller.rewinding.rewind(first.step)
    qtbot.waitUntil(lambda: window.controller.phase is Phase.PAUSED)
    qtbot.waitUntil(lambda: window.controller.time == first.time)
    window.controller.rewinding.rewind(first.step)
    window.controller.run()  # pressed before it is there
    qtbot.waitUntil(lambda: window.controller.phase is Phase.RUNNING)
    window.controller.pause()
    qtbot.waitUntil(lambda: window.controller.phase is Phase.PAUSED)
    times = window.probes.store.series["mean"].times
    assert (np.diff(times) > 0).all()
    assert times[-1] > first.time


def test_the_action_goes_to_the_last_checkpoint_and_says_when_there_is_none(ran, qtbot):
    window = ran
    before = [mark for mark in window.controller.rewinding.marks if mark.time < window.controller.time - 0.01]
    window.actions_["rewind"].trigger()
    qtbot.waitUntil(lambda: window.controller.time == before[-1].time)
    window.controller.reset()
    qtbot.waitUntil(lambda: window.controller.phase is Phase.READY and not window.controller.rewinding.marks)
    window.actions_["rewind"].trigger()
    assert window.banner.text == NOTHING_BEFORE


def test_without_an_end_the_bar_is_as_long_as_what_is_known(qtbot):
    line = Timeline()
    qtbot.addWidget(line)
    line.set_unit("ms")
    line.set_marks((Mark(10, 1.0), Mark(40, 4.0)))
    line.set_time(2.0)
    assert [tick.fraction for tick in line.bar.ticks] == [0.25, 1.0]
    assert line.bar.fraction == 0.5
    assert line.bar.ticks[1].text == "Rewind to 4.00 ms"


def buffer_of(times):
    buffer = TraceBuffer()
    buffer.append(np.array(times, float), np.array(times, float) ** 2)
    return buffer


def test_a_store_rewound_twice_leaves_one_branch():
    store = TraceStore()
    store.series["mean"] = buffer_of(range(10))
    store.rewind(3.0)
    assert list(store.left[0].series["mean"][0]) == [3, 4, 5, 6, 7, 8, 9]
    store.rewind(6.0)  # forth again, before it went on
    assert list(store.series["mean"].times) == [0, 1, 2, 3, 4, 5, 6]
    assert list(store.left[0].series["mean"][0]) == [6, 7, 8, 9]
    assert len(store.left) == 1
    store.take([])
    store.rewind(2.0)
    assert list(store.series["mean"].values) == [0, 1, 4]
    assert len(store.left) == 2


def test_a_curve_goes_on_after_it_was_cut():
    cut = buffer_of(range(10)).until(4.0)
    cut.append(np.array([4.0, 5.0]), np.array([0.0, 7.0]))
    assert list(cut.times) == [0, 1, 2, 3, 4, 5]
    assert cut.values[-1] == 7.0
    assert len(buffer_of(range(10)).since(9.0)[0]) == 0


def test_the_bar_is_as_long_as_a_run_that_ends_by_itself_will_be(qtbot):
    """Half of the way is done at 10 of at most 100: it will end at 20, not jump there from a tenth."""
    timeline = Timeline()
    qtbot.addWidget(timeline)
    timeline.set_until(100.0)
    timeline.set_time(10.0)
    assert timeline.bar.fraction == pytest.approx(0.1)
    timeline.set_part(0.5)
    timeline.set_time(10.0)
    assert timeline.bar.fraction == pytest.approx(0.5)
    timeline.set_part(None)
    timeline.set_time(10.0)
    assert timeline.bar.fraction == pytest.approx(0.1)


def test_what_is_pulled_is_the_past_also_where_a_tick_stands(qtbot):
    """A click on a tick rewinds; of ticks without room beside each other the newest is there."""
    bar = ProgressBar()
    qtbot.addWidget(bar)
    bar.resize(300, 18)
    bar.set_fraction(0.5)
    bar.set_past((0.0, 0.5), None)
    bar.set_ticks(tuple(Tick(0.02 * step, step, "") for step in range(26)))
    places = [bar.place_of(tick) for tick in bar.ticks]
    assert min(np.diff(places)) >= APART
    assert bar.ticks[-1].step == 25
    clicked, scrubbed = [], []
    bar.tick_clicked.connect(clicked.append)
    bar.scrubbed.connect(scrubbed.append)
    at = [QPoint(round(x), 9) for x in (places[-1], places[-1] - 40)]
    qtbot.mousePress(bar, Qt.MouseButton.LeftButton, pos=at[0])
    qtbot.mouseMove(bar, at[1])
    qtbot.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=at[1])
    assert not clicked
    assert scrubbed[-1] == pytest.approx(at[1].x() / 300)
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=at[0])
    assert clicked == [25]
    assert len(scrubbed) == 1
