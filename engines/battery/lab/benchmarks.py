"""Whole problems that are timed: many cells that differ, bare particles, one cell's particles of different sizes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from engines.api import Benchmark, Problem
from engines.battery.parameters import BatteryParameters, Ensemble, Numerics
from engines.battery.parameters.ensemble import Distribution
from engines.battery.parameters.particles import ParticleSettings, Rate
from engines.battery.parameters.sizes import MOST_PARTICLES, ParticleSizes


def benchmarks(elements: Sequence[int] = ()) -> Sequence[Benchmark]:
    """As :meth:`Engine.benchmarks`."""
    return (
        [
            Benchmark(f"{n:,} cells {model}", n, partial(_benchmark, n, model))
            for n in (elements or (10_000, 1_000_000))
            for model in ("SPM", "SPMe")
        ]
        + [Benchmark(f"{n:,} particles", n, partial(_particles, n)) for n in (elements or (10_000, 100_000))]
        + [
            Benchmark(f"{n:,} particles MPM", n, partial(_particles_benchmark, n))
            for n in (elements or (2_000, 20_000, 200_000))
            if n <= 2 * MOST_PARTICLES
        ]
    )


def _particles(n: int) -> Problem:
    """Slowly emptied, so that there is time to measure."""
    drive = Rate(c_rate=0.01, shared="by volume")
    return Problem(BatteryParameters(model="particles", particles=ParticleSettings(number=n, drive=drive)))


def _benchmark(n: int, model: Any) -> Problem:
    names = ("negative_particle_radius", "positive_particle_radius", "positive_diffusivity")
    distributions = [Distribution(parameter=name, kind="lognormal", spread=0.05) for name in names]
    protocol = ["Discharge at 1C until 2.5 V", "Rest for 1 hour", "Charge at 1C until 4.2 V"]
    return Problem(
        BatteryParameters(
            model=model,
            protocol=protocol,
            cycles=1000,
            ensemble=Ensemble(cells=n, distributions=distributions),
            numerics=Numerics(step=10.0),
        )
    )


def _particles_benchmark(n: int) -> Problem:
    protocol = ["Discharge at 1C until 2.5 V", "Rest for 1 hour", "Charge at 1C until 4.2 V"]
    return Problem(
        BatteryParameters(
            model="MPM",
            protocol=protocol,
            cycles=1000,
            sizes=ParticleSizes(particles=max(1, n // 2)),
            numerics=Numerics(step=10.0),
        )
    )
