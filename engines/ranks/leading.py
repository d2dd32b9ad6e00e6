"""The parts of a problem as one simulation, for whoever runs it on rank 0: each call is an order to all ranks."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from engines.api import Array, Dab, Finding, KernelTiming, NonFinite, PaintInfo, Selection, Simulation
from engines.api.abilities import Underneath, Unpainting
from engines.api.charts import ChartData
from engines.api.device import Backend
from engines.api.simulation.ranks import Part
from engines.backend.fields.selection import Checked
from engines.ranks.world import World


class LedSimulation(Simulation):
    """As one rank would have it: fields, states and places are those of the whole.

    Orders are carried out by all ranks in the same order, so that what they exchange meets. Rates and timings are those
    of rank 0, beside the bandwidth of its device.
    """

    def __init__(self, world: World, part: Part, backend: Backend) -> None:
        self._world, self._part, self._own, self._backend = world, part, part.simulation, backend
        self._ends = np.array(part.rows) * part.row_length
        self.geometry = part.geometry
        own = self._own
        self.dt, self.fields, self.series, self.charts = own.dt, own.fields, own.series, own.charts
        self.front, self.sample_steps, self.whole_batch = own.front, own.sample_steps, own.whole_batch
        self._handles = itertools.count()
        self._dropped: list[int] = []
        if hasattr(own, "brushes"):
            self.brushes: tuple[PaintInfo, ...] = own.brushes
        if not hasattr(own, "underneath"):  # an ability is what a simulation has the methods of
            self.underneath = None  # type: ignore[method-assign, assignment]

    @property
    def step(self) -> int:  # type: ignore[override]  # of rank 0's part
        return self._own.step

    @property
    def traffic(self) -> Any:  # type: ignore[override]
        return self._own.traffic

    def advance(self, steps: int) -> None:
        self._world.order("advance", steps)
        self._own.advance(steps)

    def synchronize(self) -> None:
        self._all("synchronize")

    @property
    def finished(self) -> bool:
        return self._own.finished

    @property
    def done(self) -> float | None:
        return self._own.done

    @property
    def ending(self) -> str:
        return self._own.ending

    def noticed(self) -> Sequence[Finding]:
        return tuple(dict.fromkeys(finding for found in self._all("noticed") for finding in found))

    def chart(self, name: str) -> ChartData:
        raise KeyError(name)  # of parts: an engine that has charts says how they are joined

    def observe(self) -> Mapping[str, float]:
        found = self._all("observe")
        totals: dict[str, float] = {}
        for name in found[0]:
            values = [one[name] for one in found]
            how = self._part.combined[name]
            totals[name] = sum(values) if how == "sum" else max(values, key=lambda value: (value != value, value))
        return totals

    # Whole fields and selections.

    def field(self, name: str) -> Array:
        self._world.order("field", name)
        return self._joined(self._own.field(name), 0, self._ends)

    def on_device(self, name: str) -> Any:
        return self._backend.array(self.field(name))

    def select(self, selection: Selection) -> _Handle:
        if self._dropped:
            self._world.order("forget", [self._dropped.pop() for _ in range(len(self._dropped))])
        elements = np.asarray(selection.elements)
        owners = np.searchsorted(self._ends, elements, side="right") - 1
        number = next(self._handles)
        places = [np.flatnonzero(owners == rank) for rank in range(self._world.size)]
        theirs = {rank: (elements[places[rank]] - self._ends[rank],) for rank in range(1, self._world.size)}
        self._world.order("select", number, each=theirs)
        own = self._own.select(Selection((elements[places[0]] - self._ends[0]).astype(np.int32)))
        handle = _Handle(number, own, places, selection)
        weakref.finalize(handle, self._dropped.append, number)
        return handle

    def gather(self, name: str, handle: _Handle) -> Array:
        self._world.order("gather", name, handle.number)
        parts = [self._own.gather(name, handle.own), *self._world.answers()]
        values = np.empty((len(handle.selection.elements), *parts[0].shape[1:]), np.float32)
        for places, part in zip(handle.places, parts, strict=True):
            values[places] = part
        offsets = handle.selection.offsets
        if offsets is None:
            return values
        missing = next((info.missing for info in self.fields if info.name == name), None)
        return _means(values, np.asarray(offsets), missing)

    # What changes it.

    def set_control(self, name: str, value: Any) -> None:
        self._all("set_control", name, value)

    def paint(self, dab: Dab) -> str | None:
        said: str | None = self._all("paint", dab)[0]
        return said

    def underneath(self, dab: Dab, first: bool) -> Underneath | None:
        found = self._all("underneath", dab, first)
        if found[0] is None:
            return None
        nbytes = sum(one.nbytes for one in found)
        return Underneath(dab.brush, None, found, nbytes, all(one.lasts for one in found))

    def put_back(self, under: Underneath) -> None:
        self._world.order("put_back", each={rank: (under.values[rank],) for rank in range(1, self._world.size)})
        self._finished(lambda: cast(Unpainting, self._own).put_back(under.values[0]))

    def state(self) -> dict[str, Array]:
        self._world.order("state", dict(self._part.split))
        state = dict(self._own.state())
        for name in sorted(self._part.split):
            axis, rows = self._part.split[name], np.array(self._part.rows)
            state[name] = self._joined(state[name], axis, rows)
        return state

    def restore(self, state: Mapping[str, Array]) -> None:
        rows, split = self._part.rows, self._part.split
        for name, axis in split.items():
            if state[name].ndim <= axis or state[name].shape[axis] != rows[-1]:
                raise ValueError(f"'{name}' has the shape {state[name].shape}, and {rows[-1]:,} rows are needed")

        def of(rank: int) -> dict[str, Array]:
            return {
                name: _rows(values, split[name], rows[rank], rows[rank + 1]) if name in split else values
                for name, values in state.items()
            }

        self._world.order("restore", each={rank: (of(rank),) for rank in range(1, self._world.size)})
        self._finished(lambda: self._own.restore(of(0)))

    # How it stands.

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return self._own.drain_timings()

    def non_finite(self) -> NonFinite | None:
        for rank, found in enumerate(self._all("non_finite")):
            if found is not None:
                return NonFinite(found.field, int(found.element + self._ends[rank]), found.advice)
        return None

    def close(self) -> None:
        self._own.close()

    def _all(self, name: str, *given: Any) -> list[Any]:
        """What each rank answers, in their order."""
        self._world.order(name, *given)
        return self._finished(lambda: getattr(self._own, name)(*given))

    def _finished(self, call: Callable[[], Any]) -> list[Any]:
        """The own answer, and the others', who are heard also where rank 0 refuses."""
        try:
            own = call()
        except BaseException:
            self._hear()
            raise
        return [own, *self._world.answers()]

    def _hear(self) -> None:
        try:
            self._world.answers()
        except Exception:  # all refuse what one refuses
            return

    def _joined(self, own: Array, axis: int, ends: Array) -> Array:
        """The whole of an array that is shared out along ``axis``, from all ranks."""
        shape = list(own.shape)
        shape[axis] = int(ends[-1])
        whole = np.empty(shape, own.dtype)
        _rows(whole, axis, ends[0], ends[1])[...] = own
        for rank in range(1, self._world.size):
            place = _rows(whole, axis, ends[rank], ends[rank + 1])
            part = place if place.flags.c_contiguous else np.empty(place.shape, place.dtype)
            self._world.receive_array(rank, part)
            if part is not place:
                place[...] = part
        return whole


class _Handle:
    """A selection on all ranks; ``places`` says where in it the values of each rank belong."""

    def __init__(self, number: int, own: Any, places: list[Array], selection: Selection) -> None:
        self.number, self.own, self.places, self.selection = number, own, places, selection

    def __len__(self) -> int:
        return len(self.selection)


def _rows(values: Array, axis: int, low: int, high: int) -> Array:
    return values[(*(slice(None),) * axis, slice(int(low), int(high)))]


def _means(values: Array, offsets: Array, missing: float | None) -> Array:
    """Over each run, as one device finds them (:meth:`engines.api.device.Backend.gather`)."""
    from engines.backend.fields import cpu_kernels
    from engines.backend.fields.selection import exact_missing
    from engines.backend.threads import parallel_region

    table = values[:, None] if values.ndim == 1 else values
    out = np.empty((len(offsets) - 1, table.shape[1]), np.float32)
    checked = Checked(np.arange(len(table), dtype=np.int32), offsets.astype(np.int32), len(table) - 1)
    has_missing, stand_in = exact_missing(missing, table.dtype)
    with parallel_region():
        cpu_kernels.gather_means(table, checked.elements, checked.offsets, has_missing, stand_in, out)
    return out[:, 0] if values.ndim == 1 else out
