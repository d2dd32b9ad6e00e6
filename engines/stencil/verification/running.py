"""What the cases share: a problem from plain values, solved as a user would."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import Array, Problem, Simulation
from engines.api.device import Backend
from engines.stencil.engine import StencilEngine
from engines.stencil.parameters import StencilParameters

SIDES = tuple(f"{axis}_{end}" for axis in "xyz" for end in ("low", "high"))


def square(
    backend: Backend, cells: int, equation: dict[str, Any], side: str = "value", length: float = 1.0, **more: Any
) -> Simulation:
    """A square of so many cells a side, in fp64 unless ``more`` says otherwise; all sides of one kind."""
    values = {
        "grid": {"kind": "2D", "cells_x": cells, "cells_y": cells, "size_x": length, "size_y": length},
        "equation": equation,
        "sides": {name: {"kind": side} for name in SIDES},
        "numerics": {"precision": "fp64"},
    } | more
    return StencilEngine().build(Problem(StencilParameters.model_validate(values)), backend)


def started(simulation: Simulation, **fields: Array) -> None:
    """Put fields in place of those that it starts from."""
    state = dict(simulation.state())
    for name, values in fields.items():
        state[name] = np.asarray(values, state[name].dtype).reshape(state[name].shape)
    simulation.restore(state)


def field(simulation: Simulation, name: str) -> Array:
    """(ny, nx) float64"""
    return np.array(simulation.state()[name], float)
