"""What a run is at for whoever shows it."""

from __future__ import annotations

from enum import StrEnum

from workbench.run.frames import RunState


class Phase(StrEnum):
    """What the buttons depend on: the state of the run, or that there is none."""

    EMPTY = "empty"  # no document
    IDLE = "idle"  # a document, nothing built
    BUILDING = "building"
    READY = "ready"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    FAILED = "failed"


UNDER_WAY = (Phase.RUNNING, Phase.PAUSED)


def phase_of(state: RunState) -> Phase:
    return Phase.IDLE if state is RunState.CLOSED else Phase(state.value)
