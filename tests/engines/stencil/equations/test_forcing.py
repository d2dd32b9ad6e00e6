"""What follows t faster than steps in typed equations is told before the run, with steps that do follow it."""

import numpy as np
import pytest

from engines.api import Problem
from engines.backend.cpu import CpuBackend
from engines.stencil.engine import StencilEngine
from engines.stencil.parameters import StencilParameters

BACKEND, ENGINE = CpuBackend(), StencilEngine()
GRID = {"kind": "2D", "cells_x": 12, "cells_y": 12, "size_x": 12.0, "size_y": 12.0}
CLOSED = {f"{axis}_{end}": {"kind": "gradient", "gradient": 0.0} for axis in "xyz" for end in ("low", "high")}


def problem(line, method="Euler", side=None, step=None, parameters=()):
    field = {"name": "u", "start": "0"}
    if side:
        field["sides"] = {"kind": "own", "x_low": {"kind": "value", "value": side}}
    equation = {"kind": "own equations", "lines": [line], "method": method, "fields": [field], "parameters": parameters}
    values = {"grid": GRID, "equation": equation, "sides": CLOSED, "numerics": {"step": step, "precision": "fp64"}}
    return Problem(StencilParameters.model_validate(values))


def told(*given, **more):
    found = ENGINE.estimate(problem(*given, **more), BACKEND).findings
    found = [each for each in found if "do not follow it" in each.message]
    assert len(found) < 2
    return found[0] if found else None


def mean_after(time, *given, **more):
    run = ENGINE.build(problem(*given, **more), BACKEND)
    run.advance(round(time / run.dt))
    return run.field("u").mean(), run.time


@pytest.mark.parametrize("method", ["Euler", "AB2", "RK4"])
@pytest.mark.parametrize(
    ("term", "right"),
    [
        ("where(t < 0.001, 1, 0)", 0.001),
        ("where(t > 1.53, where(t < 1.55, 1000, 0), 0)", 20.0),
        ("exp(-((t - 1.52)/0.05)**2)", 0.05 * np.sqrt(np.pi)),
    ],
)
def test_a_pulse_between_steps_is_told_with_steps_that_follow_it(term, right, method):
    line = f"du/dt = 0.1*laplacian(u) + {term}"
    missed, _ = mean_after(3.0, line, method)
    assert abs(missed / right - 1) > 0.11
    found = told(line, method)
    assert found.distorts
    assert found.place == ("equation", "lines")
    ((place, step),) = found.remedy.changes.items()
    assert place == ("numerics", "step")
    assert told(line, method, step=step) is None
    assert mean_after(3.0, line, method, step=step)[0] == pytest.approx(right, rel=0.12)


@pytest.mark.parametrize("method", ["Euler", "AB2", "RK4", "IMEX"])
@pytest.mark.parametrize(
    "term", ["sin(t/100)", "min(t/50, 1)", "exp(-t/20)", "0.3*t", "where(t > 30, 1, 0)", "2", "0*t"]
)
def test_nothing_is_said_of_what_steps_follow(term, method):
    assert told(f"du/dt = 0.1*laplacian(u) + {term}", method, step=0.5) is None


@pytest.mark.parametrize(("method", "step"), [("Euler", 0.1125), ("AB2", 0.1125), ("RK4", 0.1)])
def test_an_oscillation_within_a_step_is_told_also_where_its_mean_comes_out(method, step):
    assert told("du/dt = 0.1*laplacian(u) + sin(2*pi*t/0.05)**2", method, step=step) is not None
    step = told("du/dt = 0.1*laplacian(u) + sin(2*pi*t/0.05)**2", method).remedy.changes["numerics", "step"]
    assert step < 0.025


def test_a_side_is_looked_at_too():
    found = told("du/dt = laplacian(u)", "IMEX", side="cos(2*pi*t)")
    assert found.message.startswith("What holds for 'u' at x low changes with t so fast that steps of")
    assert found.place == ("equation", "fields", 0, "sides")
    assert told("du/dt = laplacian(u)", "IMEX", side="cos(2*pi*t/100)") is None


def test_what_is_added_and_rests_hides_no_wave():
    found = told("du/dt = laplacian(u)", "IMEX", side="293 + 5*cos(2*pi*t)", step=1.0)
    assert found.place == ("equation", "fields", 0, "sides")
    assert told("du/dt = laplacian(u)", "IMEX", side="293 + 5*cos(2*pi*t/100)", step=1.0) is None


def test_times_that_parameters_give_are_looked_at():
    """Beyond the steps that are looked at from the start on."""
    given = [{"name": "begins", "value": 900.03}, {"name": "wide", "value": 0.02}]
    line = "du/dt = 0.1*laplacian(u) + where(t > begins, where(t < begins + wide, 50, 0), 0)"
    found = told(line, step=0.1, parameters=given)
    step = found.remedy.changes["numerics", "step"]
    assert step <= 0.01
    assert told(line, step=step, parameters=given) is None
    assert told(line, step=0.1, parameters=[given[0], {"name": "wide", "value": 5.0}]) is None


def test_a_step_up_late_in_a_run_is_not_told():
    assert told("du/dt = where(t > 100.03, 1, 0)", step=0.1) is None
