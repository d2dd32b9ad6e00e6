"""The slowest mode: its rate by the grid's own formula, and in a run of layers that settles."""

import math

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.backend.cpu import CpuBackend
from engines.stencil.engine import StencilEngine
from engines.stencil.parameters import StencilParameters
from engines.stencil.tools.settling import Settling, SettlingParameters

FIXED, INSULATED, PERIODIC = {"kind": "value", "value": 3.0}, {"kind": "gradient"}, {"kind": "periodic"}


def plate(sides, **equation):
    names = ("x_low", "x_high", "y_low", "y_high")
    return Problem(StencilParameters.model_validate({
        "grid": {"kind": "2D", "cells_x": 24, "cells_y": 16, "size_x": 12.0, "size_y": 4.0},
        "sides": dict(zip(names, sides, strict=True)),
        "equation": {"kind": "diffusion", "diffusivity": 5.0, **equation},
    }))  # fmt: skip


@pytest.fixture(scope="module")
def backend():
    opened = CpuBackend()
    yield opened
    opened.close()


def constant(problem, backend):
    result = Settling().run(problem, SettlingParameters(tolerance=1e-7), backend)
    return next(fact.value for fact in result.facts if fact.title == "Time constant")


def of_axis(cells, size, half_waves):
    """4/h² sin²(mπ/2N) [1/mm²]"""
    return (2 * cells / size * math.sin(half_waves * math.pi / (2 * cells))) ** 2


@pytest.mark.parametrize(
    ("sides", "rate"),
    [
        ((FIXED, FIXED, FIXED, FIXED), of_axis(24, 12.0, 1) + of_axis(16, 4.0, 1)),
        ((INSULATED, INSULATED, INSULATED, INSULATED), of_axis(24, 12.0, 1)),
        ((PERIODIC, PERIODIC, INSULATED, INSULATED), of_axis(24, 12.0, 2)),
        ((FIXED, INSULATED, INSULATED, INSULATED), of_axis(24, 12.0, 0.5)),
    ],
)
def test_the_rate_is_that_of_the_grid(sides, rate, backend):
    assert constant(plate(sides), backend) == pytest.approx(1 / (5.0 * rate), rel=1e-5)  # fp32


def test_a_run_of_layers_settles_so(backend):
    """What differs from the end falls by e in each time constant, once the other modes are gone."""
    layers = {"kind": "two layers", "axis": "x", "position": 0.5, "factor": 0.2}
    problem = plate((FIXED, FIXED, INSULATED, INSULATED), conductivity=layers, initial={"kind": "noise"})
    expected = constant(problem, backend)
    simulation = StencilEngine().build(problem, backend)
    off = []
    for constants in (3.0, 1.5):
        simulation.advance(round(constants * expected / simulation.dt))
        off.append((simulation.time, np.abs(simulation.field("u") - 3.0).max()))
    simulation.close()
    (early, before), (late, after) = off
    assert math.log(before / after) == pytest.approx((late - early) / expected, rel=2e-3)


def test_other_equations_are_refused(backend):
    problem = Problem(StencilParameters.model_validate({"equation": {"kind": "Poisson"}}))
    with pytest.raises(ProblemError, match="choose that equation"):
        Settling().run(problem, SettlingParameters(), backend)
