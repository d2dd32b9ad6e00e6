"""Answers what viewers ask of a moment: selections are placed on the device once, then gathered for each frame."""

from __future__ import annotations

import time as clock
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, Protocol, TypeVar

from engines.api import Lines, Markers, Simulation
from engines.api.abilities import Inspected, Lined, LookedInto, Marked, Measured, Shifting
from engines.api.charts import ChartData, ChartInfo, Inspection
from engines.api.errors import DeviceError, WorkbenchError
from engines.api.simulation.contract import chart_of, check_inspection, check_markers, check_segments, gathered_later
from workbench.run.frames import Frame, FrameRequest, Mailbox
from workbench.run.lines import LinesSource
from workbench.words.failures import as_sentence

T = TypeVar("T")

CHART_SECONDS = 0.1
"""Charts and inspections are made at most so often while a run goes on."""
CHART_SHARE = 0.05
"""The most of the worker's time that they may take."""
WAITING_SECONDS = 1 / 15
"""So old may a frame become that nobody has taken yet, before it is made anew while the run goes on."""


class Saying(Protocol):
    def __call__(self, text: str, severity: Literal["info", "warning"]) -> None: ...


def to_nobody(text: str, severity: str) -> None:
    """A :class:`Saying`."""


class FrameSource:
    """Fills a mailbox with frames. ``request`` may be set from any thread; the rest belongs to the worker.

    What an engine tells to be looked at beside its fields (charts, inspections, markers) costs no run: what fails is
    left out, and ``say`` is told so once.
    """

    def __init__(self, say: Saying = to_nobody) -> None:
        self._say = say
        self._said: set[str] = set()
        self.frames: Mailbox[Frame] = Mailbox()
        self.request: FrameRequest | None = None
        self._answered: FrameRequest | None = None
        self._handles: dict[str, tuple[str, Any, int]] = {}
        self._serial: int | None = None
        self._element: int | None = None
        self._charts: Mapping[str, ChartData] = {}
        self._lines = LinesSource()
        self._inspection: Inspection | None = None
        self._measurement: Inspection | None = None
        self._due = self._stale = 0.0

    @property
    def is_asked(self) -> bool:
        """Whether there is a request that no frame has answered yet."""
        request = self.request
        return request is not None and request is not self._answered

    def answer(self, simulation: Simulation, *, resting: bool = False) -> None:
        """Gather what is wanted of this moment; all of it anew where the run is ``resting`` at it."""
        request = self.request
        element = None if request is None else request.element
        if element != self._element:
            if isinstance(simulation, LookedInto):
                simulation.look_into(element)
            self._element = element
        if request is None:
            self.release()
            return
        if request is self._answered and not resting and self.frames.is_full and clock.monotonic() < self._stale:
            return
        if request.serial != self._serial:
            self._handles = {part: (name, simulation.select(of), len(of)) for part, (name, of) in request.parts.items()}
            self._serial = request.serial
        begun = {part: gathered_later(simulation, *asked) for part, asked in self._handles.items()}
        values = {part: found() for part, found in begun.items()}
        charted = resting or request is not self._answered or clock.monotonic() >= self._due
        if charted:
            self._make_charts(simulation, request)
        elif not (request.charts or request.cuts or request.pair) and request.element is None:
            charted = True  # there is nothing that could be older
        self._answered, self._stale = request, clock.monotonic() + WAITING_SECONDS
        told = self._charts, self._inspection, self._measurement
        markers = self._seen("What is marked", partial(_markers, simulation)) if request.markers else None
        lines = self._seen("What is drawn as lines", partial(_lines, simulation)) if request.lines else None
        shifts = simulation.shifts() if isinstance(simulation, Shifting) else {}
        moment = request.serial, simulation.step, simulation.time
        self.frames.put(Frame(*moment, values, *told, markers, lines, shifts, charted))

    def release(self) -> None:
        """Let go of what is on the device."""
        self._handles, self._serial, self._answered, self._element = {}, None, None, None
        self._charts, self._inspection, self._measurement = {}, None, None
        self._lines = LinesSource()

    def _make_charts(self, simulation: Simulation, request: FrameRequest) -> None:
        """Charts and inspection may cost milliseconds: the more they do, the more seldom they come."""
        began = clock.monotonic()
        own = {info.name: info for info in simulation.charts if not info.series}
        self._charts = {name: self._chart(simulation, own[name]) for name in request.charts if name in own}
        self._charts |= self._lines.charts(simulation, request.cuts)
        self._inspection = self._measurement = None
        if request.element is not None:
            self._inspection = self._seen("The inspection", partial(_inspection, simulation, request.element))
        if request.pair is not None:
            self._measurement = self._seen("The measurement", partial(_measurement, simulation, *request.pair))
        ended = clock.monotonic()
        self._due = began + max(CHART_SECONDS, (ended - began) / CHART_SHARE)

    def _chart(self, simulation: Simulation, info: ChartInfo) -> ChartData:
        title = f"The chart '{info.title}'"
        data = self._seen(title, partial(chart_of, simulation, info))
        return ChartData((), note=f"{title} cannot be drawn: the log says why.") if data is None else data

    def _seen(self, what: str, look: Callable[[], T | None]) -> T | None:
        """What ``look`` gives. Raises DeviceError, after which nothing is as it was."""
        try:
            return look()
        except Exception as error:
            if isinstance(known := as_sentence(error), DeviceError):
                raise known from error
            if what not in self._said:
                self._said.add(what)
                ours = isinstance(error, WorkbenchError)
                self._say(f"{what} is left out: {error if ours else f'{type(error).__name__}: {error}'}", "warning")
                if not ours:
                    self._say("".join(traceback.format_exception(error)), "info")
            return None


def _markers(simulation: Simulation) -> Markers | None:
    told = simulation.markers() if isinstance(simulation, Marked) else None
    if told is not None:
        check_markers(told.positions, told.signs)
    return told


def _lines(simulation: Simulation) -> Lines | None:
    told = simulation.lines() if isinstance(simulation, Lined) else None
    if told is not None:
        check_segments(told.segments, told.displacements)
    return told


def _inspection(simulation: Simulation, element: int) -> Inspection | None:
    told = simulation.inspect(element) if isinstance(simulation, Inspected) else None
    check_inspection(told)
    return told


def _measurement(simulation: Simulation, first: int, second: int) -> Inspection | None:
    told = simulation.measure(first, second) if isinstance(simulation, Measured) else None
    check_inspection(told)
    return told
