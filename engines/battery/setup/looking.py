"""What a run costs beside its elements: launches, and looking at it from sample to sample.

Of few cells that is most of a run: forty-eight ageing cells take 10 µs a step, and 0.27 ms to look at (two cores).
"""

from __future__ import annotations

import time

from engines.api import Problem, no_progress
from engines.api.device import Backend
from engines.backend.timing import measured_once
from engines.battery.parameters import parameters_of
from engines.battery.setup.model import Model

MOST_STEPS = 1000
"""That are timed for it."""
TRIES = 3


def seconds_beside(model: Model, problem: Problem, backend: Backend) -> float:
    """Seconds a step that do not grow with the number of elements, measured on as few as there can be.

    0 where a model counts them in its own estimate.
    """
    few = model.few(problem)
    if few is None:
        return 0.0
    key = __name__, parameters_of(few).model_dump_json()
    return measured_once(backend, key, lambda: _look(model, few, backend))


def _look(model: Model, problem: Problem, backend: Backend) -> float:
    simulation = model.build(problem, backend, no_progress)
    try:
        every = simulation.sample_steps
        steps = min(every, MOST_STEPS)
        advancing = looking = float("inf")
        for _ in range(TRIES):  # the first may compile
            began = time.perf_counter()
            simulation.advance(steps)
            simulation.synchronize()
            advanced = time.perf_counter()
            simulation.observe()
            advancing = min(advancing, advanced - began)
            looking = min(looking, time.perf_counter() - advanced)
        return advancing / steps + looking / every
    finally:
        simulation.close()
