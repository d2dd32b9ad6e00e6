"""Interfaces that pass through cells: a composite slab, its slowest mode, discs in a square, on both backends.

The slab's answers are its resistances in series and, for the mode, the root of a₁m₁ cot m₁X + a₂m₂ cot m₂(L − X) = 0
with m = √(λ/a); discs in a square array conduct as Perrins, McKenzie and McPhedran (1979) give,
doi 10.1098/rspa.1979.0160, to the eighth power of their share.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from engines.api import Problem
from engines.stencil.engine import StencilEngine
from engines.stencil.parameters import StencilParameters
from workbench.project.parameter_files import with_values

ENGINE = StencilEngine()
CLOSED = {"kind": "gradient"}


def given(n: int, equation: dict[str, Any], *, across: str = "x", cells_along: int = 2, **sides: Any) -> dict[str, Any]:
    """A square of side 1 mm (or a strip of ``cells_along``) between values along the axis ``across``, else closed."""
    counts = {"x": cells_along, "y": cells_along, across: n}
    held = {
        f"{across}_low": {"kind": "value", "value": 0.0},
        f"{across}_high": {"kind": "value", "value": 1.0},
        **sides,
    }
    return {
        "grid": {
            "kind": "2D", "cells_x": counts["x"], "cells_y": counts["y"], "size_x": counts["x"] / n,
            "size_y": counts["y"] / n,
        },
        "equation": equation,
        "sides": {f"{axis}_{end}": CLOSED for axis in "xy" for end in ("low", "high")} | held,
        "numerics": {"precision": "fp64"},
    }  # fmt: skip


def flow(backend, values: dict[str, Any], across: str = "x") -> float:
    """Through the low side, where k is 1, for a difference of 1 over 1 mm."""
    simulation = ENGINE.build(Problem(StencilParameters.model_validate(values)), backend)
    simulation.advance(25)
    u = np.array(simulation.state()["u"]).reshape(simulation.geometry.shape)
    first = u[:, 0] if across == "x" else u[0]
    return float(first.mean() * 2 / simulation.geometry.spacing["xy".index(across)])


def layers(axis: str, position: float, factor: float) -> dict[str, Any]:
    return {"kind": "two layers", "axis": axis, "position": position, "factor": factor}


@pytest.mark.parametrize("device", ["cpu", "on_host"])
@pytest.mark.parametrize("axis", ["x", "y"])
def test_a_slab_conducts_as_its_layers_in_series(device, axis, request):
    """Wherever the layers meet, in a cell's middle or beside a side: exact but for rounding."""
    backend = request.getfixturevalue(device)
    for position in (0.37, 0.5, 0.96, 0.02):
        equation = {"kind": "Poisson", "source": {"kind": "painted only"}, "conductivity": layers(axis, position, 0.1)}
        found = flow(backend, given(10, equation, across=axis), axis)
        first = 1.0 if position >= 0.05 else 1 / (position * 20 + (1 - position * 20) / 0.1)
        assert found * first == pytest.approx(1 / (position + (1 - position) / 0.1), rel=1e-9), position


def test_layers_side_by_side_conduct_beside_each_other(cpu):
    equation = {"kind": "Poisson", "source": {"kind": "painted only"}, "conductivity": layers("y", 0.37, 0.1)}
    values = given(10, equation, cells_along=10)
    simulation = ENGINE.build(Problem(StencilParameters.model_validate(values)), cpu)
    faces = simulation._solver.levels[0].faces[0]
    assert faces.reshape(10, 11).mean(axis=0) == pytest.approx(0.37 + 0.63 * 0.1)


def test_the_slowest_mode_of_a_slab_decays_at_its_rate_to_order_two(cpu):
    """Both values 0, layers 1 and 0.1 that meet at 0.37: the rate from the mode's decay, its error a quarter each."""
    position, second = 0.37, 0.1

    def mismatch(rate: float) -> float:
        m = np.sqrt(rate / np.array([1.0, second]))
        lengths = np.array([position, 1 - position])
        return float((np.array([1.0, second]) * m / np.tan(m * lengths)).sum())

    exact = brentq(mismatch, 0.5, 2.4)
    errors = []
    for n in (10, 20, 40):
        equation = {"kind": "diffusion", "diffusivity": 1.0, "conductivity": layers("x", position, second),
                    "initial": {"kind": "uniform", "value": 1.0}}  # fmt: skip
        values = given(n, equation, x_high={"kind": "value", "value": 0.0})
        simulation = ENGINE.build(Problem(StencilParameters.model_validate(values)), cpu)
        simulation.advance(round(1.0 / simulation.dt))
        before = simulation.observe()["content"]
        steps = round(0.2 / simulation.dt)
        simulation.advance(steps)
        factor = (simulation.observe()["content"] / before) ** (1 / steps)
        errors.append(abs((1 - factor) / simulation.dt - exact) / exact)  # of space alone: a step multiplies 1 − λ dt
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert errors[2] < 1.5e-3
    assert orders.min() > 1.8


def in_a_square(factor: float, share: float) -> float:
    t = (1 + factor) / (1 - factor)
    left = 0.305827 * share**4 * t / (t * t - 1.402958 * share**8) + 0.013362 * share**8 / t
    return 1 - 2 * share / (t + share - left)


@pytest.mark.parametrize(("radius", "factor"), [(0.35, 0.1), (0.35, 10.0), (0.3, 0.01), (0.3, 100.0)])
def test_discs_conduct_as_rayleighs_series_says(cpu, radius, factor):
    """About 10 cells a radius; cells of one material each were 1.2 to 3 % off, to either side."""
    disc = {"kind": "inclusions", "inclusions": [{"center": (0.5, 0.5, 0.5), "radius": radius, "factor": factor}]}
    equation = {"kind": "Poisson", "source": {"kind": "painted only"}, "conductivity": disc}
    found = flow(cpu, given(30, equation, cells_along=30))
    assert found == pytest.approx(in_a_square(factor, np.pi * radius**2), rel=0.015)


def test_a_ball_on_few_cells_is_told_with_the_cells_that_it_needs(cpu):
    disc = {"kind": "inclusions", "inclusions": [{"center": (0.5, 0.5, 0.5), "radius": 0.2, "factor": 0.1}]}
    values = given(20, {"kind": "diffusion", "conductivity": disc}, cells_along=20)
    (told,) = ENGINE.estimate(Problem(StencilParameters.model_validate(values)), cpu).findings
    assert told.place == ("equation", "conductivity", "inclusions", 0, "radius")
    assert "4 cells" in told.message
    mended = with_values(values, told.remedy.changes)
    assert mended["grid"]["cells_x"] == 50
    assert not ENGINE.estimate(Problem(StencilParameters.model_validate(mended)), cpu).findings
