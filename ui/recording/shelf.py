"""What was seen of runs that have ended, so that two runs can be looked at beside each other.

Frames stay on disk; in memory are the geometry of each run and the triangles and samples that its frames are drawn on,
of a few runs alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from engines.api import FieldInfo, SimulationInfo
from engines.api.placing import Placement
from ui.charts.runs.runs import SessionRun, SessionRuns
from ui.recording.reel import Kept, Reel, write
from ui.scene.layers.layer import Plan
from workbench.run.frames import Frame

MOST_RUNS = 4
"""That have ended, whose frames are kept."""
MOST_FRAMES = 240
"""Of each of them."""
SHARE = 4
"""Each of them may take this part of what the present run may take on disk."""


class Footage:
    """The frames of one run and the shape that each request's frames are drawn on."""

    def __init__(self, info: SimulationInfo, reel: Reel) -> None:
        self.info, self.reel = info, reel
        self.newest: Frame | None = None
        """Of a run that goes on."""
        self.placement: Placement | None = None
        """What stood in space when it began."""
        self._shapes: dict[int, Any] = {}

    def take(self, frame: Frame, serial: int, shape: Any, placement: Placement | None) -> None:
        """A frame of now, and what is drawn of the requests ``serial``."""
        if self.newest is None:
            self.placement = placement
        if frame.serial != serial:
            return
        self.newest = frame
        if serial != next(reversed(self._shapes), None):
            seen = {kept.serial for kept in self.reel.frames} - {serial}
            self._shapes = {number: each for number, each in self._shapes.items() if number in seen} | {serial: shape}

    def end(self, reel: Reel, last: Frame) -> None:
        """The run is over, with ``last``, which the reel may have let go by."""
        self.reel, self.newest = reel, None
        reel.thin(MOST_FRAMES, reel.budget // SHARE)
        if last.serial in self._shapes and all(kept.time != last.time for kept in reel.frames[-1:]):
            with suppress(OSError):  # a full disk: all but its end can be seen
                reel.add(*write(last, reel.begin()))

    def fields(self) -> dict[str, FieldInfo]:
        """Those that frames are kept of, the newest last."""
        shown = (shape.plan.field for shape in self._shapes.values())
        return {field.name: field for field in shown if field is not None}

    def asked(self, plan: Plan) -> tuple[int, Any] | None:
        """The serial of a plan that was shown before, and its shape."""
        return next(((serial, shape) for serial, shape in self._shapes.items() if shape.plan == plan), None)

    def shape(self, frame: Kept | Frame) -> Any:
        return self._shapes[frame.serial]

    def frames(self, field: str) -> Sequence[Kept | Frame]:
        """In the order of time, of the branch that the run is on; the newest may not be kept yet."""
        serials = [n for n, shape in self._shapes.items() if shape.plan.field and shape.plan.field.name == field]
        kept, newest = self.reel.of(serials, self.reel.branch), self.newest
        if newest is None or newest.serial not in serials or (kept and kept[-1].time >= newest.time):
            return kept
        return [*kept, newest]


class Shelf:
    """The footage of the runs in the list that have ended last."""

    def __init__(self, runs: SessionRuns) -> None:
        self._runs = runs
        self._footage: dict[SessionRun, Footage] = {}
        runs.changed.connect(self._drop)

    def put(self, run: SessionRun, footage: Footage) -> None:
        if (before := self._footage.pop(run, None)) is not None:
            before.reel.clear()
        self._footage[run] = footage
        self._drop()

    def of(self, run: SessionRun) -> Footage | None:
        return self._footage.get(run)

    def clear(self) -> None:
        for footage in self._footage.values():
            footage.reel.clear()
        self._footage = {}

    def _drop(self) -> None:
        """Runs that left the list go, then the oldest ones, those behind the present one last."""
        gone = [run for run in self._footage if run not in self._runs.runs]
        spare = sorted((run for run in self._footage if run not in gone), key=lambda run: run.pinned)
        for run in [*gone, *spare[: max(len(spare) - MOST_RUNS, 0)]]:
            self._footage.pop(run).reel.clear()
