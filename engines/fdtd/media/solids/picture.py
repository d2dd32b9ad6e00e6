"""A picture drawn out along an axis."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.geometry.pictures import brightness
from engines.geometry.solids.extruded import Extruded
from engines.reading import Version, version_of


class PictureSolid(Extruded):
    """Pixels of a brightness from ``range[0]`` to ``range[1]``; each is a rectangle, nothing is interpolated."""

    def __init__(
        self, path: str, axis: int, low: float, high: float, corner: tuple[float, float], size: tuple[float, float],
        range: tuple[float, float],
    ) -> None:  # fmt: skip
        super().__init__(axis, low, high)
        if range[1] < range[0]:
            raise ProblemError(f"Its darkest pixels, {range[0]:g}, are brighter than its brightest, {range[1]:g}.")
        self._corner, self._size = np.array(corner, float), np.array(size, float)
        self._pixels = _chosen(path, range)

    def plane_bounds(self) -> tuple[Array, Array]:
        return self._corner, self._corner + self._size

    def edges(self) -> Array:
        """Along the sides of pixels that are of the material beside ones that are not."""
        height, width = self._pixels.shape
        framed = np.pad(self._pixels, 1).astype(np.int8)
        j, i = np.nonzero(np.diff(framed[1:-1], axis=1))
        upright = np.stack([i, j, i, j + 1], axis=1)
        j, i = np.nonzero(np.diff(framed[:, 1:-1], axis=0))
        level = np.stack([i, j, i + 1, j], axis=1)
        pixel = np.tile(self._size / (width, height), 2)
        return np.asarray(np.concatenate([upright, level]) * pixel + np.tile(self._corner, 2))

    def covers(self, u: Array, v: Array) -> Array:
        height, width = self._pixels.shape
        column = np.floor((u - self._corner[0]) * (width / self._size[0])).astype(np.int64)
        row = np.floor((v - self._corner[1]) * (height / self._size[1])).astype(np.int64)
        within = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        found = np.zeros(len(u), bool)
        found[within] = self._pixels[row[within], column[within]]
        return found


def _chosen(path: str, range: tuple[float, float]) -> Array:
    """(height, width) bool, row 0 at the bottom."""
    if not path:
        raise ProblemError("No picture is chosen for it: choose a PNG or JPEG file.")
    try:
        version = version_of(path)
    except OSError:
        raise ProblemError(f"Its picture '{path}' is not there: choose another file.") from None
    values = _read(path, version)
    return np.asarray((values >= range[0]) & (values <= range[1]))


@lru_cache(maxsize=2)
def _read(path: str, version: Version) -> Array:
    return brightness(Path(path), clear=np.nan)[::-1]  # which is within no range
