"""Checkpoints of a run that goes on: bounded, cheap, restored bit for bit, and branches that overwrite nothing."""

import csv
import json
import time

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from tests.workbench.fake_engine import FakeBackend, WaveEngine, WaveParameters, block
from workbench.project.document import open_document
from workbench.run.frames import RunState
from workbench.run.recording import Recorder
from workbench.run.session import start
from workbench.run.states import history
from workbench.run.states.history import FEWEST, History


@pytest.fixture
def often(monkeypatch):
    """A checkpoint after each batch as long as there is room."""
    monkeypatch.setattr(history, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(history, "TIME_SHARE", 1e9)


def state_of(runner):
    return runner.post(lambda simulation: simulation.state()).result(20)


def same(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def advanced(runner, steps):
    runner.advance(steps)
    assert runner.wait(RunState.PAUSED, timeout=10) is RunState.PAUSED


def simulation_of():
    return WaveEngine().build(Problem(WaveParameters(), block()), FakeBackend())


def test_a_run_goes_on_from_a_checkpoint_bit_for_bit(often, runners):
    runner = runners(checkpoints=20)
    runner.wait(RunState.READY)
    advanced(runner, 200)
    there = state_of(runner)
    mark = runner.marks[len(runner.marks) // 2]
    answer = runner.rewind(mark.step).result(20)
    assert runner.wait(RunState.PAUSED) is RunState.PAUSED
    assert (answer.step, answer.time) == (mark.step, mark.time)
    assert 0 < mark.step < 200
    advanced(runner, 200 - mark.step)
    assert same(state_of(runner), there)


def test_a_run_that_keeps_a_pace_can_be_rewound_as_soon_as_another(runners):
    """It rests most of the time, which counts: its steps alone would take minutes to half a second."""
    runner = runners(checkpoints=20, pace=2.0)
    runner.wait(RunState.READY)
    began = time.monotonic()
    runner.run()
    while len(runner.marks) < 2:
        assert time.monotonic() < began + 30
        time.sleep(0.01)
    assert time.monotonic() - began > 1.9 * history.FIRST_SECONDS


def test_one_can_come_back_until_the_run_goes_on(often, runners):
    runner = runners(checkpoints=20)
    runner.wait(RunState.READY)
    advanced(runner, 100)
    end = state_of(runner)
    first = runner.marks[0].step
    runner.rewind(first).result(20)
    assert runner.marks[-1].step == 100  # where it was is kept too
    runner.rewind(100).result(20)
    assert same(state_of(runner), end)
    runner.rewind(first).result(20)
    advanced(runner, 1)
    assert runner.marks[-1].step <= first + 1
    with pytest.raises(ProblemError, match="no longer kept"):
        runner.rewind(100).result(20)


def test_a_change_after_rewinding_is_another_branch(often, runners):
    runner = runners(checkpoints=20)
    runner.wait(RunState.READY)
    advanced(runner, 150)
    old = state_of(runner)
    middle = runner.marks[len(runner.marks) // 2].step
    runner.rewind(middle).result(20)
    runner.set_control("speed", 3.0).result(20)
    advanced(runner, 150 - middle)
    assert not same(state_of(runner), old)
    alone = simulation_of()  # the same by hand
    alone.advance(middle)
    alone.set_control("speed", 3.0)
    alone.advance(150 - middle)
    assert same(state_of(runner), alone.state())


def test_a_finished_run_goes_back_and_finishes_again(often, runners):
    runner = runners(checkpoints=20, autostart=True, parameters={"end": 2.0})
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED
    assert runner.ended
    runner.rewind(runner.marks[0].step).result(20)
    assert runner.wait(RunState.PAUSED) is RunState.PAUSED
    assert not runner.ended
    runner.run()
    assert runner.wait(RunState.FINISHED) is RunState.FINISHED


def test_what_was_sampled_before_is_told_apart_from_what_comes(often, runners):
    runner = runners(checkpoints=20)
    runner.wait(RunState.READY)
    advanced(runner, 100)
    step = runner.marks[0].step
    answer = runner.rewind(step).result(20)
    assert answer.samples[-1].step == 100
    advanced(runner, 20)
    samples = runner.take_samples()
    assert samples[0].step > step
    assert samples[-1].step == step + 20


def test_reset_forgets_them(often, runners):
    runner = runners(checkpoints=20)
    runner.wait(RunState.READY)
    advanced(runner, 50)
    assert runner.marks
    runner.reset().result(20)
    assert runner.marks == ()


def test_a_run_keeps_none_unless_asked(often, runners):
    runner = runners()
    runner.wait(RunState.READY)
    advanced(runner, 50)
    assert runner.marks == ()


def test_they_are_thinned_and_lie_evenly(often):
    kept, simulation = History(8, print), simulation_of()
    for _ in range(100):
        simulation.advance(1)
        kept.ran(simulation, 1.0)
    assert len(kept.marks) <= 8
    assert [mark.step for mark in kept.marks] == sorted(mark.step for mark in kept.marks)


def test_the_interval_doubles_when_there_is_no_room(monkeypatch):
    monkeypatch.setattr(history, "TIME_SHARE", 1e9)
    kept, simulation = History(4, print), simulation_of()
    for _ in range(64):  # half a second of running each
        simulation.advance(10)
        kept.ran(simulation, 0.5)
    steps = np.array([mark.step for mark in kept.marks])
    # Full at 4, halved to 2, doubled: 16 times the first interval after the fourth time; the gaps differ by twice at
    # most (those before and after the last halving).
    assert 2 <= len(steps) <= 4
    assert np.diff(steps).max() <= 2 * np.diff(steps).min()
    assert steps[-1] >= 320  # the second half of the run is not forgotten


def test_their_share_of_the_time_is_small(runners):
    """Counted, not timed: with states that take a second each, the next is due after 50 s of running."""

    class Slow:
        step, time = 0, 0.0

        def state(self):
            self.step += 1
            clock.now += 1.0
            return {"step": np.array(self.step)}

    class Clock:
        now = 0.0

        def perf_counter(self):
            return self.now

    clock, kept, slow = Clock(), History(20, print), Slow()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(history, "clock", clock)
        for _ in range(1000):
            kept.ran(slow, 0.1)
    assert kept.seconds <= 0.02 * 100 + 1.0  # the first is not known to be slow
    assert len(kept.marks) == 2


def test_states_that_are_too_large_are_not_kept_and_that_is_said():
    said, simulation = [], simulation_of()
    size = sum(values.nbytes for values in simulation.state().values())
    kept = History(20, said.append, memory=size * (FEWEST - 1))
    for _ in range(10):
        simulation.advance(1)
        kept.ran(simulation, 10.0)
    assert kept.marks == ()
    assert len(said) == 1
    assert "cannot be rewound" in said[0]
    fits = History(20, said.append, memory=size * FEWEST)
    for _ in range(100):
        simulation.advance(1)
        fits.ran(simulation, 1e6)
    assert 1 < len(fits.marks) <= FEWEST


def test_a_recording_keeps_what_was_written_and_goes_on_beside_it(often, project, tmp_path):
    document = open_document(project)
    recorder = Recorder(tmp_path / "out", document)
    runner = start(document, observers=(recorder,), checkpoints=20)
    runner.wait(RunState.READY)
    advanced(runner, 100)
    mark = runner.marks[len(runner.marks) // 2]
    runner.rewind(mark.step).result(20)
    advanced(runner, 50)
    runner.close()
    first, second = tmp_path / "out", tmp_path / "out" / "branch-2"
    times = [
        [float(row[0]) for row in list(csv.reader((folder / "traces.csv").open()))[1:]] for folder in (first, second)
    ]
    assert times[0][-1] == pytest.approx(100 * 0.02)
    assert times[1][0] > mark.time
    assert times[1][-1] <= mark.time + 50 * 0.02 + 1e-9
    assert json.loads((first / "run.json").read_text())["outcome"]["state"] == "rewound"
    assert json.loads((second / "run.json").read_text())["branched_at"] == mark.time
    assert (second / "checkpoint.npz").is_file()


def test_the_newest_state_is_the_one_of_the_last_step():
    kept = History(5, lambda text: None, memory=1 << 30)
    assert kept.newest is None
    simulation = simulation_of()
    for steps in (3, 4):
        simulation.advance(steps)
        kept.keep(simulation)
    newest = kept.newest
    assert newest is not None
    assert newest.mark.step == 7
    assert same(newest.state, simulation.state())
