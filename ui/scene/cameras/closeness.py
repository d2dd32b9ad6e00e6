"""Which part of a flat grid a camera looks at, so that its cells are seen however large the whole is."""

from __future__ import annotations

import numpy as np

from engines.geometry.grid import Grid
from ui.scene.cameras.camera import Camera

MARGIN = 0.25
"""On each side of what is in view, as a part of it: a small pan needs no other values."""
WHOLE = 0.5
"""A part larger than this part of the grid is not worth a sheet of its own."""


def looked_at(grid: Grid, camera: Camera, aspect: float) -> tuple[int, int, int, int] | None:
    """Cells from (x, y) to (x, y), with a margin and in large steps; None if it is most of the grid, or no part."""
    corners = []
    for x, y in ((0.0, 0.0), (aspect, 0.0), (0.0, 1.0), (aspect, 1.0)):
        origin, direction = camera.ray(x, y, aspect, 1.0)
        distance = (grid.origin[2] - origin[2]) / direction[2] if direction[2] else -1.0
        if distance <= 0:
            return None
        corners.append((origin + distance * direction)[:2])
    cells = (np.array(corners) - np.array(grid.origin[:2])) / np.array(grid.spacing)
    low, high = cells.min(axis=0), cells.max(axis=0)
    # Steps of an eighth of the view or less, by powers of two, so that the same part is found while the view creeps.
    step = 2.0 ** np.floor(np.log2(np.maximum((high - low) / 8, 1.0)))
    margin = MARGIN * (high - low)
    counts = np.array(grid.counts)
    first = np.clip(np.floor((low - margin) / step) * step, 0, counts).astype(int)
    last = np.clip(np.ceil((high + margin) / step) * step, 0, counts).astype(int)
    if (last <= first).any() or (last - first).prod() > WHOLE * counts.prod():
        return None
    return int(first[0]), int(first[1]), int(last[0]), int(last[1])
