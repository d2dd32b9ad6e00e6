"""Pacing cells that are not coupled: action potentials, their durations, limit cycles.

The single-cell side of the model: what the published action potentials were measured with, and the way to bring
cells to a rhythm before they are put in a tissue.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.cardiac.cells.tt06_tissue import Tt06Tissue


@dataclass(frozen=True)
class Protocol:
    """A rectangular stimulus [pA/pF, ms] in each cycle. The defaults are the published protocol."""

    amplitude: float = 52.0
    duration: float = 1.0
    cycle_length: float = 1000.0
    start: float = 0.0


def pace(tissue: Tt06Tissue, protocol: Protocol, beats: int, dt: float) -> tuple[Array, Array]:
    """Pace all cells from rest; stimulus 0 must reach them. Returns the last beat.

    Returns times ``(k,)`` [ms from the start of the last cycle], one per step from 0 on, and voltages ``(k, n)`` [mV],
    both float64. ``dt`` [ms] must divide the protocol's times.
    """
    steps = round(protocol.cycle_length / dt)
    on = range(round(protocol.start / dt), round((protocol.start + protocol.duration) / dt))
    current = np.array([protocol.amplitude])
    backend, n = tissue.backend, tissue.n_cells
    voltage = tissue.new_voltage()
    record = backend.empty((steps + 1, n), tissue.dtype)
    with backend.timed("reaction"):
        for beat in range(beats):
            last = beat == beats - 1
            for k in range(steps):
                if last:
                    record[k] = voltage[:n]
                tissue.step(voltage, voltage, beat * steps + k, dt, current if k in on else None)
        record[steps] = voltage[:n]
    return np.arange(steps + 1) * dt, backend.to_host(record).astype(np.float64)


@dataclass(frozen=True)
class ActionPotential:
    """Rest and peak [mV], steepest slope [mV/ms], and duration at 90 % repolarisation [ms] of one action potential."""

    rest: float
    peak: float
    upstroke: float
    duration_90: float


def measure(times: Array, voltage: Array, fraction: float = 0.9) -> ActionPotential:
    """The action potential in ``voltage: (k,)``, which starts at rest.

    Its duration runs from the steepest upstroke to the first downward crossing of ``peak − fraction·(peak − rest)``,
    linear between samples. Raises ValueError if the voltage does not come down that far.
    """
    rest, top = voltage[0], int(np.argmax(voltage))
    slope = np.diff(voltage) / np.diff(times)
    steepest = int(np.argmax(slope))
    level = voltage[top] - fraction * (voltage[top] - rest)
    below = np.flatnonzero(voltage[top:] < level)
    if not len(below):
        raise ValueError("the cell does not repolarise within the record")
    k = top + below[0]
    crossing = times[k - 1] + (level - voltage[k - 1]) / (voltage[k] - voltage[k - 1]) * (times[k] - times[k - 1])
    start = 0.5 * (times[steepest] + times[steepest + 1])
    return ActionPotential(float(rest), float(voltage[top]), float(slope[steepest]), float(crossing - start))
