"""Problems of the cases, as a user would set them, and how they are run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engines.api import Problem
from engines.api.device import Backend
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.setup.theory import setup_of
from engines.peridynamics.step.simulation import PeridynamicSimulation

YOUNG, DENSITY, FRACTURE_ENERGY = 72.0, 2440.0, 3.8
"""[GPa], [kg/m³], [J/m²] of glass, the defaults."""
NOTHING: Mapping[str, Any] = {"notches": [], "unbreakable": [], "loads": []}


def problem(**parameters: Any) -> Problem:
    return Problem(PeridynamicParameters.model_validate({**NOTHING, **parameters}))


def built(given: Problem, backend: Backend) -> PeridynamicSimulation:
    assert isinstance(given.parameters, PeridynamicParameters)
    return setup_of(given.parameters, backend).build(lambda: None)


def at_rest(given: Problem, backend: Backend, most: int = 40_000) -> Mapping[str, float]:
    """What is measured when all load steps are done."""
    run = built(given, backend)
    try:
        while not getattr(run, "finished", True) and run.step < most:
            run.advance(500)
        return dict(run.observe())
    finally:
        run.close()
