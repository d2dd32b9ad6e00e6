"""Bodies of a batch on a GPU at once, each followed through time, or through states of rest."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from engines.api import Array, Progress
from engines.peridynamics.lattice.small.bodies import CudaBodies
from engines.peridynamics.lattice.solver import Discretised
from engines.peridynamics.loading.loads import ACCELERATION, HELD, Loads
from engines.peridynamics.loading.relaxation import LOOK, Rest, judged
from engines.peridynamics.parameters.loading.relaxation import Relaxation as Settings
from engines.peridynamics.setup.bonds import BondSetup
from engines.peridynamics.step.members import ALL
from engines.peridynamics.step.solver import decay_of, paces_of
from engines.peridynamics.watch.curve import LoadDisplacement
from engines.peridynamics.watch.gauges import Gauges

ROWS_AT_ONCE = 2048
"""Steps of each body whose loads are worked out and moved to the device together."""


class Together:
    """``setups`` whose bodies are :func:`alike`, and have a curve of load and displacement."""

    def __init__(self, setups: Sequence[BondSetup], bodies: Sequence[Discretised]) -> None:
        self.setups = setups
        self.backend = setups[0].backend
        self.solver = CudaBodies(self.backend, bodies, setups[0].precision)
        self.curves: list[LoadDisplacement] = []
        self._gauges = []
        for setup, body in zip(setups, bodies, strict=True):
            assert setup.curve is not None
            self.curves.append(setup.curve)
            alone: Any = SimpleNamespace(body=body, backend=self.backend, mass=1.0, volume=1.0, own=ALL)
            self._gauges.append(Gauges(alone, setup.loads, setup.gauges))
        self._wanted = [(*what, self.backend.array(places)) for *what, places in self._gauges[0].sums]

    def sums(self) -> Any:
        """(bodies, sums) on the device, of the moment that was measured last."""
        with self.backend.active():
            return self.solver.sums(self._wanted)

    def see(self, number: int, sums: Array, now: Array, before: Array, time: float) -> Mapping[str, float]:
        """Put body ``number`` on its curve, with its row of :meth:`sums`."""
        wanted, stiffness = self._gauges[number].sums, float(self.solver.stiffness[number])
        whole = [value * (stiffness if each[0] else 1.0) for value, each in zip(sums.tolist(), wanted, strict=False)]
        read = self._gauges[number].told(whole, now, before, time)
        self.curves[number].seen(read)
        return read


def through_time(bodies: Together, bounds: Array, progress: Progress) -> None:
    """``bounds: (bodies, samples + 1)`` the step of each body at each sample, from 0 on."""
    solver, setups = bodies.solver, bodies.setups
    samples = bounds.shape[1] - 1
    longest = int(np.diff(bounds, axis=1).max())
    at_once = max(1, ROWS_AT_ONCE // longest)
    for first in range(0, samples, at_once):
        last = min(first + at_once, samples)
        start, end = bounds[:, first], bounds[:, last]
        tables, paces = _tables(setups, start, end)
        given, read = solver.table(tables[:, :-1], paces), []
        for sample in range(first, last):
            progress(f"{len(setups)} bodies at once", sample / samples)
            begin, until = bounds[:, sample], bounds[:, sample + 1]
            orders = np.stack([begin - start, until - begin, np.ones_like(begin)], axis=1)
            with solver.backend.timed("bonds", launches=1):
                solver.take(given, orders)
            with solver.backend.active():
                solver.measure()
            read.append(bodies.sums())
        for sample, sums in zip(range(first, last), read, strict=True):
            seen = solver.backend.to_host(sums)
            for number, setup in enumerate(setups):
                step = int(bounds[number, sample + 1])
                row = step - int(start[number])
                bodies.see(number, seen[number], tables[number, row], tables[number, row - 1], step * setup.step)


def _tables(setups: Sequence[BondSetup], start: Array, end: Array) -> tuple[Array, Array]:
    """(bodies, rows + 1, kinds, 4, d) loads of the steps from ``start`` to ``end: (bodies,)``, and one more, by which
    what is held is accelerated next; (bodies, rows, 2) their kicks and decays. Shorter ones end with zeros."""
    rows = int((end - start).max())
    known: dict[Any, Array] = {}
    tables: Array = np.zeros(0)
    paces = np.zeros((len(setups), rows, 2))
    for number, setup in enumerate(setups):
        first, count, numerics = int(start[number]), int(end[number] - start[number]), setup.parameters.numerics
        loads = setup.loads
        key = repr(loads.loads), loads.dt, loads.spacing, loads.density, loads.volume, first, count
        if key not in known:
            known[key] = loads.table(first, count + 1)
        if not tables.size:
            tables = np.zeros((len(setups), rows + 1, *known[key].shape[1:]))
        tables[number, : count + 1] = known[key]
        half = numerics.integrator == "velocity Verlet" and first == 0
        paces[number, :count] = paces_of(count, half, decay_of(numerics.damping, setup.step))
    return tables, paces


@dataclass
class Slow:
    """A body that is loaded slowly, as :class:`engines.peridynamics.loading.relaxation.Relaxation` has it."""

    loads: Loads
    settings: Settings
    done: int = 0
    iterations: int = 0
    rest: Rest = field(default_factory=lambda: Rest(math.inf, math.inf))
    damping: float = 0.0
    size: float = 0.0
    largest: float = 0.0
    table: Array = field(default_factory=lambda: np.zeros(0))
    gone: float = 0.0
    breaking: bool = False

    @property
    def time(self) -> float:
        """Of the loads' histories [s]."""
        return self.settings.lasts * 1e-6 * min(self.done + 1, self.settings.load_steps) / self.settings.load_steps

    @property
    def ended(self) -> bool:
        return self.done >= self.settings.load_steps or self.iterations >= self.settings.most_iterations

    @property
    def at_rest(self) -> bool:
        looked = self.iterations > 1 and (self.iterations - 1) % LOOK == 0
        return looked and self.rest.worst <= self.settings.tolerance

    def count(self) -> int:
        """Iterations to the next look."""
        if self.ended:
            return 0
        if self.breaking or self.iterations == 0:
            return 1
        return min(LOOK - (self.iterations - 1) % LOOK, self.settings.most_iterations - self.iterations)

    def load(self) -> None:
        self.table = self.loads.standing(self.time)

    def looked(self, count: int, seen: Sequence[float], gone: float) -> None:
        """After ``count`` iterations: what :func:`judged` takes, and how many bonds are gone."""
        self.iterations = 1 if self.breaking else self.iterations + count
        if (self.iterations - 1) % LOOK:
            return
        self.rest, self.damping, self.size = judged(seen, self.iterations, self.damping, self.largest)
        if self.breaking and self.rest.residual <= self.settings.tolerance and gone <= self.gone + 0.5:
            self.done, self.iterations, self.largest = self.done + 1, 0, max(self.largest, self.size)
            self.load()


def through_rest(bodies: Together, progress: Progress) -> None:
    """Each body from rest to rest, and all of them from look to look."""
    solver, backend = bodies.solver, bodies.backend
    slow = [Slow(setup.loads, setup.parameters.numerics.relaxation) for setup in bodies.setups]
    for one in slow:
        one.load()
    look = _Look(solver, slow)
    while not all(one.ended for one in slow):
        done = sum(one.done / one.settings.load_steps for one in slow) / len(slow)
        progress(f"{len(slow)} bodies at once", done)
        for one in slow:
            one.breaking = not one.ended and one.at_rest
        if any(one.breaking for one in slow):  # the last look has measured them
            seen = backend.to_host(bodies.sums())
            gone = look.gone()
            for number, one in enumerate(slow):
                if one.breaking:
                    one.gone = float(gone[number])
                    bodies.see(number, seen[number], one.table, one.table, one.time)
        counts = [one.count() for one in slow]
        tables = np.repeat(np.stack([one.table for one in slow])[:, None], LOOK, axis=1)
        decays = np.array([(1 - one.damping) / (1 + one.damping) for one in slow])
        paces = np.repeat(np.stack([0.5 * (1 + decays), decays], axis=1)[:, None], LOOK, axis=1)
        orders = np.array([(0, count, int(one.breaking)) for count, one in zip(counts, slow, strict=True)])
        given = solver.table(tables, paces)
        with backend.timed("bonds", launches=1):
            solver.take(given, orders)
        numbers = look()
        gone = look.gone() if any(one.breaking for one in slow) else np.zeros(len(slow))
        for one, count, row, left in zip(slow, counts, numbers.tolist(), gone.tolist(), strict=True):
            if count:
                one.looked(count, row, left)


class _Look:
    """Forces out of balance and the way since the last look, of each body."""

    def __init__(self, solver: CudaBodies, slow: Sequence[Slow]) -> None:
        self._solver, self._slow = solver, slow
        backend, kinds = solver.backend, len(slow[0].table)
        held = slow[0].table[:, HELD].T
        index = np.repeat(np.arange(len(slow)), solver.each) * kinds + solver.body.kind
        zeros = np.zeros(solver.kick_values.shape, solver.dtype)
        with backend.active():
            self._index = backend.array(index)
            self._free = backend.array(np.ascontiguousarray(1.0 - held).astype(solver.dtype))[:, solver.kind]
            self._stiffness = backend.array(np.repeat(solver.stiffness, solver.each).astype(solver.dtype))
            self._seen_u = self._seen_force = backend.array(zeros)

    def __call__(self) -> Array:
        """(bodies, 6) as :func:`judged` takes them."""
        solver, backend = self._solver, self._solver.backend
        given = np.concatenate([one.table[:, ACCELERATION] for one in self._slow]).T
        with backend.active():
            solver.measure()
            pushed = backend.array(np.ascontiguousarray(given).astype(solver.dtype))[:, self._index]
            u, inner, free = solver.arrays["u"], solver.kick_values * self._stiffness, self._free
            way = free * (u - self._seen_u)
            read = backend.empty((6, solver.count), np.float64)
            read[0] = self._squares(free * (inner + pushed))
            read[1] = self._squares(free * pushed)
            read[2] = self._squares((free - 1) * inner)
            read[3] = -self._sum(way * (inner - self._seen_force))
            read[4], read[5] = self._squares(way), self._squares(free * u)
            self._seen_u, self._seen_force = u.copy(), inner
        return np.ascontiguousarray(backend.to_host(read).T)

    def gone(self) -> Array:
        """(bodies,) bonds that are gone, counted at both ends."""
        solver, backend = self._solver, self._solver.backend
        with backend.active():
            solver.find_damage()
            return backend.to_host(solver.apart(solver.whole * solver.damage_values).sum(axis=1, dtype=np.float64))

    def _sum(self, values: Any) -> Any:
        return self._solver.apart(values).sum(axis=(0, 2), dtype=np.float64)

    def _squares(self, values: Any) -> Any:
        return self._sum(values * values)
