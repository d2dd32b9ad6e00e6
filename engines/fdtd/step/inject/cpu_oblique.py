"""Lines of oblique plane waves on the CPU."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np

from engines.api import Array
from engines.fdtd.sources.oblique import TAPS, ObliqueLine


@nb.njit(cache=True, nogil=True)
def line_step(target, other, ahead, samples, head, decay, step, inverse, m):
    """``target`` ← decay target ± step (1 + decay)/2 curl other; (3, length) each. The first places are filters of
    samples. ahead: the differences of ``other`` reach forward (curl E for H) or back (curl H for E)."""
    half = target.dtype.type(0.5)
    reach, length = head.shape[1], target.shape[1]
    for c in range(3):
        a, b = (c + 1) % 3, (c + 2) % 3
        for r in range(reach):
            value = target.dtype.type(0)
            for tap in range(samples.size):
                value += head[c, r, tap] * samples[tap]
            target[c, r] = value
        ma, mb = (m[a], m[b]) if ahead else (-m[a], -m[b])
        sign = -step if ahead else step
        for r in range(reach, length - reach):
            at = other[b, r + ma] - other[b, r] if ahead else other[b, r] - other[b, r + ma]
            to = other[a, r + mb] - other[a, r] if ahead else other[a, r] - other[a, r + mb]
            curl = at * inverse[a] - to * inverse[b]
            kept = decay[c, r]
            target[c, r] = kept * target[c, r] + sign * (half + half * kept) * curl


class CpuObliqueLine:
    """One wave's line; its values are among the signals."""

    def __init__(self, line: ObliqueLine, signals: Array, dtype: Any) -> None:
        self._samples = signals[line.first : line.first + TAPS]
        values = signals[line.first + TAPS : line.first + line.size].reshape(6, line.length)
        self._e, self._h = values[:3], values[3:]
        self._head, self._decay = line.head.astype(dtype), line.decay.astype(dtype)
        self._inverse, self._strides = line.inverse.astype(dtype), line.strides.astype(np.int64)
        self._cb, self._db = dtype.type(line.cb), dtype.type(line.db)

    def electric(self) -> None:
        """E to the end of the step; the samples are those of it."""
        line_step(self._e, self._h, False, self._samples, self._head[:3], self._decay[:3], self._cb, self._inverse,
                  self._strides)  # fmt: skip

    def magnetic(self) -> None:
        line_step(self._h, self._e, True, self._samples, self._head[3:], self._decay[3:], self._db, self._inverse,
                  self._strides)  # fmt: skip
