"""What a step moves by the kernels that are timed and by the watchers, which are not."""

from __future__ import annotations

import numpy as np

from engines.api import Problem, Simulation
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.setup.cells import REACTION_TYPES
from engines.cardiac.tissue.operator import tissue_operator
from engines.cardiac.watch.watchers import watchers_traffic


def bytes_of_a_step(simulation: Simulation, problem: Problem) -> int:
    parameters = problem.parameters
    assert isinstance(parameters, CardiacParameters)
    size = np.dtype(REACTION_TYPES[parameters.numerics.precision]).itemsize
    watchers = watchers_traffic(parameters, tissue_operator(problem.geometry, parameters).sites, size)
    return sum(kernel.bytes for kernel in (*simulation.traffic, *watchers))
