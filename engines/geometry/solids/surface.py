"""What a closed surface of triangles holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.placing import Faces
from engines.backend.threads import parallel_region
from engines.backend.twins import pick
from engines.geometry.solids.crossings import bin_triangles, windings_at
from engines.geometry.solids.solid import Solid
from engines.geometry.solids.stl import read_stl
from engines.geometry.solids.voxels import FEWEST_FOR_DEVICE, windings_on_cpu, windings_on_gpu

MOST_BINS = 1024


class SurfaceSolid(Solid):
    """The inside of an STL file's surface, scaled, shifted and then turned about its middle. Raises ProblemError."""

    def __init__(self, path: str, scale: float, shift: tuple[float, float, float], rotation: Array | None) -> None:
        read = read_stl(path)
        self._name, self._triangles, self._oriented = Path(path).name, read.triangles, read.oriented
        corners = read.corners * scale + np.array(shift)
        if rotation is not None:
            middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
            corners = (corners - middle) @ rotation.T + middle
        self._corners = np.ascontiguousarray(corners)
        self._bounds = corners.min(axis=0), corners.max(axis=0)
        self._bins: tuple[Any, ...] | None = None

    def bounds(self) -> tuple[Array, Array]:
        return self._bounds

    def faces(self) -> Faces:
        return Faces(self._corners, self._triangles)

    def contains(self, points: Array) -> Array:
        if self._bins is None:
            self._bins = self._binned()
        found = np.zeros(len(points), np.int8)
        with parallel_region():
            windings_at(np.ascontiguousarray(points), self._corners, self._triangles, *self._bins, found)
        inside = found & 1 != 0
        low, high = self._bounds
        return np.asarray(inside & ((points[:, :2] >= low[:2]) & (points[:, :2] <= high[:2])).all(axis=1))

    def _binned(self) -> tuple[Any, ...]:
        bins = int(np.clip(np.sqrt(len(self._triangles)), 1, MOST_BINS))
        low, high = self._bounds
        with np.errstate(divide="ignore"):
            inverse = np.where(high > low, bins / (high - low), 0.0)[:2]
        starts, members = bin_triangles(self._corners, self._triangles, low[:2], inverse, bins)
        return starts, members, low[:2], inverse, bins

    def on_grid(self, x: Array, y: Array, z: Array, backend: Any = None) -> Array:
        """Raises ProblemError where the surface turns out to cross itself."""
        x, y, z = (np.ascontiguousarray(each, float) for each in (x, y, z))
        large = len(x) * len(y) * len(z) + len(self._triangles) >= FEWEST_FOR_DEVICE
        if large and backend is not None and pick(backend, cpu=False, cuda=True):
            windings = windings_on_gpu(backend, self._corners, self._triangles, x, y, z)
        else:
            windings = windings_on_cpu(self._corners, self._triangles, x, y, z)
        if self._oriented:
            self._check(windings, x, y, z)
        return np.asarray(windings & 1 != 0)

    def _check(self, windings: Array, x: Array, y: Array, z: Array) -> None:
        if not windings.size:
            return
        lowest, highest = int(windings.min()), int(windings.max())
        if highest - lowest < 2:
            return
        wrong = windings == highest if highest > 1 else windings == lowest
        k, j, i = np.unravel_index(int(wrong.argmax()), wrong.shape)
        raise ProblemError(
            f"The surface in '{self._name}' crosses itself: {int(wrong.sum()):,} cells are in it twice or inside out, "
            f"the first at ({x[i]:g}, {y[j]:g}, {z[k]:g}), so unite its parts into one closed surface."
        )
