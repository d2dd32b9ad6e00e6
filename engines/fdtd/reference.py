"""One step in float64 NumPy, written from the equations: full arrays of ε and σ, ψ everywhere, differences by index.

Shares with the kernels the numbers of :mod:`boundaries` and :mod:`materials` and nothing else. Fields, (3, nz + 1,
ny + 1, nx + 1) without the padding of rows, are changed in place; with Bloch faces they are complex.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.fdtd.boundaries import Axis
from engines.fdtd.materials import Media


class ReferenceYee:
    """E and H stepped by ``E ← ca E + cb curl H``, ``H ← da H − db curl E``."""

    def __init__(self, axes: Sequence[Axis], media: Media) -> None:
        self._axes = axes
        places = tuple(axis.n + 1 for axis in reversed(axes))
        ids_e = media.ids_e[..., : axes[0].n + 1]
        ids_h = np.zeros_like(ids_e) if media.ids_h is None else media.ids_h[..., : axes[0].n + 1]
        self._ca, self._cb, self._da, self._db = media.ca[ids_e], media.cb[ids_e], media.da[ids_h], media.db[ids_h]
        kind = complex if any(axis.phase for axis in axes) else float
        self.electric, self.magnetic = np.zeros((3, *places), kind), np.zeros((3, *places), kind)
        self._psi_e, self._psi_h = np.zeros((3, 3, *places), kind), np.zeros((3, 3, *places), kind)

    def step_electric(self) -> None:
        for c in range(3):
            curl = np.zeros_like(self.electric[0])
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
            self.electric[c] = self._ca[c] * self.electric[c] + self._cb[c] * curl

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


def _on(values: Array, along: int) -> Array:
    """Values of one axis, shaped to broadcast."""
    return values.reshape([-1 if axis == along else 1 for axis in range(3)])
