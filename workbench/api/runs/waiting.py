"""Waiting for a run: its progress shown meanwhile, Ctrl-C brings it to rest."""

from __future__ import annotations

from workbench.api.runs.progress import Progress, shown
from workbench.run.frames import RunState
from workbench.run.runner import Runner
from workbench.words.units import clock_text

RESTS = (RunState.FINISHED, RunState.PAUSED)
ENDS = (*RESTS, RunState.FAILED, RunState.CLOSED)
LOOK_SECONDS = 0.1
"""How often progress is looked at; the end itself wakes whoever waits at once."""


def wait(runner: Runner, progress: bool | Progress) -> tuple[RunState, bool]:
    """Wait until the run rests, and whether Ctrl-C put it to rest. What a progress function raises puts it to rest and
    goes on. A run that is interrupted while it is built is closed, and the KeyboardInterrupt goes on; so is one that is
    interrupted twice."""
    try:
        with shown(progress) as show:
            try:
                while (state := runner.wait(*RESTS, timeout=LOOK_SECONDS)) not in ENDS:
                    _tell(runner, show)
                _tell(runner, show)
                return state, False
            except KeyboardInterrupt:
                if runner.info is None:
                    raise
                return _rested(runner), True
            except Exception:  # of a progress function
                if runner.info is None:
                    raise
                _rested(runner)
                raise
    except BaseException as error:
        if runner.info is None or not isinstance(error, Exception):
            runner.close()
        raise


def _rested(runner: Runner) -> RunState:
    """Put it to rest, and wait until it is."""
    runner.pause()
    while (state := runner.wait(*RESTS, RunState.READY, timeout=LOOK_SECONDS)) not in (*ENDS, RunState.READY):
        pass
    return state


def _tell(runner: Runner, show: Progress) -> None:
    samples = runner.take_samples()
    if not samples:
        if runner.info is None:
            show(*runner.progress)
        return
    last = samples[-1]
    show(clock_text(last.time, runner.time_unit, ".4g"), last.part or 0.0)
