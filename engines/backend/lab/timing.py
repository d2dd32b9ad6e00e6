"""How long a launch takes, for tables: long enough to be sure, short enough for many rows."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import TYPE_CHECKING

from engines.api.device import Backend
from engines.backend.timing import Launch, batch, estimated

if TYPE_CHECKING:
    from engines.backend.cuda import CudaBackend

TRIES = 5
BUDGET = {"cpu": 0.5, "cuda": 0.1}
"""Seconds for all tries together."""
MOST_LAUNCHES = 200


def launch_seconds(backend: Backend, launch: Launch, budget: float | None = None) -> float:
    """Seconds of ``launch(number)``: the best of five batches on a CPU (STREAM's rule), on a GPU their median.

    The first launch may compile. Launches allocate nothing: short ones are captured into a CUDA graph.
    """
    kind = backend.info.kind
    estimated(backend, launch)
    estimate = max(estimated(backend, launch), 1e-7)
    count = max(1, min(MOST_LAUNCHES, round((BUDGET[kind] if budget is None else budget) / TRIES / estimate)))
    timed = batch(backend, launch, count, estimate)
    seconds = [timed.seconds() for _ in range(TRIES if estimate < 1.0 else 1)]
    return min(seconds) if kind == "cpu" else statistics.median(seconds)


def call_seconds(backend: Backend, call: Callable[[], None]) -> float:
    """The same of what takes no number."""
    return launch_seconds(backend, lambda _: call())


def graph_seconds(backend: Backend, call: Callable[[], None]) -> float:
    """The same of a call of many short launches, with which the host would not keep up: on a GPU they are one graph."""
    if backend.info.kind == "cpu":
        return call_seconds(backend, call)
    cuda: CudaBackend = backend  # type: ignore[assignment]  # of kind "cuda"
    with cuda.active():
        call()  # loads the kernels
    graph = cuda.captured(call)
    estimate = max(cuda.elapsed(graph), 1e-6)
    count = max(1, min(MOST_LAUNCHES, round(BUDGET["cuda"] / TRIES / estimate)))
    return statistics.median(cuda.elapsed(graph, count) for _ in range(TRIES))
