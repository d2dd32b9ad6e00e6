"""Where a run ends and what is seen on the way, for any step, end and moments to look at: counted, never cut off."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api import Problem
from tests.workbench.fake_engine import FakeBackend, WaveEngine, WaveParameters, WaveSimulation, block
from tests.workbench.run.watching import Watcher
from workbench.run.frames import RunState
from workbench.run.runner import Runner

GEOMETRY = block(1, 1, 1)
STEPS = [Decimal(text) for text in ("0.001", "0.003", "0.01", "0.02", "0.07", "0.1", "0.25", "0.3", "1")]


def made(watcher: Watcher, *, until: float | None, **parameters: object) -> Runner:
    problem = Problem(WaveParameters.model_validate(parameters), GEOMETRY)
    return Runner(
        FakeBackend,
        lambda backend, progress: WaveEngine().build(problem, backend, progress),
        time_unit="ms",
        until=until,
        observers=[watcher],
    )


def ended(runner: Runner, pauses: int = 0) -> int:
    """The step at which it ends, on the way paused and gone on as often."""
    try:
        assert runner.wait(RunState.READY, timeout=20) is RunState.READY
        for _ in range(pauses):
            runner.run()
            runner.pause()
        runner.run()
        assert runner.wait(RunState.FINISHED, timeout=20) is RunState.FINISHED
        return runner.post(lambda simulation: simulation.step).result(20)
    finally:
        runner.close(5.0)


@settings(max_examples=60, derandomize=True)
@given(
    dt=st.sampled_from(STEPS),
    count=st.integers(1, 300),
    looks=st.lists(st.integers(1, 300), max_size=4, unique=True),
    pauses=st.integers(0, 2),
)
def test_a_run_to_a_multiple_of_the_step_takes_that_many_steps(dt, count, looks, pauses):
    """0.3 ms by steps of 0.1 ms are three, though 0.3 / 0.1 is 2.9999999999999996."""
    watcher = Watcher(tuple(sorted(looks)))
    assert ended(made(watcher, until=float(dt * count), step=float(dt)), pauses) == count
    assert watcher.seen == [step for step in sorted(looks) if step <= count]
    assert watcher.events == ["begin", "finished"]
    assert sum(sample.steps for sample in watcher.samples) == count


@pytest.mark.parametrize(("failing", "after"), [("restore", RunState.FAILED), ("set_control", RunState.READY)])
def test_what_fails_leaves_a_run_that_goes_on_but_for_a_reset(monkeypatch, failing, after):
    """A state that is put back in part is none to go on from."""

    def fails(*_):
        raise ValueError("of a plug-in")

    monkeypatch.setattr(WaveSimulation, failing, fails)
    runner = made(Watcher(), until=None)
    try:
        assert runner.wait(RunState.READY, timeout=20) is RunState.READY
        asked = runner.reset() if failing == "restore" else runner.set_control("speed", 2.0)
        with pytest.raises(ValueError, match="of a plug-in"):
            asked.result(20)
        if after is RunState.FAILED:
            runner.join(20)
        assert runner.state is after
    finally:
        runner.close(5.0)
