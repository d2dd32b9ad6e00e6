"""A problem run to its end, and what it found."""

from __future__ import annotations

from collections.abc import Mapping

from engines.api import Array, Problem
from engines.api.device import Backend
from engines.fdtd.parameters import FdtdParameters

BATCH = 200


def results_of(parameters: FdtdParameters, backend: Backend, until: float | None = None) -> Mapping[str, Array]:
    """What is exported after ``until`` [time unit], or where the run ends by itself; keys without their units.

    Raises what a run raises.
    """
    from engines.fdtd.engine import FdtdEngine  # which offers the cases

    simulation = FdtdEngine().build(Problem(parameters), backend)
    try:
        if until is not None:
            simulation.advance(round(until / simulation.dt))
        while until is None and not simulation.finished:
            simulation.advance(BATCH)
        return {name.partition(" [")[0]: values for name, values in simulation.results().items()}
    finally:
        simulation.close()
