"""How many cells a device can react per second: measured, so that an estimate before Run has a basis."""

from __future__ import annotations

import time as clock
from weakref import WeakKeyDictionary

import numpy as np

from engines.api.device import Backend
from engines.cardiac.cells.tt06_tissue import TT06_CELLS, Tt06Tissue
from engines.cardiac.compiler.schemes import Step
from engines.cardiac.compiler.tissue import CompiledTissue, make_compiled_tissue

SAMPLE_CELLS = {"cpu": 8192, "cuda": 1_000_000}
"""Enough to fill the device: on a GPU fewer cells would measure the launch."""

STEPS = 5

_measured: WeakKeyDictionary[Backend, dict[object, float]] = WeakKeyDictionary()


def reaction_seconds(backend: Backend, precision: str) -> float:
    """Seconds per cell and step of the reaction kernel, measured at the first call for this backend and precision."""
    rates = _measured.setdefault(backend, {})
    if precision not in rates:
        cells = np.zeros(SAMPLE_CELLS[backend.info.kind], np.uint8)
        rates[precision] = _measure(backend, TT06_CELLS.open(backend, cells, precision=precision))
    return rates[precision]


def compiled_seconds(backend: Backend, compiled: Step) -> float:
    """The same for cells of a compiled model."""
    rates = _measured.setdefault(backend, {})
    key = (compiled.model, compiled.scheme, compiled.precision)
    if key not in rates:
        tissue = make_compiled_tissue(backend, compiled, SAMPLE_CELLS[backend.info.kind])
        rates[key] = _measure(backend, tissue)
    return rates[key]


def _measure(backend: Backend, tissue: Tt06Tissue | CompiledTissue) -> float:
    voltage = tissue.new_voltage()
    best = float("inf")
    for step in range(STEPS + 1):  # the first compiles
        backend.synchronize()
        with backend.active():  # waiting here for a run's turn is no part of the time
            started = clock.perf_counter()
            tissue.step(voltage, voltage, step, 0.02)
            backend.synchronize()
            best = min(best, clock.perf_counter() - started)
    return best / tissue.n_cells
