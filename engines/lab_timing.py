"""How long a launch takes, for tables: long enough to be sure, short enough for many rows."""

from __future__ import annotations

import statistics
from collections.abc import Callable

from engines.backend.base import Backend
from engines.backend.timing import Launch, batch, estimated

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
