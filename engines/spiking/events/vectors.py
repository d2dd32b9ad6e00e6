"""Events as products take them: one form for bools, values and lists, single vectors and batches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.backend.twins import pick
from engines.spiking.events.kinds import Given

_BOOL, _INT32, _FLOAT32 = np.dtype(bool), np.dtype(np.int32), np.dtype(np.float32)
"""An array's type is compared with a type in 0.03 µs, with a class or a name in 0.2 to 1."""
PITCH = 16
"""Vectors on a device begin at multiples of so many neurons."""


@dataclass(frozen=True)
class EventList:
    """Neurons that fired: what a neuron kernel leaves on the device, so that the host need not know how many there are.

    indices: (capacity,) int32, each neuron at most once;  count: (1,) int32, how many of them hold;
    values: (capacity,) float32, or None: 1 each. Sums of a dense matrix are added in the order of the list.
    """

    indices: Any
    count: Any
    values: Any = None

    @classmethod
    def of(cls, events: Any, backend: Backend, *, graded: bool = False) -> EventList:
        """From ``events: (n,)`` on the host, ascending; with their values if ``graded``."""
        active = np.flatnonzero(events)
        values = None
        if graded:
            values = np.zeros(len(events), np.float32)
            values[: len(active)] = np.asarray(events)[active]
        indices = np.zeros(len(events), np.int32)
        indices[: len(active)] = active
        count = np.array([len(active)], np.int32)
        return cls(*(None if part is None else backend.array(part) for part in (indices, count, values)))


class HostGiven(NamedTuple):
    """Of the CPU: ``active[offsets[b]:offsets[b + 1]]`` int64 and their ``values`` float32; ``table: (batch, n)``."""

    offsets: Array
    active: Array
    values: Array
    size: int
    graded: bool

    @property
    def batch(self) -> int:
        return len(self.offsets) - 1

    @property
    def total(self) -> int:
        return len(self.active)

    @property
    def table(self) -> Array:
        table = np.zeros((self.batch, self.size), np.float32)
        table[np.repeat(np.arange(self.batch), np.diff(self.offsets)), self.active] = self.values
        return table


class DeviceGiven(NamedTuple):
    """Of a GPU; ``array``: (batch, pitch) of the kind, or a list. ``total``: events, if the host knows how many."""

    kind: Given
    array: Any
    batch: int
    pitch: int
    graded: bool
    size: int
    count: Any = None
    values: Any = None
    total: int | None = None


@cache
def _at_least_ones(bits: int) -> Array:
    return np.ones(1 << bits, np.float32)


def _ones(count: int) -> Array:
    """Nobody writes to them: binary events of all calls have the same."""
    return _at_least_ones(count.bit_length())[:count]


def on_host(events: Array) -> HostGiven:
    """From ``events: (batch, n)`` or ``(n,)``, bools or float32."""
    binary = events.dtype == _BOOL
    if events.ndim == 1:
        (active,) = events.nonzero()
        values = _ones(len(active)) if binary else events[active]
        return HostGiven(np.array((0, len(active))), active, values, len(events), not binary)
    of, active = np.nonzero(events)
    offsets = np.searchsorted(of, np.arange(len(events) + 1)).astype(np.int64)
    values = _ones(len(active)) if binary else events[of, active]
    return HostGiven(offsets, active, values, events.shape[1], not binary)


def list_on_host(events: EventList, size: int) -> HostGiven:
    count = int(events.count[0])
    graded = events.values is not None
    values = np.asarray(events.values[:count], np.float32) if graded else _ones(count)
    return HostGiven(np.array([0, count]), np.asarray(events.indices[:count], np.int64), values, size, graded)


def on_device(backend: Any, events: Any) -> DeviceGiven:
    """From ``events: (batch, n)`` or ``(n,)``, bools or float32, on the host or the device.

    Vectors whose length is a whole number of pitches are used where they are; others are copied to rows that begin so.
    """
    size = events.shape[-1]
    graded = events.dtype != _BOOL
    pitch = -(-size // PITCH) * PITCH
    kind = Given.FLOATS if graded else Given.BYTES
    batch = 1 if events.ndim == 1 else len(events)
    if isinstance(events, np.ndarray):
        padded = np.zeros((batch, pitch), np.float32 if graded else np.uint8)
        padded[:, :size] = events
        return DeviceGiven(kind, backend.array(padded), batch, pitch, graded, size, total=int(np.count_nonzero(events)))
    if pitch == size and events.flags.c_contiguous:
        return DeviceGiven(kind, events, batch, pitch, graded, size)
    array = backend.empty((batch, pitch), np.float32 if graded else np.uint8)
    with backend.active():
        array[:, size:] = 0
        array[:, :size] = events
    return DeviceGiven(kind, array, batch, pitch, graded, size)


def on(backend: Backend, events: Any) -> Any:
    """``events: (batch, n)`` or ``(n,)`` as products on this device take them."""
    return on_host(events) if pick(backend, cpu=True, cuda=False) else on_device(backend, events)


def list_on_device(events: EventList, size: int) -> DeviceGiven:
    return DeviceGiven(
        Given.LIST, events.indices, 1, PITCH, events.values is not None, size, events.count, events.values
    )


def list_on(backend: Backend, events: EventList, size: int) -> Any:
    """A list of so many neurons as products on this device take it."""
    return pick(backend, cpu=list_on_host, cuda=list_on_device)(events, size)


def checked_list(events: EventList) -> None:
    """Raises ProblemError for types that kernels would read wrongly."""
    for name, array, kind in (("indices", events.indices, _INT32), ("count", events.count, _INT32),
                              ("values", events.values, _FLOAT32)):  # fmt: skip
        if array is not None and array.dtype != kind:
            raise ProblemError(f"An event list's {name} are {kind}, not {array.dtype}.")
