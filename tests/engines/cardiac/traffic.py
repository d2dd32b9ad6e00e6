"""What a step moves by the kernels that are timed and by the observers, which are not."""

from __future__ import annotations

import numpy as np

from engines.api import Problem, Simulation
from engines.cardiac.choice import PRECISIONS
from engines.cardiac.observers.choice import observers_traffic
from engines.cardiac.operator import tissue_operator
from engines.cardiac.parameters import CardiacParameters


def bytes_of_a_step(simulation: Simulation, problem: Problem) -> int:
    parameters = problem.parameters
    assert isinstance(parameters, CardiacParameters)
    size = np.dtype(PRECISIONS[parameters.numerics.precision]).itemsize
    observers = observers_traffic(parameters, tissue_operator(problem.geometry, parameters).sites, size)
    return sum(kernel.bytes for kernel in (*simulation.traffic, *observers))
