"""How many cells a device can react per second: measured, so that an estimate before Run has a basis."""

from __future__ import annotations

import time as clock
from weakref import WeakKeyDictionary

import numpy as np

from engines.backend.base import Backend
from engines.cardiac.cells import make_tissue

SAMPLE_CELLS = {"cpu": 8192, "cuda": 1_000_000}
"""Enough to fill the device: on a GPU fewer cells would measure the launch."""

STEPS = 5

_measured: WeakKeyDictionary[Backend, dict[str, float]] = WeakKeyDictionary()


def reaction_seconds(backend: Backend, precision: str) -> float:
    """Seconds per cell and step of the reaction kernel, measured at the first call for this backend and precision."""
    rates = _measured.setdefault(backend, {})
    if precision not in rates:
        rates[precision] = _measure(backend, precision)
    return rates[precision]


def _measure(backend: Backend, precision: str) -> float:
    count = SAMPLE_CELLS[backend.info.kind]
    tissue = make_tissue(backend, np.zeros(count, np.uint8), precision=precision)
    voltage = tissue.new_voltage()
    best = float("inf")
    for step in range(STEPS + 1):  # the first compiles
        backend.synchronize()
        with backend.active():  # waiting here for a run's turn is no part of the time
            started = clock.perf_counter()
            tissue.step(voltage, voltage, step, 0.02)
            backend.synchronize()
            best = min(best, clock.perf_counter() - started)
    return best / count
