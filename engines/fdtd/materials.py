"""Materials as ids and tables.

Each cell has one material. An edge of E takes the mean of ε and σ of the four cells around it, a face of H the mean of
1/μ of the two cells beside it: interfaces along cell walls are then of second order. The mixtures that occur get
numbers of their own, so an edge costs the kernels one byte. Number 0 is the perfect conductor, ``E = 0``: also edges on
PEC faces and places that do not exist. A mixture has the poles of its materials with the mean of their strengths.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numba as nb
import numpy as np

from engines.api import Array
from engines.backend.threads import parallel_region
from engines.fdtd.boundaries import Axis
from engines.fdtd.dispersion import Dispersion, Pole, make_dispersion, make_slots
from engines.fdtd.yee import SPEED_OF_LIGHT, VACUUM_IMPEDANCE, Yee

MOST = 7
"""Materials of a problem: four cells around an edge make at most 210 mixtures of 7, which fit into a byte."""


@dataclass(frozen=True)
class Medium:
    """ε_r, μ_r, σ [S/length unit] and σ* [Ω/length unit]; a perfect conductor needs none of them.

    With ``poles`` ε_r is the permittivity far above them, ε_∞.
    """

    permittivity: float = 1.0
    permeability: float = 1.0
    conductivity: float = 0.0
    magnetic_loss: float = 0.0
    perfect_conductor: bool = False
    poles: tuple[Pole, ...] = ()

    @property
    def index(self) -> float:
        """That of ε_∞, on which the largest step depends."""
        return float(np.sqrt(self.permittivity * self.permeability))

    def index_at(self, omega: Array) -> Array:
        """n + ik (n,) at angular frequencies [1/time], for fields ∝ exp(−iωt); σ and σ* left out."""
        permittivity = self.permittivity + sum(pole.susceptibility(omega) for pole in self.poles)
        return np.asarray(np.sqrt(np.broadcast_to(permittivity, omega.shape) * self.permeability + 0j))

    def largest_index(self, omega: float) -> tuple[float, float]:
        """(n, k): the largest of Re and Im of ``index_at(ω') ω'/ω`` up to ``omega`` [1/time]: by what the shortest
        wavelength 2πc/(nω) and the least skin depth c/(kω) come out."""
        below = np.linspace(1 / 64, 1, 64)
        index = self.index_at(omega * below) * below
        return float(index.real.max()), float(index.imag.max())


@dataclass(frozen=True)
class Media:
    """Ids and coefficients: ``E ← ca E + cb curl H``, ``H ← da H − db curl E`` with lengths in the smallest spacing.

    ids_e, ids_h: (3, nz + 1, ny + 1, row) uint8; ids_h is None where all of space has the same μ and σ*
    ca, cb, da, db: (256,) float64; permittivity, permeability: (256,), for the energy
    """

    ids_e: Array
    ids_h: Array | None
    ca: Array
    cb: Array
    da: Array
    db: Array
    permittivity: Array
    permeability: Array
    dispersion: Dispersion | None = None


def make_media(yee: Yee, axes: Sequence[Axis], cells: Array, media: Sequence[Medium], dt: float) -> Media:
    """cells: (nz, ny, nx) uint8 numbers in ``media``."""
    count = len(media)
    courant = SPEED_OF_LIGHT * dt / yee.smallest
    eps = np.array([m.permittivity for m in media])
    inverse_mu = np.array([1.0 / m.permeability for m in media])
    # σΔt/ε₀ and σ*Δt/μ₀, without a unit
    loss = np.array([m.conductivity for m in media]) * VACUUM_IMPEDANCE * SPEED_OF_LIGHT * dt
    magnetic = np.array([m.magnetic_loss for m in media]) / VACUUM_IMPEDANCE * SPEED_OF_LIGHT * dt
    perfect = np.array([m.perfect_conductor for m in media])

    four = np.stack(np.unravel_index(np.arange(count**4), (count,) * 4))
    blocked = perfect[four].any(axis=0)
    slots = make_slots([() if m.perfect_conductor else m.poles for m in media], dt)
    strengths = np.array([slots.strengths(() if m.perfect_conductor else m.poles) for m in media])
    largest = strengths.max(axis=0)
    mixed = (strengths / largest)[four].mean(axis=0)
    rows = np.concatenate([np.stack([eps[four].mean(axis=0), loss[four].mean(axis=0)], axis=1), mixed], axis=1).round(
        12
    )
    rows[blocked] = 0.0
    kinds, number = np.unique(np.concatenate([np.zeros((1, rows.shape[1])), rows]), axis=0, return_inverse=True)
    permittivity, lost = _padded(kinds[:, 0]), _padded(kinds[:, 1])
    beta = np.array([_padded(kinds[:, 2 + n]) for n in range(slots.count)]).reshape(-1, 256)
    beta *= (slots.beta * largest)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        divisor = permittivity + lost / 2 + beta.sum(axis=0)
        ca = np.where(permittivity > 0, (permittivity - lost / 2 + slots.sign @ beta) / divisor, 0.0)
        cb = np.where(permittivity > 0, courant / divisor, 0.0)

    two = np.stack(np.unravel_index(np.arange(count**2), (count,) * 2))
    magnetic_rows = np.stack([inverse_mu[two].mean(axis=0), magnetic[two].mean(axis=0)], axis=1).round(12)
    magnetic_kinds, magnetic_number = np.unique(magnetic_rows, axis=0, return_inverse=True)
    inverse, magnetic_lost = _padded(magnetic_kinds[:, 0], 1.0), _padded(magnetic_kinds[:, 1])
    magnetic_half = magnetic_lost * inverse / 2
    da, db = (1 - magnetic_half) / (1 + magnetic_half), courant * inverse / (1 + magnetic_half)

    wraps = np.array([axis.wraps for axis in axes])
    walls = np.array([axis.walls for axis in axes])
    ids_e = np.zeros((3, *yee.shape), np.uint8)
    ids_h = np.zeros((3, *yee.shape), np.uint8) if len(magnetic_kinds) > 1 else None
    with parallel_region():
        _edges(cells, number.reshape(-1)[1:].astype(np.uint8), count, wraps, walls, ids_e)
        if ids_h is not None:
            _faces(cells, magnetic_number.reshape(-1).astype(np.uint8), count, wraps, ids_h)
    dispersion = make_dispersion(slots, beta / courant, courant, ids_e) if slots.count else None
    return Media(ids_e, ids_h, ca, cb, da, db, permittivity, 1.0 / inverse, dispersion)


def _padded(values: Array, rest: float = 0.0) -> Array:
    table = np.full(256, rest)
    table[: len(values)] = values
    return table


@nb.njit(nogil=True)
def _beside(node, n, wraps):
    """The cells before and behind a node."""
    if wraps:
        return (node + n - 1) % n, node % n
    return max(node - 1, 0), min(node, n - 1)


@nb.njit(cache=True, nogil=True, parallel=True)
def _edges(cells, mixtures, count, wraps, walls, ids):
    """ids: (3, nz + 1, ny + 1, row) of E; ``mixtures[((a · count + b) · count + c) · count + d]`` of four cells."""
    nz, ny, nx = cells.shape
    for plane in nb.prange(nz + 1):
        k = np.int64(plane)
        za, zb = _beside(k, nz, wraps[2])
        on_z = (k == 0 and walls[2, 0]) or (k == nz and walls[2, 1])
        for j in range(ny + 1):
            ya, yb = _beside(j, ny, wraps[1])
            on_y = (j == 0 and walls[1, 0]) or (j == ny and walls[1, 1])
            for i in range(nx + 1):
                xa, xb = _beside(i, nx, wraps[0])
                on_x = (i == 0 and walls[0, 0]) or (i == nx and walls[0, 1])
                if i < nx and not (on_y or on_z):
                    code = (cells[za, ya, i] * count + cells[za, yb, i]) * count + cells[zb, ya, i]
                    ids[0, k, j, i] = mixtures[code * count + cells[zb, yb, i]]
                if j < ny and not (on_x or on_z):
                    code = (cells[za, j, xa] * count + cells[za, j, xb]) * count + cells[zb, j, xa]
                    ids[1, k, j, i] = mixtures[code * count + cells[zb, j, xb]]
                if k < nz and not (on_x or on_y):
                    code = (cells[k, ya, xa] * count + cells[k, ya, xb]) * count + cells[k, yb, xa]
                    ids[2, k, j, i] = mixtures[code * count + cells[k, yb, xb]]


@nb.njit(cache=True, nogil=True, parallel=True)
def _faces(cells, mixtures, count, wraps, ids):
    """ids: (3, nz + 1, ny + 1, row) of H; ``mixtures[a · count + b]`` of two cells."""
    nz, ny, nx = cells.shape
    for plane in nb.prange(nz + 1):
        k = np.int64(plane)
        za, zb = _beside(k, nz, wraps[2])
        for j in range(ny + 1):
            ya, yb = _beside(j, ny, wraps[1])
            for i in range(nx + 1):
                xa, xb = _beside(i, nx, wraps[0])
                if j < ny and k < nz:
                    ids[0, k, j, i] = mixtures[cells[k, j, xa] * count + cells[k, j, xb]]
                if i < nx and k < nz:
                    ids[1, k, j, i] = mixtures[cells[k, ya, i] * count + cells[k, yb, i]]
                if i < nx and j < ny:
                    ids[2, k, j, i] = mixtures[cells[za, j, i] * count + cells[zb, j, i]]
