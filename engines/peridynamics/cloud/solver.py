"""Irregular points on a device: what both backends have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.backend.twins import Twins
from engines.peridynamics.cloud.family import CloudFamily, decoded
from engines.peridynamics.cloud.mixing import Blend
from engines.peridynamics.step.solver import Placed, Solver


@dataclass(frozen=True, eq=False)
class Cloud(Placed):
    """Irregular points. words, breakable: (words, size) uint32, a bit for each column; limit: (1 + s₀)² − 1 of bonds of
    the first material; blend: where there are several.

    stiffness K = dt² c V/(ρ h), V and h the mean volume and distance, with the scale of the weights: the velocity of
    particle i changes by K/m_i Σ k s/(1 + s) (ξ + η).
    """

    family: CloudFamily
    words: Array
    breakable: Array
    stiffness: float
    limit: float
    blend: Blend | None = None

    @property
    def dimensions(self) -> int:
        return self.family.dimensions


class CloudSolver(Solver):
    """As :class:`Solver`, for irregular points; ``mass`` and ``volume`` are in means."""

    body: Cloud

    def __init__(self, backend: Backend, body: Cloud, precision: str) -> None:
        super().__init__(backend, body, precision)
        self.mass = self.volume = backend.array(body.family.masses.astype(self.dtype))
        if body.blend is not None:
            self.volume = backend.array(body.family.volumes.astype(self.dtype))

    @property
    def traffic(self) -> KernelTraffic:
        """Per bond a number of its neighbour and a weight; per particle u, v, words, mass and kind are read, of several
        materials also its least limit, u (twice) and v written; 2D 26 operations a bond, 3D 35."""
        n, family, d = len(self.body.places), self.body.family, self.body.dimensions
        values = d * self.dtype.itemsize
        per_particle = 2 * values + 4 * family.words + (1 + (self.body.blend is not None)) * self.dtype.itemsize + 1
        record = 4 * self.dtype.itemsize
        return KernelTraffic(
            "bonds", n * per_particle + 4 * family.bonds, n * (2 * values + record), family.bonds * (9 * d + 8)
        )

    @property
    def weights(self) -> Array:
        """(entries,) float32 of the bonds, as kernels have them."""
        return decoded(self.body.family.codes)

    @abstractmethod
    def _step(self, table: Any, row: int, kick: float, decay: float) -> None: ...


POINT_SOLVER = Twins[CloudSolver](__package__, cpu="cpu:CpuCloudSolver", cuda="cuda:CudaCloudSolver")
"""Opened with a :class:`Cloud` and a precision."""


def bytes_of_cloud(family: CloudFamily, value_bytes: int, mixed: bool = False, listed: bool = False) -> int:
    """Device memory of a solver: five vectors, two records and seven numbers per place, words twice, three float64, a
    kind; per bond a number, a weight, and the lists of blocks (an eighth of that). ``mixed``, for several materials:
    two numbers and a byte per place; ``listed``, where a CPU has the limits of bonds: a number per bond."""
    per_place = (5 * family.dimensions + 2 * 4 + 7) * value_bytes + 8 * family.words + 3 * 8 + 1
    per_place += (2 * value_bytes + 1) * mixed
    return family.size * per_place + len(family.neighbours) * (9 + value_bytes * listed)
