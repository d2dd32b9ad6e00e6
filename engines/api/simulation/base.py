"""A problem on a device, advanced step by step, and what viewers are told of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from engines.api.abilities import Inspected, Measured
from engines.api.charts import ChartData, ChartInfo
from engines.api.device import Backend, Ceilings, DeviceInfo
from engines.api.simulation.shown import FieldInfo, FrontInfo, MarkerInfo, PaintInfo, SeriesInfo, VectorInfo
from engines.api.values import Array, Finding, KernelTiming, KernelTraffic, NonFinite, Selection


class Simulation(ABC):
    """A problem on a device. Used by one thread at a time.

    Elements are numbered as in ``geometry``; an engine that reorders translates here.
    Time is ``step * dt`` in float64, never accumulated.
    """

    geometry: Any
    dt: float
    step: int
    fields: tuple[FieldInfo, ...]
    series: tuple[SeriesInfo, ...] = ()
    charts: tuple[ChartInfo, ...] = ()
    traffic: tuple[KernelTraffic, ...]
    front: FrontInfo | None = None
    sample_steps: int = 1
    """Steps between two samples of probes and series that resolve what users look at."""
    whole_batch: int = 1
    """Steps that :meth:`advance` is to be called for whole multiples of, where one call for many steps rounds otherwise
    than many calls for few: batches of frames and checkpoints keep to it, so that all runs have the same bits."""

    beyond: NonFinite | None = None
    """Where values have been too large for float32, in which they are handed out, though they are numbers: known after
    :meth:`non_finite`, and told once in a run. None: nowhere."""

    @property
    def time(self) -> float:
        return self.step * self.dt

    @abstractmethod
    def advance(self, steps: int) -> None:
        """Take ``steps`` steps. May return before the device has finished."""

    def forget_end(self) -> None:
        """The run goes on from where it rested: what was looked at there, between two samples, is none of one that
        never stopped. Later looks come in their turn."""

    @abstractmethod
    def synchronize(self) -> None:
        """Wait until the device has done all that was asked."""

    @abstractmethod
    def select(self, selection: Selection) -> Any:
        """Place a selection on the device; the handle goes to :meth:`gather`. Cheap to make, made once per view."""

    @abstractmethod
    def gather(self, name: str, handle: Any) -> Array:
        """Values of field ``name`` on a selection, reduced on the device: ``(m,)`` or ``(m, components)`` float32."""

    def gather_later(self, name: str, handle: Any) -> Callable[[], Array]:
        """As :meth:`gather`, of now: see :meth:`Backend.to_host_later`."""
        found = self.gather(name, handle)
        return lambda: found

    @abstractmethod
    def field(self, name: str) -> Array:
        """The whole field on the host in the geometry's numbering, for export."""

    def observe(self) -> Mapping[str, float]:
        """The present value of each of ``series``."""
        return {}

    def observe_later(self) -> Callable[[], Mapping[str, float]]:
        """As :meth:`observe`, of now: see :meth:`Backend.to_host_later`."""
        found = self.observe()
        return lambda: found

    @property
    def finished(self) -> bool:
        """Whether the problem has come to an end of its own (a protocol is through). Cheap; asked once a batch."""
        return False

    @property
    def done(self) -> float | None:
        """Which part of the way to an end of its own it has gone, 0 … 1, at as even a pace as one can know of (decibels
        of those that are wanted); None where nobody knows. Cheap; asked once a batch."""
        return None

    @property
    def ending(self) -> str:
        """Why it has ``finished``, as a sentence for the log; empty where there is nothing to say."""
        return ""

    def noticed(self) -> Sequence[Finding]:
        """What one should know of the answers as they stand (a spectrum that has not settled), warnings and remedies as
        in an estimate. Asked when the run has come to where it was to end."""
        return ()

    def chart(self, name: str) -> ChartData:
        """The points of a chart that is not over time, at this moment."""
        raise KeyError(name)

    @abstractmethod
    def set_control(self, name: str, value: Any) -> None:
        """Change a live parameter (dotted name, ``"tissue.conductivity_scale"``) from the next step on."""

    @abstractmethod
    def state(self) -> dict[str, Array]:
        """All that :meth:`restore` needs to continue bit for bit on the same backend."""

    @abstractmethod
    def restore(self, state: Mapping[str, Array]) -> None: ...

    @abstractmethod
    def drain_timings(self) -> tuple[KernelTiming, ...]:
        """Kernel times since the last call."""

    @abstractmethod
    def non_finite(self) -> NonFinite | None:
        """Look for NaN and Inf on the device."""

    @abstractmethod
    def close(self) -> None:
        """Free the device memory."""


@dataclass
class SimulationInfo:
    """What viewers need to know of a simulation, without touching it from another thread.

    What it shares with :class:`Simulation` and :mod:`engines.api.abilities` bears the same names. ``inspects`` and
    ``measures``: it is :class:`~engines.api.abilities.Inspected`, :class:`~engines.api.abilities.Measured`.
    ``device`` is the name to show; ``device_info`` and ``ceilings`` are None where nothing runs (a drawn preview).
    ``ceiling`` [bytes/s] is what its kernels are held against: the best bandwidth over the bytes that a launch moves.
    """

    geometry: Any
    dt: float
    time_unit: str
    fields: tuple[FieldInfo, ...]
    series: tuple[SeriesInfo, ...]
    traffic: tuple[KernelTraffic, ...]
    front: FrontInfo | None
    brushes: tuple[PaintInfo, ...] = ()
    charts: tuple[ChartInfo, ...] = ()
    marked: MarkerInfo | None = None
    lined: str = ""
    vectors: tuple[VectorInfo, ...] = ()
    displaced: FieldInfo | None = None
    hidden_by: str = ""
    keeps: str = ""
    inspects: bool = False
    measures: bool = False
    device: str = ""
    device_info: DeviceInfo | None = None
    ceilings: Ceilings | None = None
    ceiling: float = 0.0

    @classmethod
    def of(cls, simulation: Simulation, time_unit: str, backend: Backend, ceiling: float) -> SimulationInfo:
        """What there is to know of ``simulation`` as it stands on ``backend``."""
        shared = {each.name: getattr(simulation, each.name) for each in fields(cls) if hasattr(simulation, each.name)}
        return cls(
            **shared,
            time_unit=time_unit,
            inspects=isinstance(simulation, Inspected),
            measures=isinstance(simulation, Measured),
            device=backend.info.name,
            device_info=backend.info,
            ceilings=backend.ceilings(),
            ceiling=ceiling,
        )
