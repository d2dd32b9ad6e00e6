"""One step in float64 NumPy, written from the equations: full arrays of ε and σ, ψ everywhere, differences by index.

Shares with the kernels the numbers of :mod:`boundaries` and :mod:`materials` and nothing else. Fields, (3, nz + 1,
ny + 1, nx + 1) without the padding of rows, are changed in place; with Bloch faces they are complex.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.media.materials import Media


class ReferenceYee:
    """E and H stepped by ``E ← ca E + cb curl H``, ``H ← da H − db curl E``.

    Off-diagonal terms of ``media.coupling`` are those of nodes off the walls, on cells of one size.
    With ``poles`` ca and cb are not used: each pole's equations and that of E are solved for the new E, J and P.
    """

    def __init__(self, axes: Sequence[Axis], media: Media, poles: ReferencePoles | None = None) -> None:
        self._poles = poles
        self._axes = axes
        places = tuple(axis.n + 1 for axis in reversed(axes))
        ids_e = media.ids_e[..., : axes[0].n + 1]
        ids_h = np.zeros_like(ids_e) if media.ids_h is None else media.ids_h[..., : axes[0].n + 1]
        self._ca, self._cb, self._da, self._db = media.ca[ids_e], media.cb[ids_e], media.da[ids_h], media.db[ids_h]
        kind = complex if any(axis.phase for axis in axes) else float
        self.electric, self.magnetic = np.zeros((3, *places), kind), np.zeros((3, *places), kind)
        self._terms: dict[tuple[int, int], Array] = {}
        if media.coupling is not None:
            self._terms = {(1, 2): np.zeros(places), (2, 0): np.zeros(places), (0, 1): np.zeros(places)}
            i, j, k = media.coupling.nodes.T
            for n, term in enumerate(self._terms.values()):
                term[k, j, i] = media.coupling.terms[:, n]
                for d, axis in enumerate(axes):
                    if axis.wraps:
                        moved = np.moveaxis(term, 2 - d, 0)
                        moved[-1] = moved[0]
        self._psi_e, self._psi_h = np.zeros((3, 3, *places), kind), np.zeros((3, 3, *places), kind)

    def step_electric(self) -> None:
        curls = []
        for c in range(3):
            curl = np.zeros_like(self.electric[0])
            curls.append(curl)
            for sign, d in ((1, (c + 1) % 3), (-1, (c + 2) % 3)):
                along = 2 - d
                axis = self._axes[d]
                h = np.moveaxis(self.magnetic[3 - c - d], along, 0)
                difference = np.empty_like(h)
                difference[1:-1] = h[1:-1] - h[:-2]
                turn = np.exp(1j * axis.phase) if axis.phase else 1.0
                beyond = (h[-2] / turn, h[0] * turn) if axis.wraps else (0.0, 0.0)
                difference[0], difference[-1] = h[0] - beyond[0], beyond[1] - h[-2]
                difference = np.moveaxis(difference, 0, along)
                self._psi_e[c, d] = _on(axis.b_e, along) * self._psi_e[c, d] + _on(axis.c_e, along) * difference
                curl += sign * (_on(axis.inverse_e, along) * difference + self._psi_e[c, d])
            if self._poles is None:
                self.electric[c] = self._ca[c] * self.electric[c] + self._cb[c] * curl
            else:
                before = self.electric[c].copy()
                self.electric[c] = self._poles.electric(c, before, curl)
            self._fade(self.electric[c], c, False)
            if self._poles is not None:
                self._poles.follow(c, before, self.electric[c])
        self._mix(curls)

    def _mix(self, curls: Sequence[Array]) -> None:
        """E_a += mean over the two nodes of an edge of (term ab · mean of curl H over the two edges along b there)."""
        for (a, b), term in self._terms.items():
            for to, of in ((a, b), (b, a)):
                at_nodes = term * _mean(curls[of], 2 - of, self._axes[of], back=True)
                self.electric[to] += _mean(at_nodes, 2 - to, self._axes[to], back=False)

    def step_magnetic(self) -> None:
        for c in range(3):
            curl = np.zeros_like(self.magnetic[0])
            for sign, d in ((1, (c + 1) % 3), (-1, (c + 2) % 3)):
                along = 2 - d
                axis = self._axes[d]
                e = np.moveaxis(self.electric[3 - c - d], along, 0)
                difference = np.zeros_like(e)
                difference[:-1] = e[1:] - e[:-1]
                difference = np.moveaxis(difference, 0, along)
                self._psi_h[c, d] = _on(axis.b_h, along) * self._psi_h[c, d] + _on(axis.c_h, along) * difference
                curl += sign * (_on(axis.inverse_h, along) * difference + self._psi_h[c, d])
            new = self._da[c] * self.magnetic[c] - self._db[c] * curl
            here = tuple(slice(None) if 2 - axis == c else slice(0, -1) for axis in range(3))
            self.magnetic[c][here] = new[here]
            self._fade(self.magnetic[c], c, True)

    def _fade(self, field: Array, c: int, magnetic: bool) -> None:
        for d, axis in enumerate(self._axes):
            field *= _on(axis.fade_halves if (c == d) != magnetic else axis.fade_nodes, 2 - d)


def _mean(values: Array, along: int, axis: Axis, back: bool) -> Array:
    """Of halves at nodes (``back``) or of nodes at halves; cells of one size."""
    moved = np.moveaxis(values, along, 0)
    found = np.zeros_like(moved)
    if back:
        found[1:-1] = 0.5 * (moved[:-2] + moved[1:-1])
        if axis.wraps:
            found[0] = found[-1] = 0.5 * (moved[-2] + moved[0])
    else:
        found[:-1] = 0.5 * (moved[:-1] + moved[1:])
    return np.moveaxis(found, 0, along)


class ReferencePoles:
    """J and P of each pole on all edges, by the trapezoidal rule: a linear system of E⁺, J⁺ and P⁺ for each edge.

    permittivity, conductivity (σΔt/ε₀), strengths[pole]: (3, nz + 1, ny + 1, nx + 1), the means over four cells;
    blocked: edges of perfect conductors; courant: cΔt/Δ
    """

    def __init__(
        self, shapes: Sequence[tuple[str, float, float]], strengths: Sequence[Array], permittivity: Array,
        conductivity: Array, blocked: Array, courant: float, dt: float,
    ) -> None:  # fmt: skip
        self._shapes, self._strengths, self._courant, self._dt = shapes, strengths, courant, dt
        self._permittivity, self._conductivity, self._blocked = permittivity, conductivity, blocked
        self.currents = [np.zeros_like(permittivity) for _ in shapes]
        self.polarizations = [np.zeros_like(permittivity) for _ in shapes]

    def electric(self, c: int, e: Array, curl: Array) -> Array:
        """The new E_c."""
        after, right = self._system(c, e)
        right[..., 0] += self._courant * curl
        after[self._blocked[c]] = np.eye(after.shape[-1])
        right[self._blocked[c]] = 0
        return np.asarray(np.linalg.solve(after, right[..., None])[..., 0, 0])

    def follow(self, c: int, before: Array, new: Array) -> None:
        """J and P take their step with E_c as it is at its two ends: absorbers have changed it."""
        after, right = self._system(c, before)
        after[..., 0, :] = 0
        after[..., 0, 0], right[..., 0] = 1, new
        found = np.linalg.solve(after, right[..., None])[..., 0]
        for n in range(len(self._shapes)):
            self.currents[n][c], self.polarizations[n][c] = found[..., 1 + 2 * n], found[..., 2 + 2 * n]

    def _system(self, c: int, e: Array) -> tuple[Array, Array]:
        """A and B x for the unknowns E⁺, then J⁺ and P⁺ of each pole: ``A x⁺ = B x + curl``."""
        count = 1 + 2 * len(self._shapes)
        after, before = np.zeros((2, *e.shape, count, count))
        after[..., 0, 0] = self._permittivity[c] + self._conductivity[c] / 2
        before[..., 0, 0] = self._permittivity[c] - self._conductivity[c] / 2
        half = self._dt / 2
        for n, (kind, resonance, rate) in enumerate(self._shapes):
            j, p, strength = 1 + 2 * n, 2 + 2 * n, self._strengths[n][c]
            # what E loses to the pole is what P gains
            after[..., 0, p], before[..., 0, p] = 1, 1
            after[..., p, p], before[..., p, p] = 1, 1
            if kind == "debye":  # (P⁺ − P) τ/Δt + mean P = Δε mean E; J is not used
                after[..., j, j] = 1
                after[..., p, p] += half * rate
                before[..., p, p] -= half * rate
                after[..., p, 0], before[..., p, 0] = -half * rate * strength, half * rate * strength
            else:
                after[..., p, j], before[..., p, j] = -half, half
                after[..., j, j], before[..., j, j] = 1 + half * rate, 1 - half * rate
                after[..., j, p], before[..., j, p] = half * resonance**2, -half * resonance**2
                after[..., j, 0], before[..., j, 0] = -half * strength, half * strength
        known = np.stack(
            [e, *(x[c] for n in range(len(self._shapes)) for x in (self.currents[n], self.polarizations[n]))]
        )
        right = np.einsum("...mn,n...->...m", before, known)
        return after, right


def _on(values: Array, along: int) -> Array:
    """Values of one axis, shaped to broadcast."""
    return values.reshape([-1 if axis == along else 1 for axis in range(3)])
