"""Steps of a network whose neurons may fire in each: who did is noted within the launch, not after it."""

from __future__ import annotations

from typing import Any

from numba import njit

from engines.backend.compile.digest import digest
from engines.spiking.network import cpu_kernels
from engines.spiking.network.cpu_kernels import run
from engines.spiking.neurons import cpu_models, rows
from engines.spiking.watch import spikes
from engines.spiking.watch.spikes import gather


def _compiled(sources: int) -> Any:
    @njit(nogil=True, cache=True)
    def run_watched(steps, network, last, count, kept):
        """``run(1, *network)`` so many times, its clock first among ``network``; appends step and number of those who
        fired to ``kept``, which has room for all; returns how many there are then."""
        for _ in range(steps if sources >= 0 else 0):
            now = network[0][0]
            run(1, *network)
            count = gather(last, now, count, kept)
        return count

    return run_watched


run_watched = _compiled(digest(cpu_kernels, cpu_models, rows, spikes))
