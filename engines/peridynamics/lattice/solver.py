"""Bonds on a lattice, on a device: what both backends have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.api.simulation.ranks import Exchange
from engines.backend.twins import Twins
from engines.peridynamics.lattice.family import Family
from engines.peridynamics.lattice.layout import Layout, Planes
from engines.peridynamics.material.laws.law import Law
from engines.peridynamics.material.mixture import Mixture
from engines.peridynamics.step.solver import Placed, Solver


@dataclass(frozen=True, eq=False)
class Discretised(Placed):
    """A body on a lattice. words, breakable: (words, size) uint32; stiffness K and limit (1 + s₀)² − 1 as in
    ``bonds.cu``; weights: (bonds,) of the bits, none: all are 1.

    mixture: where there are several materials; half_shares: (size,) float32, half the part of a whole family's volume
    that the family of each place has (``material/surface.py``), where stiffness is corrected at surfaces; law: how
    bonds soften beyond the limit, with its parameters (M, M, p) of each pair of materials. With a law, limits are those
    up to which bonds keep all their stiffness.
    """

    layout: Layout
    family: Family
    words: Array
    breakable: Array
    stiffness: float
    limit: float
    weights: Array | None = None
    mixture: Mixture | None = None
    half_shares: Array | None = None
    law: Law | None = None
    law_parameters: Array | None = None

    @property
    def dimensions(self) -> int:
        return self.layout.dimensions

    @property
    def bond_weights(self) -> Array:
        """(bonds,) float64."""
        return np.ones(self.family.bonds) if self.weights is None else np.asarray(self.weights, float)

    @property
    def paired(self) -> bool:
        """Whether bonds of one length differ."""
        return self.mixture is not None or self.half_shares is not None

    @property
    def plain(self) -> bool:
        """Whether all bonds are equal, and brittle."""
        return self.weights is None and not self.paired and self.law is None

    @property
    def laws(self) -> Array:
        """(M·M, p) float64 parameters of the law of each pair; a zero for each without a law, or for a law without
        parameters."""
        if self.law is None:
            return np.zeros((1, 1))
        given = np.asarray(self.law.parameters if self.law_parameters is None else self.law_parameters, float)
        if not given.size:
            return np.zeros((1 if self.mixture is None else len(self.mixture.lightness) ** 2, 1))
        return np.ascontiguousarray(given.reshape(-1, given.shape[-1]))


class Slab(Protocol):
    """Planes of a body that goes on beyond them (:class:`engines.peridynamics.ranks.slab.BodySlab`)."""

    @property
    def ends(self) -> Sequence[Planes]: ...
    @property
    def middle(self) -> Planes: ...
    def send(self, arrays: Sequence[Any]) -> Exchange: ...
    def clear(self, array: Any) -> None: ...


class LatticeSolver(Solver):
    """Bonds on a lattice. With a law, ``arrays`` also has soft (words, size): a bit for each bond that has begun to
    soften, and history (bonds, size): its damage. Of a slab, displacements beyond its ends are those of its neighbours
    after each step."""

    body: Discretised

    def __init__(self, backend: Backend, body: Discretised, precision: str, slab: Slab | None = None) -> None:
        super().__init__(backend, body, precision)
        self.slab = slab
        if body.law is not None:
            self.arrays["soft"] = backend.array(np.zeros_like(body.words))
            self.arrays["history"] = backend.array(np.zeros((body.family.bonds, body.size), self.dtype))
        if body.mixture is not None:
            mass = 1 / body.mixture.lightness[body.mixture.material]
            self.mass = backend.array(mass.astype(self.dtype))
        self._steps = body.layout.steps(body.family.offsets)
        self._cut = backend.array(self._missing()) if body.law is not None else None

    def _by_planes(self, launch: Callable[[Planes], None], made: Sequence[Any]) -> None:
        """Launch on all planes. Of a slab on its ends first: what neighbours read of that, ``made``, travels while the
        others are launched."""
        if self.slab is None:
            launch((0, self.body.layout.planes))
            return
        for planes in self.slab.ends:
            launch(planes)
        coming = self.slab.send(made)
        if self.slab.middle[1]:
            launch(self.slab.middle)
        coming.wait()

    def _missing(self) -> Array:
        """(size) the part of the bonds that is not there at the start."""
        whole = self.body.whole
        held = np.bitwise_count(self.body.words).sum(axis=0, dtype=np.float64)
        return np.asarray((whole - held) / np.maximum(whole, 1), self.dtype)

    def lost_values(self) -> Any:
        """Bonds that a law has taken keep a damage of 1, so that nothing needs to be asked of the bits."""
        if self._cut is None:
            return self.damage_values
        return self._cut + self.arrays["history"].sum(axis=0) / self._whole.clip(1)

    def pushed(self) -> tuple[bool, Any]:
        """Whether contact pushes particles, and what it does to them."""
        return self.pushes is not None, self.energy_values[None] if self.pushes is None else self.pushes

    @property
    def traffic(self) -> KernelTraffic:
        """u, v, words, breakable and kind are read once per particle, u, v and words written; 2D 24 operations a
        bond."""
        n, family, d = len(self.body.places), self.body.family, self.body.layout.dimensions
        values, words = d * self.dtype.itemsize, family.words * 4 * (1 if self.body.law is None else 2)
        return KernelTraffic(
            "bonds", n * (2 * values + 2 * words + 1), n * (2 * values + words), n * family.bonds * (8 * d + 8)
        )


LATTICE_SOLVER = Twins[LatticeSolver](__package__, cpu="cpu:CpuSolver", cuda="cuda:CudaSolver")
"""Opened with a :class:`Discretised` body and a precision."""


def bytes_of(
    layout: Layout, family: Family, value_bytes: int, paired: bool = False, softening: bool = False, mixed: bool = False
) -> int:
    """Device memory of a solver: four vectors and seven numbers per place (one is where cracks are looked for, three
    strain and stress), words twice, three float64, a kind; ``paired``, for bonds of one length that differ on a CPU:
    two numbers a bond; ``softening``: a number and a bit per bond; ``mixed``, for several materials: two numbers, a
    word and a byte."""
    per_place = (4 * layout.dimensions + 7) * value_bytes + 8 * family.words + 3 * 8 + 1
    per_place += family.bonds * value_bytes * (2 * paired + softening) + 4 * family.words * softening
    return math.ceil(layout.size * (per_place + (2 * value_bytes + 5) * mixed))
