"""Where a run stood when its window closed, so that opening the project again goes on from there.

The state is kept as a checkpoint under the fingerprint of its problem: another mesh or another parameter is another
problem, and begins at zero.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel

from engines.api import Array, Simulation, SimulationInfo
from engines.api.errors import ProblemError, WorkbenchError
from engines.geometry.base import Geometry
from engines.named_files import Place
from workbench.project.document import Document
from workbench.project.parameter_files import value_at, with_values
from workbench.project.reading.parsing import validated
from workbench.run.frames import RunState, Sample
from workbench.run.observer import Observer
from workbench.run.states.checkpoint import KEPT as KEPT_OF_ONE
from workbench.run.states.checkpoint import (
    Checkpoint,
    CheckpointMeta,
    checkpoints_at,
    problem_fingerprint,
    read_checkpoint,
    remove_checkpoints,
    write_checkpoint,
)
from workbench.run.states.claims import Claim
from workbench.run.states.history import KeptState, Mark
from workbench.run.streams.curves import SUFFIX, Curves, Places, read_curves, write_curves
from workbench.run.streams.traces import TraceStore
from workbench.storage.atomic import StorageError, check_room, date_back, oldest, write_text
from workbench.storage.background import BackgroundWriter
from workbench.storage.paths import state_dir
from workbench.words.units import clock_text

KEPT, MOST_KEPT, MOST_BYTES = 6, 48, 2 << 30
"""Runs that are kept whatever they take, and at most where all of them take no more of the disk than this."""
EVERY_SECONDS = 60.0
SOON_SECONDS = 10.0
"""After a live parameter was changed: what was kept before is of another problem then."""
FAILURE = ".failure"
MOST_LETTERS = 2000


def runs_dir() -> Path:
    return state_dir() / "runs"


def remembered_state(document: Document) -> Checkpoint | None:
    """The state that the last run of this problem ended with, or None. Reads the whole mesh: not for the GUI thread."""
    fingerprint = problem_fingerprint(document, ())
    file = _file(fingerprint)
    try:
        return read_checkpoint(file, fingerprint) if checkpoints_at(file) else None
    except ProblemError:
        return None  # damaged or of another version: the run begins at zero, as if there were none


def remembered_last(documents: Sequence[Document]) -> tuple[Document, Checkpoint | None]:
    """Of these problems the one whose run was kept last, and the state that it ended with; the first and None where
    none was kept. Reads the whole mesh."""
    found = [(document, state) for document in documents if (state := remembered_state(document)) is not None]
    if not found:
        return documents[0], None
    return max(
        found, key=lambda each: max(path.stat().st_mtime_ns for path in checkpoints_at(_file(each[1].meta.problem)))
    )


def remembered_curves(state: Checkpoint, document: Document) -> Curves:
    """What the run that ended with this state had drawn; nothing where nobody has kept that."""
    file = _file(state.meta.problem).with_suffix(SUFFIX)
    try:
        there = partial(_one_element, document)
        return read_curves(file, state.meta.time, probe_places(document), there) if file.is_file() else {}
    except ProblemError:
        return {}


def set_later(state: Checkpoint, document: Document) -> dict[str, Any]:
    """Live parameters, by the names of controls, that the run is given again which goes on from this state."""
    values, found = document.parameters.model_dump(mode="json"), {}
    for name in state.meta.later:
        with suppress(LookupError, TypeError):
            found[name] = value_at(values, _place(name))
    return found


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
    begun at zero. One that takes no step leaves what is kept, and none replaces what another window has kept
    meanwhile of a run that is further.

    With another live parameter the run is one of another problem, as which it is kept from then on: who opens the
    problem as it was would find a form that says other than what is computed.

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
        self._geometry: Geometry | None = None
        self._changes: Mapping[str, Any] = {}
        """Live parameters since the run began: replaced, never changed, for two threads ask."""
        self._named: tuple[Mapping[str, Any], str] | None = None
        """The fingerprint with these changes."""
        self._claim = Claim()
        self._files: list[Path] = []
        """The first that was written, and the latest."""
        self._device = ""
        self._kept_at = clock.monotonic()
        self._begins = False
        """At step zero: what is kept is of another run."""
        self._stepped = False
        """Here, or before it begins here: what is kept may be of this run."""
        self._curves: tuple[Curves, Places] | None = None
        self._reached: float | None = None
        """The time of what was written last of the branch that the run is on, with its values: a state that is kept in
        memory for going back may be older."""
        self.kept: float | None = None
        """The time of what is kept of this run; None: nothing is, yet."""
        self.failure = ""
        """Why what was to be kept last is not, in a sentence; empty where it is."""
        self.rescued: Callable[[], KeptState | None] = lambda: None
        """The last state of a run that broke off."""
        self.say: Callable[[str, Literal["warning"]], None] = lambda text, severity: None

    def keep_curves(self, curves: Curves, document: Document) -> None:
        """What was drawn of the run, and where its probes are, told before it ends: they were moved meanwhile."""
        self._curves = curves, probe_places(document)

    def is_of(self, document: Document) -> bool:
        """Whether this is the problem that the run is kept as now. Reads the whole mesh."""
        return self._fingerprint() == problem_fingerprint(document, ())

    def keep_now(self, simulation: Simulation) -> None:
        """On the run's thread, which waits until it is written."""
        self._keep(simulation)
        try:
            self._writer.flush()
        except StorageError as failure:
            self._tell(failure)

    def doubt(self, time: float, size: int) -> str:
        """Why the run may not be kept as it stands at ``time``, in ``size`` bytes; empty where it may. From any
        thread."""
        if self.failure or not self._stepped or time == self.kept:
            return self.failure
        if self._named is not None and (further := self._further(self._kept_file(), time)):
            return further
        given_up = [each for file in self._files[-1:] for each in checkpoints_at(file)[1:]]
        with suppress(FileNotFoundError):
            size -= sum(each.stat().st_size for each in given_up)
        try:
            check_room(runs_dir() / "run", size)
        except StorageError as failure:
            return _sentence(failure)
        return ""

    def begin(self, simulation: Simulation, info: SimulationInfo) -> None:
        self._device, self._geometry = info.device, info.geometry
        self._writer = BackgroundWriter()
        self._writer.submit(lambda: self._claim.begin(self._kept_file()))  # there: the mesh is read for its name
        self._begins = simulation.step == 0
        self._stepped = not self._begins

    def changed(self, name: str, value: Any) -> None:
        self._changes = {key: old for key, old in self._changes.items() if key != name} | {name: value}
        self._reached = None
        self.kept, self._kept_at = None, min(self._kept_at, clock.monotonic() - EVERY_SECONDS + SOON_SECONDS)

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
        if (placed := [label for label in self._followed if label not in self._places]) and self._geometry is not None:
            centers = self._geometry.centers(np.array([self._followed[label] for label in placed], np.int64))
            self._places |= dict(zip(placed, centers.tolist(), strict=True))

    def restarted(self, simulation: Simulation) -> None:
        self._begins, self._reached = True, None
        self._drawn.clear()

    def rewound(self, simulation: Simulation) -> None:
        self._reached = None
        self._drawn.rewind(simulation.time)
        self._drawn.left.clear()

    def sampled(self, sample: Sample) -> None:
        try:
            self._writer.check()
        except StorageError as failure:
            self._tell(failure)
        self._drawn.take((sample,))
        self._stepped = True
        if self._begins:
            self._begins = False
            try:
                self._writer.submit(lambda: self._forget(self._kept_file()))
            except StorageError as failure:
                self._tell(failure)

    def next_step(self, after: int) -> int | None:
        return after + 1 if clock.monotonic() - self._kept_at >= EVERY_SECONDS else None

    def observe(self, simulation: Simulation) -> None:
        self._keep(simulation)

    def finish(self, simulation: Simulation, state: RunState, error: WorkbenchError | None) -> None:
        if error is None:
            self._keep(simulation)
        elif (rescued := self.rescued()) is not None and rescued.mark.time > (self._reached or 0.0):
            self._write(rescued.mark, rescued.state, tuple(self._changes))
        try:
            if error is not None:
                failure = self._kept_file().with_suffix(FAILURE)
                self._writer.submit(lambda: _write_failure(failure, str(error)))
            self._writer.close()
        except StorageError as cause:
            self._tell(cause)
        self._claim.end()

    def _keep(self, simulation: Simulation) -> None:
        self._kept_at = clock.monotonic()
        if not self._stepped:
            return
        state = simulation.state() if simulation.step else {}
        self._write(Mark(simulation.step, simulation.time), state)

    def _write(self, mark: Mark, state: Mapping[str, Array], later: tuple[str, ...] = ()) -> None:
        file, self._reached = self._kept_file(), mark.time
        meta = CheckpointMeta(self._fingerprint(), self._device, mark.step, mark.time, later=later)
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
        if further := self._further(file, meta.time):
            self.kept = None
            raise StorageError(further)
        try:
            _write(file, meta, state, curves, places)
        except StorageError as failure:
            if not failure.full or not (older := checkpoints_at(file)[1:]):
                raise
            for each in older:  # the newest is left to fall back on
                each.unlink(missing_ok=True)
            _write(file, meta, state, curves, places)
        self._claim.wrote(file)
        self.failure = ""
        if len(self._files) > 1 and self._files[-1] != file:
            _remove(self._files.pop())  # of a value that a slider passed
        if file not in self._files:
            self._files.append(file)
        self.kept = meta.time if meta.problem == self._fingerprint() else None

    def _further(self, file: Path, time: float) -> str:
        """What is said of a run that another process has kept there, where it is past ``time``."""
        meta = self._claim.of_another(file)
        if meta is None or meta.time <= time:
            return ""
        there, here = (clock_text(each, self._document.time_unit) for each in (meta.time, time))
        return (
            f"Another window has kept a run of this problem that is further, at {there}: this one is at {here}, "
            "and takes its place once it is past that. Export what you need of it before you close."
        )

    def _forget(self, file: Path) -> None:
        if self._claim.is_alone and self._claim.of_another(file) is None:
            _remove(file)
        self.kept = None

    def _kept_file(self) -> Path:
        return _file(self._fingerprint())

    def _fingerprint(self) -> str:
        changes = self._changes
        if self._named is None or self._named[0] is not changes:
            document = replace(self._document, parameters=_with(self._document.parameters, changes))
            self._named = changes, problem_fingerprint(document, ())
        return self._named[1]

    def _tell(self, failure: StorageError) -> None:
        before, self.failure = self.failure, _sentence(failure)
        if self.failure != before:
            self.say(
                f"Where the run stands could not be kept for the next session; it goes on. {self.failure}", "warning"
            )


def _sentence(failure: StorageError) -> str:
    return f"'{runs_dir()}' has no room: free some space on its disk." if failure.full else str(failure)


def probe_places(document: Document) -> Places:
    return {probe.name: probe.position for probe in document.project.probes}


def _with(parameters: BaseModel, changes: Mapping[str, Any]) -> BaseModel:
    """With these live values, by the names of controls. What an engine's form has not stays out."""
    for name, value in changes.items():
        with suppress(LookupError, TypeError, ProblemError):
            values = with_values(parameters.model_dump(mode="json"), {_place(name): value})
            parameters = validated(type(parameters), values, "The run")
    return parameters


def _place(name: str) -> Place:
    return tuple(int(key) if key.isdecimal() else key for key in name.split("."))


def _one_element(document: Document, one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether a probe at either place follows the same element."""
    first, second = document.geometry.nearest(np.array([one, other], float))
    return bool(first == second)


def _write(file: Path, meta: CheckpointMeta, state: Mapping[str, Array], curves: Curves, places: Places) -> None:
    write_checkpoint(file, meta, state)
    write_curves(file.with_suffix(SUFFIX), curves, places)
    file.with_suffix(FAILURE).unlink(missing_ok=True)  # it went on
    others = set(file.parent.glob("*.npz")) - set(checkpoints_at(file))
    date_back(others, file)
    for old in oldest(others, KEPT - KEPT_OF_ONE, MOST_KEPT, MOST_BYTES):
        _remove(old)


def _write_failure(file: Path, sentence: str) -> None:
    write_text(file, sentence)
    others = set(file.parent.glob(f"*{FAILURE}")) - {file}
    date_back(others, file)
    for old in oldest(others, MOST_KEPT - 1):
        old.unlink(missing_ok=True)


def _remove(file: Path) -> None:
    remove_checkpoints(file)
    file.with_suffix(SUFFIX).unlink(missing_ok=True)


def _file(fingerprint: str) -> Path:
    return runs_dir() / f"{fingerprint[:32]}.npz"
