"""The watchers' kernels on the CPU: the Numba twins of ``maps.cu``, ``ecg.cu`` and ``phase.cu``."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import math

import numpy as np
from numba import njit, prange

from engines.api import Array
from engines.cardiac.watch.kernels import MapArrays, WatcherKernels

WAITING = -1e30
REFRACTORY = 50.0
SETTLING = 100.0
"""After a beat [ms] the voltage falls as fast as it likes."""
FALL = 0.1
"""As fast a resting voltage falls at most [mV/ms]: the dip at the edge of a stimulus, of some mV for a ms, is none."""
CHUNK = 16384
"""Cells whose weighted sum one thread takes at a time."""


class CpuKernels(WatcherKernels):
    """On the CPU; call them inside ``backend.active``."""

    def look_maps(
        self, voltage: Array, arrays: MapArrays, threshold: float, fraction: float, time: float, since: float
    ) -> None:
        _look_maps(voltage, arrays, threshold, fraction, time, since, self.n_cells)

    def weighted_sums(self, voltage: Array, weights: Array, out: Array) -> None:
        partial = np.empty((len(weights), -(-self.n_cells // CHUNK)))
        _weighted_sums(voltage, weights, partial, self.n_cells)
        out[:] = partial.sum(axis=1)

    def excited(self, arrays: MapArrays, out: Array) -> None:
        most = arrays.beats.argmax()  # NumPy does: a kernel would be one more that a first picture waits for
        out[:] = arrays.activation.max(), arrays.beats[most], (arrays.level > WAITING).sum(), arrays.cycle[most]

    def phase(self, now: Array, then: Array, origin: float, out: Array) -> None:
        _phase(now, then, origin, out, self.n_cells)

    def surface_phases(
        self, now: Array, then: Array, origin: float, cells: Array, offsets: Array, phases: Array
    ) -> None:
        _surface_phases(now, then, origin, cells, offsets, phases)

    def charges(self, phases: Array, triangles: Array, charge: Array, counts: Array) -> None:
        _charges(phases, triangles, charge)
        counts[:] = (charge == 1).sum(), (charge == -1).sum()


@njit(cache=True, nogil=True, parallel=True)
def _look_maps(voltage, arrays, threshold, fraction, time, since, n_cells):
    """A beat begins where V crosses ``threshold`` upwards and ends where it falls below peak − fraction (peak − rest);
    both moments are linear between looks.

    arrays: :class:`MapArrays`, one value a cell in each. Bytes of a cell: V, before, level and low are read and
    before is written; more only where a beat begins, rises or ends.
    """
    before, level = arrays.before, arrays.level
    low, rest, peak = arrays.low, arrays.rest, arrays.peak
    activation, repolarisation, duration = arrays.activation, arrays.repolarisation, arrays.duration
    cycle, beats = arrays.cycle, arrays.beats
    for i in prange(n_cells):
        v, b, end = voltage[i], before[i], level[i]
        before[i] = v
        excited = end > WAITING
        begun = False
        if b < threshold and v >= threshold:
            at = time - since * ((v - threshold) / (v - b))
            begun = not excited or at - activation[i] >= REFRACTORY
            if begun:
                if activation[i] >= 0.0:
                    cycle[i] = at - activation[i]
                beats[i] += 1.0
                activation[i] = at
                peak[i] = v
                rest[i] = low[i]
                level[i] = v - fraction * (v - low[i])
        if begun:
            pass
        elif not excited:
            if not (v >= b) and v < low[i]:  # also where there was no look before: b is NaN
                settles = repolarisation[i] >= 0.0 and time - repolarisation[i] < SETTLING
                low[i] = v if settles or math.isnan(b) else max(v, low[i] - FALL * since)
        elif v < end:
            at = time - since * ((end - v) / (b - v))
            repolarisation[i] = at
            duration[i] = at - activation[i]
            level[i] = WAITING
            low[i] = v
        elif v > b and v > peak[i]:
            peak[i] = v
            level[i] = v - fraction * (v - rest[i])


@njit(cache=True, nogil=True, parallel=True)
def _weighted_sums(voltage, weights, partial, n_cells):
    """Σ w (V − V₀) of each lead, in float64, by chunks of cells, so that the sum does not depend on the threads.

    weights: (leads, n_cells); partial: (leads, chunks) float64. Read of a cell: V and its weight for each lead.
    """
    chunks = partial.shape[1]
    for k in prange(partial.size):
        lead, chunk = k // chunks, k % chunks
        total, first = 0.0, np.float64(voltage[0])
        for i in range(chunk * CHUNK, min((chunk + 1) * CHUNK, n_cells)):
            total += np.float64(weights[lead, i]) * (np.float64(voltage[i]) - first)
        partial[lead, chunk] = total


@njit(cache=True, nogil=True, parallel=True)
def _phase(now, then, origin, out, n_cells):
    """φ = atan2(V(t − τ) − V₀, V(t) − V₀) of each cell; V₀ is ``origin``.

    now, then, out: (n_cells,); a cell reads two values and writes one.
    """
    for i in prange(n_cells):
        out[i] = math.atan2(then[i] - origin, now[i] - origin)


@njit(cache=True, nogil=True, parallel=True)
def _surface_phases(now, then, origin, cells, offsets, phases):
    """The phase at each point of the surface, of the sum of (V(t) − V₀, V(t − τ) − V₀) over the cells around it.

    cells[offsets[i]:offsets[i + 1]] are those of point i; phases: (points,). Read of a neighbour: its index and two
    values.
    """
    for i in prange(len(phases)):
        x, y = 0.0, 0.0
        for j in range(offsets[i], offsets[i + 1]):
            x += now[cells[j]] - origin
            y += then[cells[j]] - origin
        phases[i] = math.atan2(y, x)


@njit(cache=True, nogil=True)
def _turn(start, end):
    way = end - start
    if way > math.pi:
        way -= 2 * math.pi
    elif way < -math.pi:
        way += 2 * math.pi
    return way


@njit(cache=True, nogil=True, parallel=True)
def _charges(phases, triangles, charge):
    """1 or −1 where the phase turns once around a triangle, a singularity, and 0 elsewhere.

    phases: (points,) in radians; triangles: (triangles, 3); charge: (triangles,). Three indices and three phases are
    read, one byte is written.
    """
    for i in prange(len(triangles)):
        a, b, c = phases[triangles[i, 0]], phases[triangles[i, 1]], phases[triangles[i, 2]]
        around = _turn(a, b) + _turn(b, c) + _turn(c, a)
        charge[i] = 1 if around > math.pi else (-1 if around < -math.pi else 0)
