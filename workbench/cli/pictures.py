"""Pictures of a run without a window: copied on the worker, drawn on the main thread, where OpenGL is at home.

The renderer is found through the entry points ``workbench.renderers``; without one the run goes on and says so.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from engines.api import Array, Lines, Simulation, SimulationInfo
from engines.api.abilities import Displaced, Hiding, Lined, Shifting
from engines.api.errors import ProblemError, WorkbenchError
from engines.api.placing import Path as Placed
from engines.api.placing import Placement, Position
from workbench.export.png import save_snapshot
from workbench.project.document import Document
from workbench.run.frames import RunState, Sample
from workbench.run.observer import Observer

SIZE = (1280, 800)
MOST_WAITING = 2

Render = Callable[..., Array]
"""``render(geometry, info, values, time, view, size=(w, h), lines=(), placement=None, shifts={}, traced=None)`` gives
``(h, w, 4) uint8``."""


@dataclass(frozen=True, eq=False)
class Moment:
    """What a picture is drawn of, copied on the worker: fields by name, how far placed things have gone, and what the
    run traces."""

    step: int
    time: float
    values: Mapping[str, Array]
    shifts: Mapping[Placed, Position]
    traced: Lines | None


class Pictures(Observer):
    """``number`` pictures at equal distances up to ``until``, the last one at the end.

    A run without an ``until`` ends at a time that nobody knows before: it has one picture, of its end.
    """

    def __init__(self, folder: Path, document: Document, number: int, until: float | None) -> None:
        self.drawn: list[Path] = []
        self.trouble = ""
        self._folder, self._document = folder, document
        self._times = [] if until is None else [until * (k + 1) / number for k in range(number)]
        self._of_the_end = until is None and number > 0
        self._waiting: queue.Queue[Moment] = queue.Queue(MOST_WAITING)
        self._abandoned = threading.Event()
        self._render: Render | None = None
        self._sample: Sample | None = None

    # On the worker.

    def begin(self, simulation: Simulation, info: SimulationInfo) -> None:
        self._info = info
        self._steps = [max(1, round(time / simulation.dt)) for time in self._times]

    def next_step(self, after: int) -> int | None:
        if self._abandoned.is_set():
            return None
        return next((step for step in self._steps if step > after), None)

    def observe(self, simulation: Simulation) -> None:
        values = {name: simulation.field(name) for name in self._shown(simulation)}
        traced = None
        if self._document.project.view.lines and isinstance(simulation, Lined) and simulation.lined:
            traced = simulation.lines()
        shifts = simulation.shifts() if isinstance(simulation, Shifting) else {}
        moment = Moment(simulation.step, simulation.time, values, shifts, traced)
        while not self._abandoned.is_set():  # two moments wait at most: memory is bounded, the run waits instead
            try:
                self._waiting.put(moment, timeout=0.05)
                return
            except queue.Full:
                continue

    def finish(self, simulation: Simulation, state: RunState, error: WorkbenchError | None) -> None:
        if self._of_the_end and state is RunState.FINISHED:
            self.observe(simulation)

    def _shown(self, simulation: Simulation) -> list[str]:
        """The fields that a picture needs: the one that the view names, or the first, that of the front, and where
        elements have gone and which are hidden."""
        view, names = self._document.project.view, [field.name for field in simulation.fields]
        shown = [view.field if view.field in names else names[0]]
        if view.front and simulation.front is not None:
            shown.append(simulation.front.field)
            if view.front_inside and simulation.front.crossing:
                shown.append(simulation.front.crossing)
        if isinstance(simulation, Displaced) and simulation.displaced is not None:
            shown.append(simulation.displaced.name)
        if isinstance(simulation, Hiding) and simulation.hidden_by:
            shown.append(simulation.hidden_by)
        return list(dict.fromkeys(shown))

    @property
    def time(self) -> float:
        """How far the run has come."""
        return 0.0 if self._sample is None else self._sample.time

    def sampled(self, sample: Sample) -> None:
        self._sample = sample

    # On the main thread.

    def abandon(self) -> None:
        """No more pictures; nobody waits for one."""
        self._abandoned.set()

    def draw(self) -> None:
        """Draw what waits. A failure is kept in ``trouble`` and ends the drawing, not the run."""
        while not self._abandoned.is_set():
            try:
                moment = self._waiting.get_nowait()
            except queue.Empty:
                return
            try:
                self._draw(moment)
            except WorkbenchError as error:
                self._give_up(str(error))
            except Exception as error:  # a renderer meets drivers of every kind; the run matters more than its picture
                self._give_up(f"No picture could be drawn ({type(error).__name__}: {error}); the results are complete.")

    def _draw(self, moment: Moment) -> None:
        if self._render is None:
            self._render = find_renderer()
        if self._render is None:
            self._give_up("This installation has no renderer, so there are no pictures; the results are complete.")
            return
        view = self._document.project.view
        lines = [self._document.project.title, self._info.device]
        if self._sample is not None:
            rate, fraction = self._sample.bytes_per_second / 1e9, self._sample.fraction_of_ceiling
            lines.append(f"{rate:.3g} GB/s, {fraction:.0%} of the measured ceiling")
        rgba = self._render(
            self._info.geometry, self._info, moment.values, moment.time, view, size=SIZE, lines=lines,
            placement=placed(self._document), shifts=moment.shifts, traced=moment.traced,
        )  # fmt: skip
        path = self._folder / f"picture_{moment.step:09d}.png"
        save_snapshot(path, rgba, self._document)
        self.drawn.append(path)

    def _give_up(self, text: str) -> None:
        self.trouble = text
        self.abandon()


def placed(document: Document) -> Placement | None:
    """What the window draws outlines of; None where nothing stands in space."""
    try:
        return document.engine.placed(document.problem)
    except ProblemError:  # it runs all the same: a picture without outlines is better than none
        return None


def find_renderer() -> Render | None:
    """The first renderer of this installation, or None."""
    found: Any = next(iter(entry_points(group="workbench.renderers")), None)
    return None if found is None else found.load()
