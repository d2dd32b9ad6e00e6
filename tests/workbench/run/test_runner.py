"""The runner: what it promises to those who watch, under all that may happen to it."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

from engines.api import Selection
from engines.api.errors import InstabilityError, NotLiveError, ProblemError, WorkbenchError
from tests.workbench.fake_engine import FakeBackend, WaveSimulation, block
from workbench.run.frames import FrameRequest, RunState
from workbench.run.observer import Observer

pytestmark = pytest.mark.keeps_time

PROBES = (("near", 0), ("far", 150))


class Watcher(Observer):
    """Wants to see certain steps; remembers all that happened."""

    def __init__(self, steps: tuple[int, ...] = ()) -> None:
        self.steps, self.seen, self.events = steps, [], []
        self.samples: list[Any] = []

    def begin(self, simulation: Any, info: Any) -> None:
        self.events.append("begin")

    def next_step(self, after: int) -> int | None:
        return next((step for step in self.steps if step > after), None)

    def observe(self, simulation: Any) -> None:
        self.seen.append(simulation.step)

    def sampled(self, sample: Any) -> None:
        self.samples.append(sample)

    def restarted(self, simulation: Any) -> None:
        self.events.append("restarted")

    def finish(self, simulation: Any, state: RunState, error: WorkbenchError | None) -> None:
        self.events.append(str(state))


def field(runner: Any, name: str = "voltage") -> np.ndarray:
    return runner.post(lambda simulation: simulation.field(name)).result(5)


def step(runner: Any) -> int:
    return runner.post(lambda simulation: simulation.step).result(5)


def test_stops_exactly_at_until(runners):
    runner = runners(until=7.3, autostart=True)
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    assert step(runner) == 365
    runner.run()
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    assert step(runner) == 365


def test_an_end_that_was_moved_before_the_present_ends_the_run(runners):
    runner = runners(until=4.0, autostart=True)
    runner.wait(RunState.FINISHED)
    runner.until = 2.0
    runner.run()
    assert runner.wait(RunState.FINISHED, timeout=20) is RunState.FINISHED
    runner.until = 5.0
    runner.run()
    runner.wait(RunState.FINISHED)
    assert step(runner) == 250


def test_a_problem_that_is_through_stays_finished_until_reset(runners):
    runner = runners(parameters={"end": 0.5}, autostart=True)
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    assert runner.ended
    assert runner.until is None
    runner.reset().result(5)
    assert not runner.ended
    runner.run()
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED


def test_a_live_change_frees_a_run_that_had_come_to_its_end(runners):
    runner = runners(parameters={"end": 0.5}, autostart=True)
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    runner.set_control("end", 1.0).result(5)
    assert not runner.ended
    runner.run()
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    assert runner.ended
    assert step(runner) == 50


def test_a_problem_at_its_end_says_so_once_and_is_sampled_once(runners):
    """It finds out only when it is told to go on that there is no step left, as particles do that would overflow."""
    runner = runners(parameters={"end": 0.01, "cannot_begin": True}, autostart=True)
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    for _ in range(2):
        runner.run()
        assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    assert [message.text for message in runner.take_messages()].count("The wave is through.") == 1
    runner.set_control("cannot_begin", False).result(5)
    runner.set_control("end", 0.2).result(5)
    runner.run()
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    times = np.concatenate([sample.trace_times for sample in runner.take_samples()])
    np.testing.assert_allclose(times, [0.0, 0.1, 0.2])


def test_advance_takes_exactly_that_many_steps(runners):
    runner = runners()
    assert runner.wait(RunState.READY) is RunState.READY
    runner.advance(7)
    assert runner.wait(RunState.PAUSED) is RunState.PAUSED
    assert step(runner) == 7
    for _ in range(5):
        runner.advance(3)
    runner.wait(RunState.PAUSED)
    assert step(runner) == 22
    runner.run()
    time.sleep(0.1)
    runner.pause()
    runner.wait(RunState.PAUSED)
    before = step(runner)
    runner.advance(11)
    runner.wait(RunState.PAUSED)
    assert step(runner) == before + 11


def test_advance_while_running_pauses_after_that_many_more(runners):
    runner = runners(parameters={"delay": 0.001}, autostart=True)
    runner.wait(RunState.RUNNING)
    time.sleep(0.2)
    runner.advance(4)
    assert runner.wait(RunState.PAUSED, timeout=20) is RunState.PAUSED
    assert 4 < step(runner) < 400


def test_advance_over_the_end_finishes(runners):
    runner = runners(until=0.2)
    runner.advance(10)
    assert runner.wait(RunState.FINISHED, RunState.PAUSED) is RunState.FINISHED
    runner.reset()
    runner.wait(RunState.READY)
    runner.advance(500)
    assert runner.wait(RunState.FINISHED, RunState.PAUSED) is RunState.FINISHED
    assert step(runner) == 10


@pytest.mark.parametrize("delay", [0.0005, 0.002, 0.03])
def test_pause_takes_effect_within_200_ms(runners, delay):
    runner = runners(parameters={"delay": delay}, autostart=True, probes=PROBES)
    runner.wait(RunState.RUNNING)
    taken = []
    for _ in range(5):
        time.sleep(0.12)
        asked = time.perf_counter()
        runner.pause()
        assert runner.wait(RunState.PAUSED, timeout=20) is RunState.PAUSED
        taken.append(time.perf_counter() - asked)
        rested = step(runner)
        time.sleep(0.05)
        assert step(runner) == rested
        runner.run()
        runner.wait(RunState.RUNNING)
    assert sorted(taken)[-2] < 0.2  # one may meet a moment in which the machine gives this process no core


def test_reset_gives_the_same_run_bit_for_bit(runners):
    runner = runners(until=6.0, autostart=True, probes=PROBES)
    runner.wait(RunState.FINISHED)
    first, traces = field(runner), runner.take_samples()
    runner.reset()
    runner.run()
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    again, traces_again = field(runner), runner.take_samples()
    assert np.array_equal(first, again)
    for name in ("voltage",):
        assert np.array_equal(
            *(np.concatenate([s.traces[name] for s in t if name in s.traces]) for t in (traces, traces_again))
        )


def test_what_was_changed_live_stays_changed_after_reset(runners):
    runner = runners(until=1.0, autostart=True)
    runner.set_control("speed", 3.0).result(20)
    runner.reset().result(20)
    assert runner.post(lambda simulation: simulation.parameters.speed).result(20) == 3.0
    runner.post(lambda simulation: simulation.set_control("speed", 1.0)).result(20)  # as restoring a state may do
    runner.reset().result(20)
    assert runner.post(lambda simulation: simulation.parameters.speed).result(20) == 3.0


def test_reset_while_running_comes_to_rest_at_the_start(runners):
    watcher = Watcher()
    runner = runners(autostart=True, observers=[watcher], parameters={"delay": 0.001})
    runner.wait(RunState.RUNNING)
    time.sleep(0.1)
    runner.reset().result(20)
    assert runner.wait(RunState.READY, timeout=20) is RunState.READY
    assert step(runner) == 0
    time.sleep(0.05)
    assert (step(runner), runner.state) == (0, RunState.READY)
    assert "restarted" in watcher.events


def test_samples_probes_and_series_at_multiples_of_sample_steps(runners):
    runner = runners(until=5.0, autostart=True, probes=PROBES)
    runner.wait(RunState.FINISHED)
    samples = runner.take_samples()
    times = np.concatenate([sample.trace_times for sample in samples])
    np.testing.assert_array_equal(np.round(times / 0.02).astype(int), np.arange(0, 251, 5))
    voltages = np.concatenate([sample.traces["voltage"] for sample in samples if len(sample.trace_times)])
    assert voltages.shape == (51, 2)
    assert sum(len(sample.series["mean_voltage"]) for sample in samples if sample.series) == 51
    assert "activation_time" not in samples[0].traces
    assert sum(sample.steps for sample in samples) == 250
    assert samples[-1].remaining == 0
    last = field(runner)
    np.testing.assert_array_equal(voltages[-1], last[[0, 150]])


def test_probes_may_change_between_batches(runners):
    runner = runners(autostart=True, parameters={"delay": 0.001}, probes=PROBES)
    runner.wait(RunState.RUNNING)
    runner.set_probes([("other", 3)]).result(20)
    time.sleep(0.3)
    runner.close()
    samples = runner.take_samples()
    assert samples[-1].probes == ("other",)
    for sample in samples:
        for trace in sample.traces.values():
            assert trace.shape == (len(sample.trace_times), len(sample.probes))


def test_observers_see_exactly_their_steps_once(runners):
    wanted = (0, 1, 17, 18, 19, 333, 500)
    watcher, other = Watcher(wanted), Watcher((400,))
    runner = runners(until=10.0, observers=[watcher, other], autostart=True)
    runner.wait(RunState.FINISHED)
    runner.run()
    runner.wait(RunState.FINISHED)
    runner.close()
    assert tuple(watcher.seen) == wanted
    assert other.seen == [400]
    assert watcher.events == ["begin", "finished"]


def test_an_observer_that_names_a_step_of_the_past_does_not_hold_the_run(runners):
    class Stuck(Watcher):
        def next_step(self, after: int) -> int:
            return 3

    watcher = Stuck()
    runner = runners(until=2.0, observers=[watcher], autostart=True)
    assert runner.wait(RunState.FINISHED, timeout=20) is RunState.FINISHED
    assert watcher.seen == [3]


def test_frames_are_dropped_and_answer_the_newest_request(runners):
    runner = runners(autostart=True, parameters={"delay": 0.001})
    everything = Selection(np.arange(block().n_cells, dtype=np.int32))
    runner.watch(FrameRequest(1, {"surface": ("voltage", everything)}))
    time.sleep(0.4)
    frame = runner.frames.take()
    assert frame.step > 50
    assert frame.values["surface"].dtype == np.float32
    runner.pause()
    runner.wait(RunState.PAUSED)
    runner.frames.take()
    means = Selection(np.array([0, 1, 2, 3], np.int32), np.array([0, 1, 4], np.int32))
    runner.watch(FrameRequest(2, {"a": ("voltage", means), "b": ("activation_time", everything)}))
    for _ in range(50):
        frame = runner.frames.take()
        if frame is not None and frame.serial == 2:  # one of the pause may be on its way still
            break
        time.sleep(0.01)
    assert frame.serial == 2
    assert runner.frames.take() is None
    values = field(runner)
    np.testing.assert_allclose(frame.values["a"], [values[0], values[1:4].mean()], rtol=1e-6)


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
    assert len([message for message in runner.take_messages() if message.severity == "error"]) == 2


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


def test_resume_continues_bit_for_bit(runners):
    whole = runners(until=6.0, autostart=True)
    whole.wait(RunState.FINISHED)
    half = runners(until=3.0, autostart=True)
    half.wait(RunState.FINISHED)
    state = half.post(lambda simulation: simulation.state()).result(20)
    rest = runners(until=6.0, autostart=True, resume_from=state)
    rest.wait(RunState.FINISHED)
    assert np.array_equal(field(whole), field(rest))
    rest.reset().result(20)
    assert step(rest) == 0


def test_a_checkpoint_of_another_problem_is_refused_in_a_sentence(runners):
    runner = runners(resume_from={"step": np.array(3)})
    assert runner.wait(RunState.READY) is RunState.FAILED
    assert "checkpoint does not fit" in str(runner.error)


def test_memory_is_bounded_when_nobody_takes_the_samples(runners):
    runner = runners(autostart=True)
    runner.wait(RunState.RUNNING)
    for _ in range(10_000):
        runner._samples.put(None)
        runner.say("again")
    assert len(runner.take_samples()) <= 4096
    assert len(runner.take_messages()) <= 4096


def test_a_step_that_was_timed_too_short_does_not_enqueue_seconds_of_work(runners):
    """The first steps are instantaneous, later ones take 5 ms: batches must stay short while the rate is learned."""
    runner = runners(autostart=True)
    runner.wait(RunState.RUNNING)
    time.sleep(0.2)
    runner.set_control("delay", 0.005).result(20)
    time.sleep(0.1)
    asked = time.perf_counter()
    runner.pause()
    runner.wait(RunState.PAUSED)
    assert time.perf_counter() - asked < 0.2


def test_hammering_from_many_threads_leaves_a_run_that_answers(runners):
    runner = runners(parameters={"delay": 0.0002}, autostart=True, probes=PROBES)
    runner.wait(RunState.RUNNING)
    stop = time.monotonic() + 1.0

    def hammer(seed: int) -> None:
        choose = np.random.default_rng(seed)
        calls = [
            runner.run,
            runner.pause,
            runner.reset,
            lambda: runner.advance(3),
            runner.take_samples,
            lambda: runner.set_probes([("p", 1)]),
            runner.frames.take,
        ]
        while time.monotonic() < stop:
            calls[choose.integers(len(calls))]()
            time.sleep(0.001)

    threads = [threading.Thread(target=hammer, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    runner.reset().result(5)
    runner.advance(5)
    assert runner.wait(RunState.PAUSED, timeout=20) is RunState.PAUSED
    assert step(runner) == 5


def test_a_pace_is_kept_and_may_change_meanwhile(runners):
    """10 ms at 20 ms/s last 0.5 s; once the pace is lifted the rest takes no time."""
    runner = runners(until=10.0, pace=20.0)
    runner.wait(RunState.READY)
    started = time.perf_counter()
    runner.run()
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    assert 0.4 < time.perf_counter() - started < 1.5
    assert step(runner) == 500
    runner.until, runner.pace = 1000.0, 1.0
    runner.run()
    runner.wait(RunState.RUNNING)
    time.sleep(0.2)
    assert step(runner) < 600  # answered at once although the next batch is not due
    started = time.perf_counter()
    runner.pause()
    assert runner.wait(RunState.PAUSED) is RunState.PAUSED
    assert time.perf_counter() - started < 0.2
    runner.pace = None
    runner.run()
    assert runner.wait(RunState.FINISHED, timeout=30) is RunState.FINISHED
