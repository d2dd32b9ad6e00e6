"""An STL file with a known volume."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engines.geometry.solids.stl import BINARY, BINARY_HEAD

CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float32)
SIDES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def write_box(path: Path, size: tuple[float, float, float], open_side: bool = False) -> Path:
    """A box with its lowest corner at 0: twelve triangles that look outwards, or ten."""
    corners = CORNERS * np.array(size, np.float32)
    sides = SIDES[:5] if open_side else SIDES
    triangles = [corners[[a, b, c]] for p, q, r, s in sides for a, b, c in ((p, q, r), (p, r, s))]
    rows = np.zeros(len(triangles), BINARY)
    rows["corners"] = triangles
    path.write_bytes(b" " * (BINARY_HEAD - 4) + np.uint32(len(rows)).tobytes() + rows.tobytes())
    return path
