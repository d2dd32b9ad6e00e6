"""The fields on the rectangles of a monitor as a :class:`SurfaceSpectra`, for what is computed of it.

It has the places of Yee's grid themselves: on a face across axis a, with p < q the two others, those where E_p and H_q
stand together and those where E_q and H_p do; what is not there is zero. Each of the two sets covers the face, so
currents, which are linear in E and H, lose nothing by a mean, and the power out of the surface is that of the discrete
Poynting theorem. Monitors sum with ``e^{+iωt}``, so their fields go as ``e^{−iωt}``; those of a
:class:`SurfaceSpectra` go as ``e^{+iωt}`` and are the complex conjugates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.fdtd.far.spectra import SurfaceSpectra
from engines.fdtd.grid.yee import METRES, SECONDS, VACUUM_IMPEDANCE, Yee
from engines.fdtd.monitors.sums.blocks import Rectangle


def surface_of(
    yee: Yee, unit: str, frequencies: Array, rectangles: Sequence[Rectangle], spectra: Sequence[Array]
) -> SurfaceSpectra:
    """E in V s/m, H in A s/m: spectra, not amplitudes.

    unit: of lengths; frequencies: (count,) [1/time unit]; spectra: of each rectangle (count, 4, nodes of q, nodes of
    p) [V/m · time unit]: E_p, H_q, E_q, H_p, H as η₀H, summed with ``e^{+iωt}``
    """
    positions, areas, normals, electric, magnetic = [], [], [], [], []
    for rectangle, values in zip(rectangles, spectra, strict=True):
        p, q = rectangle.across
        cells_p, cells_q, around_p, around_q = rectangle.widths(yee)
        nodes_p, nodes_q = (
            yee.nodes(d)[low : high + 1] for d, low, high in zip((p, q), rectangle.low, rectangle.high, strict=True)
        )
        halves_p, halves_q = (
            yee.halves(d)[low:high] for d, low, high in zip((p, q), rectangle.low, rectangle.high, strict=True)
        )
        for first, part, u, v, wide_u, wide_v in (
            (0, values[..., :-1], halves_p, nodes_q, cells_p[:-1], around_q),
            (2, values[..., :-1, :], nodes_p, halves_q, around_p, cells_q[:-1]),
        ):
            points, fields = np.zeros((len(v), len(u), 3)), np.zeros((2, len(frequencies), len(v) * len(u), 3), complex)
            points[..., rectangle.axis] = yee.nodes(rectangle.axis)[rectangle.node]
            points[..., p], points[..., q] = u, v[:, None]
            along, across = (p, q) if first == 0 else (q, p)
            fields[0, ..., along] = part[:, first].reshape(len(frequencies), -1)
            fields[1, ..., across] = part[:, first + 1].reshape(len(frequencies), -1)
            normal = np.zeros(3)
            normal[rectangle.axis] = rectangle.sign
            positions.append(points.reshape(-1, 3))
            areas.append(np.outer(wide_v, wide_u).reshape(-1))
            normals.append(np.tile(normal, (len(areas[-1]), 1)))
            electric.append(fields[0])
            magnetic.append(fields[1] / VACUUM_IMPEDANCE)
    metre, second = METRES[unit], SECONDS[unit]
    return SurfaceSpectra(
        frequencies / second, np.concatenate(positions) * metre, np.concatenate(areas) * metre**2,
        np.concatenate(normals), np.concatenate(electric, axis=1).conj() * second,
        np.concatenate(magnetic, axis=1).conj() * second,
    )  # fmt: skip
