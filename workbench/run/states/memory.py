"""Where a run stood when its window closed, so that opening the project again goes on from there.

The state is kept as a checkpoint under the fingerprint of its problem: another mesh or another parameter is another
problem, and begins at zero.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from engines.api import Array, Simulation, SimulationInfo
from engines.api.errors import ProblemError, WorkbenchError
from workbench.project.document import Document
from workbench.run.frames import RunState, Sample
from workbench.run.observer import Observer
from workbench.run.states.checkpoint import KEPT as KEPT_OF_ONE
from workbench.run.states.checkpoint import (
    Checkpoint,
    CheckpointMeta,
    checkpoints_at,
    problem_fingerprint,
    read_checkpoint,
    write_checkpoint,
)
from workbench.run.states.history import KeptState, Mark
from workbench.run.streams.curves import SUFFIX, Curves, Places, read_curves, write_curves
from workbench.run.streams.traces import TraceStore
from workbench.storage.atomic import StorageError, oldest, write_text
from workbench.storage.background import BackgroundWriter
from workbench.storage.paths import state_dir
from workbench.words.units import clock_text

KEPT = 6
EVERY_SECONDS = 60.0
FAILURE = ".failure"
MOST_LETTERS = 2000


def runs_dir() -> Path:
    return state_dir() / "runs"


def remembered_state(document: Document) -> Checkpoint | None:
    """The state that the last run of this problem ended with, or None. Reads the whole mesh: not for the GUI thread."""
    fingerprint = problem_fingerprint(document, ())
    file = _file(fingerprint)
    try:
        return read_checkpoint(file, fingerprint) if file.is_file() else None
    except ProblemError:
        return None  # damaged or of another version: the run begins at zero, as if there were none


def remembered_curves(state: Checkpoint, document: Document) -> Curves:
    """What the run that ended with this state had drawn; nothing where nobody has kept that."""
    file = _file(state.meta.problem).with_suffix(SUFFIX)
    try:
        return read_curves(file, state.meta.time, probe_places(document)) if file.is_file() else {}
    except ProblemError:
        return {}


def missing_curves(state: Checkpoint, curves: Curves, time_unit: str) -> str:
    """What is said where nobody has kept them; empty where they are there, or there are none."""
    if curves or not state.meta.step:
        return ""
    return f"The curves of before {clock_text(state.meta.time, time_unit)} were not kept: they begin there."


def remembered_failure(document: Document) -> str:
    """The error in which the last run of this problem ended; empty where it was none. Reads the whole mesh."""
    file = _file(problem_fingerprint(document, ())).with_suffix(FAILURE)
    try:
        return file.read_text("utf-8")[:MOST_LETTERS] if file.is_file() else ""
    except (OSError, UnicodeDecodeError):
        return ""


class RunMemory(Observer):
    """Keeps the state of a run each minute and when it ends, or the error in which it ended, until one goes further;
    forgets it when the run was taken back to step zero and ends there, and that of the run before when this one has
    begun at zero. One that takes no step leaves what is kept.

    It may be missed: a full disk is said in the log and ends nothing.
    """

    def __init__(self, document: Document, before: Curves = MappingProxyType({})) -> None:
        """``before``: what was drawn of the run until it begins here."""
        self._document = document
        self._drawn = TraceStore()
        self._drawn.put(before)
        self._places = dict(probe_places(document))
        self._followed: dict[str, int] = {}
        """The element of each probe."""
        self._fingerprint = ""
        self._device = ""
        self._kept_at = clock.monotonic()
        self._begins = False
        """At step zero: what is kept is of another run."""
        self._stepped = False
        """Here, or before it begins here: what is kept may be of this run."""
        self._curves: tuple[Curves, Places] | None = None
        self.kept: float | None = None
        """The time of what is kept of this run; None: nothing is, yet."""
        self.rescued: Callable[[], KeptState | None] = lambda: None
        """The last state of a run that broke off."""
        self.say: Callable[[str, Literal["warning"]], None] = lambda text, severity: None

    def keep_curves(self, curves: Curves, document: Document) -> None:
        """What was drawn of the run, and where its probes are, told before it ends: they were moved meanwhile."""
        self._curves = curves, probe_places(document)

    def begin(self, simulation: Simulation, info: SimulationInfo) -> None:
        self._device = info.device
        self._writer = BackgroundWriter()
        self._begins = simulation.step == 0
        self._stepped = not self._begins

    def followed(self, probes: Sequence[tuple[str, int]]) -> None:
        """A probe that has another name stays where it was, with its curve; others leave none behind."""
        before, self._followed = self._followed, dict(probes)
        gone = {element: label for label, element in before.items() if self._followed.get(label) != element}
        for label, element in self._followed.items():
            if label not in before and (renamed := gone.pop(element, "")):
                self._drawn.rename(renamed, label)
                if renamed in self._places:
                    self._places[label] = self._places.pop(renamed)
        for label in gone.values():
            self._drawn.drop(label)
            self._places.pop(label, None)

    def restarted(self, simulation: Simulation) -> None:
        self._begins = True
        self._drawn.clear()

    def rewound(self, simulation: Simulation) -> None:
        self._drawn.rewind(simulation.time)
        self._drawn.left.clear()

    def sampled(self, sample: Sample) -> None:
        self._drawn.take((sample,))
        self._stepped = True
        if self._begins:
            self._begins = False
            try:
                self._writer.submit(lambda: self._forget(self._kept_file()))  # there: the mesh is read for its name
            except StorageError as failure:
                self._tell(failure)

    def next_step(self, after: int) -> int | None:
        return after + 1 if clock.monotonic() - self._kept_at >= EVERY_SECONDS else None

    def observe(self, simulation: Simulation) -> None:
        self._keep(simulation)

    def finish(self, simulation: Simulation, state: RunState, error: WorkbenchError | None) -> None:
        if error is None:
            self._keep(simulation)
        elif (rescued := self.rescued()) is not None:
            self._write(rescued.mark, rescued.state)
        try:
            if error is not None:
                failure = self._kept_file().with_suffix(FAILURE)
                self._writer.submit(lambda: _write_failure(failure, str(error)))
            self._writer.close()
        except StorageError as cause:
            self._tell(cause)

    def _keep(self, simulation: Simulation) -> None:
        self._kept_at = clock.monotonic()
        if not self._stepped:
            return
        state = simulation.state() if simulation.step else {}
        self._write(Mark(simulation.step, simulation.time), state)

    def _write(self, mark: Mark, state: Mapping[str, Array]) -> None:
        file = self._kept_file()
        meta = CheckpointMeta(self._fingerprint, self._device, mark.step, mark.time)
        try:
            if mark.step == 0:
                self._writer.submit(lambda: self._forget(file))
            else:
                curves, places = self._curves or (self._drawn.curves(), dict(self._places))
                self._writer.submit(lambda: self._put(file, meta, state, curves, places))
        except StorageError as failure:
            self._tell(failure)

    # On the writer's thread.

    def _put(
        self, file: Path, meta: CheckpointMeta, state: Mapping[str, Array], curves: Curves, places: Places
    ) -> None:
        _write(file, meta, state, curves, places)
        self.kept = meta.time

    def _forget(self, file: Path) -> None:
        _remove(file)
        self.kept = None

    def _kept_file(self) -> Path:
        self._fingerprint = self._fingerprint or problem_fingerprint(self._document, ())
        return _file(self._fingerprint)

    def _tell(self, failure: StorageError) -> None:
        self.say(f"Where the run stands could not be kept for the next session: {failure}", "warning")


def probe_places(document: Document) -> Places:
    return {probe.name: probe.position for probe in document.project.probes}


def _write(file: Path, meta: CheckpointMeta, state: Mapping[str, Array], curves: Curves, places: Places) -> None:
    write_checkpoint(file, meta, state)
    write_curves(file.with_suffix(SUFFIX), curves, places)
    file.with_suffix(FAILURE).unlink(missing_ok=True)  # it went on
    for old in oldest(set(file.parent.glob("*.npz")) - set(checkpoints_at(file)), KEPT - KEPT_OF_ONE):
        _remove(old)


def _write_failure(file: Path, sentence: str) -> None:
    write_text(file, sentence)
    for old in oldest(set(file.parent.glob(f"*{FAILURE}")), KEPT):
        old.unlink(missing_ok=True)


def _remove(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.with_suffix(SUFFIX).unlink(missing_ok=True)


def _file(fingerprint: str) -> Path:
    return runs_dir() / f"{fingerprint[:32]}.npz"
