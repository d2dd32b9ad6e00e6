"""The parts of a problem as one simulation, for whoever runs it on rank 0: each call is an order to all ranks."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from engines.api import Array, Dab, Finding, KernelTiming, NonFinite, Selection, Simulation
from engines.api.abilities import Marked, Underneath, Unpainting
from engines.api.charts import ChartData
from engines.api.device import Backend
from engines.api.simulation.ranks import Part, Share
from engines.backend.fields.selection import Checked
from engines.ranks.following import asked
from engines.ranks.world import World

OF_OWN = (
    "brushes", "vectors", "displaced", "hidden_by", "lined", "keeps", "kept", "populations", "spike_trains",
    "of_changes",
)  # fmt: skip
"""What rank 0 knows of the whole by itself."""
OF_WHOLE = (
    "results", "result_axes", "files", "inspect", "cell_quantities", "cell_steps", "cell_series", "drawn_parameters",
    "cell_results",
)  # fmt: skip
"""Abilities of what is seen of the whole."""
Elements = tuple[tuple[int, int], ...] | Array
Ownership = tuple[Elements, Mapping[str, Share]]
"""Elements and shares of a :class:`Part`."""


class LedSimulation(Simulation):
    """As one rank would have it: fields, states and places are those of the whole.

    Orders are carried out by all ranks in the same order, so that what they exchange meets. Rates and timings are those
    of rank 0, beside the bandwidth of its device.
    """

    def __init__(self, world: World, part: Part, backend: Backend, others: Sequence[Ownership]) -> None:
        """``others``: what the other ranks have answered to the order to build."""
        self._world, self._part, self._own, self._backend = world, part, part.simulation, backend
        self._places = _places([part.elements, *(elements for elements, _ in others)])
        self._shares = [part.shares, *(shares for _, shares in others)]
        self.geometry = part.geometry
        own = self._own
        self.dt, self.fields, self.series, self.charts = own.dt, own.fields, own.series, own.charts
        self.front, self.sample_steps, self.whole_batch = own.front, own.sample_steps, own.whole_batch
        self._handles = itertools.count()
        self._dropped: list[int] = []
        self._moment = -1  # the step whose state ``whole`` has
        # an ability is what a simulation has the members of
        for name in OF_OWN:
            if hasattr(own, name):
                setattr(self, name, getattr(own, name))
        for name in OF_WHOLE:
            if hasattr(part.whole, name):
                member = getattr(part.whole, name)
                setattr(self, name, partial(self._asked_of_whole, name) if callable(member) else member)
        if hasattr(own, "markers"):
            marked = cast(Marked, own)
            self.marked, self.markers = marked.marked, lambda: self._all("markers")[0]
        for name in part.answered:
            setattr(self, name, partial(self._answered, name))
        for name, answer in part.asked.items():
            setattr(self, name, partial(answer, self))
        if not hasattr(own, "underneath"):
            self.underneath = None  # type: ignore[method-assign, assignment]

    @property
    def step(self) -> int:  # type: ignore[override]  # of rank 0's part
        return self._own.step

    @property
    def traffic(self) -> Any:  # type: ignore[override]
        return self._own.traffic

    def advance(self, steps: int) -> None:
        self._world.order("advance", steps)
        with self._with_others():
            self._own.advance(steps)

    def forget_end(self) -> None:
        self._all("forget_end")

    def synchronize(self) -> None:
        self._all("synchronize")

    @property
    def finished(self) -> bool:
        return all(self._all("finished"))

    @property
    def done(self) -> float | None:
        return self._own.done

    @property
    def ending(self) -> str:
        whole = self._part.whole
        if not hasattr(whole, "ending"):
            return self._own.ending
        return str(self._seen().ending) if self.finished and self._seen().finished else ""

    def noticed(self) -> Sequence[Finding]:
        found = dict.fromkeys(finding for found in self._all("noticed") for finding in found)
        if self._part.whole is not None:
            found |= dict.fromkeys(self._seen().noticed())
        return tuple(found)

    def chart(self, name: str) -> ChartData:
        if self._part.whole is None:
            raise KeyError(name)
        chart: ChartData = self._seen().chart(name)
        return chart

    def observe(self) -> Mapping[str, float]:
        if self._part.combined is None:
            observed: Mapping[str, float] = self._seen().observe()
            return observed
        found = self._all("observe")
        totals: dict[str, float] = {}
        for name in found[0]:
            values = [one[name] for one in found]
            how = self._part.combined[name]
            if how == "same":
                totals[name] = values[0]
            else:
                totals[name] = sum(values) if how == "sum" else max(values, key=lambda value: (value != value, value))
        return totals

    def _seen(self) -> Any:
        """What is seen of the whole, as it is now."""
        part = self._part
        if self._moment != self.step:
            shared = sorted(name for name in part.seen if name in part.shares)
            self._world.order("state", shared)
            with self._with_others():
                state = dict(part.state_of(part.seen))
                state |= self._whole_arrays(state, shared)
            part.whole.restore(state)
            self._moment = self.step
        return part.whole

    def _asked_of_whole(self, name: str, *given: Any) -> Any:
        return getattr(self._seen(), name)(*given)

    def _answered(self, name: str, *given: Any) -> Any:
        """By the rank that can."""
        return next((found for found in self._all(name, *given) if found is not None), None)

    # Whole fields and selections.

    def field(self, name: str) -> Array:
        if name in self._part.fields:
            values: Array = self._seen().field(name)
            return values
        sites = self._part.sites
        values = self._of_parts(name)
        if sites is None:
            return values
        chosen = sites.selection(Selection(np.arange(self.geometry.n_cells, dtype=np.int32)))
        return _means(values[chosen.elements], np.asarray(chosen.offsets), self._missing(name))

    def _of_parts(self, name: str) -> Array:
        """The whole field of what the parts have."""
        self._world.order("field", name)
        with self._with_others():
            own = self._own.field(name)
            whole = np.empty((self._places.count, *own.shape[1:]), own.dtype)
            for rank in range(self._world.size):
                values = own
                if rank:
                    values = np.empty((self._places.counts[rank], *own.shape[1:]), own.dtype)
                    self._world.receive_array(rank, values)
                self._places.put(rank, values, whole)
        return whole

    def on_device(self, name: str) -> Any:
        return self._backend.array(self.field(name))

    def select(self, selection: Selection) -> _Handle:
        if self._dropped:
            self._world.order("forget", [self._dropped.pop() for _ in range(len(self._dropped))])
        if self._part.sites is not None:
            selection = self._part.sites.selection(selection)
        elements = np.asarray(selection.elements)
        owners, numbers = self._places.of(elements)
        number = next(self._handles)
        places = [np.flatnonzero(owners == rank) for rank in range(self._world.size)]
        self._world.order("select", number, each=lambda rank: (numbers[places[rank]],))
        own = self._own.select(Selection(numbers[places[0]].astype(np.int32)))
        handle = _Handle(number, own, places, selection)
        weakref.finalize(handle, self._dropped.append, number)
        return handle

    def gather(self, name: str, handle: _Handle) -> Array:
        if name in self._part.fields:
            whole = self._seen()
            if handle.of_whole is None:
                handle.of_whole = whole.select(handle.selection)
            found: Array = whole.gather(name, handle.of_whole)
            return found
        self._world.order("gather", name, handle.number)
        parts = self._finished(lambda: self._own.gather(name, handle.own))
        values = np.empty((len(handle.selection.elements), *parts[0].shape[1:]), np.float32)
        for places, part in zip(handle.places, parts, strict=True):
            values[places] = part
        offsets = handle.selection.offsets
        if offsets is None:
            return values
        return _means(values, np.asarray(offsets), self._missing(name))

    def _missing(self, name: str) -> float | None:
        return next((info.missing for info in self.fields if info.name == name), None)

    # What changes it.

    def set_control(self, name: str, value: Any) -> None:
        self._moment = -1
        self._all("set_control", name, value)

    def paint(self, dab: Dab) -> str | None:
        self._moment = -1
        said: str | None = self._all("paint", dab)[0]
        return said

    def underneath(self, dab: Dab, first: bool) -> Underneath | None:
        found = self._all("underneath", dab, first)
        if found[0] is None:
            return None
        nbytes = sum(one.nbytes for one in found)
        return Underneath(dab.brush, None, found, nbytes, all(one.lasts for one in found))

    def put_back(self, under: Underneath) -> None:
        self._moment = -1
        self._world.order("put_back", each=lambda rank: (under.values[rank],))
        self._finished(lambda: cast(Unpainting, self._own).put_back(under.values[0]))

    def state(self) -> dict[str, Array]:
        names = sorted(self._part.shares)
        self._world.order("state", names)
        with self._with_others():
            state = dict(self._own.state())
            return state | self._whole_arrays(state, names)

    def _whole_arrays(self, own: Mapping[str, Array], names: Sequence[str]) -> dict[str, Array]:
        """Those that are shared out, from all ranks, which have been ordered to send them in this order."""
        return {name: self._part.shares[name].joined(self._given(name, own[name])) for name in names}

    def _given(self, name: str, own: Array) -> Iterator[tuple[Array | range, Array]]:
        """What each rank gives to an array, and where that stands, as it comes."""
        share = self._part.shares[name]
        given = np.asarray(share.given(np.asarray(own)))
        yield share.to, given
        shape = list(given.shape)
        for rank in range(1, self._world.size):
            to = self._shares[rank][name].to
            shape[share.axis] = len(to)
            values = np.empty(shape, given.dtype)
            self._world.receive_array(rank, values)
            yield to, values

    def restore(self, state: Mapping[str, Array]) -> None:
        for name, share in self._part.shares.items():
            if name not in state or state[name].ndim <= share.axis or state[name].shape[share.axis] != share.length:
                shape = state[name].shape if name in state else "none"
                raise ValueError(f"'{name}' has the shape {shape}, and {share.length:,} rows are needed")

        self._moment = -1
        names = sorted(self._part.shares)
        same = {name: values for name, values in state.items() if name not in names}
        kinds = {name: (state[name].shape, state[name].dtype) for name in names}
        self._world.order("restore", same, kinds)
        with self._with_others():
            for rank in range(1, self._world.size):
                for name in names:
                    self._world.send_array(rank, self._shares[rank][name].taken(state[name]))
        own = {name: self._part.shares[name].taken(state[name]) for name in names}
        self._finished(lambda: self._own.restore(same | own))

    # How it stands.

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return self._own.drain_timings()

    def non_finite(self) -> NonFinite | None:
        for rank, found in enumerate(self._all("non_finite")):
            if found is not None:
                return self._of_whole(rank, found)
        return None

    @property
    def beyond(self) -> NonFinite | None:  # type: ignore[override]
        found = enumerate(self._all("beyond"))
        return next((self._of_whole(rank, one) for rank, one in found if one is not None), None)

    def _of_whole(self, rank: int, found: NonFinite) -> NonFinite:
        element, sites = self._places.whole_of(rank, int(found.element)), self._part.sites
        return replace(found, element=sites.a_cell_at(element) if sites else element)

    def close(self) -> None:
        self._own.close()

    def _all(self, name: str, *given: Any) -> list[Any]:
        """What each rank answers, in their order."""
        self._world.order(name, *given)
        return self._finished(lambda: asked(self._own, name, given))

    def _finished(self, call: Callable[[], Any]) -> list[Any]:
        """The own answer, and the others', who are heard also where rank 0 refuses."""
        try:
            own = call()
        except BaseException:
            with suppress(Exception):  # all refuse what one refuses
                self._world.answers(failed=True)
            raise
        return [own, *self._world.answers()]

    @contextmanager
    def _with_others(self) -> Iterator[None]:
        """What they cannot go on without: where it fails here, they are not waited for."""
        try:
            yield
        except BaseException:
            self._world.broken = True
            raise


def _places(of_ranks: Sequence[Elements]) -> _Places | _Scattered:
    if all(isinstance(elements, np.ndarray) for elements in of_ranks):
        return _Scattered(cast(Sequence[Array], of_ranks))
    return _Places(cast(Sequence[tuple[tuple[int, int], ...]], of_ranks))


class _Scattered:
    """As :class:`_Places`, of elements that each rank names one by one."""

    def __init__(self, elements: Sequence[Array]) -> None:
        self._elements = elements
        self.counts = [len(of_rank) for of_rank in elements]
        self.count = sum(self.counts)
        self._owners, self._numbers = (np.empty(self.count, kind) for kind in (np.int16, np.int32))
        for rank, of_rank in enumerate(elements):
            self._owners[of_rank], self._numbers[of_rank] = rank, np.arange(len(of_rank))

    def of(self, elements: Array) -> tuple[Array, Array]:
        return self._owners[elements], self._numbers[elements]

    def whole_of(self, rank: int, element: int) -> int:
        return int(self._elements[rank][element])

    def put(self, rank: int, values: Array, whole: Array) -> None:
        whole[self._elements[rank]] = values


class _Places:
    """Which of the whole's elements each rank has; ``count`` in all, ``counts`` of each."""

    def __init__(self, ranges: Sequence[Sequence[tuple[int, int]]]) -> None:
        self._ranges = ranges
        self.counts = [sum(high - low for low, high in of_rank) for of_rank in ranges]
        self.count = sum(self.counts)
        rows = sorted(
            (low, rank, first)
            for rank, of_rank in enumerate(ranges)
            for (low, _), first in zip(of_rank, np.cumsum([0, *(high - low for low, high in of_rank)]), strict=False)
        )
        self._lows, self._owners, self._firsts = np.array(rows, np.int64).T

    def of(self, elements: Array) -> tuple[Array, Array]:
        """(rank, number there) of elements of the whole."""
        at = np.searchsorted(self._lows, elements, side="right") - 1
        return self._owners[at], elements - self._lows[at] + self._firsts[at]

    def whole_of(self, rank: int, element: int) -> int:
        """The number in the whole of an element of a rank."""
        for low, high in self._ranges[rank]:
            if element < high - low:
                return low + element
            element -= high - low
        raise IndexError(element)

    def put(self, rank: int, values: Array, whole: Array) -> None:
        """A rank's values to their places."""
        first = 0
        for low, high in self._ranges[rank]:
            whole[low:high] = values[first : first + high - low]
            first += high - low


class _Handle:
    """A selection on all ranks; ``places`` says where in it the values of each rank belong."""

    def __init__(self, number: int, own: Any, places: list[Array], selection: Selection) -> None:
        self.number, self.own, self.places, self.selection = number, own, places, selection
        self.of_whole: Any = None

    def __len__(self) -> int:
        return len(self.selection)


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
