"""What an estimate says of a computer's own memory, against what Python's allocator counts while a problem is built."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

import workbench as wb
from engines.backend.cpu import CpuBackend

CELLS = {"ensemble.cells": 20_000, "recording.cells": 0}
NEURONS = {"populations.0.number": 32_000, "populations.1.number": 8_000, "connections.0.rule.probability": 0.005}
PARTICLES = {"sizes.particles": 15_000}


@pytest.mark.parametrize(
    ("preset", "values"),
    [
        ("thousand_cells", CELLS),
        ("thousand_cells", {**CELLS, "numerics.precision": "fp64"}),
        ("thousand_cells", {**CELLS, "model": "SPMe"}),
        ("particle_sizes", PARTICLES),
        ("particle_sizes", {**PARTICLES, "numerics.precision": "fp64"}),
        ("cuba_4000", {**NEURONS, "connections.1.rule.probability": 0.005}),
        ("cuba_4000", {**NEURONS, "connections.1.rule.probability": 0.02}),
    ],
)
def test_what_is_told_is_what_is_taken(preset, values):
    """At most a quarter off: it was a third of what was held."""
    document = wb.open(preset).set(values)._document
    problem, backend = document.complete_problem(), CpuBackend()
    told = document.engine.estimate(problem, backend).memory_bytes
    document.engine.build(problem, backend).close()  # compiled, and what is read once
    gc.collect()
    tracemalloc.start()
    simulation = document.engine.build(problem, backend)
    simulation.advance(2)
    simulation.observe()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    simulation.close()
    assert told == pytest.approx(most, rel=0.25)
