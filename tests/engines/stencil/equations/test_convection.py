"""Fields that a flow carries: orders of central differences and of those against the flow, what each keeps, what is
told of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.stencil.setup.equations import TypedProblem
from tests.engines.stencil.equations.typed import ENGINE, PERIODIC, built, plane, typed, values

A, B = 2 * math.pi / 6, 4 * math.pi / 8
FLOW = "v = vector(1 + 0.5*cos(pi*y/2), sin(pi*x/3))"


def exact(x: np.ndarray, y: np.ndarray, divergence: bool) -> np.ndarray:
    """v·∇u of u = 2 + sin ax cos by; ∇·v is 0."""
    slope = (1 + 0.5 * np.cos(B * y)) * A * np.cos(A * x) * np.cos(B * y)
    return slope - np.sin(A * x) * B * np.sin(A * x) * np.sin(B * y)


@pytest.mark.parametrize("device", ["cpu", "on_host"])
def test_orders_in_space(request, device):
    lines = (
        FLOW, "dot_ = dot(v, grad(u))", "div_ = div(v*u)", "upwind_ = upwind(v, u)", "flux_ = div(upwind(u*v))",
        "du/dt = 0",
    )  # fmt: skip
    errors = []
    for n in (48, 96):
        grid = plane(n, n, 6.0, 8.0)
        simulation = built(request.getfixturevalue(device), lines, {"u": "2 + sin(pi*x/3)*cos(pi*y/2)"}, grid=grid)
        x, y = ((np.arange(n) + 0.5) * size / n for size in (6.0, 8.0))
        right = exact(x[None, :], y[:, None], True)
        errors.append(
            [
                np.abs(np.array(simulation.values(name), float) - right).max()
                for name in ("dot_", "div_", "upwind_", "flux_")
            ]
        )
    orders = np.log2(np.array(errors[0]) / errors[1])
    np.testing.assert_allclose(orders, [2, 2, 1, 1], atol=0.1)


@pytest.mark.parametrize("device", ["cpu", "on_host"])
@pytest.mark.parametrize(
    ("carrying", "order"), [("dot(v, grad(u))", 2), ("div(v*u)", 2), ("upwind(v, u)", 1), ("div(upwind(v*u))", 1)]
)
def test_a_wave_that_is_carried_once_around(request, device, carrying, order):
    """By v = (6, 8)/s in boxes of 6 × 8: after 1 s it is where it began. The flow's own div keeps the sum."""
    errors = []
    for n in (24, 48):
        simulation = built(
            request.getfixturevalue(device), ("v = vector(size_x, size_y)", f"du/dt = -{carrying}"),
            {"u": "2 + cos(pi*x/3 + pi*y/4)"}, None, plane(n, n, 6.0, 8.0), "RK4", step=1 / (8 * n),
        )  # fmt: skip
        before = values(simulation)
        simulation.advance(8 * n)
        errors.append(np.sqrt(((values(simulation) - before) ** 2).mean()))
        assert values(simulation).sum() == pytest.approx(before.sum(), rel=1e-12)
    # upwind: e^{−q² v h/2 · 1 s} on both axes, whose order is 1 from where that is small on
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15 if order == 2 else 0.5), errors
    if order == 1:
        decay = [1 - math.exp(-sum((math.pi / a) ** 2 * 2 * a * 2 * a / n / 2 for a in (3, 4))) for n in (24, 48)]
        np.testing.assert_allclose(errors, np.array(decay) / math.sqrt(2), rtol=0.1)


def test_against_the_flow_nothing_swings_over_and_cells_stay_above_0(cpu):
    """A block of 1 in 0, carried by a constant flow and drawn together by a chemical: between 0 and 1, and not below 0
    with its sum kept; by central differences neither."""
    start = {"u": "where(abs(x - 12) < 4, 1, 0)"}
    upwind, central = (
        built(cpu, ("v = vector(1, 0.3)", f"du/dt = -div({flux})"), start, None, plane(24, 17), method="RK4", step=0.2)
        for flux in ("upwind(v*u)", "v*u")
    )
    for simulation in (upwind, central):
        simulation.advance(40)
    assert -1e-12 < values(upwind).min() < values(upwind).max() < 1 + 1e-12
    assert values(central).min() < -0.05
    assert values(central).max() > 1.05
    # v = 3 ∇c, at most 3 · 3/2 e^{−1/2} = 2.7 mm/s: Euler's steps are as short as that needs
    drawn = ("dc/dt = 0", "du/dt = -div(upwind(3*u*grad(c)))")
    simulation = built(cpu, drawn, {"u": "1", "c": "3*exp(-((x - 12)**2 + (y - 8)**2)/8)"}, None, plane(24, 17))
    assert simulation.dt < 1 / 2.7
    simulation.advance(300)
    found = values(simulation)
    assert found.min() >= 0
    assert found.max() > 20
    assert found.sum() == pytest.approx(24 * 17, rel=1e-12)


def told(cpu, lines, numbers, **more) -> list[str]:
    given = typed(lines, {"u": "exp(-(x - 12)**2)"}, numbers, method="RK4", **more)
    return [each.message for each in ENGINE.estimate(given, cpu).findings]


def test_by_which_differences_is_told_with_what_they_do(cpu):
    """v = 2 mm/s on cells of 1 mm: v h/2D = 1/D."""
    lines = "du/dt = -2*dx(u) + D*laplacian(u)"
    (coarse,) = told(cpu, lines, {"D": 0.25})
    assert "A flow carries 'u' by central differences (v h/2D = 4)" in coarse
    assert "take cells of 0.25 mm" in coarse
    assert "(no D)" in told(cpu, lines, {"D": 0.0})[0]
    assert not told(cpu, lines, {"D": 1.01})
    assert not told(cpu, "du/dt = div((1 + 20*x**2)*grad(u))", {})
    (blurred,) = told(cpu, "du/dt = -div(upwind(vector(2, 0.1)*u)) + 0.1*laplacian(u)", {})
    assert "spread 'u' as a diffusivity of up to 1 mm²/s" in blurred


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (("du/dt = div(upwind(vector(1, 0)*u))",), r"Line 1 adds 'div\(upwind\(…\)\)': a velocity v carries u by"),
        (("du/dt = 1 - (2 - 3*div(upwind(v*u)))", "v = vector(1, y)"), "Line 1 adds 'div"),
        (
            ("du/dt = -div(upwind(v*u + grad(u)))", "v = vector(1, y)"),
            "Line 1 takes 'upwind' of a sum: take it of each",
        ),
        (("du/dt = -upwind(u)",), "Line 1 takes 'upwind' of other than"),
        (("du/dt = -upwind(v, v)", "v = vector(1, y)"), "Line 1 takes 'upwind' of other than"),
        (("du/dt = dot(upwind(v*u), grad(u))", "v = vector(1, y)"), "takes 'upwind' of a flux outside of 'div'"),
        (("du/dt = v", "v = vector(1, y)"), "Line 1 is a vector, and no number: take 'div' or 'dot' of it"),
        (("du/dt = 1", "v = vector(1, y) + u"), "Line 2 adds a vector and a number"),
        (("du/dt = v*w", "v = w", "w = vector(1, 2)"), "Line 1 has a vector where a number is wanted"),
        (("du/dt = -dot(v, grad(u))", "v = vector(1, 2, 3)"), "Line 1 gives 'vector' a vector of 3 parts"),
    ],
)
def test_what_is_no_flow_gets_a_sentence(cpu, lines, sentence):
    with pytest.raises(ProblemError, match=sentence):
        TypedProblem(typed(lines, {"u": "0"}, sides=PERIODIC), cpu)


def test_a_stream_function_gives_a_velocity(cpu):
    """v = (∂ψ/∂y, −∂ψ/∂x), whose derivatives stand in the cell itself, by differences that are off by (qh)²/6."""
    lines = ("psi = sin(pi*x/3)*cos(pi*y/4)", "v = vector(dy(psi), -dx(psi))", "q = dot(v, grad(u))", "du/dt = -q")
    simulation = built(cpu, lines, {"u": "x"}, None, plane(48, 48, 6.0, 8.0), "RK4")
    x, y = ((np.arange(48) + 0.5) * size / 48 for size in (6.0, 8.0))
    right = -math.pi / 4 * np.sin(math.pi * x[None, :] / 3) * np.sin(math.pi * y[:, None] / 4)
    np.testing.assert_allclose(np.array(simulation.values("q"))[:, 1:-1], right[:, 1:-1], rtol=3e-3)
