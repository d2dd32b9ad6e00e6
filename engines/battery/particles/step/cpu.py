"""Diffusion in particles on the CPU: a SIMD vector of particles at a time, all its steps in the first-level cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, prange

from engines.api.errors import ProblemError
from engines.backend import vector_math
from engines.backend.compile.digest import digest
from engines.backend.vector_math import exp, lanes, load, load_row, splat, store_row
from engines.battery.particles.step.diffusion import ModeDiffusion, ShellDiffusion
from engines.battery.step import particle_rows
from engines.battery.step.particle_rows import BaseRow, ModeRow

BASE, ERROR = int(BaseRow.BASE), int(BaseRow.ERROR)
MEAN, MEAN_ERROR, MODES = int(ModeRow.MEAN), int(ModeRow.MEAN_ERROR), int(ModeRow.MODES)


SOURCES = digest(vector_math, particle_rows)
"""Of the code of other files that is compiled into the kernels, each of which closes over it."""


def _explicit(sources: int) -> Callable[..., None]:
    @njit(parallel=True, nogil=True, cache=True)
    def explicit(c, base, rate, radius_per_diffusivity, flux, inner, outer, steady, dt, steps):
        """c_i += τ [outer_i (c_{i+1} − c_i) − inner_i (c_i − c_{i−1})], τ = D dt/R²: ``constant`` in explicit.cu, which
        splits a steady flux off, too.

        c: (points, n_padded); base: its rows by ``BaseRow``; rate … flux: (n_padded,), inner … steady: (points,). Bytes
        of a particle, whatever the steps: c and base read and written once, three values read.
        """
        points, stride = c.shape
        width = lanes(rate)
        blocks = stride // width if sources >= 0 else 0
        for block in prange(blocks):
            j = block * width
            w = np.empty((points, width), c.dtype)
            tau = load(rate, j) * dt
            gain = load(flux, j) * load(radius_per_diffusivity, j)
            for i in range(points):
                store_row(w, i, 0, load_row(c, i, j) - gain * steady[i])
            for _ in range(steps):
                here = load_row(w, 0, 0)
                left = splat(tau, 0.0)
                for i in range(points - 1):
                    beyond = load_row(w, i + 1, 0)
                    right = tau * (beyond - here)
                    store_row(w, i, 0, (here - inner[i] * left) + outer[i] * right)
                    left = right
                    here = beyond
                store_row(w, points - 1, 0, here - inner[points - 1] * left)
            grown = gain * (3.0 * tau * steps) - load_row(base, ERROR, j)
            last = load_row(base, BASE, j)
            after = last + grown
            store_row(base, BASE, j, after)
            store_row(base, ERROR, j, (after - last) - grown)
            for i in range(points):
                store_row(c, i, j, load_row(w, i, 0) + gain * steady[i])

    return explicit


def _implicit(sources: int) -> Callable[..., None]:
    @njit(parallel=True, nogil=True, cache=True)
    def implicit(c, base, rate, radius_per_diffusivity, flux, inner, outer, steady, theta, dt, steps):
        """(1 − θτL) δ = τ L w, w += δ by Thomas' algorithm, τ = D dt/R²; arrays and bytes as of ``explicit``."""
        points, stride = c.shape
        width = lanes(rate)
        blocks = stride // width if sources >= 0 else 0
        for block in prange(blocks):
            j = block * width
            w, pivot = np.empty((points, width), c.dtype), np.empty((points, width), c.dtype)
            up, delta = np.empty((points, width), c.dtype), np.empty((points, width), c.dtype)
            tau = load(rate, j) * dt
            s = theta * tau
            gain = load(flux, j) * load(radius_per_diffusivity, j)
            last_up = splat(tau, 0.0)
            for i in range(points):
                store_row(w, i, 0, load_row(c, i, j) - gain * steady[i])
                p = 1.0 / (1.0 + s * (inner[i] + outer[i]) - s * inner[i] * last_up)
                last_up = s * outer[i] * p
                store_row(pivot, i, 0, p)
                store_row(up, i, 0, last_up)
            for _ in range(steps):
                here = load_row(w, 0, 0)
                left = splat(tau, 0.0)
                before = splat(tau, 0.0)
                for i in range(points):
                    beyond = load_row(w, min(i + 1, points - 1), 0)
                    right = tau * (beyond - here)
                    before = load_row(pivot, i, 0) * (outer[i] * right + inner[i] * (s * before - left))
                    store_row(delta, i, 0, before)
                    left = right
                    here = beyond
                change = splat(tau, 0.0)
                for k in range(points):
                    i = points - 1 - k
                    change = load_row(delta, i, 0) + load_row(up, i, 0) * change
                    store_row(w, i, 0, load_row(w, i, 0) + change)
            grown = gain * (3.0 * tau * steps) - load_row(base, ERROR, j)
            last = load_row(base, BASE, j)
            after = last + grown
            store_row(base, BASE, j, after)
            store_row(base, ERROR, j, (after - last) - grown)
            for i in range(points):
                store_row(c, i, j, load_row(w, i, 0) + gain * steady[i])

    return implicit


def _relax(sources: int) -> Callable[..., None]:
    @njit(parallel=True, nogil=True, cache=True)
    def relax(state, rate, radius_per_diffusivity, flux, squares, time):
        """b_k ← b_k e^{−λ_k² τ} + gain (2/λ_k²) (1 − e^{−λ_k² τ}), mean += 3 gain τ, as ``relax`` in modes.cu.

        state: rows by ``ModeRow``, (2 + modes, n_padded); squares: (modes,) λ². Bytes of a particle: 2 + modes values
        read and written, three read.
        """
        stride = state.shape[1]
        width = lanes(rate)
        blocks = stride // width if sources >= 0 else 0
        for block in prange(blocks):
            j = block * width
            tau = load(rate, j) * time
            gain = load(flux, j) * load(radius_per_diffusivity, j)
            mean = load_row(state, MEAN, j)
            grown = 3.0 * gain * tau - load_row(state, MEAN_ERROR, j)
            after = mean + grown
            store_row(state, MEAN, j, after)
            store_row(state, MEAN_ERROR, j, (after - mean) - grown)
            for k in range(len(squares)):
                amplitude = load_row(state, MODES + k, j)
                final = gain * (2.0 / squares[k])
                store_row(state, MODES + k, j, final + (amplitude - final) * exp(-squares[k] * tau))

    return relax


def _profile(sources: int) -> Callable[..., None]:
    @njit(parallel=True, nogil=True, cache=True)
    def profile(state, radius_per_diffusivity, flux, shapes, tail, out):
        """out_i = mean + gain tail_i + Σ_k shapes[i, k] b_k at each point, as ``profile`` in modes.cu.

        out: (points, n_padded); shapes: (points, modes). Bytes of a particle: 3 + modes values read, points written.
        """
        points, stride = out.shape
        width = lanes(flux)
        blocks = stride // width if sources >= 0 else 0
        for block in prange(blocks):
            j = block * width
            gain = load(flux, j) * load(radius_per_diffusivity, j)
            for i in range(points):
                value = load_row(state, MEAN, j) + gain * tail[i]
                for k in range(shapes.shape[1]):
                    value = value + shapes[i, k] * load_row(state, MODES + k, j)
                store_row(out, i, j, value)

    return profile


explicit, implicit, relax, profile = _explicit(SOURCES), _implicit(SOURCES), _relax(SOURCES), _profile(SOURCES)

GROUP = 16
"""Particles that a thread steps side by side where each looks its diffusivities up."""


@njit(parallel=True, nogil=True, cache=True)
def explicit_varying(
    c, rate, radius, flux, inner, outer, table, low, inverse_step, source, dt, steps
):  # fmt: skip
    """As ``explicit`` with D of the stoichiometry halfway between shells, and the rounding carried along: ``varying``
    in explicit.cu. table: (intervals, 4), a cubic of each from ``low`` on. Bytes of a particle: c read and written
    once, three values read; the table comes from a cache.
    """
    points, stride = c.shape
    for group in prange(stride // GROUP):
        first = group * GROUP
        v, lost = np.empty((points, GROUP), c.dtype), np.zeros((points, GROUP), c.dtype)
        left = np.empty(GROUP, c.dtype)
        half, zero = c.dtype.type(0.5), c.dtype.type(0.0)
        last, most = len(table) - 1, c.dtype.type(len(table))
        for i in range(points):
            for j in range(GROUP):
                v[i, j] = c[i, first + j]
        for _ in range(steps):
            left[:] = zero
            for i in range(points - 1):
                for j in range(GROUP):
                    at = (half * (v[i + 1, j] + v[i, j]) - low) * inverse_step
                    at = min(max(at, zero), most)
                    k = min(int(at), last)
                    t = at - c.dtype.type(k)
                    D = table[k, 0] + t * (table[k, 1] + t * (table[k, 2] + t * table[k, 3]))
                    right = rate[first + j] * dt * D * (v[i + 1, j] - v[i, j])
                    gained = outer[i] * right - inner[i] * left[j] - lost[i, j]
                    after = v[i, j] + gained
                    lost[i, j] = (after - v[i, j]) - gained
                    v[i, j] = after
                    left[j] = right
            i = points - 1
            for j in range(GROUP):
                gained = source * flux[first + j] * dt / radius[first + j] - inner[i] * left[j] - lost[i, j]
                after = v[i, j] + gained
                lost[i, j] = (after - v[i, j]) - gained
                v[i, j] = after
        for i in range(points):
            for j in range(GROUP):
                c[i, first + j] = v[i, j]


class CpuShellDiffusion(ShellDiffusion):
    """Finite volumes on the CPU."""

    def explicit(self, flux: Any, dt: float, steps: int) -> None:
        if self.curve is None:
            explicit(
                self.deviation, self.base, self._rate, self._radius_per_diffusivity, flux, self._inner, self._outer,
                self._steady, dt, steps,
            )  # fmt: skip
            return
        real = self.dtype.type
        explicit_varying(
            self.deviation, self._rate, self._radius, flux, self._inner, self._outer, self._table,
            real(self.curve.low), real(self.curve.inverse_step), real(self._source), real(dt), steps,
        )  # fmt: skip

    def implicit(self, flux: Any, dt: float, steps: int, theta: float = 0.5) -> None:
        if self.curve is not None:
            raise ProblemError("The implicit scheme takes a constant diffusivity: use the explicit one.")
        implicit(
            self.deviation, self.base, self._rate, self._radius_per_diffusivity, flux, self._inner, self._outer,
            self._steady,
            theta, dt, steps,
        )  # fmt: skip


class CpuModeDiffusion(ModeDiffusion):
    """Eigenmodes on the CPU."""

    def advance(self, flux: Any, time: float) -> None:
        relax(self.state, self._rate, self._radius_per_diffusivity, flux, self._squares, time)

    def _profile(self, flux: Any, shapes: Any, tail: Any) -> Any:
        out = self.backend.empty((len(tail), self.n_padded), self.dtype)
        with self.backend.active():
            profile(self.state, self._radius_per_diffusivity, flux, shapes, tail, out)
        return out
