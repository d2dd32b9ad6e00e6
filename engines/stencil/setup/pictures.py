"""A picture as a field: its brightness on the cells of a grid."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.geometry.grid import Grid
from engines.geometry.pictures import brightness as brightness_of
from engines.reading import Version, version_of
from engines.stencil.parameters import Picture

MOST_BESIDE = 20
"""Times the picture that is laid out beside it, at most."""


def picture_field(setting: Picture, grid: Grid, what: str) -> Array:
    """(grid.shape) float32: black is ``low``, white ``high``; ``what`` says in an error what the picture is for.

    Many pixels in a cell are averaged, few are interpolated. Raises ProblemError.
    """
    path, version = _chosen(setting, what)
    brightness = _on_plane(path, version, grid.shape[-2:], grid.lengths[:2], setting.fitting)
    values = np.float32(setting.low) + np.float32(setting.high - setting.low) * brightness
    return np.ascontiguousarray(np.broadcast_to(values, grid.shape))


def picture_pixels(setting: Picture, grid: Grid, what: str) -> Array | None:
    """(rows, columns) float64 values of the pixels that the plane of the grid is covered with, row 0 at the bottom.

    None where pixels are larger than cells. Raises ProblemError.
    """
    path, version = _chosen(setting, what)
    covered = _covered(path, version, grid.lengths[:2], setting.fitting)
    if covered is None or not _fine(covered, grid.shape[-2:]):
        return None
    return setting.low + (setting.high - setting.low) * covered.astype(np.float64)


def averaged(values: Array, count: int, axis: int) -> Array:
    """Means over ``count`` equal parts of an axis, of values that are constant in each pixel: parts of pixels count."""
    pixels = np.moveaxis(np.asarray(values, np.float64), axis, 0)
    n = len(pixels)
    edges = np.linspace(0.0, n, count + 1)
    whole = np.minimum(edges.astype(int), n - 1)
    sums = np.concatenate([np.zeros((1, *pixels.shape[1:])), np.cumsum(pixels, axis=0)])
    upto = sums[whole] + (edges - whole).reshape(-1, *[1] * (pixels.ndim - 1)) * pixels[whole]
    return np.moveaxis(np.diff(upto, axis=0) * (count / n), 0, axis)


def _chosen(setting: Picture, what: str) -> tuple[Path, Version]:
    if not setting.picture:
        raise ProblemError(f"No picture is chosen for the {what}: choose a PNG or JPEG file.")
    path = Path(setting.picture)
    try:
        version = version_of(path)
    except OSError:
        raise ProblemError(f"The picture '{path}' for the {what} is not there: choose another file.") from None
    return path, version


def _fine(pixels: Array, shape: tuple[int, ...]) -> bool:
    return all(there >= wanted for there, wanted in zip(pixels.shape, shape, strict=True))


@lru_cache(maxsize=2)
def _covered(path: Path, version: Version, lengths: tuple[float, float], fit: str) -> Array | None:
    """(rows, columns) float32 brightness of all of the plane, row 0 at the bottom.

    None where it would be far larger than the picture.
    """
    source = brightness_of(path)[::-1]
    if fit == "stretch":
        return source
    height, width = source.shape
    scale = min(lengths[0] / width, lengths[1] / height)
    columns, rows = max(width, round(lengths[0] / scale)), max(height, round(lengths[1] / scale))
    if rows * columns > MOST_BESIDE * source.size:
        return None
    plane = np.zeros((rows, columns), np.float32)
    bottom, left = (rows - height) // 2, (columns - width) // 2
    plane[bottom : bottom + height, left : left + width] = source
    return plane


@lru_cache(maxsize=2)
def _on_plane(path: Path, version: Version, shape: tuple[int, int], lengths: tuple[float, float], fit: str) -> Array:
    """(ny, nx) float32 brightness 0 … 1, row 0 at the bottom of the picture."""
    covered, (ny, nx) = _covered(path, version, lengths, fit), shape
    if covered is not None and _fine(covered, shape):
        return averaged(averaged(covered, nx, 1), ny, 0).astype(np.float32)
    source = brightness_of(path)
    if fit == "stretch":
        return _resized(source, nx, ny)[::-1].copy()
    # cells need not be square: the picture keeps its shape in millimetres
    height, width = source.shape
    scale = min(lengths[0] / width, lengths[1] / height)
    columns = min(nx, max(1, round(width * scale / lengths[0] * nx)))
    rows = min(ny, max(1, round(height * scale / lengths[1] * ny)))
    plane = np.zeros(shape, np.float32)
    bottom, left = (ny - rows) // 2, (nx - columns) // 2
    plane[bottom : bottom + rows, left : left + columns] = _resized(source, columns, rows)[::-1]
    return plane


def _resized(source: Array, columns: int, rows: int) -> Array:
    from PIL import Image  # most problems have no picture

    image = Image.fromarray(source)
    return np.asarray(image.resize((columns, rows), Image.Resampling.BILINEAR), np.float32)
