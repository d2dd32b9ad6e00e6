"""One problem on several processes: what an engine is told of them, and what it says of its part."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from engines.api.simulation.base import Simulation
from engines.api.values import Array, Selection


class Ranks(ABC):
    """The processes that share a problem, one GPU each or a share of the cores: this one is ``rank`` of ``size``.

    What engines send each other goes through :meth:`exchange`; everything else (who asks, who answers, who writes) is
    not their business.
    """

    rank: int
    size: int

    @abstractmethod
    def exchange(self, outgoing: Sequence[tuple[int, int, Any]], incoming: Sequence[tuple[int, int, Any]]) -> Exchange:
        """Begin to send and to receive device arrays: (the other rank, a tag, the array) of each, C order.

        A tag tells messages between the same two ranks apart, and all ranks give theirs in the order of tags. What is
        sent may not change, nor may what is received be read, before the exchange is waited for. On the host what comes
        may be shorter than the array that it is received into."""

    @abstractmethod
    def gathered(self, values: Array) -> list[Array]:
        """What each rank gives, arrays on the host, in their order. All ask together."""

    def largest(self, value: int) -> int:
        """Of what the ranks say. All ask together."""
        return max(int(one) for one in self.gathered(np.array(value)))


class Exchange(ABC):
    """Messages on their way, while kernels run."""

    @abstractmethod
    def wait(self) -> None:
        """Go on once they have arrived: on a GPU what is launched from now on waits, not this thread."""


@dataclass(frozen=True)
class Share:
    """What a rank has of an array of :meth:`Simulation.state`, along one axis of ``length`` entries in all.

    places: (n,) where each of its entries stands among all of them; −1: nowhere, it is zero
    own:    (m,) which of its entries it gives to the whole; the others are another rank's. None: all
    copies: whether what it does not give is as the whole has it; else it is zero, and ``own`` is a range

    Entries in a row are a ``range``, which takes no memory and little to send.
    """

    axis: int
    length: int
    places: Array | range
    own: Array | range | None = None
    copies: bool = True

    def given(self, values: Array) -> Array:
        """Of this rank's array what it gives to the whole."""
        return values if self.own is None else values[along(self.axis, self.own)]

    @property
    def to(self) -> Array | range:
        """Where in the whole :meth:`given` stands."""
        if self.own is None:
            return self.places
        if isinstance(self.own, range):
            return self.places[self.own.start : self.own.stop]
        return np.asarray(self.places)[self.own]

    def joined(self, parts: Iterable[tuple[Array | range, Array]]) -> Array:
        """The whole array of what ranks give, each with where it stands."""
        whole: Array | None = None
        for to, given in parts:
            if whole is None:
                whole = np.zeros((*given.shape[: self.axis], self.length, *given.shape[self.axis + 1 :]), given.dtype)
            whole[along(self.axis, to)] = given
        assert whole is not None
        return whole

    def taken(self, whole: Array) -> Array:
        """This rank's array of the whole one."""
        values = np.array(whole[along(self.axis, self.places)], order="C")
        if not isinstance(self.places, range) and len(nowhere := np.flatnonzero(self.places < 0)):
            values[along(self.axis, nowhere)] = 0
        if not self.copies and isinstance(self.own, range):
            values[along(self.axis, range(self.own.start))] = 0
            values[along(self.axis, range(self.own.stop, len(self.places)))] = 0
        return values


def along(axis: int, places: Array | range) -> Any:
    """An index to ``places`` of an axis; a slice where they follow each other, which copies nothing."""
    there: Any = places
    if isinstance(places, range):
        there = slice(places.start, places.stop)
    elif len(places) and places[0] >= 0 and (np.diff(places) == 1).all():
        there = slice(int(places[0]), int(places[-1]) + 1)
    return (*(slice(None),) * axis, there)


class Sites(Protocol):
    """What carries values in place of the geometry's elements, which are means of some of them: vertices."""

    def selection(self, elements: Selection) -> Selection:
        """The sites of a selection of elements."""

    def a_cell_at(self, site: int) -> int:
        """An element that a site belongs to."""


@dataclass(frozen=True)
class Part:
    """What a rank has of a problem, and how parts make the whole.

    simulation: of this rank's own elements, which are numbered from 0
    geometry:   the whole
    elements:   which ranges of the whole's elements those are, in the order of their numbers; or each, (n,)
    shares:     which arrays of :meth:`Simulation.state` are shared out, and how; the others are the same on all ranks
    combined:   how each of ``Simulation.series`` is made of those of the ranks; None: ``whole`` observes
    given:      those arrays of the state alone that are named, where making all of it costs more
    whole:      on rank 0, what is seen of the whole: it is given ``seen`` of the state (:meth:`Simulation.restore`)
                before it is asked for charts, results, findings, ``fields`` and what else it has of the abilities of a
                simulation. None: no more is to be seen than the parts say
    fields:     those that ``whole`` is asked for; the parts have the others
    sites:      where elements of the parts are not those of the geometry, which selections name
    answered:   members that all ranks are asked for together, of which the first answer counts that is not None, as of
                the one that has an element, by its number in the whole
    asked:      by their names, what answers on rank 0 for members of a simulation (``measure``, ``lines``, ``chart``
                …): it is given all ranks as one simulation, and what these are given
    """

    simulation: Simulation
    geometry: Any
    elements: tuple[tuple[int, int], ...] | Array
    shares: Mapping[str, Share]
    combined: Mapping[str, Literal["sum", "largest", "same"]] | None = field(default_factory=dict)
    given: Callable[[Sequence[str]], Mapping[str, Array]] | None = None
    whole: Any = None
    seen: tuple[str, ...] = ()
    fields: frozenset[str] = frozenset()
    sites: Sites | None = None
    answered: tuple[str, ...] = ()
    asked: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    def state_of(self, names: Sequence[str]) -> Mapping[str, Array]:
        """These arrays of the state."""
        return self.simulation.state() if self.given is None else self.given(names)
