"""What holds at the six faces, as numbers for each node and half of each axis.

- **PEC**: tangential E is zero at nodes 0 and n: edges there are of a perfect conductor (materials.py).
- **PMC**: tangential H is zero on the face. Node 0 then has half a cell around it: its difference of H, to a zero, is
  divided by Δ/2. Both walls are planes of mirror symmetry too: E is odd at a PEC and even at a PMC.
- **periodic**: node n is node 0, or node 0 times exp(i phase) (step/bloch).
- **CPML** (Roden and Gedney, doi 10.1002/1098-2760(20001205)27:5<334::AID-MOP14>3.0.CO;2-A), backed by PEC: in it
  ``∂ → ∂/κ + ψ`` with ``∂ψ/∂t = −(σ/κ + α)ψ/ε₀ − σ∂/(ε₀κ²)``, of which the step takes the end: ``ψ ← bψ + c∂`` with
  ``b = 1/(1 + (σ/κ + α)Δt/ε₀)``, ``c = −σΔt b/(ε₀κ²)``. A wave on the grid then loses in a cell what σ says, whatever
  the step (with their exponential it loses more, the longer the step). Over the depth d, 0 … 1,

      σ = (5 d³·⁵ − 2.4 d⁵ + 6 d¹²)/(η₀Δ),    κ = 1 + (κ_wall − 1) d³,    α = α_face (1 − d)

  σ belongs to the cells: what a wave loses does not depend on its frequency, nor then what ten cells reflect. α and κ
  belong to the frequencies that the sources drive: a wave with ωε₀ well below α passes σ by, and where α ∝ 1/Δ, fine
  cells left −40 dB. So α_face is ω ε₀ of the lowest (a fifth of it on coarse cells), and κ stretches a layer that is
  thin in wavelengths, for fields that fade around what is small, while a wavelength still has cells in it. Ten cells,
  steady waves of 10 … 1,000 cells a wavelength, Courant numbers 0.2 … 1: −97 dB at normal incidence, −86 at 60°, −47
  at 75°; of thinner ones ``thin_layers.py`` tells.

  Fields that only fade towards the layer (a guide below cut-off) meet κ and little else, and where a wavelength has ten
  to thirty cells κ must be small for the waves that travel. With 1.02, 1.1 and 1.3 times the wavenumber of vacuum along
  the face −30, −67, −102 dB come back at 10 cells a wavelength and −20, −44, −69 at 20; κ = 5 at any wavelength, as it
  was, had −50, −97, −93 and −26, −64, −90, but left −63 dB instead of −97 of a wave that travels straight at 10. Twice
  the κ would gain 6 to 17 dB of what fades and leave −85. Keep a layer away from what fades slowly, or take more cells.
  Guides between conducting faces are told of it (``guides.py``), others not: what small sources have around them hardly
  matters. A dipole 0.04, 0.02 and 0.01 wavelengths from a layer (4, 2 and 1 cells of λ/100, across the layer) sends
  8e-6, 8e-5 and 4e-4 more than one at 0.12, by a run.

  A search over the shapes of all three says that ten cells may have nearly both, by a κ that grows near the wall alone:
  σ = 4.13 d³·³⁶ + 2.64 d¹²·⁹, besides κ's own (to λ/10.75 Δ, as d²·⁷⁴) 8.24 d¹⁰·⁴, α = 0.41 ω ε₀ (1 − d)⁰·³¹ (0.06 on
  coarse cells). Exact: −46, −89, −101 dB at 10 and −28, −63, −75 at 20 cells a wavelength, −21, −50, −63 at 50; of
  steady waves −95 straight, −85 at 60° (−82 at a Courant number of 0.7), −46 at 75°. Not taken: eight
  cells leave −84 (with half of that term; now −86), and no run was made with it.
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
Band = tuple[float, float]
AXES = "xyz"
ORDER = 3
LOSSES = ((5.0, 3.5), (-2.4, 5.0), (6.0, 12.0))
"""(factor, power) of σ over the depth, in units of 1/(η₀Δ): the best of a search over such sums with the exact
reflection of the discrete layer at 0°, 60° and 75°, from 7 cells a wavelength on."""
CELLS_PER_KAPPA, LARGEST_KAPPA = 10.0, 100.0
"""κ at the wall leaves the shortest wave this many of its cells."""
CELLS_PER_ALPHA, LEAST_ALPHA = 50.0, 0.2
"""α at the face is ω ε₀ of the longest wave where the shortest has so many cells, and a part of it on coarser ones."""
UNKNOWN = (20.0, 1000.0)
"""Cells per shortest and longest wave where nobody says what is driven."""
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


def make_axes(
    yee: Yee, faces: Sequence[tuple[Face, Face]], dt: float, index: float = 1.0, band: Band | None = None
) -> tuple[Axis, Axis, Axis]:
    """For x, y, z. ``index``: of refraction of what reaches into the layers; ``band``: the lowest and the highest
    frequency that is driven. Raises ProblemError."""
    found = [_axis(yee, axis, faces[axis], dt, index, band) for axis in range(3)]
    return found[0], found[1], found[2]


def _axis(yee: Yee, axis: int, pair: tuple[Face, Face], dt: float, index: float, band: Band | None) -> Axis:
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
        _layer(at, nodes, low, high, yee.spacing[axis], dt, index, band) for at in (nodes, halves)
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
    at: Array, nodes: Array, low: Face, high: Face, spacing: float, dt: float, index: float, band: Band | None
) -> tuple[Array, Array, Array]:
    """κ, b, c at places of an axis, 0 outside of the layers; ``at`` and ``nodes`` in units of ``spacing``."""
    depth, cell = np.zeros(len(at)), np.ones(len(at))
    for deep, thickness, layer in _depths(at, nodes, low, high, "CPML"):
        depth = np.maximum(depth, deep)
        cell = np.where(deep > 0, thickness / layer, cell)
    speed = SPEED_OF_LIGHT / index
    crossed = speed * dt / (cell * spacing)  # cells in a step
    fewest, most = (np.full_like(cell, cells) for cells in UNKNOWN)
    if band is not None:
        fewest, most = (speed / (frequency * cell * spacing) for frequency in band[::-1])
    sigma = crossed * sum(factor * depth**power for factor, power in LOSSES)  # σΔt/ε₀
    kappa = 1.0 + (np.clip(fewest / CELLS_PER_KAPPA, 1.0, LARGEST_KAPPA) - 1.0) * depth**ORDER
    share = np.clip(fewest / CELLS_PER_ALPHA, LEAST_ALPHA, 1.0)
    alpha = np.where(depth > 0, share * 2 * np.pi * crossed / most * (1.0 - depth), 0.0)  # ω = 2πc/λ
    b = 1.0 / (1.0 + sigma / kappa + alpha)
    return kappa, np.where(depth > 0, b, 0.0), -sigma / kappa**2 * b


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
