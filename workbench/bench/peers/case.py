"""A problem that a peer and we are given alike, and what each of the two makes of it.

A module of :mod:`workbench.bench.peers.cases` has a ``CASE`` and two functions that make a :class:`Side` of a size's
values: ``ours(values, place)`` and ``theirs(values, place)``. Nothing of a peer is imported but in ``theirs``, which
is called in a process of its own: peers leave threads, compilers and memory of the device behind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

import numpy as np

from engines.api import Array, Problem, Simulation
from engines.api.device import Backend
from engines.api.engine import Engine
from engines.backend import open_backend

Answer = Mapping[str, Array]
Kind = Literal["cpu", "cuda"]


@dataclass(frozen=True)
class Place:
    """Where a side computes: the device (``"cpu"``, or the one GPU that the process sees), and its threads."""

    kind: Kind
    threads: int

    def open(self) -> Backend:
        """Ours."""
        return open_backend("cuda:0" if self.kind == "cuda" else "cpu")


@dataclass(frozen=True)
class Size:
    """One size of a problem. ``values`` go to both sides; a run has ``steps`` steps and ``work`` of the case's unit."""

    name: str
    values: Mapping[str, Any]
    steps: int
    work: float


def peer(name: str) -> Any:
    """A module of a peer, which no requirement of ours declares: it is looked for before it is imported."""
    return import_module(name)


def largest_difference(ours: Answer, theirs: Answer) -> float:
    """Of all values, over the largest of theirs of the same name; infinite where a shape or a number is none."""
    worst = 0.0
    for name, expected in theirs.items():
        found = ours[name]
        if found.shape != expected.shape or not (np.isfinite(found).all() and np.isfinite(expected).all()):
            return float("inf")
        scale = float(np.abs(expected).max()) or 1.0
        worst = max(worst, float(np.abs(found.astype(np.float64) - expected).max()) / scale)
    return worst


@dataclass(frozen=True)
class PeerCase:
    """``work`` of a size in a second is a rate of ``unit``.

    module:    what is imported of the peer, and by what its absence is known
    install:   the command that brings it
    versions:  distributions whose versions stand in the record, the peer's own first
    sizes:     for each device ours, the first is that of ``--quick``
    devices:   that the peer computes on; beside ours on another it has the CPU
    measured:  what is compared, for :attr:`differ`, and why it may differ by ``tolerance``
    """

    id: str
    title: str
    peer: str
    module: str
    install: str
    versions: tuple[str, ...]
    unit: str
    precision: str
    sizes: Mapping[Kind, Sequence[Size]]
    tolerance: float
    measured: str
    devices: tuple[Kind, ...] = ("cpu",)
    differ: Callable[[Answer, Answer], float] = largest_difference


class Side(ABC):
    """A problem that one of the two has made ready: compiled, and its data on the device.

    note: how it is run there, for people (a solver, a target); threads: that it computes on
    """

    note: str = ""
    threads: int = 1

    def reset(self) -> None:
        """Back to where the problem begins. Not timed."""

    @abstractmethod
    def run(self) -> float | None:
        """All steps, until the device has done them. Timed, unless it gives back seconds that it took."""

    @abstractmethod
    def answer(self) -> Answer:
        """Of the last run."""

    def close(self) -> None:
        """Take away what it has left on disk."""


class OurSide(Side):
    """A problem of one of our engines, what of the simulation is the answer, and arrays of its state that begin
    otherwise than it does by itself."""

    def __init__(
        self, engine: Engine, problem: Problem, place: Place, steps: int, answer: Callable[[Simulation], Answer],
        begin: Answer | None = None,
    ) -> None:  # fmt: skip
        self._backend = place.open()
        self.threads = place.threads
        self._steps, self._answer = steps, answer
        self.simulation = engine.build(problem, self._backend)
        state = self.simulation.state()
        given = {
            name: values.astype(state[name].dtype).reshape(state[name].shape) for name, values in (begin or {}).items()
        }
        self._begin = state | given

    def reset(self) -> None:
        self.simulation.restore(self._begin)
        self.simulation.synchronize()

    def run(self) -> None:
        self.simulation.advance(self._steps)
        self.simulation.synchronize()

    def answer(self) -> Answer:
        return self._answer(self.simulation)
