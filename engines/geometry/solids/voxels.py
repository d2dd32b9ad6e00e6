"""Windings of a surface around the points of a grid, on either device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array
from engines.backend.threads import parallel_region, usable_cores
from engines.geometry.solids.crossings import count_crossings, wind

SOURCE = Path(__file__).with_name("voxels.cu")
THREADS = 256
BANDS_PER_THREAD = 4
FEWEST_FOR_DEVICE = 1_000_000
"""Points and triangles together, below which copying to a GPU and back is no gain worth compiling for."""


def windings_on_cpu(corners: Array, triangles: Array, x: Array, y: Array, z: Array) -> Array:
    """(nz, ny, nx) int8 for ascending coordinates; corners: (n, 3) float64, triangles: (m, 3) int32."""
    counts = np.zeros((len(z), len(y), len(x)), np.int8)
    with parallel_region():
        count_crossings(corners, triangles, x, y, z, min(len(y), BANDS_PER_THREAD * usable_cores()), counts)
        wind(counts)
    return counts


def windings_on_gpu(backend: Any, corners: Array, triangles: Array, x: Array, y: Array, z: Array) -> Array:
    """As :func:`windings_on_cpu`, to the last bit."""
    nx, ny, nz = len(x), len(y), len(z)
    sizes = [np.int32(n) for n in (nx, ny, nz)]
    module = backend.compile(SOURCE)
    with backend.active():
        words = backend.array(np.zeros((-(-nz // 4), ny, nx), np.uint32))
        windings = backend.empty((nz, ny, nx), np.int8)
        placed = [backend.array(each) for each in (corners, triangles, x, y, z)]
        blocks = -(-len(triangles) // (THREADS // 32))
        arguments = (*placed, *sizes, np.int32(len(triangles)), words)
        module.get_function("count_crossings")((blocks,), (THREADS,), arguments)
        module.get_function("wind")((-(-nx * ny // THREADS),), (THREADS,), (words, *sizes, windings))
    return np.asarray(backend.to_host(windings))
