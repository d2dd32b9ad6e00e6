"""Drude, Lorentz and Debye poles as auxiliary differential equations, in the form that the kernels step.

    Drude, Lorentz:  ∂J/∂t + γJ + ω₀²P = ω_p² E,  ∂P/∂t = J        χ = ω_p²/(ω₀² − ω² − iγω)    (Drude: ω₀ = 0)
    Debye:           τ ∂P/∂t + P = Δε E                            χ = Δε/(1 − iωτ)

P, J and E at whole steps, each equation by the trapezoidal rule. Then ``Σ ε_∞E² + J²/ω_p² + ω₀²P²/ω_p² + H⁻·μH⁺``
(Debye: P²/Δε) does not grow: the step is stable up to the Courant limit of ε_∞ for any pole, ω₀Δt above 2 too, and the
permittivity on the grid is ``ε_∞ + χ(2/Δt tan(ωΔt/2))``, of second order.

In terms of ``Y = P − βE`` (of J likewise, in units of 2/Δt) a step reads E of its beginning alone, so nothing has to be
kept for it and what sources add to E counts. A pole has a slot with two numbers Y_J and Y_P for each edge (Drude and
Debye: one) and

    w = p Y_J + c Y_P + g βE,    curl H −= w,    Y_J ← w + r Y_J,    Y_P ← Y_P + w + 2βE

without a difference of nearly equal numbers. p, c, g, r belong to the slot; β is proportional to the pole's strength at
the edge, the mean over the four cells around it.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numba as nb
import numpy as np

from engines.api import Array
from engines.backend.threads import parallel_region

ALIGNED = 4
"""Spans of dispersive places begin and end at multiples of this: whole vectors of the kernels."""


@dataclass(frozen=True)
class Pole:
    """strength: ω_p² [1/time²] of Drude and Lorentz (Δε ω₀²), Δε of Debye; resonance: ω₀ [1/time];
    rate: γ [1/time], or 1/τ of Debye."""

    kind: Literal["drude", "lorentz", "debye"]
    strength: float
    rate: float
    resonance: float = 0.0

    def susceptibility(self, omega: Array) -> Array:
        """χ at angular frequencies [1/time], complex, for fields ∝ exp(−iωt)."""
        if self.kind == "debye":
            return np.asarray(self.strength / (1 - 1j * omega / self.rate))
        return np.asarray(self.strength / (self.resonance**2 - omega**2 - 1j * self.rate * omega))

    @property
    def shape(self) -> tuple[str, float, float]:
        """What poles of one slot have in common: all but the strength."""
        return self.kind, self.resonance, self.rate


@dataclass(frozen=True)
class Slots:
    """One slot for each different pole of a problem, those of Lorentz first.

    constants: (n, 4) float64 p, c, g, r; seconds: how many slots have Y_P
    beta: (n,) β of a pole of strength 1; sign: (n,) of β in the numerator of ca
    stored_j, stored_p: (n,) what (Y_J + βE)²/β and (Y_P + βE)²/β are multiplied by in the energy
    """

    shapes: tuple[tuple[str, float, float], ...]
    constants: Array
    seconds: int
    beta: Array
    sign: Array
    stored_j: Array
    stored_p: Array

    @property
    def count(self) -> int:
        return len(self.shapes)

    @property
    def states(self) -> int:
        """Numbers that are kept for a place."""
        return self.count + self.seconds

    def strengths(self, poles: Sequence[Pole]) -> Array:
        """(n,) of one material."""
        found = np.zeros(self.count)
        for pole in poles:
            if pole.strength:
                found[self.shapes.index(pole.shape)] += pole.strength
        return found


def make_slots(materials: Sequence[Sequence[Pole]], dt: float) -> Slots:
    """materials: the poles of each."""
    shapes = {pole.shape for poles in materials for pole in poles if pole.strength}
    ordered = tuple(sorted(shapes, key=lambda shape: (shape[0] != "lorentz", shape)))
    rows = [_slot(shape, dt / 2) for shape in ordered]
    constants = np.array([row[:4] for row in rows]).reshape(-1, 4)
    beta, sign, stored_j, stored_p = np.array([row[4:] for row in rows]).reshape(-1, 4).T
    return Slots(ordered, constants, sum(s[0] == "lorentz" for s in ordered), beta, sign, stored_j, stored_p)


def _slot(shape: tuple[str, float, float], half: float) -> tuple[float, ...]:
    """p, c, g, r, β/strength, sign, stored_j, stored_p; ``half``: Δt/2."""
    kind, resonance, rate = shape
    if kind == "debye":
        x = half * rate
        loss = -2 * x / (1 + x)
        return loss, 0.0, 2 + loss, 1.0, x / (1 + x), 1.0, x / (1 + x), 0.0
    stiff = (resonance * half) ** 2
    divisor = 1 + rate * half + stiff
    p, c = 2 / divisor, -2 * stiff / divisor
    return p, c, p + c, -1.0, half**2 / divisor, -1.0, 1 / divisor, stiff / divisor


@dataclass(frozen=True)
class Dispersion:
    """The poles of a problem on its edges.

    beta: (slots, ids) float64 β of each mixture over ``courant`` = cΔt/Δ, as in states
    spans: (3, nz + 1, ny + 1, 4) int32: first and last + 1 of the places of a row that have states, and where these
    begin, in units of ALIGNED
    places: how many places have states: (slots.states, places), first all Y_J
    """

    slots: Slots
    beta: Array
    courant: float
    spans: Array
    places: int

    def energy_weights(self) -> Array:
        """(states, ids): what (Y + βE)² is multiplied by in ε_r E²; 0 where there is no such pole."""
        stored = np.concatenate([self.slots.stored_j, self.slots.stored_p[: self.slots.seconds]])
        beta = np.concatenate([self.beta, self.beta[: self.slots.seconds]])
        return np.divide(self.courant * stored[:, None], beta, out=np.zeros_like(beta), where=beta > 0)


def make_dispersion(slots: Slots, beta: Array, courant: float, ids: Array) -> Dispersion:
    """beta: as in :class:`Dispersion`; ids: (3, nz + 1, ny + 1, row)."""
    spans = np.zeros((*ids.shape[:3], 4), np.int32)
    with parallel_region():
        _spans(ids, (beta > 0).any(axis=0), ALIGNED, spans)
    lengths = (spans[..., 1] - spans[..., 0]).reshape(-1).astype(np.int64)
    ends = np.cumsum(lengths)
    spans[..., 2] = ((ends - lengths) // ALIGNED).reshape(spans.shape[:3])
    return Dispersion(slots, beta, courant, spans, int(ends[-1]))


@nb.njit(cache=True, nogil=True, parallel=True)
def _spans(ids, dispersive, aligned, spans):
    """First and last + 1 of the places of each row whose mixture has a pole, to whole vectors."""
    for k in nb.prange(ids.shape[1]):
        for c in range(3):
            for j in range(ids.shape[2]):
                first, last = ids.shape[3], 0
                for i in range(ids.shape[3]):
                    if dispersive[ids[c, k, j, i]]:
                        first = min(first, i)
                        last = i + 1
                if last:
                    spans[c, k, j, 0] = first // aligned * aligned
                    spans[c, k, j, 1] = -(-last // aligned) * aligned
