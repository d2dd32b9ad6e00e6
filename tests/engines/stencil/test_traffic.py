"""Bytes of a step are those of the grids that it reads and writes, counted in whole grids."""

from __future__ import annotations

from typing import Any

import pytest

from engines.api import Dab, Problem
from engines.stencil.engine import StencilEngine
from engines.stencil.parameters import StencilParameters

ENGINE = StencilEngine()
PLANE = {"kind": "2D", "cells_x": 24, "cells_y": 17, "size_x": 24.0, "size_y": 17.0}
CUBE = {"kind": "3D", "cells_x": 9, "cells_y": 8, "cells_z": 7, "size_x": 9.0, "size_y": 8.0, "size_z": 7.0}
LAYERS = {"kind": "two layers"}


def equation(kind: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, **fields}


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
@pytest.mark.parametrize(
    ("grid", "fields", "read", "written"),
    [
        (PLANE, equation("diffusion"), 1, 1),
        (CUBE, equation("diffusion", source=2.0), 2, 1),
        (CUBE, equation("diffusion", conductivity=LAYERS), 4, 1),
        (CUBE, equation("Gray-Scott"), 2, 2),
    ],
)
def test_whole_grids_are_counted(cpu, grid, fields, read, written, precision):
    given = {"grid": grid, "equation": fields, "numerics": {"precision": precision, "fuse": False}}
    simulation = ENGINE.build(Problem(StencilParameters.model_validate(given)), cpu)
    (traffic,) = simulation.traffic
    one = simulation.geometry.n_cells * {"fp32": 4, "fp64": 8}[precision]
    assert (traffic.bytes_read, traffic.bytes_written) == (read * one, written * one)


def test_a_source_counts_from_the_first_dab_on(cpu):
    simulation = ENGINE.build(Problem(StencilParameters.model_validate({"grid": PLANE})), cpu)
    one = simulation.geometry.n_cells * 4
    fresh = simulation.state()
    depth = simulation.traffic[0].fused
    assert simulation.traffic[0].bytes_read == one // depth
    simulation.paint(Dab("source", (12.0, 8.0, 0.0), 3.0, 1.0))
    assert simulation.traffic[0].bytes_read == 2 * one // depth
    simulation.restore(fresh)
    assert simulation.traffic[0].bytes_read == one // depth
