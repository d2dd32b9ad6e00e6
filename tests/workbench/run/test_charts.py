"""Charts and inspections between a simulation and those who look: frames, results, tables."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from engines.api import FieldInfo, Selection, Simulation
from engines.api.charts import ChartData, ChartInfo, Curve, Fact, Inspection
from engines.api.errors import DeviceError
from engines.api.simulation.contract import BrokenContract
from tests.workbench.fake_engine import WaveSimulation
from workbench.export.chart_tables import chart_table
from workbench.export.results import export_results, take_results
from workbench.project.document import Document, open_document
from workbench.run import viewing
from workbench.run.frames import FrameRequest, RunState
from workbench.run.recording import Recorder
from workbench.run.session import start
from workbench.run.viewing import FrameSource

CHARTS = (
    ChartInfo("sizes", "Sizes", "1", kind="bar", x_title="Radius", x_unit="µm"),
    ChartInfo("cycles", "Capacity", "A h", x_title="Cycle", x_unit="1"),
    ChartInfo("mean", "Mean", "V", series=("mean",)),
)


class Charted:
    """What a source asks: a simulation that remembers what it was asked for."""

    charts, fields = CHARTS, ()
    step, time = 3, 0.3

    def __init__(self) -> None:
        self.asked: list[str] = []

    def select(self, selection: Selection) -> Selection:
        return selection

    def gather(self, name: str, handle: Selection) -> Any:
        return np.zeros(len(handle), np.float32)

    gather_later = Simulation.gather_later

    def shifts(self) -> dict[Any, Any]:
        return {}

    def chart(self, name: str) -> ChartData:
        self.asked.append(name)
        return ChartData((Curve(name, np.arange(3.0 if name == "sizes" else 2.0), np.arange(2.0)),))

    def look_into(self, element: int | None) -> None: ...

    def inspect(self, element: int) -> Inspection:
        self.asked.append(f"element {element}")
        return Inspection(f"Element {element}", (Fact("Radius", 5.0, "µm"),))


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(viewing, "clock", clock)
    return clock


@pytest.fixture
def charted(project: Path, monkeypatch: pytest.MonkeyPatch) -> Document:
    """A document of the fake engine, which has charts now."""

    def chart(self: Any, name: str) -> ChartData:
        if name == "sizes":
            bars = Curve("all", np.array([0.0, 1, 2]), np.array([3.0, 4]), np.array([0.25, 0.5]))
            return ChartData((bars,), "how full")
        x = np.array([1.0, 2])
        return ChartData((Curve("charge", x, 5 - x, low=4 - x, high=6 - x), Curve("other", x, np.array([np.nan, 1]))))

    monkeypatch.setattr(WaveSimulation, "charts", CHARTS)
    monkeypatch.setattr(WaveSimulation, "chart", chart)
    return open_document(project)


def request(charts: tuple[str, ...] = ("sizes",), element: int | None = None) -> FrameRequest:
    return FrameRequest(1, {"surface": ("V", Selection(np.arange(2)))}, charts, element)


def frame_of(source: FrameSource, simulation: Any, *, resting: bool = False) -> Any:
    source.answer(simulation, resting=resting)
    return source.frames.take()


def test_charts_come_with_frames_but_not_anew_with_each(clock):
    source, simulation = FrameSource(), Charted()
    source.request = request(element=5)
    first = frame_of(source, simulation)
    assert list(first.charts) == ["sizes"]
    assert first.inspection.title == "Element 5"
    clock.now += 0.05
    between = frame_of(source, simulation)
    assert between.charts is first.charts  # a tenth of a second has not passed
    assert (first.charted, between.charted) == (True, False)
    assert simulation.asked == ["sizes", "element 5"]
    clock.now += 0.06
    assert frame_of(source, simulation).charted
    assert simulation.asked == ["sizes", "element 5"] * 2


def test_where_nothing_is_charted_no_frame_has_older_charts(clock):
    source, simulation = FrameSource(), Charted()
    source.request = request(())
    assert [frame_of(source, simulation).charted for _ in range(3)] == [True] * 3


def test_a_run_at_rest_and_another_request_are_answered_at_once(clock):
    source, simulation = FrameSource(), Charted()
    source.request = request()
    frame_of(source, simulation)
    assert not source.is_asked
    frame_of(source, simulation, resting=True)
    assert simulation.asked == ["sizes"] * 2
    source.request = request(("sizes", "cycles", "mean", "unknown"))  # the same view, other charts
    assert source.is_asked
    frame = frame_of(source, simulation)
    assert set(frame.charts) == {"sizes", "cycles"}  # those over time and unknown ones are not asked for
    assert frame.inspection is None


def test_charts_that_cost_much_come_less_often(clock):
    class Slow(Charted):
        def chart(self, name: str) -> ChartData:
            clock.now += 0.1
            return super().chart(name)

    source, simulation = FrameSource(), Slow()
    source.request = request()
    for _ in range(800):
        frame_of(source, simulation)
        clock.now += 0.01
    # A chart of 0.1 s may take a twentieth of the time: one in 2 s; the last may not be over.
    assert len(simulation.asked) == pytest.approx((clock.now - 100.0) / 2.0, abs=1)
    assert len(simulation.asked) > 3


def test_a_frame_that_nobody_has_taken_is_made_anew_only_once_it_is_old(clock):
    source, simulation = FrameSource(), Charted()
    source.request = request()
    source.answer(simulation)
    clock.now += 0.03
    simulation.step = 8
    source.answer(simulation)  # the window is still painting
    assert source.frames.take().step == 3
    source.answer(simulation)
    simulation.step = 9
    clock.now += 0.1
    source.answer(simulation)
    assert source.frames.take().step == 9
    source.answer(simulation)
    simulation.step = 10
    source.answer(simulation, resting=True)  # where it stands is always shown
    assert source.frames.take().step == 10
    source.answer(simulation)
    simulation.step, source.request = 11, request(("cycles",))
    source.answer(simulation)  # and so is what was asked for anew
    assert source.frames.take().step == 11


@pytest.mark.parametrize(
    ("chart", "told"),
    [
        (lambda name: ChartData((Curve("all", np.zeros(2), np.zeros(2)),)), "not as many of each"),
        (lambda name: {}[name], "KeyError: 'sizes'"),
    ],
)
def test_a_chart_that_fails_is_left_out_and_costs_no_run(clock, chart, told):
    """Who looked at it lost what had run for days."""
    said = []
    source, simulation = FrameSource(lambda text, severity: said.append((severity, text))), Charted()
    simulation.chart, simulation.inspect = chart, lambda element: 1 / 0
    source.request = request(element=3)
    for _ in range(3):
        frame = frame_of(source, simulation, resting=True)
        assert frame.charts["sizes"].note == "The chart 'Sizes' cannot be drawn: the log says why."
        assert frame.inspection is None
    warned = [text for severity, text in said if severity == "warning"]
    assert [text.split(" is left out: ")[0] for text in warned] == ["The chart 'Sizes'", "The inspection"]
    assert told in warned[0]


def test_a_device_that_is_lost_while_a_chart_is_made_ends_the_run(clock):
    source, simulation = FrameSource(), Charted()
    source.request = request()
    for error in (DeviceError("gone"), MemoryError()):
        simulation.chart = Mock(side_effect=error)
        with pytest.raises(DeviceError):
            frame_of(source, simulation)


@pytest.mark.parametrize("values", [np.zeros(3), np.zeros((2, 3)), np.zeros(2, complex), np.array(["a", "b"])])
def test_a_field_of_another_shape_than_was_asked_for_is_told(values):
    """What a shader draws of it ended in an error with each painting."""
    source, simulation = FrameSource(), Charted()
    simulation.fields, simulation.gather = (FieldInfo("V", "V", "mV", "cell", (0, 1)),), lambda name, handle: values
    source.request = request()
    with pytest.raises(BrokenContract, match="where 2 elements were asked for"):
        frame_of(source, simulation)


def test_a_result_folder_gets_the_charts_that_are_not_over_time(charted, tmp_path):
    recorder = Recorder(tmp_path / "out", charted)
    (tmp_path / "out" / "charts").mkdir(parents=True)
    (tmp_path / "out" / "charts" / "stale.csv").write_text("of an earlier run")
    runner = start(charted, observers=[recorder], autostart=True)
    runner.wait(RunState.FINISHED)
    runner.close()
    assert runner.error is None
    assert [name for name in recorder.saved() if name.startswith("charts")] == ["charts/cycles.csv", "charts/sizes.csv"]
    with (tmp_path / "out" / "charts" / "sizes.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["curve", "Radius, from [um]", "Radius, to [um]", "Sizes", "how full"]
    assert rows[1:] == [["all", "0", "1", "3", "0.25"], ["all", "1", "2", "4", "0.5"]]
    with (tmp_path / "out" / "charts" / "cycles.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["curve", "Cycle", "Capacity [A h]", "band from", "band to"]
    assert rows[1:3] == [["charge", "1", "4", "3", "5"], ["charge", "2", "3", "2", "4"]]
    assert rows[3:] == [["other", "1", "", "", ""], ["other", "2", "1", "", ""]]


def test_exported_results_hold_the_charts(charted, tmp_path):
    runner = start(charted)
    runner.wait(RunState.READY)
    results = runner.post(take_results).result(10)
    runner.close()
    written = export_results(results, tmp_path / "moment.pvd")
    assert [path.name for path in written[-2:]] == ["moment_sizes.csv", "moment_cycles.csv"]
    assert all(path.is_file() for path in written)


def test_a_chart_over_time_names_its_abscissa():
    header, rows = chart_table(CHARTS[2], ChartData((Curve("mean", np.array([1.0]), np.array([2.0])),)), "time", "s")
    assert header == ["curve", "time [s]", "Mean [V]"]
    assert rows == [["mean", 1.0, 2.0]]


@pytest.mark.parametrize("overridden", [False, True])
def test_the_info_says_whether_elements_can_be_looked_into(project, monkeypatch, overridden):
    if overridden:
        monkeypatch.setattr(WaveSimulation, "inspect", Charted.inspect, raising=False)
    runner = start(open_document(project))
    runner.wait(RunState.READY)
    assert runner.info is not None
    assert runner.info.inspects is overridden
    runner.close()
