"""How a slow crack passes a lattice, bond by bond: a direct solution of all balances that shares no kernel with a run.

A strip whose upper and lower rows are held is pulled open; its left half is cut. Bonds are linear. The opening at
which the next bond reaches its limit follows from one solution; the bond goes, and so on. In such a strip the energy
release rate follows from the opening alone; it is found here from the energy of the strip with two lengths of crack.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from engines.api import Array
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.state.material import StateLattice, influence, weighted_volume

ALIKE = 1e-7
"""Bonds whose stretches differ by less than this part break together."""
RENEWED = 40
"""Bonds after which the matrix is factored anew; until then its factors are a preconditioner."""


@dataclass(frozen=True)
class Strip:
    """long, high: in spacings; cut: the length of the crack at the start; passed: by how many periods of the lattice
    it is to grow; diagonal: whether rows lie at 45° to the crack."""

    long: int = 56
    high: int = 36
    cut: int = 22
    passed: int = 4
    diagonal: bool = False


def rates(lattice: Lattice, strip: Strip) -> Array:
    """(breaks,) the energy release rate over the fracture energy at which one bond after the other (or a few that are
    alike) goes. In space the crack is straight along z."""
    return _Opened(lattice, strip).rates()


def slow_rate(lattice: Lattice, strip: Strip) -> float:
    """The largest of :func:`rates` once the crack has grown by a third of its way."""
    found = rates(lattice, strip)
    return float(found[len(found) // 3 :].max())


class _Opened:
    def __init__(self, lattice: Lattice, strip: Strip) -> None:
        self.lattice, self.strip, kin = lattice, strip, lattice.family
        turn = np.array([[1, 1], [-1, 1]]) / math.sqrt(2) if strip.diagonal else np.eye(2)
        self.period = math.sqrt(2) if strip.diagonal else 1.0
        most = strip.long + strip.high
        cells = np.stack(np.meshgrid(np.arange(-most, most), np.arange(-most, most), indexing="ij"), -1).reshape(-1, 2)
        places = cells @ turn.T - (0, 0.25 * self.period**2 / math.sqrt(2) if strip.diagonal else 0.5)
        inside = (places[:, 0] > -1e-9) & (places[:, 0] < strip.long - 1e-9) & (np.abs(places[:, 1]) < 0.5 * strip.high)
        cells, self.places = cells[inside], places[inside]
        number = np.full((2 * most + 20, 2 * most + 20), -1)
        number[cells[:, 0] + most + 10, cells[:, 1] + most + 10] = np.arange(len(cells))
        flat = kin.offsets[:, :2]
        ahead = np.flatnonzero((flat[:, 1] > 0) | ((flat[:, 1] == 0) & (flat[:, 0] > 0)))
        there = cells[:, None] + flat[ahead] + most + 10
        other = number[there[..., 0], there[..., 1]]
        self.first, place = np.nonzero(other >= 0)
        self.second, self.bit = other[self.first, place], ahead[place]
        self.lengths = kin.lengths[self.bit]
        n = flat[self.bit] @ turn.T / self.lengths[:, None]
        columns = np.stack([2 * self.second, 2 * self.second + 1, 2 * self.first, 2 * self.first + 1], axis=1)
        shape = (len(n), 2 * len(cells))
        rows = np.repeat(np.arange(len(n)), 4)
        self.extension = scipy.sparse.csr_matrix((np.hstack([n, -n]).ravel(), (rows, columns.ravel())), shape)
        held = np.abs(self.places[:, 1]) > 0.5 * strip.high - kin.reach
        self.free = np.repeat(~held, 2)
        self.opened = np.zeros(2 * len(cells))
        self.opened[1::2] = np.where(held, 0.5 * np.sign(self.places[:, 1]), 0.0)
        self.breakable = ~(held[self.first] & held[self.second])
        low, high = self.places[self.first, 1], self.places[self.second, 1]
        self.crossing = (low < 0) != (high < 0)
        run = self.places[self.second, 0] - self.places[self.first, 0]
        self.meeting = self.places[self.first, 0] - run * low / np.where(high == low, 1.0, high - low)
        self._factors: Any = None
        self._old, self._last = 0, np.zeros(0)

    def rates(self) -> Array:
        strip, limit = self.strip, self.lattice.critical_stretch
        tips = strip.cut + self.period * np.arange(3)
        energies = [self._solved(self._cut(tip))[1] for tip in tips[::2]]
        released = (energies[0] - energies[1]) / (2 * self.period)
        alive, found = self._cut(tips[0]), []
        while self.meeting[self.crossing & (alive > 0)].min() < strip.cut + strip.passed * self.period:
            moved = self._solved(alive)[0]
            stretches = self.extension @ moved / self.lengths * alive * self.breakable
            largest = stretches.max()
            alive[stretches > largest * (1 - ALIKE)] = 0
            found.append((limit / largest) ** 2 * released)
        lattice = self.lattice
        depth = lattice.spacing if lattice.family.dimensions == 3 else lattice.thickness
        return np.array(found) / (lattice.fracture_energy * depth * lattice.spacing)

    def _cut(self, tip: float) -> Array:
        return np.where(self.crossing & (self.meeting < tip), 0.0, 1.0)

    def _solved(self, alive: Array) -> tuple[Array, float]:
        """(displacements, energy over spacing²) at an opening of one spacing."""
        matrix = self._matrix(alive).tocsr()
        of_free = matrix[self.free]
        inner, pull = of_free[:, self.free].tocsc(), -of_free @ self.opened
        if self._factors is None or self._old > RENEWED:
            self._factors = scipy.sparse.linalg.splu(
                inner, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
            )
            self._last, self._old = self._factors.solve(pull), 0
        else:
            guess = scipy.sparse.linalg.LinearOperator(inner.shape, self._factors.solve)
            self._last, failed = scipy.sparse.linalg.cg(inner, pull, x0=self._last, M=guess, rtol=1e-9, maxiter=500)
            assert not failed, "the balance was not found"
            self._old += 1
        moved = self.opened.copy()
        moved[self.free] = self._last
        return moved, 0.5 * float(moved @ (matrix @ moved))

    def _matrix(self, alive: Array) -> scipy.sparse.csr_matrix:
        """Of the energy, of those of a spacing along z."""
        lattice, kin, bit = self.lattice, self.lattice.family, self.bit
        if not isinstance(lattice, StateLattice):
            stiffness = lattice.micromodulus * lattice.volume**2 * lattice.spacing * lattice.weights[bit] / self.lengths
            return self.extension.T @ scipy.sparse.diags(stiffness * alive) @ self.extension
        omega, count = influence(kin)[bit], len(self.places)
        own = kin.offsets[:, :2].any(axis=1)
        volumes = np.full(count, float((influence(kin) * kin.lengths**2)[~own].sum()))
        volumes += np.bincount(self.first, omega * self.lengths**2, count)
        volumes += np.bincount(self.second, omega * self.lengths**2, count)
        ratio = weighted_volume(kin) / volumes
        unit = lattice.density * lattice.spacing**2 * lattice.volume
        bonds = lattice.stiffness(1.0) * unit * (ratio[self.first] + ratio[self.second]) * omega
        both = np.concatenate([self.first, self.second])
        ends = scipy.sparse.csr_matrix((np.ones(len(both)), (both, np.tile(np.arange(len(bit)), 2))), (count, len(bit)))
        grown = ends @ scipy.sparse.diags(omega * self.lengths * alive) @ self.extension
        dilation = scipy.sparse.diags(lattice.dilation(1.0) * unit * ratio**2)
        return self.extension.T @ scipy.sparse.diags(bonds * alive) @ self.extension + grown.T @ dilation @ grown
