"""A picture as a field: its brightness on the cells of a grid."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.geometry.grid import Grid
from engines.geometry.pictures import brightness as brightness_of
from engines.stencil.parameters import Picture


def picture_field(setting: Picture, grid: Grid, what: str) -> Array:
    """(grid.shape) float32: black is ``low``, white ``high``; ``what`` says in an error what the picture is for.

    Many pixels in a cell are averaged, few are interpolated. Raises ProblemError.
    """
    if not setting.picture:
        raise ProblemError(f"No picture is chosen for the {what}: choose a PNG or JPEG file.")
    path = Path(setting.picture)
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        raise ProblemError(f"The picture '{path}' for the {what} is not there: choose another file.") from None
    brightness = _on_plane(path, changed, grid.shape[-2:], grid.lengths[:2], setting.fitting)
    values = np.float32(setting.low) + np.float32(setting.high - setting.low) * brightness
    return np.ascontiguousarray(np.broadcast_to(values, grid.shape))


@lru_cache(maxsize=2)
def _on_plane(path: Path, changed: int, shape: tuple[int, int], lengths: tuple[float, float], fit: str) -> Array:
    """(ny, nx) float32 brightness 0 … 1, row 0 at the bottom of the picture."""
    source = brightness_of(path)
    ny, nx = shape
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
    # Pillow's bilinear filter is as wide as a cell where pixels are smaller, which averages them
    return np.asarray(image.resize((columns, rows), Image.Resampling.BILINEAR), np.float32)
