"""How long a whole step takes, and how many bonds it goes through."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from engines.api import Problem
from engines.api.device import Backend
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.lattice.family import family

TRIES = 5
SECONDS = 0.1
"""Of a try, about."""
MOST_STEPS = 256


def bonds_in(counts: tuple[int, ...], reach: int) -> int:
    """Of a box of particles without cuts, each once."""
    offsets = np.abs(family(len(counts), reach).offsets[:, : len(counts)])
    return int(np.prod(np.maximum(0, np.array(counts) - offsets), axis=1).sum()) // 2


def best_seconds(
    advance: Callable[[int], None], synchronize: Callable[[], None], most: int = MOST_STEPS,
    before: Callable[[], None] = lambda: None,
) -> float:  # fmt: skip
    """Of a step, launches included: the best of five tries of ``advance(steps)``, each after a call of ``before``."""

    def once(steps: int) -> float:
        before()
        synchronize()
        begun = time.perf_counter()
        advance(steps)
        synchronize()
        return (time.perf_counter() - begun) / steps

    once(1)  # compiles
    steps = max(1, min(most, round(SECONDS / once(2))))
    return min(once(steps) for _ in range(TRIES))


def problem_seconds(backend: Backend, problem: Problem) -> float:
    """Of a step of this problem. Raises ProblemError and DeviceError."""
    simulation = PeridynamicsEngine().build(problem, backend)
    try:
        return best_seconds(simulation.advance, simulation.synchronize)
    finally:
        simulation.close()
