"""The permittivity that a run computes with, and the index of refraction, as fields: what stands along edges, smoothed
interfaces and paint included, as means over the edges around the centre of each cell."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engines.api import Array, FieldInfo
from engines.fdtd.grid.dimensions import Parts
from engines.fdtd.grid.yee import Yee, around_center
from engines.fdtd.media.dispersion import Pole
from engines.fdtd.media.materials import Media, Medium

PERMITTIVITY, INDEX = "permittivity", "index"


def fields_of_media(media: tuple[Medium, ...], frequency: float) -> tuple[FieldInfo, ...]:
    """Ranges from the least and the greatest of ``media`` at ``frequency`` [1/time]."""
    omega = np.array([2 * np.pi * frequency])
    found = [medium.index_at(omega)[0] for medium in media if not medium.perfect_conductor]
    permittivity = [float((n**2).real) / medium.permeability for n, medium in zip(found, _open(media), strict=True)]
    index = [float(n.real) for n in found]
    least = [medium.grade.least for medium in media if medium.grade is not None]
    index += [medium.least_index for medium in media if medium.grade is not None]
    permittivity += least
    return (
        FieldInfo(INDEX, "Refractive index n", "1", "cell", _range(index), missing_title="conductor"),
        FieldInfo(PERMITTIVITY, "Relative permittivity", "1", "cell", _range(permittivity), missing_title="conductor"),
    )


def _open(media: tuple[Medium, ...]) -> list[Medium]:
    return [medium for medium in media if not medium.perfect_conductor]


def _range(values: list[float]) -> tuple[float, float]:
    low, high = (float(f"{end:.3g}") for end in (min(values, default=1.0), max(values, default=1.0)))
    return (low, high) if high > low else (low, low + 1.0)


class Permittivity:
    """media: () → those of this moment, which paint changes; there: the components of E that a run has; frequency
    [1/time]: of what depends on it, conductivities left out."""

    def __init__(self, yee: Yee, media: Callable[[], Media], there: Parts, frequency: float) -> None:
        self._yee, self._media, self._omega = yee, media, 2 * np.pi * frequency
        self._names = [name for name in ("Ex", "Ey", "Ez") if name in there.names()]

    def at(self, name: str, elements: Array) -> Array:
        """One of the two in cells (n,): (n,) float64, NaN within conductors. The mean of a cell's edges that are no
        conductor's: beside a wall or an antisymmetric mirror those in its plane do not count."""
        nx, ny, _ = self._yee.counts
        k, rest = np.divmod(np.asarray(elements, np.int64), nx * ny)
        j, i = np.divmod(rest, nx)
        media, table = self._media(), self._table()
        total, count = np.zeros(len(i), complex), np.zeros(len(i))
        for component in self._names:
            ids = media.ids_e["xyz".index(component[1])]
            for dx, dy, dz in around_center(component):
                found = ids[k + dz, j + dy, i + dx]
                total += table[found]
                count += found > 0
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(count > 0, total / count, np.nan)
        if name == PERMITTIVITY:
            return mean.real
        return np.asarray(np.sqrt(mean * self._permeability(media, i, j, k)).real)

    def _permeability(self, media: Media, i: Array, j: Array, k: Array) -> Array | float:
        """Mean over the faces of cells."""
        if media.ids_h is None:
            return float(media.permeability[0])
        faces = [("xyz".index(name[1]), *way) for name in ("Hx", "Hy", "Hz") for way in around_center(name)]
        return np.mean([media.permeability[media.ids_h[a][k + dz, j + dy, i + dx]] for a, dx, dy, dz in faces], axis=0)

    def _table(self) -> Array:
        """(ids,) complex: of each mixture; 0 of conductors, which ids 0 are."""
        media = self._media()
        table = media.permittivity.astype(complex)
        if media.dispersion is not None:
            slots, beta = media.dispersion.slots, media.dispersion.beta * media.dispersion.courant
            for shape, each, of_one in zip(slots.shapes, beta, slots.beta, strict=True):
                kind, resonance, rate = shape
                pole = Pole(kind, 1.0, rate, resonance)  # type: ignore[arg-type]  # a slot's shape is of a pole
                table[: len(each)] += each / of_one * pole.susceptibility(np.array(self._omega))
        table[0] = 0.0
        return table
