"""The normal numbers of a cell and step: by its column, row and layer, so that they hang on no grid and no device."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import Array
from engines.formulas.noise.normals import OfArrays, normals

HIGH = 4
"""Bits of a key's second word that say which group of four noises it is; the step's upper word stands above them."""


def cell_normals(column: Any, row: Any, layer: Any, step: Any, seed: Any, group: int, kind: Any) -> list[Any]:
    """Four numbers of the noises from 4 ``group`` on; all but ``group`` are words, or vectors of them."""
    mask = 0xFFFFFFFF
    high = (step >> (32 - HIGH)) & (mask - (1 << HIGH) + 1)
    return normals((column, row, layer, step & mask), (seed & mask, high | group), kind)


def numbers(shape: tuple[int, ...], step: int, seed: int, which: int) -> Array:
    """(nz, ny, nx) float32: one of a system's noises, in NumPy."""
    z, y, x = np.meshgrid(*(np.arange(count, dtype=np.uint64) for count in shape), indexing="ij")
    now, below = np.full_like(x, step), np.full_like(x, seed)
    return np.asarray(cell_normals(x, y, z, now, below, which // 4, OfArrays)[which % 4])
