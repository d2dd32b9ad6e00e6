"""The runner: what it promises to those who watch."""

from __future__ import annotations

import itertools
import threading
import time
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from engines.api import Finding, Selection
from tests.workbench.fake_engine import FakeBackend, WaveSimulation, block
from tests.workbench.run.watching import PROBES, Watcher, field, step
from workbench.run.frames import FrameRequest, RunState
from workbench.run.pacing import Pacer
from workbench.run.streams.traces import TraceStore

pytestmark = pytest.mark.keeps_time


def test_stops_exactly_at_until(runners):
    runner = runners(until=7.3, autostart=True)
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    assert step(runner) == 365
    runner.run()
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    assert step(runner) == 365


@pytest.mark.parametrize("parameters", [{}, {"trouble": "device", "trouble_step": 20}])
def test_a_run_holds_its_device_and_lets_go_of_it_however_it_ends(runners, monkeypatch, parameters):
    """Entered once on the worker's thread, not around every launch; left before the device is closed."""
    seen: list[tuple[str, int]] = []
    advance, close = WaveSimulation.advance, FakeBackend.close

    def noted(name, call=None):
        def noting(*arguments):
            seen.append((name, threading.get_ident()))
            return None if call is None else call(*arguments)

        return noting

    @contextmanager
    def held(backend):
        noted("held")()
        try:
            yield
        finally:
            noted("left")()

    monkeypatch.setattr(FakeBackend, "held", held)
    monkeypatch.setattr(WaveSimulation, "advance", noted("step", advance))
    monkeypatch.setattr(FakeBackend, "close", noted("closed", close))
    runner = runners(parameters=parameters, until=1.0, autostart=True)
    runner.wait(RunState.FINISHED, RunState.FAILED)
    runner.close()
    runner.join(20)
    told = [name for name, _ in itertools.groupby(name for name, _ in seen)]
    assert told == ["held", "step", "left", "closed"]
    assert len({thread for _, thread in seen}) == 1


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


def test_an_end_of_more_steps_than_can_be_counted_is_none(runners):
    """The number of them is no float: it runs on, as it would for years with any that is."""
    runner = runners(until=1e308)
    assert runner._last_step(SimpleNamespace(dt=0.02)) is None
    runner.until = 0.5
    assert runner._last_step(SimpleNamespace(dt=0.02)) == 25


def test_a_problem_that_is_through_stays_finished_until_reset(runners):
    runner = runners(parameters={"end": 0.5}, autostart=True)
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    assert runner.ended
    assert runner.until is None
    runner.reset().result(20)
    assert not runner.ended
    runner.run()
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED


def test_a_live_change_frees_a_run_that_had_come_to_its_end(runners):
    runner = runners(parameters={"end": 0.5}, autostart=True)
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    runner.set_control("end", 1.0).result(20)
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
    runner.set_control("cannot_begin", False).result(20)
    runner.set_control("end", 0.2).result(20)
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
    began = time.perf_counter()
    runner = runners(until=5.0, autostart=True, probes=PROBES)
    runner.wait(RunState.FINISHED)
    samples = runner.take_samples()
    assert 0 < sum(sample.wall_seconds for sample in samples) < time.perf_counter() - began
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


def test_the_last_step_is_sampled_too(runners):
    """Where it lies between two samples; what goes on from there is sampled as ever."""
    runner = runners(until=0.34, autostart=True)
    runner.wait(RunState.FINISHED)
    runner.until = 0.52
    runner.run()
    runner.wait(RunState.FINISHED)
    samples = runner.take_samples()
    times = np.concatenate([sample.trace_times for sample in samples])
    np.testing.assert_allclose(times, [0.0, 0.1, 0.2, 0.3, 0.34, 0.4, 0.5, 0.52])


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


def test_a_probe_that_is_placed_where_a_run_has_ended_is_read_there(runners):
    runner = runners(until=1.0, probes=PROBES)
    runner.wait(RunState.READY)
    assert runner.set_probes(PROBES).result(20) is None
    runner.run()
    runner.wait(RunState.FINISHED)
    reading = runner.set_probes([*PROBES, ("other", 3)]).result(20)
    assert (reading.time, reading.probes[-1]) == (1.0, "other")
    np.testing.assert_array_equal(reading.values["voltage"][-1], field(runner)[3])
    store = TraceStore()
    store.take(runner.take_samples())
    before = len(store.probes["near", "voltage"])
    store.read(reading)
    assert store.probes["other", "voltage"].values.tolist() == [reading.values["voltage"][-1]]
    assert len(store.probes["near", "voltage"]) == before


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


def test_what_was_told_of_an_end_is_told_of_a_run_that_is_opened_there(runners, monkeypatch):
    """Until it goes on, back or begins anew: then it holds no more."""
    finding = Finding("The wave has not settled.")
    monkeypatch.setattr(WaveSimulation, "noticed", lambda self: (finding,))
    ended = runners(until=3.0, parameters={"end": 3.0}, autostart=True)
    ended.wait(RunState.FINISHED)
    state = ended.post(lambda simulation: simulation.state()).result(20)
    again = runners(until=3.0, parameters={"end": 3.0}, resume_from=state)
    assert again.wait(RunState.READY) is RunState.READY
    assert (again.noticed, again.ended, again.ending) == ((finding,), True, ended.ending)
    again.run()
    again.wait(RunState.FINISHED)
    told = [message.text for message in again.take_messages()]
    assert (told.count(finding.message), told.count(ended.ending)) == (1, 1)
    again.reset().result(20)
    assert (again.noticed, again.ended) == ((), False)
    again.run()
    again.wait(RunState.FINISHED)
    assert again.noticed == (finding,)
    again.until = None
    again.set_control("end", None).result(20)
    again.run()
    while step(again) <= 150:
        time.sleep(0.001)
    assert again.noticed == ()
    further = runners(until=6.0, resume_from=state)
    assert further.wait(RunState.READY) is RunState.READY
    assert further.noticed == (), "it does not stand at its end"


def test_what_a_change_makes_of_the_answers_is_told_at_once_and_holds_until_the_next(runners, monkeypatch):
    """Once in the log, though a slider that is pulled changes it again and again, and of the answers at the end."""

    def of_changes(simulation):
        speed = simulation.parameters.speed
        return (Finding(f"A speed of {speed:g} is too much for these steps."),) if speed > 2 else ()

    monkeypatch.setattr(WaveSimulation, "of_changes", of_changes, raising=False)
    runner = runners()
    assert runner.wait(RunState.READY) is RunState.READY
    assert runner.noticed == ()
    for speed in (3.0, 4.0):
        runner.set_control("speed", speed).result(20)
        assert [each.message for each in runner.noticed] == [f"A speed of {speed:g} is too much for these steps."]
    runner.run()
    while step(runner) < 5:
        time.sleep(0.001)
    runner.pause()
    runner.wait(RunState.PAUSED)
    assert [each.message for each in runner.noticed] == ["A speed of 4 is too much for these steps."]
    runner.until = runner.post(lambda simulation: simulation.time).result(20) + 1.0
    runner.run()
    runner.wait(RunState.FINISHED)
    assert [each.message for each in runner.noticed] == ["A speed of 4 is too much for these steps."]
    told = [message.text for message in runner.take_messages() if message.severity == "warning"]
    assert told == ["A speed of 3 is too much for these steps."]
    runner.reset().result(20)
    assert len(runner.noticed) == 1, "what was set stays set"
    runner.set_control("speed", 1.0).result(20)
    assert runner.noticed == ()


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
    runner.reset().result(20)
    runner.advance(5)
    assert runner.wait(RunState.PAUSED, timeout=20) is RunState.PAUSED
    assert step(runner) == 5


def test_a_batch_that_is_due_while_the_wait_for_it_begins_is_not_waited_for_without_end(runners, monkeypatch):
    """Of three looks at what is left, one after the other, only the first finds something left."""
    left = itertools.cycle((0.01, 0.0, 0.0))
    monkeypatch.setattr(Pacer, "rest", property(lambda _: next(left)))
    runner = runners(until=10.0, pace=2000.0)
    assert runner.wait(RunState.READY) is RunState.READY
    runner.run()
    assert runner.wait(RunState.FINISHED, timeout=20) is RunState.FINISHED


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
