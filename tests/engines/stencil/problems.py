"""Small problems on grids for the tests."""

from __future__ import annotations

from typing import Any

from engines.api import Problem
from engines.stencil.engine import StencilEngine
from engines.stencil.parameters import StencilParameters

ENGINE = StencilEngine()


SMALL = {"kind": "2D", "cells_x": 24, "cells_y": 17, "size_x": 24.0, "size_y": 17.0}


CUBE = {"kind": "3D", "cells_x": 9, "cells_y": 8, "cells_z": 7, "size_x": 9.0, "size_y": 16.0, "size_z": 3.5}


PERIODIC = {f"{axis}_{end}": {"kind": "periodic"} for axis in "xyz" for end in ("low", "high")}


ONE_CHARGE = {"kind": "point charges", "charges": [{"center": (4.0, 5.0, 1.0), "strength": 0.5}]}


NOISE = {"kind": "noise", "low": -1.0, "high": 1.0}


def problem(equation: dict[str, Any] | None = None, grid: dict[str, Any] = SMALL, **more: Any) -> Problem:
    equation = equation or {"kind": "diffusion", "initial": NOISE}
    return Problem(StencilParameters.model_validate({"grid": grid, "equation": equation, **more}))


def heat(**fields: Any) -> dict[str, Any]:
    return {"kind": "diffusion", "diffusivity": 2.0, "initial": NOISE, **fields}
