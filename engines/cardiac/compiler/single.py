"""One cell by itself for many steps on the CPU: what accuracy and stability are measured with.

The loop over the steps is compiled with the step, so that a beat at 1 µs takes a second and not minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from engines.api import Array
from engines.backend.vector_math import load, load_like, splat, store
from engines.cardiac.compiler.cpu_kernels import registered, step_vector
from engines.cardiac.compiler.relaxation import opened
from engines.cardiac.compiler.schemes import Step

_loops: dict[int, Callable[..., None]] = {}
WIDEST = 16
"""Cells of a vector, at most: all of them are the same cell."""


@dataclass(frozen=True)
class Pulse:
    """A rectangular stimulus [mV/ms, ms, ms], once or each ``period`` [ms]. The default is the thesis' for table 3.2 at
    TT06's usual strength."""

    amplitude: float = 52.0
    start: float = 1.0
    duration: float = 1.0
    period: float = 0.0


def run(compiled: Step, dt: float, steps: int, every: int = 1, pulse: Pulse | None = None) -> tuple[Array, Array]:
    """``steps`` steps of ``dt`` [ms] from rest: (voltage, states at the end), float64.

    voltage: (steps // every + 1,) [mV] before the first step and after each ``every``; states: (rows,) in the units of
    the model's file, its voltage left out. A cell that has gone wrong has values that are not finite.
    """
    pulse = pulse or Pulse()
    model, offsets = compiled.model, np.delete(np.array(compiled.offsets), compiled.model.voltage)
    start = np.array([state.initial for state in model.rows]) - offsets
    states = np.repeat(start[:, None], WIDEST, axis=1).astype(compiled.precision)
    voltage = np.full(WIDEST, model.states[model.voltage].initial, compiled.precision)
    record = np.empty(steps // every + 1)
    first, last = round(pulse.start / dt), round((pulse.start + pulse.duration) / dt)
    period = round(pulse.period / dt) if pulse.period else steps
    values = opened(model)
    table = np.array([[float(values[name])] for name in model.opened] or [[0.0]], compiled.precision)
    kinds = np.zeros(WIDEST, np.uint8)
    _loop(compiled)(states, voltage, kinds, table, record, steps, every, dt, first, last, period, pulse.amplitude)
    return record, states[:, 0].astype(np.float64) + offsets


def _loop(compiled: Step) -> Callable[..., None]:
    key = registered(compiled)
    if key not in _loops:
        _loops[key] = _compiled(key)
    return _loops[key]


def _compiled(sources: int) -> Any:
    """``sources``: the key of the step, a digest of it and of the code that writes it."""

    @njit(nogil=True, cache=True)
    def loop(states, voltage, kinds, table, record, steps, every, dt, first, last, period, amplitude):
        """Steps ``first`` to ``last`` − 1 of each period are stimulated. ``kinds``: zeros, columns of ``table``."""
        V = load(voltage, 0)
        kind = load_like(V, kinds, 0)
        record[0] = voltage[0]
        for k in range(steps):
            stimulus = splat(V, amplitude if first <= k % period < last else 0.0)
            V = step_vector(sources, states, 0, V, stimulus, splat(V, dt), table, kind, kinds[0], True)
            if (k + 1) % every == 0:
                store(voltage, 0, V)
                record[(k + 1) // every] = voltage[0]

    return loop
