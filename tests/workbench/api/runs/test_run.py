"""Runs from a script, on the fake engine: what they keep, how they end, and what is told."""

from __future__ import annotations

import copy
import csv
import gc
import pickle
import sys
import threading
import warnings
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

import workbench as wb
from engines.api import Finding
from engines.api.simulation.shown import Dab, PaintInfo
from tests.workbench.fake_engine import WaveEngine, WaveSimulation


@pytest.fixture
def wave(project):
    return wb.open(project)


def workers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "workbench-runner"]


def test_series_and_probes_are_kept_from_the_first_step_on(wave):
    with wave.run() as run:
        assert (run.step, run.time, run.time_unit) == (200, 4.0, "ms")
        mean = run.curves["mean_voltage"]
        np.testing.assert_allclose(mean.time, np.arange(41) * 0.1)
        assert (mean.unit, mean.time.unit, mean.values[0]) == ("mV", "ms", -80.0)
        assert run.curves["Mean voltage"].name == "mean_voltage"
        near = run.probes["near"]["voltage"]
        assert len(near) == 41
        assert near.values[-1] == pytest.approx(run.field("voltage").max(), abs=1.0)
        with pytest.raises(KeyError, match="no probe 'nea'; the nearest is 'near'"):
            _ = run.probes["nea"]


def test_a_field_that_has_not_come_is_nan(wave):
    with wave.run(until=2.0) as run:
        times = run.field("activation_time")
        assert times.unit == "ms"
        assert np.isnan(times).any()
        assert run.positions.shape == (len(times), 3)
        assert run.positions.unit == "mm"
        late, early = (run.positions[part][:, 0].mean() for part in (np.isnan(times), ~np.isnan(times)))
        assert late > early
        assert np.nanmin(times) >= 0
        with pytest.raises(wb.UnknownNameError, match="no field 'volt'; the nearest is 'voltage'"):
            run.field("volt")
        with pytest.raises(wb.ProblemError, match="leave out on_device"):
            run.field("voltage", on_device=True)


def test_step_by_step_is_the_same_as_at_once(wave):
    with wave.run(until=1.0) as whole, wave.simulate() as run:
        assert run.step == 0
        assert run.advance(20).advance(30).step == 50
        np.testing.assert_array_equal(run.field("voltage"), whole.field("voltage"))
        assert run.run(until=2.0).time == pytest.approx(2.0)
        with pytest.raises(wb.ProblemError, match="at 2 ms already: it does not go back to 1"):
            run.run(until=1.0)
    with pytest.raises(wb.ProblemError, match="This run is closed"):
        run.advance(1)


def test_a_closed_run_keeps_its_curves_and_says_what_is_gone(wave):
    run = wave.run(until=1.0)
    run.close()
    assert not workers()
    assert len(run.curves["mean_voltage"]) == 11
    assert (run.step, run.time) == (50, 1.0)
    assert "closed, at 1 ms after 50 steps" in repr(run)
    for ask in (lambda: run.field("voltage"), lambda: run.results, lambda: run.save("x.pvd")):
        with pytest.raises(wb.ProblemError, match="This run is closed"):
            ask()


def pickled(each):
    return pickle.loads(pickle.dumps(each))  # noqa: S301 (our own)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_curves_are_copied_and_pickled_as_they_are_now_and_a_run_says_that_it_is_not(wave, copied):
    """It was said that a lock cannot be pickled."""
    with wave.run(until=1.0) as run:
        for ask in (lambda: run.curves, lambda: run.probes["near"]):
            made = copied(ask())
            assert list(made) == list(ask())
            name = next(iter(made))
            assert made[name].unit == ask()[name].unit
            np.testing.assert_array_equal(made[name].values, ask()[name].values)
        with pytest.raises(wb.ProblemError, match="A run cannot be copied or pickled"):
            copied(run)
    assert len(copied(run.curves)["mean_voltage"]) == 11


def test_a_run_that_nobody_refers_to_is_closed(wave):
    run = wave.run(until=0.1)
    thread = run._runner._thread
    del run
    gc.collect()
    thread.join(20.0)
    assert not thread.is_alive()


def test_ctrl_c_returns_what_there_is(wave):
    def interrupt(text: str, part: float) -> None:
        if part > 0:
            raise KeyboardInterrupt

    with pytest.warns(wb.WorkbenchWarning, match=r"interrupted at .* ms: its numbers are of then"):
        run = wave.set("delay", 0.002).run(until=1000.0, progress=interrupt)
    assert run.interrupted
    assert 0 < run.time < 25.0  # 2.5 s of the run itself: a step is 0.02 ms and takes 2 ms at the least
    assert len(run.curves["mean_voltage"]) > 1
    run.close()


def test_what_fails_is_raised_in_a_sentence_and_leaves_no_thread(wave):
    with pytest.raises(wb.InstabilityError, match="is no longer a number at element 7"):
        wave.copy().set("trouble", "nan").run()
    with pytest.raises(wb.WorkbenchError, match="unexpected ZeroDivisionError"):
        wave.copy().set("trouble", "surprise").run()
    with pytest.raises(wb.WorkbenchError):
        wave.copy().set("trouble", "build").simulate()
    with pytest.raises(ValueError, match="mine"):
        wave.run(progress=_raises)
    for thread in workers():
        thread.join(20.0)
    assert not workers()


def _raises(text: str, part: float) -> None:
    raise ValueError("mine")


def test_what_nobody_expected_while_it_is_estimated_is_a_sentence_too(wave, monkeypatch):
    def broken(self, problem, backend):
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(WaveEngine, "estimate", broken)
    with pytest.raises(wb.WorkbenchError, match="unexpected ZeroDivisionError: by zero"):
        wave.simulate()


def test_where_it_ends_must_be_known(wave):
    wave.until = None
    with pytest.raises(wb.ProblemError, match=r"does not say how far to run: give until= \[ms\]"):
        wave.run()
    with pytest.raises(wb.ProblemError, match="until is above 0"):
        wave.run(until=-1.0)


def test_findings_of_the_problem_and_of_the_answers_are_warnings_at_the_line_that_asks(wave, monkeypatch):
    doubt = Finding("The spectrum has not settled.", place=("step",))
    monkeypatch.setattr(WaveSimulation, "noticed", lambda self: (doubt,))
    with pytest.warns(wb.WorkbenchWarning, match=r"has not settled\. \[step\]") as told:
        run = wave.run(until=0.2)
    assert told[0].filename == __file__
    assert doubt in run.findings
    assert "1 warning in .findings" in repr(run)
    run.close()
    with wave.simulate() as stepped:
        stepped.advance(5)
        with pytest.warns(wb.WorkbenchWarning, match="has not settled"):
            _ = stepped.curves
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            _ = stepped.curves  # said once at a step


def test_live_parameters_and_brushes(wave, monkeypatch):
    touched: list[Dab] = []
    monkeypatch.setattr(WaveSimulation, "brushes", (PaintInfo("touch", "Touch", "mA", 5.0, 0.1),), raising=False)
    monkeypatch.setattr(WaveSimulation, "paint", lambda self, dab: touched.append(dab), raising=False)
    with wave.simulate() as run:
        assert [brush.name for brush in run.brushes] == ["touch"]
        run.set("tau", 0.25)
        assert run.project.get("tau") == 0.25
        assert wave.get("tau") == 0.5
        with pytest.raises(wb.ProblemError, match="wrong value at tau"):
            run.set("tau", -1.0)
        run.paint("touch", (1.0, 2.0), 7.0, erase=True)
        assert touched == [Dab("touch", (1.0, 2.0, 0.0), pytest.approx(0.6), 7.0, True)]
        with pytest.raises(wb.UnknownNameError, match="no brush 'tuch'; the nearest is 'touch'"):
            run.paint("tuch", (0, 0, 0))


@pytest.mark.parametrize(
    ("preset", "changes", "name", "value"),
    [
        ("heat_on_a_plate", {"grid.cells_x": 16, "grid.cells_y": 16}, "grid.cells_x", 17),
        ("heat_on_a_plate", {"grid.cells_x": 16, "grid.cells_y": 16}, "grid", None),
        ("fdtd_slab", {}, "objects.0.high.0", 7.1),
    ],
)
def test_what_is_not_live_is_to_be_set_before_the_run(preset, changes, name, value):
    """It was said that the parameter is declared live, and that the engine's author is to mend it."""
    project = wb.open(preset).set(changes)
    value = project.get(name) if value is None else value
    with project.simulate(device="cpu") as run:
        with pytest.raises(wb.ProblemError, match=rf"^'{name}' cannot change during a run: set it before the run\.$"):
            run.set(name, value)
        assert run.project.get(name) == project.get(name)


def test_an_engine_without_neurons_or_cells_says_so(wave):
    with wave.simulate() as run:
        with pytest.raises(wb.ProblemError, match="engine 'wave' does not record spikes of neurons"):
            _ = run.spikes
        with pytest.raises(wb.ProblemError, match="does not record what each of its cells did"):
            _ = run.cells


def test_all_spikes_of_a_network_are_kept():
    run = wb.open("cuba_4000").run(until=50, device="cpu")
    trains = run.spikes
    first, second = (trains.of(each.name) for each in trains.populations)
    assert len(first) + len(second) == len(trains) > 500
    assert trains.times.unit == "ms"
    assert (np.diff(trains.times) >= 0).all()
    assert second.neurons.min() >= trains.populations[1].first > first.neurons.max()
    with pytest.raises(wb.UnknownNameError, match="no population"):
        trains.of("nobody")


def test_what_is_exported_of_a_network_has_its_spikes_and_its_rates(tmp_path):
    run = wb.open("cuba_4000").run(until=20, device="cpu")
    written = {path.name: path for path in run.save(tmp_path / "net.pvd")}
    spikes = list(csv.DictReader(written["net_spikes.csv"].open()))
    trains = run.spikes
    np.testing.assert_allclose([float(row["time [ms]"]) for row in spikes], trains.times)
    assert [int(row["neuron"]) for row in spikes] == trains.neurons.tolist()
    inhibitory = [int(row["neuron"]) for row in spikes if row["population"] == "Inhibitory"]
    assert inhibitory == trains.of("Inhibitory").neurons.tolist()
    series = list(csv.DictReader(written["net_series.csv"].open()))
    rate = run.curves["rate_excitatory"]
    np.testing.assert_allclose([float(row["time [ms]"]) for row in series], rate.time)
    np.testing.assert_allclose([float(row["rate_excitatory [Hz]"]) for row in series], rate.values, rtol=1e-8)


def test_what_each_cell_did_is_kept_with_what_was_drawn():
    run = wb.open("thousand_cells").set("ensemble.cells", 3).run(until=300, device="cpu")
    times, voltages = run.cells["time"], run.cells["voltage"]
    assert (voltages.unit, voltages.shape, times[-1]) == ("V", (len(times), 3), 300.0)
    assert np.unique(run.field("voltage")) == pytest.approx(np.sort(voltages[-1]), abs=1e-6)  # of both electrodes
    drawn = run.cells["negative_particle_radius"]
    assert len(set(drawn.tolist())) == 3


def test_cells_end_with_the_moment_at_which_the_run_rests():
    """Their last row was that of the latest look, though cells.h5 of the same run ends where the run does."""
    with wb.open("thousand_cells").set("ensemble.cells", 3).simulate(device="cpu") as run:
        for until, times in ((90.0, [0, 60, 90]), (130.0, [0, 60, 120, 130])):
            run.run(until=until)
            assert run.cells["time"].tolist() == times
            assert len(run.cells["voltage"]) == len(times)
            assert np.sort(run.cells["voltage"][-1]) == pytest.approx(np.unique(run.field("voltage")), abs=1e-6)


def test_progress_goes_to_a_function_a_bar_or_nowhere(wave, capsys):
    seen: list[float] = []
    for progress in (lambda text, part: seen.append(part), True, False):
        wave.run(until=2.0, progress=progress).close()
    assert seen[-1] == pytest.approx(1.0)
    assert seen == sorted(seen)


def test_tqdm_has_the_part_that_is_through(wave, monkeypatch):
    """Where neither a notebook nor rich is there."""
    lines = []

    class Line(nullcontext):
        def __init__(self, total, bar_format, leave):
            super().__init__(self)
            self.total, self.n, self.leave = total, 0.0, leave
            lines.append(self)

        def set_postfix_str(self, text, refresh):
            assert not refresh, "once a time is enough"

        def update(self, more):
            self.n += more

    monkeypatch.setitem(sys.modules, "rich.progress", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", SimpleNamespace(tqdm=Line))
    wave.run(until=2.0, progress=True).close()
    (line,) = lines
    assert (line.n, line.total, line.leave) == (pytest.approx(1.0), 1.0, False)


def test_results_for_other_programs_and_whether_it_came_to_its_own_end(wave, monkeypatch):
    class Told(WaveSimulation):
        def files(self):
            return {"wave.s1p": "! a wave"}

    monkeypatch.setattr("tests.workbench.fake_engine.WaveSimulation", Told)
    with wb.simulate(wave) as run:
        run.advance(10)
        assert run.files == {"wave.s1p": "! a wave"}
        with pytest.raises(KeyError, match=r"no file of results 'table\.csv'; there are: wave\.s1p\."):
            run.files["table.csv"]
        assert not run.ended
    with wave.set("end", 1.0).run(until=4.0) as run:
        assert run.ended
        assert run.time == pytest.approx(1.0)


def test_this_moment_is_exported(wave, tmp_path):
    with wave.run(until=1.0) as run:
        names = {path.name for path in run.save(tmp_path / "moment.pvd")}
        for other in ("moment.csv", "moment.png", "moment_0.5"):
            with pytest.raises(wb.ProblemError, match=r"must end in \.pvd"):
                run.save(tmp_path / other)
    assert {"moment.pvd", "moment_points.csv"} <= names


def test_a_notebook_shows_it_with_every_text_escaped(wave):
    wave._document.project.title = "<b>&"
    with wave.run(until=1.0) as run:
        html = run._repr_html_()
    assert "<b>&lt;b&gt;&amp;</b>" in html
    assert "mean_voltage" in html
    assert "after 50 steps" in html


NO_NUMBER = [float("nan"), "2.0", True, [1.0, 2.0], np.array([1.0, 2.0]), 1j, object()]


@pytest.mark.parametrize("given", NO_NUMBER, ids=lambda value: type(value).__name__)
def test_what_is_no_number_costs_no_run(wave, given):
    """The worker of a run that was told to go to NaN ended with an error that nobody expected, and all with it."""
    with wave.simulate() as run:
        run.advance(10)
        for call in (run.run, run.advance, lambda value: run.line("voltage", (0, value), (1, 1, 1))):
            with pytest.raises(wb.ProblemError, match="is a number, not"):
                call(given)
        assert run.advance(1).step == 11
    with pytest.raises(wb.ProblemError, match="is a number, not"):
        wave.run(given)
    with pytest.raises(wb.ProblemError, match="coordinate of the probe 'here' is a number, not"):
        wave.probe("here", [1.0, given])
    with pytest.raises(wb.ProblemError, match="is a number, not"):
        wb.sweep(wave, {"speed": [1.0]}, until=given)


def test_numbers_of_numpy_are_numbers(wave):
    with wave.simulate() as run:
        assert run.advance(np.int64(3)).step == 3
        assert run.run(np.float32(0.5)).time == pytest.approx(0.5)
        assert run.run(np.array(1.0)).time == pytest.approx(1.0)


@pytest.mark.parametrize("steps", [-1, 0.5])
def test_a_run_takes_whole_steps_and_none_back(wave, steps):
    with wave.simulate() as run, pytest.raises(wb.ProblemError, match="whole steps"):
        run.advance(steps)


@pytest.mark.parametrize("values", [3.0, "345", [1.0, "two"]])
def test_a_sweep_is_over_a_list_of_numbers(wave, values):
    with pytest.raises(wb.ProblemError, match="'speed'"):
        wb.sweep(wave, {"speed": values}, until=1.0)


@pytest.mark.parametrize("device", [0, ("cpu",)])
def test_a_device_has_a_name(wave, device):
    for call in (wave.run, wave.simulate):
        with pytest.raises(wb.ProblemError, match="A device is 'auto', 'cpu' or 'cuda:N'"):
            call(device=device)


def test_what_a_progress_function_raises_leaves_the_run_where_it_was(wave):
    def wrong(text, part):
        raise ZeroDivisionError

    with wave.simulate() as run:
        run.advance(10)
        with pytest.raises(ZeroDivisionError):
            run.run(until=4.0, progress=wrong)
        assert run.step >= 10
        assert run.run(until=4.0).time == 4.0
    with pytest.raises(ZeroDivisionError):
        wave.run(until=4.0, progress=wrong)
    gc.collect()
    assert workers() == []


def test_an_end_before_the_first_step_is_warned_of_once(wave):
    with wave.simulate() as run:
        with pytest.warns(wb.WorkbenchWarning, match="is to end at 0.01 ms, before its first step: it takes one, and"):
            run.run(until=0.01)
        assert run.step == 1
        assert [one.message for one in run.findings if "first step" in one.message]


@pytest.mark.parametrize(
    ("until", "said"), [(0, "0 ms: until is above 0."), (np.inf, "inf ms: until is above 0, and fin")]
)
def test_what_no_run_comes_to_is_refused(wave, until, said):
    """A run to 0, and to infinity, did not end."""
    with wave.simulate() as run:
        stopped = threading.Timer(2.0, run._runner.pause)
        stopped.start()
        with pytest.raises(wb.ProblemError, match=f"go to {said}"):
            run.run(until=until)
        stopped.cancel()
        stopped.join()


@pytest.mark.parametrize("radius", [-1.0, -1e-9, np.inf])
def test_a_brush_has_a_radius_that_a_ball_can_have(radius):
    """One below 0 ended in an error, or painted a ball of as much."""
    with wb.simulate("heat_on_a_plate", device="cpu") as run:
        before = run.field("source")
        with pytest.raises(wb.ProblemError, match="a finite radius, of 0 or more"):
            run.paint("source", (50, 50), radius=radius)
        np.testing.assert_array_equal(run.field("source"), before)
