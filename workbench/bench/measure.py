"""Time an engine's benchmark problems kernel by kernel and as whole steps."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from engines.api import Benchmark, Engine, Simulation
from engines.backend.base import Backend

WARM_UP_STEPS = 20
BATCH = 10
"""Steps queued back to back, so that a GPU is never idle between a kernel's two events and launching is not timed."""
ROUNDS = 40
"""Batches; the record keeps the median of their means and the 5th and 95th percentile."""
MINIMUM_SECONDS = 0.5
"""Whole steps run back to back for at least this long."""


@dataclass(frozen=True)
class KernelRecord:
    """One kernel of one benchmark: seconds of a launch, and what they mean against the measured ceilings."""

    engine: str
    case: str
    kernel: str
    elements: int
    bytes: int
    flops: int
    seconds: float
    seconds_p5: float
    seconds_p95: float
    bytes_per_second: float
    fraction_of_copy: float
    fraction_of_triad: float


def measure(engine: Engine, benchmark: Benchmark, backend: Backend) -> Iterator[KernelRecord]:
    """Records of each kernel, then one called "step" for whole steps back to back (launches included).

    Yields nothing that was not measured: a benchmark that does not fit the device raises what building raises.
    """
    simulation = engine.build(benchmark.problem(), backend)
    try:
        simulation.advance(WARM_UP_STEPS)
        simulation.synchronize()
        simulation.drain_timings()
        seconds = _kernel_seconds(simulation)
        whole = _step_seconds(simulation)
        ceilings = backend.ceilings()
        for kernel, moved, flops, times in _rows(simulation, seconds, whole):
            median = float(np.median(times))
            yield KernelRecord(
                engine=engine.id,
                case=benchmark.name,
                kernel=kernel,
                elements=benchmark.elements,
                bytes=moved,
                flops=flops,
                seconds=median,
                seconds_p5=float(np.percentile(times, 5)),
                seconds_p95=float(np.percentile(times, 95)),
                bytes_per_second=moved / median,
                fraction_of_copy=moved / median / ceilings.copy,
                fraction_of_triad=moved / median / ceilings.triad,
            )
    finally:
        simulation.close()


def _kernel_seconds(simulation: Simulation) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = {traffic.kernel: [] for traffic in simulation.traffic}
    for _ in range(ROUNDS):
        for _ in range(BATCH):
            simulation.advance(1)
        simulation.synchronize()
        for timing in simulation.drain_timings():
            seconds[timing.kernel].append(timing.seconds / timing.launches)
    return seconds


def _step_seconds(simulation: Simulation) -> list[float]:
    """Seconds per step of batches, until MINIMUM_SECONDS have passed."""
    begun = clock.perf_counter()
    times: list[float] = []
    while not times or clock.perf_counter() - begun < MINIMUM_SECONDS:
        started = clock.perf_counter()
        simulation.advance(BATCH)
        simulation.synchronize()
        times.append((clock.perf_counter() - started) / BATCH)
    return times


def _rows(
    simulation: Simulation, seconds: dict[str, list[float]], whole: list[float]
) -> Iterator[tuple[str, int, int, list[float]]]:
    for traffic in simulation.traffic:
        yield traffic.kernel, traffic.bytes, traffic.flops, seconds[traffic.kernel]
    total = sum(traffic.bytes for traffic in simulation.traffic)
    yield "step", total, sum(traffic.flops for traffic in simulation.traffic), whole


def machine(backend: Backend) -> dict[str, object]:
    """Device, driver, versions, ceilings and date: what a record needs to be compared with another."""
    return {
        "date": clock.strftime("%Y-%m-%d", clock.gmtime()),
        "device": asdict(backend.info),
        "ceilings": asdict(backend.ceilings()),
    }
