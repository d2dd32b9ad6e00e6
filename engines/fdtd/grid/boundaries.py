"""What holds at the six faces, as numbers for each node and half of each axis.

- **PEC**: tangential E is zero at nodes 0 and n: edges there are of a perfect conductor (materials.py).
- **PMC**: tangential H is zero on the face. Node 0 then has half a cell around it: its difference of H, to a zero, is
  divided by Δ/2. Both walls are planes of mirror symmetry too: E is odd at a PEC and even at a PMC.
- **periodic**: node n is node 0, or node 0 times exp(i phase) (step/bloch).
- **CPML** (Roden and Gedney, doi 10.1002/1098-2760(20001205)27:5<334::AID-MOP14>3.0.CO;2-A), backed by PEC: in it
  ``∂ → ∂/κ + ψ`` with ``ψ ← bψ + c∂``, ``b = exp(−(σ/κ + α)Δt/ε₀)``, ``c = σ(b − 1)/(κ(σ + κα))``. σ and κ grow with
  the depth as its third power up to ``σ = 0.8·4/(η₀Δ)`` (Gedney's optimum), α falls linearly to zero at the wall.
- **absorber**, backed by PEC: a layer in which all fields fade, E and H alike (``σ/ε = σ*/μ``, so that nothing is
  reflected where it varies slowly: Oskooi et al., doi 10.1364/OE.16.011376). After each pass E (or H) is multiplied by
  ``f = 1/(1 + 2a)``, a growing as the third power of the depth: the step of a medium with a larger ε_∞ (or μ) and a
  loss. So it takes energy whatever stands in it, poles too; a CPML gives energy to waves whose phase runs against it.

On a graded axis a difference of H is divided by what lies around the node, the mean of two cells, one of E by the cell;
of a layer Δ is the mean cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.fdtd.grid.yee import SPEED_OF_LIGHT, Yee

Kind = Literal["CPML", "PEC", "PMC", "periodic", "absorber"]
AXES = "xyz"
ORDER = 3
OPTIMUM = 0.8
LARGEST_KAPPA = 5.0
LARGEST_ALPHA = 0.01
"""Of σ's maximum. Ten cells with κ 5 left −90 dB of a pulse and R + T of a slab within 1e-4 (with 0.05: 7e-4)."""
FADED = 1e-6
"""What is left of a wave in vacuum after an absorber, to the wall and back."""


@dataclass(frozen=True)
class Face:
    """One face: what holds there, the cells of a CPML or an absorber, and the phase of the high periodic face [rad]."""

    kind: Kind
    layer: int = 0
    phase: float = 0.0


@dataclass(frozen=True)
class Axis:
    """One axis; arrays have a value per node, which for H stand for the halves (the last is 0).

    low, high: cells of the CPML at the two ends
    inverse_e, inverse_h: Δ_smallest/(κΔ), 0 on a flat axis;  b_*, c_*: of the CPML, c already over Δ in the same unit
    fading: cells of the absorbers at the two ends; fade_nodes, fade_halves: what fields are multiplied by there
    phase: of node n over node 0 of an axis that wraps [rad]
    part_e, part_h: of each node and half, of an integral over the axis, in units of the axis' spacing
    """

    n: int
    wraps: bool
    walls: tuple[bool, bool]
    low: int
    high: int
    inverse_e: Array
    inverse_h: Array
    b_e: Array
    c_e: Array
    b_h: Array
    c_h: Array
    part_e: Array
    part_h: Array
    fade_nodes: Array
    fade_halves: Array
    fading: tuple[int, int] = (0, 0)
    phase: float = 0.0

    @property
    def clear(self) -> tuple[int, int]:
        """The first and the last node outside of the absorbing layers."""
        return self.low + self.fading[0], self.n - self.high - self.fading[1]


def make_axes(yee: Yee, faces: Sequence[tuple[Face, Face]], dt: float, index: float = 1.0) -> tuple[Axis, Axis, Axis]:
    """For x, y, z. ``index``: of refraction of what reaches into the layers. Raises ProblemError."""
    found = [_axis(yee, axis, faces[axis], dt, index) for axis in range(3)]
    return found[0], found[1], found[2]


def _axis(yee: Yee, axis: int, pair: tuple[Face, Face], dt: float, index: float) -> Axis:
    low, high = pair
    n, wraps = yee.counts[axis], low.kind == "periodic"
    if wraps != (high.kind == "periodic"):
        raise ProblemError(f"Only one face of {AXES[axis]} is periodic: make both so, or none.")
    if low.layer + high.layer > n - 2 and low.layer + high.layer > 0:
        raise ProblemError(
            f"The absorbing layers along {AXES[axis]} take {low.layer + high.layer} of {n} cells: "
            f"use at least {low.layer + high.layer + 2} cells, or thinner layers."
        )
    sizes, around = yee.sizes(axis), yee.around(axis, wraps)
    nodes = np.concatenate([[0.0], np.cumsum(sizes / yee.spacing[axis])])
    halves = np.append(0.5 * (nodes[1:] + nodes[:-1]), nodes[n])
    (kappa_e, b_e, c_e), (kappa_h, b_h, c_h) = (
        _layer(at, nodes, low, high, yee.spacing[axis], dt, index) for at in (nodes, halves)
    )
    fades = [_fade(at, nodes, low, high, yee.spacing[axis], dt) for at in (nodes, halves)]
    unit = 0.0 if yee.flat[axis] else yee.smallest
    unit_e, unit_h = unit / around, unit / np.append(sizes, sizes[-1])
    inverse_e, inverse_h = unit_e / kappa_e, unit_h / kappa_h
    for end, face in ((0, low), (n, high)):
        if face.kind == "PMC":
            inverse_e[end] *= 2.0
    for values in (inverse_h, b_h, c_h):
        values[n] = 0.0
    backed = ("PEC", "CPML", "absorber")
    stretched = [face.layer if face.kind == "CPML" else 0 for face in pair]
    fading = [face.layer if face.kind == "absorber" else 0 for face in pair]
    part_e, part_h = around / yee.spacing[axis], np.append(sizes / yee.spacing[axis], 0.0)
    part_e[[0, n]] *= 0.5  # a node of a periodic axis counts once, one on a wall half
    return Axis(
        n, wraps, (low.kind in backed, high.kind in backed), stretched[0], stretched[1],
        inverse_e, inverse_h, b_e, c_e * unit_e, b_h, c_h * unit_h, part_e, part_h, fades[0], fades[1],
        (fading[0], fading[1]), low.phase if wraps else 0.0,
    )  # fmt: skip


def _depths(at: Array, nodes: Array, low: Face, high: Face, kind: Kind) -> list[tuple[Array, float, int]]:
    """For each layer of a kind: how deep places lie in it, 0 … 1, its thickness, and its cells."""
    first, last = nodes[low.layer], nodes[len(nodes) - 1 - high.layer]
    return [
        (np.clip(deep / thickness, 0.0, 1.0), float(thickness), face.layer)
        for face, deep, thickness in ((low, first - at, first), (high, at - last, nodes[-1] - last))
        if face.kind == kind and face.layer
    ]


def _fade(at: Array, nodes: Array, low: Face, high: Face, spacing: float, dt: float) -> Array:
    """1/(1 + 2a), 1 outside of absorbers; places as in ``_layer``; ∫ 2a dx/(cΔt) there and back is −ln FADED."""
    total = np.zeros(len(at))
    for depth, thickness, _ in _depths(at, nodes, low, high, "absorber"):
        strongest = -np.log(FADED) * (ORDER + 1) * SPEED_OF_LIGHT * dt / (2 * thickness * spacing)
        total += strongest * depth**ORDER
    return np.asarray(1.0 / (1.0 + total))


def _layer(
    at: Array, nodes: Array, low: Face, high: Face, spacing: float, dt: float, index: float
) -> tuple[Array, Array, Array]:
    """κ, b, c at places of an axis, 0 outside of the layers; ``at`` and ``nodes`` in units of ``spacing``."""
    depth, cell = np.zeros(len(at)), np.ones(len(at))
    for deep, thickness, layer in _depths(at, nodes, low, high, "CPML"):
        depth = np.maximum(depth, deep)
        cell = np.where(deep > 0, thickness / layer, cell)
    strongest = OPTIMUM * (ORDER + 1) * SPEED_OF_LIGHT * dt / (cell * spacing * index)  # σΔt/ε₀
    sigma = strongest * depth**ORDER
    kappa = 1.0 + (LARGEST_KAPPA - 1.0) * depth**ORDER
    alpha = np.where(depth > 0, LARGEST_ALPHA * strongest * (1.0 - depth), 0.0)
    b = np.exp(-(sigma / kappa + alpha))
    divisor = kappa * (sigma + kappa * alpha)
    c = np.divide(sigma * (b - 1.0), divisor, out=np.zeros_like(b), where=divisor > 0)
    return kappa, b, c


def kernel_tables(yee: Yee, axes: Sequence[Axis], electric: bool, dtype: Any) -> Array:
    """What a pass reads: inverse, b and c of x (``row`` values each), then of y and of z (n + 1 values each)."""
    parts = []
    for number, axis in enumerate(axes):
        of_e, of_h = (axis.inverse_e, axis.b_e, axis.c_e), (axis.inverse_h, axis.b_h, axis.c_h)
        for values in of_e if electric else of_h:
            padded = np.zeros(yee.row if number == 0 else axis.n + 1, dtype)
            padded[: axis.n + 1] = values
            parts.append(padded)
    return np.concatenate(parts)


def psi_shapes(yee: Yee, axes: Sequence[Axis]) -> tuple[tuple[int, ...], ...]:
    """Of ψ for x, y and z, for the two components whose difference along that axis it belongs to.

    The first is that of the next axis (E_y for x), the second that of the one after it. Slots are the nodes (for H the
    halves) 0 … low − 1 and then the last ``high`` ones.
    """
    nz, ny, row = yee.shape
    x, y, z = (axis.low + axis.high for axis in axes)
    return (2, nz, ny, x), (2, nz, y, row), (2, z, ny, row)
