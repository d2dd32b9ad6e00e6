"""Slow loading: equilibrium after each load step by adaptive dynamic relaxation.

Particles move in fictitious steps of length 1 with damping until nothing moves (Underwood 1983; Kilic and Madenci
2010):

    v ← ((2 − c) v + 2 F/Λ)/(2 + c),   u ← u + v

The fictitious density Λ is the bound of the stiffness that also makes a step stable, here the same for all particles:
the iterations are steps of ``Lattice.stable_step`` with the density of the material. c = 2 √λ damps the slowest wave
that still moves critically. λ is Rayleigh's quotient of the way since the last look, Δu·KΔu/Δu·Δu with KΔu = −ΔF, in
which the slow waves outweigh the fast ones; Kilic and Madenci take u itself, which from the second load step on is
governed by what is in equilibrium already, and a diagonal K.

Bonds break between equilibria only: at rest, all bonds beyond their limit break together, and the body comes to rest
again at the same load, until none breaks. No bond breaks because a body swings beyond its equilibrium, and a symmetric
body stays symmetric; the price are load steps small enough that few bonds pass the limit in one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import Array
from engines.peridynamics.loading.loads import ACCELERATION, HELD, Loads
from engines.peridynamics.parameters.loading.relaxation import Relaxation as Settings
from engines.peridynamics.step.solver import Solver

LOOK = 10
"""Iterations between two looks at forces."""
SHARE_OF_STABLE_STEP = 0.95
"""The bound holds for small displacements; bonds that turn are a little stiffer."""
SEEN = ("seen_u", "seen_force")
"""Of a state, (d, size) what the last look saw."""
MOST_DAMPING = 0.95
"""Of c/2: waves of one spacing are damped out within a step."""


@dataclass
class Rest:
    """How far a body is from rest.

    residual: the forces out of balance over the largest that loads and supports have had (root mean squares); to_go:
    how far it has to go over how far it has come, from its way since the last look and how fast that dies out: in a
    slender body small forces go far.
    """

    residual: float
    to_go: float

    @property
    def worst(self) -> float:
        return max(self.residual, self.to_go)


class Relaxation:
    """Goes through the load steps. ``done`` of them are in equilibrium; ``iterations`` were taken for the present one.

    Its users call :meth:`to_rest` until it is at rest, read what they want to know, then :meth:`next_load_step`.
    """

    def __init__(self, solver: Solver, loads: Loads, settings: Settings) -> None:
        self._solver, self._loads, self._settings = solver, loads, settings
        self.done = self.iterations = 0
        self.rest = Rest(math.inf, math.inf)
        self.damping = 0.0
        """c/2"""
        self._size = self._largest = 0.0
        """Forces of loads and supports now, and the largest that they were at the end of a load step."""
        self._begin()

    @property
    def time(self) -> float:
        """Of the loads' histories [s], at the present load step."""
        settings = self._settings
        return settings.lasts * 1e-6 * min(self.done + 1, settings.load_steps) / settings.load_steps

    @property
    def finished(self) -> bool:
        return self.done >= self._settings.load_steps or self.failed

    @property
    def failed(self) -> bool:
        """Whether the body does not come to rest."""
        return self.iterations >= self._settings.most_iterations

    def advance(self, most: int) -> int:
        """Iterations to the next look, ``most`` at most; gives how many. Bonds hold."""
        # the first look is behind the first iteration: then what is held is where it belongs, and what moves is free
        until = 1 if self.iterations == 0 else LOOK - (self.iterations - 1) % LOOK
        count = min(most, until, self._settings.most_iterations - self.iterations)
        self._take(count)
        self.iterations += count
        if (self.iterations - 1) % LOOK == 0:
            self._look()
        return count

    @property
    def at_rest(self) -> bool:
        """As the last look saw it, which was just now."""
        looked = self.iterations > 1 and (self.iterations - 1) % LOOK == 0
        return looked and self.rest.worst <= self._settings.tolerance

    def breaks(self) -> bool:
        """One more iteration, at rest, in which bonds beyond their limit break.

        Whether any did, or softened so much that the body is no longer at rest.
        """
        before = self._gone()
        self._solver.let_break(True)
        self._take(1)
        self._solver.let_break(False)
        self.iterations = 1
        self._look()
        return self.rest.residual > self._settings.tolerance or self._gone() > before + 0.5

    def _gone(self) -> float:
        """Bonds that are gone, counted at both ends."""
        with self._solver.backend.active():
            self._solver.find_damage()
            found = (self._solver.whole * self._solver.damage_values).sum(dtype=np.float64)
        return float(self._solver.own.total(np.array(float(found))))

    def next_load_step(self) -> None:
        self.done += 1
        self.iterations = 0
        self._largest = max(self._largest, self._size)  # at rest: what is held has just been torn along otherwise
        self._begin()

    def state(self) -> Mapping[str, Array]:
        """For a checkpoint."""
        to_host = self._solver.backend.to_host
        return {
            "relaxation": np.array(
                [
                    self.done,
                    self.iterations,
                    self.rest.residual,
                    self.rest.to_go,
                    self.damping,
                    self._size,
                    self._largest,
                ]
            ),
            "seen_u": to_host(self._seen_u),
            "seen_force": to_host(self._seen_force),
        }

    def restore(self, state: Mapping[str, Array]) -> None:
        done, iterations, residual, to_go, self.damping, self._size, self._largest = state["relaxation"].tolist()
        self.done, self.iterations, self.rest = int(done), int(iterations), Rest(residual, to_go)
        self._begin()
        array = self._solver.backend.array
        self._seen_u, self._seen_force = array(state["seen_u"]), array(state["seen_force"])

    def _begin(self) -> None:
        """The loads of the present load step."""
        solver = self._solver
        self._table = self._loads.standing(self.time)
        backend, dtype = solver.backend, solver.dtype
        with backend.active():
            per_kind = (
                backend.array(np.ascontiguousarray(values.T).astype(dtype))
                for values in (1.0 - self._table[:, HELD], self._table[:, ACCELERATION])
            )
            self._free, pushed = (values[:, solver.kind] for values in per_kind)
            solver.own.clear(self._free)
            self._pushed = pushed * (solver.volume / solver.mass)
        if self.done == 0:
            solver.let_break(False)
            self._seen_u = self._seen_force = backend.array(np.zeros(solver.kick_values.shape, dtype))

    def _take(self, count: int) -> None:
        table = np.broadcast_to(self._table, (count, *self._table.shape))
        decay = (1 - self.damping) / (1 + self.damping)
        with self._solver.backend.timed("bonds", launches=count):
            self._solver.advance(table, False, decay)

    def _look(self) -> None:
        """Measure forces: how far from rest, and the damping for the next iterations."""
        solver = self._solver
        backend = solver.backend
        with backend.active():
            solver.measure()
            u, inner = solver.arrays["u"], solver.kick_values
            read = backend.empty(6, np.float64)
            way = self._free * (u - self._seen_u)
            read[0] = _squares(self._free * (inner + self._pushed))
            read[1] = _squares(self._free * self._pushed)
            read[2] = _squares((self._free - 1) * inner)
            read[3] = -(way * (inner - self._seen_force)).sum(dtype=np.float64)
            read[4], read[5] = _squares(way), _squares(self._free * u)
            self._seen_u, self._seen_force = u.copy(), inner.copy()
        seen = solver.own.total(backend.to_host(read)).tolist()
        self.rest, self.damping, self._size = judged(seen, self.iterations, self.damping, self._largest)


def judged(seen: Sequence[float], iterations: int, damping: float, largest: float) -> tuple[Rest, float, float]:
    """How far from rest, the damping from now on, and the forces of loads and supports.

    seen: sums of squares of the forces out of balance, of those that push, of those that hold; −Δu·ΔF and Δu·Δu since
    the last look, u·u. largest: forces of loads and supports so far.
    """
    unbalanced, pushed, reacted, product, way_square, come = seen
    if iterations > 1 and way_square > 0:
        damping = min(math.sqrt(max(product, 0.0) / way_square), MOST_DAMPING)
    slowness = -math.expm1(-LOOK * damping)
    # twice: a wave that is damped critically dies out more slowly than its exponential
    to_go = _over(2 * math.sqrt(way_square), slowness * math.sqrt(come))
    size = math.sqrt(pushed + reacted)
    return Rest(_over(math.sqrt(unbalanced), max(size, largest)), to_go), damping, size


def _squares(values: Any) -> Any:
    return (values * values).sum(dtype=np.float64)


def _over(part: float, whole: float) -> float:
    if whole > 0:
        return part / whole
    return 0.0 if part == 0 else math.inf


def held_fast(loads: Loads, centers: Array) -> bool:
    """Whether what the loads hold keeps a body with particles at ``centers: (n, 3)`` from moving and turning."""
    d = loads.dimensions
    places = centers[:, :d] - centers[:, :d].mean(axis=0)
    places = places / np.abs(places).max()
    turns = [(a, b) for a in range(d) for b in range(a)]
    normal = np.zeros((d + len(turns),) * 2)
    for axis in range(d):
        held = places[loads.held(axis)]
        modes = np.zeros((len(held), len(normal)))
        modes[:, axis] = 1
        for number, (a, b) in enumerate(turns, d):
            if axis in (a, b):
                modes[:, number] = -held[:, b] if axis == a else held[:, a]
        normal += modes.T @ modes
    return bool(np.linalg.eigvalsh(normal)[0] > 1e-9 * max(1.0, float(np.trace(normal))))
