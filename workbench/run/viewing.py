"""Answers what viewers ask of a moment: selections are placed on the device once, then gathered for each frame."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from typing import Any

from engines.api import Simulation
from engines.api.abilities import Inspected, Lined, LookedInto, Marked, Measured, Shifting
from engines.api.charts import ChartData, Inspection
from workbench.run.frames import Frame, FrameRequest, Mailbox
from workbench.run.lines import LinesSource

CHART_SECONDS = 0.1
"""Charts and inspections are made at most so often while a run goes on."""
CHART_SHARE = 0.2
"""The most of the worker's time that they may take."""


class FrameSource:
    """Fills a mailbox with frames. ``request`` may be set from any thread; the rest belongs to the worker."""

    def __init__(self) -> None:
        self.frames: Mailbox[Frame] = Mailbox()
        self.request: FrameRequest | None = None
        self._answered: FrameRequest | None = None
        self._handles: dict[str, tuple[str, Any]] = {}
        self._serial: int | None = None
        self._element: int | None = None
        self._charts: Mapping[str, ChartData] = {}
        self._lines = LinesSource()
        self._inspection: Inspection | None = None
        self._measurement: Inspection | None = None
        self._due = 0.0

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
        if request.serial != self._serial:
            self._handles = {
                part: (name, simulation.select(selection)) for part, (name, selection) in request.parts.items()
            }
            self._serial = request.serial
        values = {part: simulation.gather(name, handle) for part, (name, handle) in self._handles.items()}
        charted = resting or request is not self._answered or clock.monotonic() >= self._due
        if charted:
            self._make_charts(simulation, request)
        elif not (request.charts or request.cuts or request.pair) and request.element is None:
            charted = True  # there is nothing that could be older
        self._answered = request
        told = self._charts, self._inspection, self._measurement
        markers = simulation.markers() if request.markers and isinstance(simulation, Marked) else None
        lines = simulation.lines() if request.lines and isinstance(simulation, Lined) else None
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
        own = {info.name for info in simulation.charts if not info.series}
        self._charts = {name: simulation.chart(name) for name in request.charts if name in own}
        self._charts |= self._lines.charts(simulation, request.cuts)
        self._inspection = self._measurement = None
        if request.element is not None and isinstance(simulation, Inspected):
            self._inspection = simulation.inspect(request.element)
        if request.pair is not None and isinstance(simulation, Measured):
            self._measurement = simulation.measure(*request.pair)
        ended = clock.monotonic()
        self._due = began + max(CHART_SECONDS, (ended - began) / CHART_SHARE)
