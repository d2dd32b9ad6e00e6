"""Steps that are stable by formula and in a run, and the orders of all methods in time and of differences in space."""

import math

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.stencil.setup.equations import TypedProblem
from tests.engines.stencil.equations.typed import ENGINE, built, plane, typed, values

RK4_REAL, RK4_IMAGINARY = 2.785293563405, 2 * math.sqrt(2)
"""How far the method's region reaches along the negative real and the imaginary axis."""
WIDE = plane(24, 16, 12.0, 16.0)  # cells of 0.5 × 1 mm
SUM = 1 / 0.5**2 + 1.0


@pytest.mark.parametrize(
    ("line", "method", "limit"),
    [
        ("du/dt = 0.3*laplacian(u)", "Euler", 1 / (2 * 0.3 * SUM)),
        ("du/dt = 0.3*laplacian(u)", "RK4", RK4_REAL / (4 * 0.3 * SUM)),
        ("du/dt = 0.3*laplacian(u)", "AB2", 1 / (4 * 0.3 * SUM)),
        ("du/dt = div(0.3*grad(u)) - 5*u", "Euler", 2 / (4 * 0.3 * SUM + 5)),
        ("d2u/dt2 = 4*laplacian(u)", "RK4", RK4_IMAGINARY / (2 * 2 * math.sqrt(SUM))),
        ("du/dt = -upwind(3, -2, u)", "Euler", 1 / (3 / 0.5 + 2)),
        ("du/dt = -dx(2*u)", "RK4", RK4_IMAGINARY / (2 / 0.5)),
    ],
)
def test_the_limit_is_that_of_von_neumann(cpu, line, method, limit):
    """To the angles that are looked at: both ends of each axis are among them, and π/2 nearly is (π/7 apart: cos
    13°)."""
    posed = TypedProblem(typed(line, grid=WIDE, method=method), cpu)
    assert posed.limit == pytest.approx(limit, rel=0.03 if "dx(" in line else 1e-6)
    if "- 5*u" in line:  # short enough for what decays
        assert posed.step == pytest.approx(0.2 / 5, rel=0.01)
    else:
        assert posed.step == pytest.approx(0.9 * posed.limit)
    assert posed.linear.constant
    assert ENGINE.estimate(typed(line, grid=WIDE, method=method), cpu).stable_step == posed.limit


def test_the_limit_of_a_stored_name(cpu):
    lines = ("q = laplacian(u)", "du/dt = -0.1*laplacian(q)")
    posed = TypedProblem(typed(lines, grid=WIDE), cpu)
    assert posed.limit == pytest.approx(2 / (0.1 * (4 * SUM) ** 2), rel=1e-6)


def test_the_limit_is_of_where_the_fields_begin(cpu):
    """D(u) = 1 + u², u up to 3 in the middle."""
    start = {"u": "3*exp(-((x - 6)**2 + (y - 8)**2)/4)"}
    posed = TypedProblem(typed("du/dt = div((1 + u**2)*grad(u))", start, grid=WIDE), cpu)
    assert posed.limit == pytest.approx(1 / (2 * 10 * SUM), rel=0.15)
    assert posed.step == pytest.approx(0.7 * posed.limit)
    wider = typed("du/dt = div((1 + u**2)*grad(u))", start, grid=WIDE)
    wider.parameters.equation.fields[0].high = 5.0
    assert TypedProblem(wider, cpu).limit == pytest.approx(1 / (2 * 26 * SUM), rel=1e-3)


@pytest.mark.parametrize(
    ("lines", "method"),
    [
        (("du/dt = 0.3*laplacian(u)",), "Euler"), (("du/dt = 0.3*laplacian(u)",), "RK4"),
        (("d2u/dt2 = laplacian(u)",), "RK4"), (("q = laplacian(u)", "du/dt = -0.1*laplacian(q)"), "Euler"),
        (("du/dt = -upwind(3, -2, u)",), "Euler"), (("du/dt = 0.3*laplacian(u)",), "AB2"),
        (("du/dt = -upwind(3, -2, u)",), "AB2"),
    ],
)  # fmt: skip
def test_below_the_limit_noise_does_not_grow_and_above_it_does(cpu, lines, method):
    start = {"u": "noise(1) - 0.5"}
    limit = TypedProblem(typed(lines, start, grid=WIDE, method=method), cpu).limit
    below = built(cpu, lines, start, grid=WIDE, method=method, step=0.99 * limit)
    below.advance(600)
    assert np.abs(values(below)).max() < 3
    above = ENGINE.build(_unchecked(lines, start, method, 1.06 * limit), cpu)
    above.advance(600)
    assert not np.abs(values(above)).max() < 1e3


def _unchecked(lines, start, method, step):
    """A step above the limit, which the lines only reach when a parameter is not as it is where limits are found: by
    a factor that time brings."""
    slower = [line.replace("=", "= (1 if t > 0 else 1e-3)*(", 1) + ")" if "/dt" in line else line for line in lines]
    return typed(slower, start, grid=WIDE, method=method, step=step)


@pytest.mark.parametrize(("method", "called"), [("Euler", "explicit Euler"), ("AB2", "Adams and Bashforth's method")])
def test_waves_by_methods_that_make_them_grow_are_refused_with_what_to_take(cpu, method, called):
    with pytest.raises(ProblemError, match=f"{called} makes them grow at any step: take Runge-Kutta") as refused:
        TypedProblem(typed("d2u/dt2 = laplacian(u)", method=method), cpu)
    assert refused.value.remedy.changes == {("equation", "method"): "RK4"}


@pytest.mark.parametrize("method", ["Euler", "AB2"])
def test_waves_that_hardly_decay_are_told_with_what_takes_longer_steps(cpu, method):
    """λ = −g/2 ± iω: g/ω² for Euler's method, and 2√2/ω for Runge and Kutta's."""
    lines = "d2u/dt2 = 100*laplacian(u) - 0.05*u_t"
    posed = TypedProblem(typed(lines, grid=WIDE, method=method), cpu)
    told = posed.findings[0]
    times = TypedProblem(typed(lines, grid=WIDE, method="RK4"), cpu).limit / posed.limit
    assert times > 20
    assert "Waves of 'u" in told.message
    assert float(told.message.partition("may be ")[2].split()[0]) == pytest.approx(times, rel=0.1)
    assert told.remedy.changes == {("equation", "method"): "RK4"}
    quick = TypedProblem(typed("du/dt = laplacian(u) + u - u**3", {"u": "noise(1)"}, grid=WIDE, method=method), cpu)
    assert not quick.findings


def test_a_step_above_the_limit_is_refused_or_lowered(cpu):
    line = "du/dt = 0.3*laplacian(u)"
    with pytest.raises(ProblemError, match=r"The time step of 2 s is above 0.333 s, .*'u' limits it"):
        TypedProblem(typed(line, grid=WIDE, step=2.0), cpu)
    given = typed(line, grid=WIDE, step=2.0)
    given.parameters.numerics.lower_step = True
    assert TypedProblem(given, cpu).step == pytest.approx(0.3)


@pytest.mark.parametrize(("method", "order"), [("Euler", 1), ("AB2", 2), ("RK4", 4)])
def test_the_order_in_time(cpu, method, order):
    """A logistic reaction that time drives: against steps that are 16 times shorter."""
    line, start, found = "du/dt = u*(1 - u)*(1 + cos(3*t)) + 0.01*laplacian(u)", {"u": "0.1 + 0.05*sin(2*pi*x/8)"}, {}
    for steps in (20, 40, 640):
        simulation = built(cpu, line, start, grid=plane(8, 4), method=method, step=2 / steps)
        simulation.advance(steps)
        found[steps] = values(simulation)
    errors = [np.abs(found[steps] - found[640]).max() for steps in (20, 40)]
    # the reference's own error is a sixteenth, to the order, of the finer one's
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.25)


OPERATORS = {
    "laplacian(u)": lambda x, y, a, b: -(a**2 + b**2) * np.sin(a * x) * np.cos(b * y),
    "dx(u)": lambda x, y, a, b: a * np.cos(a * x) * np.cos(b * y),
    "dy(u)": lambda x, y, a, b: -b * np.sin(a * x) * np.sin(b * y),
    "dxx(u)": lambda x, y, a, b: -(a**2) * np.sin(a * x) * np.cos(b * y),
    "dyy(u)": lambda x, y, a, b: -(b**2) * np.sin(a * x) * np.cos(b * y),
    "dxy(u)": lambda x, y, a, b: -a * b * np.cos(a * x) * np.sin(b * y),
    "dot(grad(u), grad(u))": lambda x, y, a, b: (
        (a * np.cos(a * x) * np.cos(b * y)) ** 2 + (b * np.sin(a * x) * np.sin(b * y)) ** 2
    ),
    "div(u*grad(u))": lambda x, y, a, b: (
        (a * np.cos(a * x) * np.cos(b * y)) ** 2
        + (b * np.sin(a * x) * np.sin(b * y)) ** 2
        - (a**2 + b**2) * (np.sin(a * x) * np.cos(b * y)) ** 2
    ),
    "div(vector(u**2, u))": lambda x, y, a, b: (
        2 * np.sin(a * x) * np.cos(b * y) * a * np.cos(a * x) * np.cos(b * y) - b * np.sin(a * x) * np.sin(b * y)
    ),
}


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_order_in_space(cpu, operator):
    """Of each operator on u = sin ax cos by, a line that is shown: 4 between grids of 24 and 48 cells."""
    errors = []
    for n in (24, 48):
        grid = plane(n, 2 * n, 6.0, 8.0)
        simulation = built(cpu, (f"q = {operator}", "du/dt = 0"), {"u": "sin(2*pi*x/6)*cos(4*pi*y/8)"}, grid=grid)
        found = np.array(simulation.values("q"), float)
        x, y = ((np.arange(count) + 0.5) * h for count, h in zip((n, 2 * n), simulation.geometry.spacing, strict=True))
        right = OPERATORS[operator](x[None, :], y[:, None], 2 * np.pi / 6, 4 * np.pi / 8)
        errors.append(np.abs(found - right).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.25)


def test_upwind_is_of_first_order(cpu):
    errors = []
    for n in (64, 128):
        simulation = built(
            cpu, ("q = upwind(1, 0, u)", "du/dt = 0"), {"u": "sin(2*pi*x/6)"}, grid=plane(n, 2, 6.0, 1.0)
        )
        x = (np.arange(n) + 0.5) * 6 / n
        errors.append(np.abs(np.array(simulation.values("q"))[0] - np.cos(2 * np.pi * x / 6) * 2 * np.pi / 6).max())
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.05)


def test_a_thin_wall_limits_the_step(cpu):
    """1 % of the cells, with a rate of 500/s among cells that have 4/s."""
    posed = TypedProblem(
        typed("du/dt = laplacian(u)/2 - where(abs(x - 50.5) < 0.5, 500, 0)*u", grid=plane(100, 100)), cpu
    )
    assert posed.limit == pytest.approx(2 / 504, rel=1e-6)


def test_what_grows_now_limits_the_step_too(cpu):
    """u = 0 grows at 1/s everywhere and will come to 1, where it decays as fast."""
    assert TypedProblem(typed("du/dt = u*(1 - u)", {"u": "1e-3"}), cpu).limit == pytest.approx(2, rel=3e-3)
