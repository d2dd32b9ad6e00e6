"""Small bodies: a few steps of each have compiled all that bodies on a lattice usually take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engines.api import Problem
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.step.simulation import PeridynamicSimulation

BODIES: tuple[dict[str, Any], ...] = (
    {"kind": "plate", "size_x": 16, "size_y": 12},
    {"kind": "block", "size_x": 12, "size_y": 8, "size_z": 6},
)


def small_problems() -> Iterator[Problem]:
    """A plate and a block, with contact and state-based."""
    for body in BODIES:
        given = {"body": body, "notches": [{"start": (0, 6), "end": (8, 6)}]}
        touching = {"penetrators": [{}], "contact": {"kind": "repulsion"}}
        for more in ({**touching, "bonds": {"spacing": 1.0}}, {"bonds": {"spacing": 1.0, "theory": "state-based"}}):
            yield Problem(PeridynamicParameters.model_validate({**given, **more}))


def run_through(simulation: PeridynamicSimulation) -> None:
    """Two steps, a look at everything, and its end."""
    simulation.advance(2)
    simulation.observe()
    for info in simulation.fields:
        simulation.field(info.name)
    simulation.synchronize()
    simulation.close()
