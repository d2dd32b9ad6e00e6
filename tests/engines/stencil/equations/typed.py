"""Small problems of typed equations for the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Problem, Simulation
from engines.stencil.engine import StencilEngine
from engines.stencil.parameters import StencilParameters

ENGINE = StencilEngine()
PERIODIC = {f"{axis}_{end}": {"kind": "periodic"} for axis in "xyz" for end in ("low", "high")}
CLOSED = {side: {"kind": "gradient"} for side in PERIODIC}


def plane(nx: int, ny: int, size_x: float | None = None, size_y: float | None = None) -> dict[str, Any]:
    return {"kind": "2D", "cells_x": nx, "cells_y": ny, "size_x": size_x or float(nx), "size_y": size_y or float(ny)}


def typed(
    lines: Sequence[str] | str,
    starts: Mapping[str, str] | None = None,
    numbers: Mapping[str, float] | None = None,
    grid: Mapping[str, Any] | None = None,
    method: str = "Euler",
    precision: str = "fp64",
    sides: Mapping[str, Any] = PERIODIC,
    step: float | None = None,
    own: Mapping[str, Any] | None = None,
) -> Problem:
    """own: sides of single fields, by name."""
    own = own or {}
    fields = [
        {"name": name, "start": start, **({"sides": {"kind": "own", **own[name]}} if name in own else {})}
        for name, start in (starts or {"u": "0"}).items()
    ]
    equation = {
        "kind": "own equations",
        "lines": [lines] if isinstance(lines, str) else list(lines),
        "parameters": [{"name": name, "value": value} for name, value in (numbers or {}).items()],
        "fields": fields,
        "method": method,
    }
    given = {
        "grid": dict(grid or plane(24, 17)),
        "equation": equation,
        "sides": dict(sides),
        "numerics": {"precision": precision, "step": step},
    }
    return Problem(StencilParameters.model_validate(given))


def built(backend: Any, *arguments: Any, **more: Any) -> Simulation:
    return ENGINE.build(typed(*arguments, **more), backend)


def values(simulation: Simulation, name: str = "u") -> np.ndarray:
    """float64, (grid.shape)."""
    return np.array(simulation.state()[name], float).reshape(simulation.geometry.shape)
