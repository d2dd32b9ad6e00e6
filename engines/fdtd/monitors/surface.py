"""The fields on a closed surface, for what is computed of them: far fields, powers.

A :class:`SurfaceSpectra` has a point in the middle of each cell wall of a box, with the tangential components of E and
H there, which are means over the two places of Yee's grid beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.fdtd.monitors.blocks import Rectangle
from engines.fdtd.yee import VACUUM_IMPEDANCE, Yee


@dataclass(frozen=True, eq=False)
class SurfaceSpectra:
    """Fields at n points, ``F(ω) = ∫ field(t) e^{iωt} dt`` (fields go as e^{−iωt}).

    frequencies: (count,) [1/time unit];  positions: (n, 3) [length unit];  areas: (n,) [length unit²]
    normals: (n, 3), outwards;  electric: (count, n, 3) complex [V/m · time unit], magnetic alike [A/m · time unit];
    the components along the normal are 0
    """

    frequencies: Array
    positions: Array
    areas: Array
    normals: Array
    electric: Array
    magnetic: Array

    def power(self) -> Array:
        """(count,) ``½ Re ∮ E × H* · dA`` [V A (length unit/m)² · time unit²]."""
        across = np.cross(self.electric, self.magnetic.conj())
        return np.asarray(0.5 * np.einsum("fnd,nd,n->f", across, self.normals, self.areas).real)


def surface_of(
    yee: Yee, frequencies: Array, rectangles: Sequence[Rectangle], spectra: Sequence[Array]
) -> SurfaceSpectra:
    """spectra: of each rectangle (count, 4, nodes of q, nodes of p): E_p, H_q, E_q, H_p, H as η₀H."""
    positions, areas, normals, electric, magnetic = [], [], [], [], []
    for rectangle, values in zip(rectangles, spectra, strict=True):
        p, q = rectangle.across
        e_p, h_q = values[:, 0, :, :-1], values[:, 1, :, :-1]
        e_q, h_p = values[:, 2, :-1], values[:, 3, :-1]
        cells = (len(frequencies), -1)
        points = np.zeros((values.shape[2] - 1, values.shape[3] - 1, 3))
        widths = rectangle.widths(yee)
        points[..., rectangle.axis] = yee.nodes(rectangle.axis)[rectangle.node]
        points[..., p] = yee.halves(p)[rectangle.low[0] : rectangle.high[0]]
        points[..., q] = yee.halves(q)[rectangle.low[1] : rectangle.high[1], None]
        normal = np.zeros(3)
        normal[rectangle.axis] = rectangle.sign
        fields = np.zeros((2, len(frequencies), points.shape[0] * points.shape[1], 3), complex)
        for n, along_p, along_q in ((0, e_p, e_q), (1, h_p, h_q)):
            # E_p and H_q stand at nodes of q, E_q and H_p at nodes of p
            for axis, part in ((p, along_p), (q, along_q)):
                if (axis == p) == (n == 0):
                    middle = 0.5 * (part[:, 1:] + part[:, :-1])
                else:
                    middle = 0.5 * (part[:, :, 1:] + part[:, :, :-1])
                fields[n, ..., axis] = middle.reshape(cells)
        positions.append(points.reshape(-1, 3))
        areas.append(np.outer(widths[1][:-1], widths[0][:-1]).reshape(-1))
        normals.append(np.tile(normal, (len(areas[-1]), 1)))
        electric.append(fields[0])
        magnetic.append(fields[1] / VACUUM_IMPEDANCE)
    return SurfaceSpectra(
        frequencies, np.concatenate(positions), np.concatenate(areas), np.concatenate(normals),
        np.concatenate(electric, axis=1), np.concatenate(magnetic, axis=1),
    )  # fmt: skip
