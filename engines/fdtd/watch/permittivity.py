"""The permittivity that a run computes with, and the index of refraction, as fields: what stands along edges, smoothed
interfaces and paint included, as means over the edges around the centre of each cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo
from engines.backend.threads import in_parts
from engines.fdtd.grid.dimensions import Parts
from engines.fdtd.grid.yee import Yee, around_center
from engines.fdtd.media.dispersion import Pole
from engines.fdtd.media.materials import Media, Medium

PERMITTIVITY, INDEX = "permittivity", "index"
There = Callable[[Array, int, int, int], Array]
"""(ids, dx, dy, dz) → ids of the cells that are looked at, so many cells away."""


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
        return self._means(name, self._media(), self._table(), lambda ids, dx, dy, dz: ids[k + dz, j + dy, i + dx])

    def everywhere(self, name: str) -> Array:
        """The same in all cells, float32, by all cores."""
        nx, ny, nz = self._yee.counts
        media, table, found = self._media(), self._table(), np.empty((nz, ny, nx), np.float32)

        def planes(first: int, last: int) -> None:
            for plane in range(first, last):  # one by one, which stay in the cache

                def there(ids: Array, dx: int, dy: int, dz: int, k: int = plane) -> Array:
                    return ids[k + dz, dy : dy + ny, dx : dx + nx]

                found[plane] = self._means(name, media, table, there)

        in_parts(planes, 1)(nz)
        return found.reshape(-1)

    def _means(self, name: str, media: Media, table: Array, there: There) -> Array:
        total: Any = 0.0
        count: Any = 0
        for component in self._names:
            ids = media.ids_e["xyz".index(component[1])]
            for way in around_center(component):
                found = there(ids, *way)
                total, count = total + table[found], count + (found > 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(np.greater(count, 0), total / count, np.nan)
        if name == PERMITTIVITY:
            return mean.real
        return np.asarray(np.sqrt(mean * self._permeability(media, there)).real)

    def _permeability(self, media: Media, there: There) -> Array | float:
        """Mean over the faces of cells."""
        if media.ids_h is None:
            return float(media.permeability[0])
        faces = [("xyz".index(name[1]), *way) for name in ("Hx", "Hy", "Hz") for way in around_center(name)]
        return np.mean([media.permeability[there(media.ids_h[a], *way)] for a, *way in faces], axis=0)

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
