"""What a run costs beside its elements: launches, and looking at it from sample to sample.

Of few cells that is most of a run: forty-eight ageing cells take 10 µs a step, and 0.27 ms to look at (two cores).
"""

from __future__ import annotations

from engines.api import Problem, no_progress
from engines.api.device import Backend
from engines.backend.pace import measured_pace
from engines.battery.parameters import parameters_of
from engines.battery.setup.model import Model
from engines.named_files import named_versions


def seconds_beside(model: Model, problem: Problem, backend: Backend) -> float:
    """Seconds a step that do not grow with the number of elements, measured on as few as there can be.

    0 where a model counts them in its own estimate.
    """
    few = model.few(problem)
    if few is None:
        return 0.0
    parameters = parameters_of(few)
    key = __name__, parameters.model_dump_json(), named_versions(parameters)
    return measured_pace(backend, key, lambda: model.build(few, backend, no_progress))[0]
