"""Sides of each kind that differ from place to place and in time, against a solution that is known everywhere.

e^{−t} sin(x + 0.3) cos(0.7 y − 0.2) cos(0.5 z + 0.1), whose ∇² is −(1 + 0.7² + 0.5²) times itself, solves the equation
of heat with a source of as many times itself, less 1; in a plane without the last factor. A value, a gradient and
Robin's sides hold what it has there; v is periodic along x."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.stencil.setup.equations import TypedProblem
from tests.engines.stencil.equations.typed import CLOSED, built, plane, typed, values

SIZES = (3.0, 2.0, 1.5)
ALONG = {
    "u": ("sin(x + 0.3)", "cos(x + 0.3)", 1.0), "v": ("sin(2*pi*x/3)", "2*pi/3*cos(2*pi*x/3)", (2 * math.pi / 3) ** 2),
}  # fmt: skip
"""Of each field: what it has along x, its derivative, and how many times itself −∂²/∂x² is."""


def known(name: str, dimensions: int) -> tuple[str, list[str], float]:
    """The solution, its derivatives along x, y, z, and the factor of its source."""
    along, slope, factor = ALONG[name]
    parts = [along, "cos(0.7*y - 0.2)", "cos(0.5*z + 0.1)"][:dimensions]
    slopes = [slope, "-0.7*sin(0.7*y - 0.2)", "-0.5*sin(0.5*z + 0.1)"][:dimensions]
    found = [
        "exp(-t)*" + "*".join(slopes[k] if k == axis else part for k, part in enumerate(parts))
        for axis in range(dimensions)
    ]
    return "exp(-t)*" + "*".join(parts), found, factor + 0.7**2 + 0.5**2 * (dimensions == 3) - 1


def sides(name: str, dimensions: int, kinds: str) -> dict[str, dict[str, str]]:
    """kinds: of x low, x high, y low …, by their first letter."""
    whole, slopes, _ = known(name, dimensions)
    found = {}
    for number, kind in enumerate(kinds):
        axis, high = divmod(number, 2)
        outward = f"({'' if high else '-'}({slopes[axis]}))"
        exchange = "(0.5 + 0.2*y + 0.1*x)"
        side = {
            "v": {"kind": "value", "value": whole}, "g": {"kind": "gradient", "gradient": outward},
            "e": {"kind": "exchange", "coefficient": exchange, "outside": f"{whole} + {outward}/{exchange}"},
            "p": {"kind": "periodic"},
        }[kind]  # fmt: skip
        found[f"{'xyz'[axis]}_{'high' if high else 'low'}"] = side
    return found


@pytest.mark.parametrize("device", ["cpu", "on_host"])
@pytest.mark.parametrize("kinds", [("veeg", "ppgv"), ("veevge", "ppgveg")], ids=["2D", "3D"])
def test_sides_are_of_second_order(request, device, kinds):
    dimensions = len(kinds[0]) // 2
    lines, starts, own, errors = [], {}, {}, []
    for name, each in zip("uv", kinds, strict=True):
        whole, _, factor = known(name, dimensions)
        lines.append(f"d{name}/dt = laplacian({name}) + {factor!r}*{whole}")
        starts[name], own[name] = whole.removeprefix("exp(-t)*"), sides(name, dimensions, each)
    for n in (12, 24):
        grid = plane(n, n, *SIZES[:2])
        if dimensions == 3:
            grid = {**grid, "kind": "3D", "cells_z": n, "size_z": SIZES[2]}
        step = 0.1 / (10 * (n // 4) ** 2)
        simulation = built(
            request.getfixturevalue(device), lines, starts, None, grid, sides=CLOSED, own=own, step=step
        )  # fmt: skip
        simulation.advance(round(0.1 / step))
        axes = [(np.arange(n) + 0.5) * size / n for size in SIZES[:dimensions]]
        x, *rest = (each.reshape([-1 if k == axis else 1 for k in range(dimensions)][::-1])
                    for axis, each in enumerate(axes))  # fmt: skip
        across = math.prod([np.cos(0.7 * rest[0] - 0.2), *(np.cos(0.5 * z + 0.1) for z in rest[1:])])
        found = [
            np.abs(values(simulation, name) - math.exp(-0.1) * along * across).max()
            for name, along in (("u", np.sin(x + 0.3)), ("v", np.sin(2 * np.pi * x / 3)))
        ]
        errors.append(found)
    assert np.max(errors) < 0.03
    orders = np.log2(np.array(errors[0]) / errors[1])
    assert np.abs(orders - 2).max() < 0.2, (errors, orders)


@pytest.mark.parametrize("device", ["cpu", "on_host"])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_mixed_derivatives_are_of_second_order_in_corners_too(request, device, dimensions):
    """e^{x + y + z + t}, held at all sides: each derivative is itself. The largest error was in a corner cell, whose
    ghosts had what holds half a cell beside them: of first order."""
    whole, mixed = ("x + y + z", "dxy(u) + dxz(u) + dyz(u)") if dimensions == 3 else ("x + y", "dxy(u)")
    rest = 1 - 0.4 * dimensions - 0.2 * (3 if dimensions == 3 else 1)
    lines = [f"du/dt = 0.4*laplacian(u) + 0.2*({mixed}) + {rest!r}*exp({whole} + t)"]
    held = {"kind": "value", "value": f"exp({whole} + t)"}
    own = {"u": {f"{axis}_{end}": held for axis in "xyz"[:dimensions] for end in ("low", "high")}}
    errors = []
    for n in (8, 16):
        grid = plane(n, n, 1.0, 1.0)
        if dimensions == 3:
            grid = {**grid, "kind": "3D", "cells_z": n, "size_z": 1.0}
        count = round(0.1 / (0.2 / n**2))
        simulation = built(
            request.getfixturevalue(device), lines, {"u": f"exp({whole})"}, None, grid, sides=CLOSED, own=own,
            step=0.1 / count,
        )  # fmt: skip
        simulation.advance(count)
        x = (np.arange(n) + 0.5) / n
        axes = [x.reshape([-1, *[1] * axis]) for axis in range(dimensions)]
        errors.append(np.abs(values(simulation, "u") - np.exp(sum(axes) + 0.1)).max())
    assert math.log2(errors[0] / errors[1]) > 1.7, errors


@pytest.mark.parametrize(
    ("side", "sentence"),
    [
        ({"kind": "value", "value": "log(y - 8)"}, "What holds for 'u' at x low is no finite number as the run begins"),
        ({"kind": "gradient", "gradient": "1/t"}, "What holds for 'u' at x low is no finite number as the run begins"),
        (
            {"kind": "exchange", "coefficient": "where(y > 16, -1, 1)", "outside": "0"},
            "What holds for 'u' at x low has an exchange a below 0: a is 0 or more",
        ),
    ],
)
def test_what_no_side_can_hold_gets_a_sentence(cpu, side, sentence):
    with pytest.raises(ProblemError, match=sentence) as refused:
        TypedProblem(typed("du/dt = laplacian(u)", own={"u": {**CLOSED, "x_low": side}}), cpu)
    assert refused.value.place == ("equation", "fields", 0, "sides", "x_low")


JUMP = "where(x > size_x/2, 1, 10)*where(y > size_y/2, 1, 0.3)"


@pytest.mark.parametrize("device", ["cpu", "on_host"])
@pytest.mark.parametrize(
    "lines",
    [
        [f"du/dt = div({JUMP}*grad(u))"],
        [f"k = {JUMP}", "du/dt = div(k*grad(u))"],
        [f"du/dt = -div(vector({JUMP}, 0)*u) + 20*laplacian(u)"],
        [f"du/dt = -div(upwind(vector({JUMP}, 0)*u)) + laplacian(u)"],
        [f"du/dt = laplacian({JUMP}*u)"],
    ],
)
def test_beyond_a_periodic_side_is_the_place_of_the_opposite_cell(request, device, lines):
    """What a coefficient of the place is there: what leaves one cell enters the other, so that the sum stays."""
    start = {"u": "exp(-(x - 1)**2 - (y - 1)**2)"}
    simulation = built(request.getfixturevalue(device), lines, start, grid=plane(16, 7, 8.0, 7.0), method="RK4")
    before = values(simulation)
    simulation.advance(60)
    after = values(simulation)
    assert np.abs(after - before).max() > 0.1
    assert after.sum() == pytest.approx(before.sum(), rel=1e-12)


@pytest.mark.parametrize("device", ["cpu", "on_host"])
def test_implicit_diffusion_has_the_coefficient_of_the_opposite_cell_there(request, device):
    backend, start = request.getfixturevalue(device), {"u": "exp(-(x - 1)**2)"}
    lines = "du/dt = div(where(x > 4, 1, 2)*grad(u))"
    implicit, explicit = (
        built(backend, lines, start, grid=plane(16, 8, 8.0, 4.0), method=method, step=0.01)
        for method in ("IMEX", "RK4")
    )
    before = values(implicit).sum()
    for simulation in (implicit, explicit):
        simulation.advance(50)
    assert values(implicit).sum() == pytest.approx(before, rel=1e-9)
    np.testing.assert_allclose(values(implicit), values(explicit), atol=1e-3)
