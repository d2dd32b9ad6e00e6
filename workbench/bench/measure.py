"""Time an engine's benchmark problems kernel by kernel and as whole steps."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from engines.api import Benchmark, Engine, Progress, Simulation, no_progress
from engines.api.device import Backend
from engines.backend.ceilings.curve import ceiling_at, fits_caches, measured_curve, working_set_of

WARM_UP_STEPS = 20
BATCH, BATCH_SECONDS = 10, 0.02
"""Steps queued back to back, at least so many and so long: a GPU is then never idle between a kernel's two events,
waiting for it at the end is no part of a step, and what takes many steps in one launch or graph does."""
ROUNDS = 40
"""Batches; the record keeps the median of their means and the 5th and 95th percentile."""
MOST_SECONDS, LEAST_ROUNDS = 10.0, 5
"""After this time there are no more rounds than these."""
MINIMUM_SECONDS = 0.5
"""Whole steps run back to back for at least this long."""


@dataclass(frozen=True)
class KernelRecord:
    """One kernel of one benchmark: seconds of a step, and what they mean against the measured ceilings.

    ``fused``: steps that one launch takes; ``bytes`` and ``seconds`` are per step, that part of the launch.
    ``working_set``: bytes that all kernels of a launch move; ``in_cache``: it is so small that the fractions are of
    what copy and triad reach over this working set, where caches help, and not of what the memory delivers.
    """

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
    fused: int
    working_set: int
    in_cache: bool


def measure(
    engine: Engine, benchmark: Benchmark, backend: Backend, progress: Progress = no_progress
) -> Iterator[KernelRecord]:
    """Records of each kernel, then one called "step" for whole steps back to back (launches included).

    Yields nothing that was not measured: a benchmark that does not fit the device raises what building raises.
    """
    progress("Building", 0.0)
    simulation = engine.build(benchmark.problem(), backend, progress)
    try:
        progress("Measuring", 0.0)
        fused = math.lcm(*(traffic.fused for traffic in simulation.traffic))
        working_set = working_set_of(simulation.traffic)
        simulation.advance(_whole(WARM_UP_STEPS, fused))
        simulation.synchronize()
        simulation.drain_timings()
        batch = _batch(simulation, fused)
        seconds = _kernel_seconds(simulation, batch, progress)
        whole = _step_seconds(simulation, batch)
        in_cache = fits_caches(backend, working_set)
        copy, triad = _ceilings(backend, working_set if in_cache else None)
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
                fraction_of_copy=moved / median / copy,
                fraction_of_triad=moved / median / triad,
                fused=fused,
                working_set=working_set,
                in_cache=in_cache,
            )
    finally:
        simulation.close()


def _whole(steps: int, fused: int) -> int:
    """At least ``steps`` steps that are whole launches of ``fused`` steps."""
    return -(-steps // fused) * fused


def _ceilings(backend: Backend, working_set: int | None) -> tuple[float, float]:
    """Bytes per second of copy and triad over a working set, or (None) in the memory."""
    if working_set is None:
        return backend.ceilings().copy, backend.ceilings().triad
    points = measured_curve(backend, quick=True).points
    return ceiling_at(points, working_set, ("copy",)), ceiling_at(points, working_set, ("triad",))


def _batch(simulation: Simulation, fused: int) -> int:
    """Steps that last BATCH_SECONDS, at least BATCH of them; whole launches of ``fused``."""
    few = _whole(BATCH, fused)
    batch = _whole(max(BATCH, round(BATCH_SECONDS / (_seconds(simulation, few) / few))), fused)
    _seconds(simulation, batch)  # captures and compiles what so many steps need
    simulation.drain_timings()
    return batch


def _seconds(simulation: Simulation, steps: int) -> float:
    started = clock.perf_counter()
    simulation.advance(steps)
    simulation.synchronize()
    return clock.perf_counter() - started


def _kernel_seconds(simulation: Simulation, batch: int, progress: Progress) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = {traffic.kernel: [] for traffic in simulation.traffic}
    begun = clock.perf_counter()
    for number in range(ROUNDS):
        if number >= LEAST_ROUNDS and clock.perf_counter() - begun > MOST_SECONDS:
            break
        progress("Measuring", number / ROUNDS)
        _seconds(simulation, batch)
        for timing in simulation.drain_timings():
            seconds[timing.kernel].append(timing.seconds / timing.launches)
    return seconds


def _step_seconds(simulation: Simulation, batch: int) -> list[float]:
    """Seconds per step of batches, until MINIMUM_SECONDS have passed."""
    begun = clock.perf_counter()
    times: list[float] = []
    while not times or clock.perf_counter() - begun < MINIMUM_SECONDS:
        times.append(_seconds(simulation, batch) / batch)
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
