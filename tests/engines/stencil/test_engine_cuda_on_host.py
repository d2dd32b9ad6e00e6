"""The engine on a CUDA device that is emulated on the host: the same run as on the CPU, painted and restored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engines.api import Dab, Problem
from engines.stencil.engine import StencilEngine
from engines.stencil.parameters import StencilParameters

ENGINE = StencilEngine()
GRIDS = [
    {"kind": "2D", "cells_x": 13, "cells_y": 9, "size_x": 13.0, "size_y": 9.0},
    {"kind": "3D", "cells_x": 7, "cells_y": 6, "cells_z": 5, "size_x": 7.0, "size_y": 6.0, "size_z": 5.0},
]
EQUATIONS: list[dict[str, Any]] = [
    {"kind": "diffusion", "diffusivity": 2.0, "initial": {"kind": "noise"}},
    {"kind": "diffusion", "diffusivity": 2.0, "conductivity": {"kind": "two layers"}, "source": 0.5},
    {"kind": "Gray-Scott", "start": {"kind": "seeds", "count": 2, "width": 3.0}},
    {"kind": "Poisson", "source": {"kind": "point charges", "charges": [{"center": (4, 3, 2)}]}},
]


@pytest.mark.parametrize("grid", GRIDS, ids=["2D", "3D"])
@pytest.mark.parametrize("equation", EQUATIONS, ids=lambda equation: equation["kind"])
def test_a_painted_run_equals_the_cpus(cpu, on_host, grid, equation):
    """fp64: FMA and other sums round 12 steps of values of order 1 differently; the dab's weights are fp32 on a GPU."""
    given = {"grid": grid, "equation": equation, "numerics": {"precision": "fp64"}}
    problem = Problem(StencilParameters.model_validate(given))
    ones = [ENGINE.build(problem, backend) for backend in (cpu, on_host)]
    for one in ones:
        one.advance(5)
        brush = one.brushes[0].name
        one.paint(Dab(brush, (4.0, 3.0, 2.0), 2.5, 0.5))
        one.paint(Dab(brush, (5.0, 4.0, 2.0), 2.0, 0.0, erase=True))
        one.advance(7)
    for info in ones[0].fields:
        assert np.abs(ones[0].field(info.name) - ones[1].field(info.name)).max() <= 1e-6, info.name
    first, second = (one.observe() for one in ones)
    assert second["content"] == pytest.approx(first["content"], abs=1e-4)
    state = {name: np.array(values) for name, values in ones[1].state().items()}
    resumed = ENGINE.build(problem, on_host)
    resumed.restore(state)
    for one in (ones[1], resumed):
        one.advance(3)
    for info in resumed.fields:
        assert (resumed.field(info.name) == ones[1].field(info.name)).all(), info.name
