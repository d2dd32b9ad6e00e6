"""Diffusion that is implicit: which terms it is, modes as the scheme says, orders, steps that no explicit one takes.

A mode of the grid whose diffusion is −D q² u (q² = (4/h²) sin²(qh/2)) and whose rest is a u changes by

    (1 + Δt D q²) u' = (1 + Δt a) u,    then    (3/2 + Δt D q²) u' = (2 + 2 Δt a) u − (1/2 + Δt a) u_before

to what ten V-cycles leave in double precision: 1e-9 of it.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from engines.api import Dab
from engines.api.errors import ProblemError
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import make, ordered, symbol
from engines.stencil.equations.implicit.terms import split
from engines.stencil.equations.language import parse
from engines.stencil.equations.spatial import Stencil
from engines.stencil.setup.equations import TypedProblem
from tests.engines.stencil.equations.typed import CLOSED, ENGINE, PERIODIC, built, plane, typed, values


def diffusivity_of(line: str, **numbers: float) -> float | None:
    found, _ = split(parse([line, "dv/dt = 0"], ("D", "a")))
    if "u" not in found:
        return None
    given = {**numbers, "x": 0.95, "y": 2.0}
    return float(Program([found["u"]])({name: np.float64(value) for name, value in given.items()})[0])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("du/dt = D*laplacian(u) + a*u*(1 - u)", 3.0),
        ("du/dt = u - (1 - u)*u + laplacian(u)*D/2", 1.5),
        ("du/dt = div(D*grad(u)) - (-a*laplacian(u)) - u**3", 8.0),
        ("du/dt = 2*(laplacian(u)/a + v)", 0.4),
        ("du/dt = laplacian(v) + u*laplacian(u)", None),
        ("du/dt = div((1 + u**2)*grad(u)) + x*laplacian(u)", None),
        ("du/dt = dot(grad(u), grad(u)) - t*laplacian(u)", None),
        ("du/dt = div(D*grad(u) - u*grad(v))", 3.0),
        ("du/dt = 2*div((D + a*x)*grad(u)/y)", 7.75),
        ("du/dt = x*div(D*grad(u)) + t*laplacian(u)", None),
    ],
)
def test_what_is_taken_implicitly(line, expected):
    found = diffusivity_of(line, D=3.0, a=5.0)
    assert found == (None if expected is None else pytest.approx(expected))


def test_both_parts_are_the_whole():
    """Of random neighbours: the rate is D ∇²u and what is left."""
    system = parse(["du/dt = div(D*grad(u) - u*grad(v)) + v*u - 3*(laplacian(u) - u)", "dv/dt = -v"], ("D",))
    diffusivities, rest = split(system)
    assert list(diffusivities) == ["u"]
    stencil = Stencil(system.fields, 2, False)
    parts = {"whole": system.rates["u"], "rest": rest.rates["u"], "spread": make("laplacian", symbol("u"))}
    roots = [stencil.lowered(node) for node in parts.values()]
    drawn = np.random.default_rng(1)
    given = {str(node.value): drawn.random() for node in ordered(roots) if node.op == "symbol"} | {"D": 3.5}
    whole, left, spread = Program(roots)({name: np.float64(value) for name, value in given.items()})
    assert whole == pytest.approx(left + (3.5 - 3) * spread, rel=1e-12)
    assert abs(spread) > 0.1


@pytest.mark.parametrize("device", ["cpu", "on_host"])
@pytest.mark.parametrize(("sides", "shape"), [(PERIODIC, (32, 20)), (CLOSED, (37, 23)), (CLOSED, (18, 20, 15))])
def test_modes_change_as_the_scheme_says(request, device, sides, shape):
    """With steps of some 60 times what an explicit scheme takes; 15 along z wrap."""
    h, d, a, dt = 0.5, 2.0, -0.3, 2.0
    turns = 2 if sides is PERIODIC else 1
    waves = [turns * math.pi * k / (n * h) for k, n in zip((3, 2, 2), shape, strict=False)]
    start = {"u": "*".join(f"cos({q!r}*{axis})" for q, axis in zip(waves, "xyz", strict=False))}
    grid = plane(*shape[:2], shape[0] * h, shape[1] * h)
    if len(shape) == 3:
        grid = {**grid, "kind": "3D", "cells_z": shape[2], "size_z": shape[2] * h}
        sides = {**sides, "z_low": PERIODIC["z_low"], "z_high": PERIODIC["z_high"]}
        start = {"u": start["u"].replace(repr(waves[2]), repr(2 * waves[2]))}
        waves[2] *= 2
    simulation = built(
        request.getfixturevalue(device), "du/dt = D*laplacian(u) + a*u", start, {"D": d, "a": a}, grid, "IMEX",
        sides=sides, step=dt,
    )  # fmt: skip
    assert dt > 60 * h**2 / (4 * d)
    shape_of = values(simulation)
    q2 = sum(4 / h**2 * math.sin(q * h / 2) ** 2 for q in waves)
    before, now = 1.0, (1 + dt * a) / (1 + dt * d * q2)
    for _ in range(4):
        before, now = now, ((2 + 2 * dt * a) * now - (0.5 + dt * a) * before) / (1.5 + dt * d * q2)
    simulation.advance(1)
    simulation.advance(4)
    np.testing.assert_allclose(values(simulation), now * shape_of, atol=1e-9)


def test_the_order_in_time(cpu):
    """Of a reaction and diffusion that are both explicit in a fine run by Runge and Kutta's method."""
    line, start = "du/dt = u*(1 - u)*(1 + cos(3*t)) + 0.4*laplacian(u)", {"u": "0.4 + 0.3*sin(2*pi*x/8)"}
    fine = built(cpu, line, start, grid=plane(16, 4, 8.0, 2.0), method="RK4", step=2 / 400)
    fine.advance(400)
    errors = []
    for steps in (40, 80):
        simulation = built(cpu, line, start, grid=plane(16, 4, 8.0, 2.0), method="IMEX", step=2 / steps)
        simulation.advance(steps)
        errors.append(np.abs(values(simulation) - values(fine)).max())
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.15)


def test_values_and_gradients_at_sides_hold_after_long_steps(cpu):
    """Heat between sides at 1 and 3, with a flow of 1/2 out of the top: a line along x where the top is closed."""
    held = {**CLOSED, "x_low": {"kind": "value", "value": 1.0}, "x_high": {"kind": "value", "value": 3.0}}
    simulation = built(
        cpu, "du/dt = laplacian(u)", {"u": "noise(1)"}, None, plane(40, 30), "IMEX", sides=held, step=100.0
    )
    simulation.advance(60)
    line = 1 + 2 * (np.arange(40) + 0.5) / 40
    np.testing.assert_allclose(values(simulation), np.broadcast_to(line, (30, 40)), atol=1e-8)


def test_a_stiff_front_in_steps_of_fifty_explicit_ones(cpu):
    """Allen and Cahn's discs shrink by 2πD each second, whatever the disc: with fast spread over small cells."""
    d, h = 25.0, 0.5
    start = {"u": "-tanh((sqrt((x - 40)**2 + (y - 40)**2) - 28)/sqrt(2*25))"}
    step = 50 * h**2 / (4 * d)
    simulation = built(
        cpu, "du/dt = D*laplacian(u) + u - u**3", start, {"D": d}, plane(160, 160, 80.0, 80.0), "IMEX", sides=CLOSED,
        step=step,
    )  # fmt: skip
    areas = []
    for _ in range(2):
        simulation.advance(round(3 / step))
        areas.append((values(simulation) + 1).sum() / 2 * h**2)
    explicit = built(
        cpu, "du/dt = D*laplacian(u) + u - u**3", start, {"D": d}, plane(160, 160, 80.0, 80.0), sides=CLOSED,
        step=step / 62.5,
    )  # fmt: skip
    explicit.advance(round(simulation.time / explicit.dt))
    assert areas[1] == pytest.approx((values(explicit) + 1).sum() / 2 * h**2, rel=2e-3)


def test_a_dab_is_no_change_that_goes_on(cpu):
    """Backward differences would take what was painted for a rate: the step after it is one that begins anew."""
    simulation = built(cpu, "du/dt = 1e-9*laplacian(u)", {"u": "0"}, None, plane(24, 17), "IMEX", step=0.1)
    simulation.advance(3)
    simulation.paint(Dab("u", (12.0, 8.0, 0.0), 3.0, 1.0))
    painted = values(simulation)
    assert painted.max() > 0.8
    kept = simulation.state()
    simulation.advance(5)
    np.testing.assert_allclose(values(simulation), painted, atol=1e-6)
    after = values(simulation)
    simulation.restore(kept)
    simulation.advance(5)
    np.testing.assert_array_equal(values(simulation), after)


def test_a_slider_acts_on_the_diffusion(cpu):
    simulation = built(
        cpu, "du/dt = D*laplacian(u)", {"u": "cos(2*pi*x/24)"}, {"D": 0.0}, plane(24, 4), "IMEX", step=1.0
    )
    simulation.advance(2)
    assert values(simulation).max() == pytest.approx(math.cos(math.pi / 24), rel=1e-12)
    simulation.set_control("equation.parameters.0.value", 5.0)
    simulation.advance(2)
    assert values(simulation).max() < 0.7
    with pytest.raises(ProblemError):
        simulation.set_control("equation.parameters.0.value", -5.0)


@pytest.mark.parametrize("device", ["cpu", "on_host"])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_both_orders_where_diffusion_and_sides_differ_from_place_to_place(request, device, dimensions):
    """e^{−t} sin(x + 0.3) cos(0.7 y − 0.2) cos(0.5 z + 0.1) with D = 1 + x/2 + y/4, between a value, gradients and
    Robin's sides that have what it has there: cells and steps half as large leave a quarter of the error."""
    along = ["sin(x + 0.3)", "cos(0.7*y - 0.2)", "cos(0.5*z + 0.1)"][:dimensions]
    slope = ["cos(x + 0.3)", "-0.7*sin(0.7*y - 0.2)", "-0.5*sin(0.5*z + 0.1)"][:dimensions]
    whole = "exp(-t)*" + "*".join(along)
    slopes = ["exp(-t)*" + "*".join([*along[:k], slope[k], *along[k + 1 :]]) for k in range(dimensions)]
    own = {}
    for side, axis in zip(PERIODIC, (0, 0, 1, 1, 2, 2), strict=True):
        if axis < dimensions:
            outward = f"({'-' if side.endswith('low') else ''}({slopes[axis]}))"
            own[side] = {"kind": "gradient", "gradient": outward}
            if side == "x_high":
                own[side] = {"kind": "value", "value": whole}
            if side in ("x_low", "y_high", "z_low"):
                own[side] = {"kind": "exchange", "coefficient": "a", "outside": f"{whole} + {outward}/a"}
    lines = (
        "D = 1 + x/2 + y/4", f"source = -u0 + D*{1.49 + 0.25 * (dimensions == 3)!r}*u0 - ({slopes[0]})/2 - "
        f"({slopes[1]})/4", f"u0 = {whole}", "du/dt = div(D*grad(u)) + source", "off = u - u0",
    )  # fmt: skip
    errors = []
    for n in (12, 24):
        grid = plane(n, n, 3.0, 2.0)
        if dimensions == 3:
            grid = {**grid, "kind": "3D", "cells_z": n, "size_z": 1.5}
        simulation = built(
            request.getfixturevalue(device), lines, {"u": whole.removeprefix("exp(-t)*")}, {"a": 0.7}, grid, "IMEX",
            sides=CLOSED, own={"u": own}, step=0.3 / n,
        )  # fmt: skip
        assert simulation.dt > 4 * TypedProblem(typed(lines, {"u": "0"}, {"a": 0.7}, grid), simulation.backend).limit
        simulation.advance(n)
        errors.append(np.abs(np.array(simulation.values("off"), float)).max())
    assert errors[0] < 0.02
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.2), errors


def test_diffusion_of_high_contrast_settles_where_its_explicit_flux_does(cpu):
    """A disc that conducts 200 times as well, in steps of hundreds of thousands of explicit ones: what is left of the
    rate, of flows of D u/h², is what the cycles leave."""
    lines = ("D = where((x - 20)**2 + (y - 15)**2 < 64, 200, 1)", "du/dt = div(D*grad(u)) + 0.01*x", "rate = "
             "div(D*grad(u)) + 0.01*x")  # fmt: skip
    own = {**CLOSED, "x_low": {"kind": "exchange", "coefficient": "0.1", "outside": "3 - y/10"}}
    simulation = built(cpu, lines, {"u": "0"}, None, plane(40, 30), "IMEX", sides=CLOSED, own={"u": own}, step=500.0)
    (_, cycles), *_ = simulation._explicit._implicit._solvers.values()
    assert cycles < 40
    simulation.advance(200)
    largest = values(simulation).max()
    assert largest > 10
    assert np.abs(np.array(simulation.values("rate"))).max() < 1e-8 * 200 * largest


SWAYING = {side: {"kind": "exchange", "coefficient": "2 + sin(t)", "outside": "0"} for side in PERIODIC}
LEANING = {side: {"kind": "exchange", "coefficient": "1 + x", "outside": "0"} for side in PERIODIC}


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"lines": "du/dt = u - u**3"}, "No line has diffusion that can be implicit: write it as D\\*laplacian"),
        ({"lines": "du/dt = div((1 + u**2)*grad(u))"}, "No line has diffusion that can be implicit"),
        ({"numbers": {"D": -1.0}}, "The diffusivity of 'u' is -1: it cannot be below 0"),
        ({"lines": "du/dt = div((x - 3)*grad(u))"}, "The diffusivity of 'u' is -2.5: it cannot be below 0"),
        ({"own": {"u": SWAYING}}, "an exchange a does not hang on t or the place"),
        ({"own": {"u": LEANING}}, "an exchange a does not hang on t or the place"),
        ({"lines": "du/dt = D*laplacian(u) - dx(u)"}, "takes diffusion alone implicitly makes them grow at any step"),
    ],
)
def test_what_cannot_be_implicit_gets_a_sentence(cpu, more, sentence):
    given = {"lines": "du/dt = D*laplacian(u)", "numbers": {"D": 1.0}, **more}
    with pytest.raises(ProblemError, match=sentence) as refused:
        TypedProblem(typed(given.pop("lines"), {"u": "0"}, method="IMEX", **given), cpu)
    assert refused.value.place[0] == "equation"
    assert refused.value.remedy is None or refused.value.remedy.changes == {("equation", "method"): "RK4"}


def test_the_estimate_counts_the_solves(cpu):
    plain, implicit = (
        ENGINE.estimate(typed("du/dt = laplacian(u) + u*(1 - u)", method=method), cpu) for method in ("AB2", "IMEX")
    )
    assert implicit.bytes_per_step > 20 * plain.bytes_per_step
    assert implicit.stable_step > 3 * plain.stable_step


WIDE = plane(80, 80, 40.0, 40.0)
STARTS = {
    "a wave": ("cos(10*pi*x/40)", (math.pi / 4) ** 2),
    "a spot": ("exp(-((x - 20)**2 + (y - 20)**2)/8)", 0.37),
    "a small spot": ("5 + exp(-((x - 20)**2 + (y - 20)**2)/2)", 1.33),
}


@pytest.mark.parametrize("name", STARTS)
def test_what_a_start_has_in_it_is_followed_or_told(cpu, name):
    """Beside Runge and Kutta's steps; a spot's top falls by 1 + Dt·2/σ², a wave by e^{λt}."""
    start, rate = STARTS[name]

    def of_height(step, count):
        given = typed("du/dt = laplacian(u)", {"u": start}, None, WIDE, "IMEX", sides=CLOSED, step=step)
        posed, simulation = TypedProblem(given, cpu), ENGINE.build(given, cpu)
        simulation.advance(count)
        steps = math.ceil(simulation.time / 0.08)
        right = built(
            cpu, "du/dt = laplacian(u)", {"u": start}, None, WIDE, "RK4", sides=CLOSED, step=simulation.time / steps
        )
        right.advance(steps)
        return np.ptp(values(simulation)) / np.ptp(values(right)), posed

    _, chosen = of_height(None, 1)
    assert chosen.step <= 0.5 / rate * 1.05
    assert not chosen.findings
    wrong, long = of_height(5 / rate, 1)
    (told,) = long.findings
    assert wrong > 1.5
    assert "which steps of" in told.message
    assert told.distorts
    step = told.remedy.changes["numerics", "step"]
    assert step == pytest.approx(0.5 / rate, rel=0.06)
    for count in (1, 2, 4):
        followed, posed = of_height(step, count)
        assert followed == pytest.approx(1, abs=0.15)
        assert not posed.findings


def test_edges_and_noise_are_not_followed(cpu):
    """Heights within edges stay, and of noise nobody knows them."""
    for start in ("where(abs(x - 20) < 5, 1, 0)", "0.1*noise(1)", "x/40", "3"):
        given = typed("du/dt = laplacian(u)", {"u": start}, None, WIDE, "IMEX", sides=CLOSED, step=4.0)
        assert not TypedProblem(given, cpu).findings
