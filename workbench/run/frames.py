"""What passes from the worker thread to whoever watches: frames, samples and messages."""

from __future__ import annotations

import threading
import time as clock
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, Literal, TypeVar

from engines.api import Array, Lines, Markers, Selection
from engines.api.charts import ChartData, Inspection
from engines.api.placing import Path, Position
from workbench.project.project import Line

T = TypeVar("T")


class RunState(StrEnum):
    """Where a run stands."""

    BUILDING = "building"
    READY = "ready"  # built, no step taken since build or reset
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"  # reached ``until``
    FAILED = "failed"
    CLOSED = "closed"


BEGUN = (RunState.RUNNING, RunState.PAUSED, RunState.FINISHED)


@dataclass(frozen=True)
class FrameRequest:
    """What viewers need of each moment: part name to (field name, selection), charts that are not over time by name,
    the ``element`` that is looked into, the ``pair`` of elements that is measured, and whether ``markers`` and
    ``lines`` are drawn, and the straight lines (``cuts``) along which fields are charted.

    A new request replaces the old one; ``serial`` comes back in the frames that answer it and stands for ``parts``.
    """

    serial: int
    parts: Mapping[str, tuple[str, Selection]]
    charts: tuple[str, ...] = ()
    element: int | None = None
    pair: tuple[int, int] | None = None
    markers: bool = False
    lines: bool = False
    cuts: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Frame:
    """One moment, reduced to what a :class:`FrameRequest` asked for. Values are float32 host arrays.

    While a run goes on, ``charts``, ``inspection`` and ``measurement`` may be a little older than the values, and then
    are the same objects as in the frame before; ``charted``: they are of this moment. ``shifts``: how far placed things
    have moved since the start.
    """

    serial: int
    step: int
    time: float
    values: Mapping[str, Array]
    charts: Mapping[str, ChartData] = field(default_factory=dict)
    inspection: Inspection | None = None
    measurement: Inspection | None = None
    markers: Markers | None = None
    lines: Lines | None = None
    shifts: Mapping[Path, Position] = field(default_factory=dict)
    charted: bool = True


@dataclass(frozen=True)
class KernelRate:
    """What one kernel reached in the last second or so.

    ``launches`` and ``seconds`` are those timed since the sample before (0 if none was).
    """

    kernel: str
    seconds_per_step: float
    bytes_per_second: float
    fraction_of_ceiling: float
    launches: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Sample:
    """Meters and traces of one batch of steps.

    ``bytes_per_second`` is counted bytes of all kernels over the wall time of the batch;
    ``trace_times: (k,)`` and ``traces[field]: (k, n_probes)`` hold the probe values sampled in the batch,
    ``series[name]: (k,)`` the whole-problem numbers at the same times; ``finer[field]``: times (m,) and values
    (m, probes) of fields that were recorded in each step, at the first probes. ``remaining`` is wall seconds to
    ``until``, or to an end of the problem's own if that comes first; ``part`` of the way is done (None where nobody
    knows).
    """

    step: int
    time: float
    steps: int
    wall_seconds: float
    steps_per_second: float
    time_per_second: float
    bytes_per_second: float
    fraction_of_ceiling: float
    kernels: tuple[KernelRate, ...]
    remaining: float | None
    trace_times: Array
    traces: Mapping[str, Array]
    probes: tuple[str, ...]
    series: Mapping[str, Array]
    part: float | None = None
    finer: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)

    def trace(self, name: str, probe: int) -> tuple[Array, Array]:
        """Times and values of a field at a probe, in each step where it was recorded so."""
        times, values = self.finer.get(name, (self.trace_times, self.traces[name]))
        if probe >= values.shape[1]:
            times, values = self.trace_times, self.traces[name]
        return times, values[:, probe]


@dataclass(frozen=True)
class Reading:
    """What probes read where a run has come to: ``values[field]: (n_probes, ...)``."""

    time: float
    probes: tuple[str, ...]
    values: Mapping[str, Array]


@dataclass(frozen=True)
class Rewound:
    """A run went back to this moment. ``samples`` are those from before that nobody had taken yet."""

    step: int
    time: float
    samples: tuple[Sample, ...]


@dataclass(frozen=True)
class Message:
    """A line for the log pane."""

    text: str
    severity: Literal["info", "warning", "error"] = "info"
    wall_time: float = field(default_factory=clock.time)


class Mailbox(Generic[T]):
    """One slot between two threads: the newest value wins, the ones nobody took are dropped."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._value: T | None = None

    @property
    def is_full(self) -> bool:
        """Whether a value came since the last take."""
        return self._value is not None

    def put(self, value: T) -> None:
        with self._lock:
            self._value = value

    def take(self) -> T | None:
        """The newest value, once; None if nothing came since the last take."""
        with self._lock:
            value, self._value = self._value, None
            return value


class Outbox(Generic[T]):
    """A queue between two threads that keeps the newest ``size`` values."""

    def __init__(self, size: int) -> None:
        self._values: deque[T] = deque(maxlen=size)

    def put(self, value: T) -> None:
        self._values.append(value)

    def take(self) -> list[T]:
        """All that came since the last take, and not what comes meanwhile: never more than ``size``."""
        taken = []
        for _ in range(len(self._values)):
            try:
                taken.append(self._values.popleft())
            except IndexError:  # emptied meanwhile by another thread
                break
        return taken
