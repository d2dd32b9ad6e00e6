"""Kinetics on the CPU: the twin of ``kinetics.cu`` in SIMD vectors."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, prange

from engines.api.device import Backend
from engines.backend import vector_math
from engines.backend.compile.digest import digest
from engines.backend.vector_math import exp, lanes, load, log, select, sqrt, store

CHUNK = 1 << 14
"""Points that a thread takes at a time."""


def _compiled(sources: int) -> tuple[Callable[..., None], ...]:
    """The kernels; ``sources`` is a digest of the code of other files that is compiled into them."""

    @njit
    def current_vector(out, overpotential, exchange, scale, i):
        u = load(overpotential, i) * scale
        size = select(u < 0.0, -u, u)
        # Below 1 the series of 2 sinh(u)/u, to u^18: 1e-16 of the value at 1.
        z = u * u
        p = z * 1.644127049324866e-17 + 5.622914508691041e-15
        p = p * z + 1.5294327463639633e-12
        p = p * z + 3.2118087673643227e-10
        p = p * z + 5.010421677088344e-08
        p = p * z + 5.5114638447971785e-06
        p = p * z + 0.0003968253968253968
        p = p * z + 0.016666666666666666
        p = p * z + 0.3333333333333333
        near = u * (p * z + 2.0)
        e = exp(size)
        far = e - 1.0 / e
        far = select(u < 0.0, -far, far)
        store(out, i, load(exchange, i) * select(size < 1.0, near, far))

    @njit
    def overpotential_vector(out, current, exchange, scale, i):
        y = load(current, i) / (2.0 * load(exchange, i))
        size = select(y < 0.0, -y, y)
        # asinh = log1p(t); log(1 + t) t/((1 + t) − 1) makes up for what 1 + t rounds away (Kahan).
        t = size + size * size / (1.0 + sqrt(size * size + 1.0))
        w = 1.0 + t
        near = select(w == 1.0, t, log(w) * (t / select(w == 1.0, 1.0, w - 1.0)))
        answer = select(size > 1e9, log(size) + 0.6931471805599453, near)  # where squares might overflow
        store(out, i, scale * select(y < 0.0, -answer, answer))

    @njit(parallel=True, nogil=True, cache=True)
    def current_density(out, overpotential, exchange, scale):
        """j = 2 j0 sinh(scale η); all (n,). Bytes of a point: η and j0 read, j written, 12 in float32."""
        n = len(out) if sources >= 0 else 0
        width = lanes(out)
        whole = n // width * width
        for chunk in prange((whole + CHUNK - 1) // CHUNK):
            for i in range(chunk * CHUNK, min((chunk + 1) * CHUNK, whole), width):
                current_vector(out, overpotential, exchange, scale, i)
        if whole < n:
            rest = n - whole
            ends = np.ones((3, width), out.dtype)
            for i in range(rest):
                ends[1, i], ends[2, i] = overpotential[whole + i], exchange[whole + i]
            current_vector(ends[0], ends[1], ends[2], scale, 0)
            for i in range(rest):
                out[whole + i] = ends[0, i]

    @njit(parallel=True, nogil=True, cache=True)
    def overpotential(out, current, exchange, scale):
        """η = scale asinh(j/2j0); all (n,). Bytes of a point: j and j0 read, η written, 12 in float32."""
        n = len(out) if sources >= 0 else 0
        width = lanes(out)
        whole = n // width * width
        for chunk in prange((whole + CHUNK - 1) // CHUNK):
            for i in range(chunk * CHUNK, min((chunk + 1) * CHUNK, whole), width):
                overpotential_vector(out, current, exchange, scale, i)
        if whole < n:
            rest = n - whole
            ends = np.ones((3, width), out.dtype)
            for i in range(rest):
                ends[1, i], ends[2, i] = current[whole + i], exchange[whole + i]
            overpotential_vector(ends[0], ends[1], ends[2], scale, 0)
            for i in range(rest):
                out[whole + i] = ends[0, i]

    return current_density, overpotential


current_density, overpotential = _compiled(digest(vector_math))


def launch(backend: Backend, name: str, out: Any, given: Any, exchange: Any, scale: float) -> None:
    """Run ``name`` (``current_density``, ``overpotential``) over arrays."""
    {"current_density": current_density, "overpotential": overpotential}[name](out, given, exchange, scale)
