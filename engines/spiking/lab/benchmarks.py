"""Networks that others publish times of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from engines.api import Benchmark, Problem
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.published import brunel, coba, cuba, potjans_diesmann

NETWORKS: dict[str, Callable[[], SpikingParameters]] = {
    "COBA": coba,
    "Brunel, asynchronous irregular": brunel,
    "Potjans–Diesmann at a tenth": potjans_diesmann,
    "Potjans–Diesmann": partial(potjans_diesmann, 1.0),
}


def benchmarks(elements: Sequence[int] = ()) -> Sequence[Benchmark]:
    """CUBA at sizes that are asked for; without them at two, and the others."""
    found = [Benchmark(f"CUBA {n:,} neurons", n, partial(cuba, n)) for n in (elements or (4_000, 400_000))]
    if elements:
        return found
    for name, make in NETWORKS.items():
        neurons = sum(population.number for population in make().populations)
        found.append(Benchmark(f"{name}, {neurons:,} neurons", neurons, partial(_problem, make)))
    return found


def _problem(make: Callable[[], SpikingParameters]) -> Problem:
    return Problem(make())
