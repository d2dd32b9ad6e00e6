"""The runner when something fails: the run ends in a sentence, nothing is left behind, and it can go on."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from engines.api.errors import InstabilityError, NotLiveError, ProblemError, WorkbenchError
from engines.api.values import KernelTraffic
from tests.workbench.fake_engine import FakeBackend, WaveSimulation
from tests.workbench.run.watching import PROBES, Watcher, step
from workbench.run.frames import RunState

pytestmark = pytest.mark.keeps_time


@pytest.mark.parametrize("moment", [0.0, 0.01, 0.05, 0.2, 0.35])
@pytest.mark.parametrize("build_seconds", [0.0, 0.3])
def test_closing_at_any_moment_leaves_nothing_behind(runners, moment, build_seconds):
    backends: list[FakeBackend] = []

    def make_backend() -> FakeBackend:
        backends.append(FakeBackend())
        return backends[0]

    watcher = Watcher()
    runner = runners(
        make_backend=make_backend,
        parameters={"build_seconds": build_seconds, "delay": 0.002},
        observers=[watcher],
        autostart=True,
    )
    time.sleep(moment)
    asked = time.perf_counter()
    runner.close()
    assert time.perf_counter() - asked < 0.5
    assert not runner.alive
    assert (runner.state, runner.error) == (RunState.CLOSED, None)
    assert all(backend.closed for backend in backends)
    assert watcher.events in ([], ["begin", "closed"])
    assert runner.post(lambda simulation: 1).cancelled()
    runner.close()


def test_nan_stops_with_step_field_and_advice(runners):
    watcher = Watcher()
    runner = runners(parameters={"trouble": "nan"}, autostart=True, observers=[watcher])
    assert runner.wait(RunState.FINISHED) is RunState.FAILED
    assert isinstance(runner.error, InstabilityError)
    text = str(runner.error)
    assert "voltage" in text
    assert "element 7" in text
    assert "use a smaller step" in text
    assert "after step" in text
    runner.join()
    assert watcher.events == ["begin", "failed"]
    assert [message.text for message in runner.take_messages() if message.severity == "error"] == [text]


def test_a_device_error_ends_the_run_and_keeps_the_samples(runners):
    runner = runners(parameters={"trouble": "device"}, autostart=True, probes=PROBES)
    assert runner.wait(RunState.FINISHED) is RunState.FAILED
    assert str(runner.error).startswith("The device went away")
    assert runner.take_samples()


def test_the_unforeseen_ends_the_run_in_one_sentence_and_a_trace_in_the_log(runners):
    runner = runners(parameters={"trouble": "surprise"}, autostart=True)
    assert runner.wait(RunState.FINISHED) is RunState.FAILED
    assert str(runner.error) == "The run ended with an unexpected ZeroDivisionError: nobody thought of this"
    assert any("Traceback" in message.text for message in runner.take_messages())
    assert runner.error.torn


@pytest.mark.parametrize("trouble", ["device", "surprise"])
def test_the_last_state_before_a_step_that_failed_is_left_to_go_on_from(runners, trouble):
    runner = runners(parameters={"delay": 0.001}, autostart=True, checkpoints=8)
    while not runner.marks:
        time.sleep(0.01)

    def spoil(wave: WaveSimulation) -> None:
        wave.set_control("trouble_step", wave.step + 20)
        wave.set_control("trouble", trouble)

    runner.post(spoil)
    assert runner.wait(RunState.FINISHED) is RunState.FAILED
    runner.join(5)
    kept = runner.rescued
    assert kept.mark.step == int(kept.state["step"]) > 0
    again = runners(parameters={"delay": 0.001}, resume_from=kept.state)
    again.wait(RunState.READY)
    assert step(again) == kept.mark.step


@pytest.mark.parametrize("where", ["begin", "observe", "sampled", "finish"])
def test_an_observer_that_fails_ends_the_run_and_not_the_others(runners, where):
    class Full(Watcher):
        def __getattribute__(self, name: str) -> Any:
            if name == where:
                raise OSError(28, "No space left on device", "traces.csv")
            return super().__getattribute__(name)

    full, other = Full((3,)), Watcher((3,))
    simulations: list[WaveSimulation] = []
    runner = runners(until=1.0, observers=[full, other], autostart=True)
    runner.post(simulations.append)
    runner.wait(RunState.FINISHED)
    runner.close()
    assert runner.state is RunState.FAILED
    assert "No space left on device (traces.csv)" in str(runner.error)
    if where != "begin":
        assert other.events == ["begin", "failed"]
    assert all(simulation.closed for simulation in simulations)


def test_a_problem_that_cannot_be_built_fails_with_its_sentence(runners):
    watcher = Watcher()
    runner = runners(parameters={"trouble": "build"}, observers=[watcher])
    assert runner.wait(RunState.READY) is RunState.FAILED
    assert str(runner.error) == "The wave cannot be built: choose another trouble."
    assert watcher.events == []


def test_a_call_that_fails_tells_its_caller_and_the_run_goes_on(runners):
    runner = runners(autostart=True)
    with pytest.raises(WorkbenchError, match="no control"):
        runner.set_control("colour", 3).result(20)
    with pytest.raises(ZeroDivisionError):
        runner.post(lambda simulation: 1 / 0).result(20)
    runner.set_control("speed", 3.0).result(20)
    assert runner.wait(RunState.RUNNING) is RunState.RUNNING
    (told,) = (message.text for message in runner.take_messages() if message.severity == "error")
    assert told.startswith("ZeroDivisionError")  # a change that is refused may be made by beginning anew


@pytest.mark.parametrize("error", [NotLiveError("speed"), KeyError("speed")])
def test_a_live_parameter_that_is_refused_is_for_the_engine_s_author_to_mend(runners, monkeypatch, error):
    def refused(self: Any, name: str, value: Any) -> None:
        raise error

    monkeypatch.setattr(WaveSimulation, "set_control", refused)
    runner = runners(autostart=True)
    with pytest.raises(ProblemError, match=r"^'speed' is declared live and .* author of this engine to mend\.$"):
        runner.set_control("speed", 3.0).result(20)
    assert runner.wait(RunState.RUNNING) is RunState.RUNNING


def test_calls_that_wait_when_the_run_fails_are_cancelled(runners):
    runner = runners(parameters={"build_seconds": 0.1, "trouble": "mute build"})
    future = runner.post(lambda simulation: 1)
    runner.close()
    assert future.cancelled()


@pytest.mark.parametrize("error", [None, IndexError("row 7"), OverflowError("too large"), ZeroDivisionError("0")])
def test_a_checkpoint_of_another_problem_is_refused_in_a_sentence(runners, monkeypatch, error):
    """Whatever an engine makes of arrays that a stranger chose."""

    def refusing(self, state):
        raise error

    if error is not None:
        monkeypatch.setattr(WaveSimulation, "restore", refusing)
    runner = runners(resume_from={"step": np.array(3)})
    assert runner.wait(RunState.READY) is RunState.FAILED
    assert isinstance(runner.error, ProblemError)
    assert "checkpoint does not fit" in str(runner.error)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dt", 0.0),
        ("dt", -0.02),
        ("dt", float("nan")),
        ("dt", 1e-320),
        ("dt", "0.1"),
        ("sample_steps", 0),
        ("sample_steps", -3),
        ("whole_batch", 1.5),
        ("step", None),
        ("fields", None),
        ("fields", ("voltage",)),
        ("traffic", (KernelTraffic("follow", -5, 0, 0),)),
        ("traffic", (KernelTraffic("follow", 1, 1, float("nan")),)),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_declaration_ends_the_run_before_it_begins(runners, monkeypatch, name, value):
    """A step below 0 was "Finished" at −1 ms, and −3 steps between samples had a run go on for ever without a step."""
    made = WaveSimulation.__init__
    monkeypatch.setattr(
        WaveSimulation, "__init__", lambda own, *given: (made(own, *given), setattr(own, name, value))[0]
    )
    runner = runners(autostart=True, until=1.0)
    assert runner.wait(RunState.FINISHED, timeout=10) is RunState.FAILED
    assert str(runner.error).endswith("That is for the author of this engine to mend.")
    assert name in str(runner.error) or name == "traffic"


@pytest.mark.parametrize("taken", [lambda n: 0, lambda n: n + 1000, lambda n: -2 * n, lambda n: n + 0.5])
def test_steps_that_were_not_asked_for_end_the_run(runners, monkeypatch, taken):
    """A run that stood still never ended, and one that went 1000 steps too far was "Finished" at ten times its end."""
    monkeypatch.setattr(WaveSimulation, "advance", lambda own, n: setattr(own, "step", own.step + taken(n)))
    runner = runners(autostart=True, until=1.0)
    assert runner.wait(RunState.FINISHED, timeout=10) is RunState.FAILED
    assert "was to go" in str(runner.error)
    assert runner.error.torn
