"""Grids: what their estimate says."""

from tests.findings.cases import Case, project

SMALL = {"kind": "2D", "cells_x": 16, "cells_y": 16}
CLOSED = {f"{axis}_{end}": {"kind": "gradient", "gradient": 0.0} for axis in "xyz" for end in ("low", "high")}
PERIODIC = {side: {"kind": "periodic"} for side in CLOSED}
UNIFORM = {"kind": "uniform", "value": 10.0}


def case(place: str, **values: object) -> Case:
    return Case(project("stencil", {"grid": SMALL, **values}), (f"engines.stencil.{place}",))


def typed(line: str, start: str = "1 + 0.01*noise(1)") -> dict[str, object]:
    fields = [{"name": "u", "start": start}]
    return {"kind": "own equations", "lines": [line], "fields": fields}


def forced(line: str, which: int) -> Case:
    values = {"grid": SMALL, "equation": typed(line), "sides": PERIODIC}
    return Case(project("stencil", values), (f"engines.formulas.typed.forcing.told_of_forcing#{which}",))


CASES = {
    "a solution up to a constant": case(
        "poisson.balance.balance_findings#1",
        equation={"kind": "Poisson", "source": {"kind": "uniform", "value": 0.0}},
        sides=CLOSED,
    ),
    "a source that nothing balances": case(
        "poisson.balance.balance_findings#2", equation={"kind": "Poisson"}, sides=CLOSED
    ),
    "an inclusion on few cells": case(
        "setup.interfaces.coarse_inclusions", equation={"kind": "diffusion", "conductivity": {"kind": "inclusions"}}
    ),
    "a spot beside the grid": case(
        "setup.fields.beside",
        equation={"kind": "diffusion", "initial": {"kind": "spots", "spots": [{"center": [500.0, 50.0, 50.0]}]}},
    ),
    "a spot between cells": case(
        "setup.fields._too_narrow",
        equation={"kind": "diffusion", "initial": {"kind": "spots", "spots": [{"radius": 0.01}]}},
    ),
    "a reaction on long steps": case(
        "setup.reaction.reaction_findings", equation={"kind": "Gray-Scott"}, sides=PERIODIC, numerics={"step": 5.0}
    ),
    "typed equations that react fast for their steps": case(
        "setup.reaction.told_of_reactions", equation=typed("du/dt = -5*u"), sides=PERIODIC, numerics={"step": 0.36}
    ),
    "a start that implicit steps do not follow": case(
        "equations.implicit.smoothing.told_of_smoothing",
        equation=typed("du/dt = 10*laplacian(u)", "cos(pi*x/10)") | {"method": "IMEX"},
        sides=CLOSED,
        numerics={"step": 5.0},
    ),
    "a pulse between steps": forced("du/dt = where(t < 0.001, 1, 0)", 1),
    "a line that no step follows": forced("du/dt = sin(1e9*t)", 2),
    "a field that is carried against its flow": case(
        "setup.convection.carried#1", equation=typed("du/dt = -upwind(3, 0, u)"), sides=PERIODIC
    ),
    "a field that is carried by central differences": case(
        "setup.convection.carried#2", equation=typed("du/dt = laplacian(u) - 2*dx(u)"), sides=PERIODIC
    ),
    "sides far from where a field begins": case("setup.starts.begun_elsewhere", equation=typed("du/dt = laplacian(u)")),
    "a step that is lowered": case("setup.limits.chosen_step", numerics={"step": 1e6, "lower_step": True}),
    "a source that fp32 loses": case(
        "setup.limits.rounding_findings#1", equation={"kind": "diffusion", "source": 1e-9, "initial": UNIFORM}
    ),
    "a typed field that nobody said where it begins": case(
        "setup.starts.unset", equation={"kind": "own equations", "fields": []}
    ),
    "a factor of noise that changes": case(
        "setup.noise.told_of_noise#1", equation=typed("du/dt = laplacian(u) - u + u*xi"), sides=PERIODIC
    ),
    "a step that is too long for noise": case(
        "setup.noise.told_of_noise#2",
        equation=typed("du/dt = laplacian(u) - u + xi"),
        sides=PERIODIC,
        numerics={"step": 0.5},
    ),
    "a step of typed equations that is lowered": case(
        "setup.equations.TypedProblem._chosen",
        equation={"kind": "own equations"},
        numerics={"step": 1e6, "lower_step": True},
    ),
    "waves that hardly decay, by Euler": case(
        "setup.equations.TypedProblem._longer_by_runge_and_kutta",
        equation={
            "kind": "own equations",
            "method": "Euler",
            "lines": ["∂²u/∂t² = laplacian(u) - 0.001*u_t"],
            "fields": [{"name": "u", "start": "1"}, {"name": "u_t", "start": "0"}],
        },
    ),
    "diffusion backwards": case(
        "setup.equations.TypedProblem._spreads_backwards", equation=typed("du/dt = -0.1*laplacian(u)"), sides=PERIODIC
    ),
    "a closed box in fp32": case(
        "setup.limits.rounding_findings#2", equation={"kind": "diffusion", "initial": UNIFORM}, sides=CLOSED
    ),
}

LARGER = SMALL | {"cells_x": 64, "cells_y": 64}
AT_THE_END = {
    "iterations that are too few": Case(
        project("stencil", {"grid": SMALL, "equation": {"kind": "Poisson", "method": "jacobi"}}, until=5.0),
        ("engines.stencil.poisson.convergence.convergence_findings#2",),
    ),
    "V-cycles that are too few": Case(
        project("stencil", {"grid": LARGER, "equation": {"kind": "Poisson"}}, until=1.0),
        ("engines.stencil.poisson.convergence.convergence_findings#1",),
    ),
    "steps that were not stable where a run came to": Case(
        project(
            "stencil",
            {
                "grid": SMALL,
                "equation": typed("du/dt = 1 - 4*tanh(3*u)", "-3"),
                "sides": PERIODIC,
                "numerics": {"step": 0.5},
            },
            until=30.0,
        ),
        ("engines.stencil.equations.typed.passed.Passed.told#2",),
    ),
    "diffusion that became backwards": Case(
        project(
            "stencil",
            {"grid": SMALL, "equation": typed("du/dt = div((1 - u)*grad(u)) + 0.5", "0.01*x"), "sides": CLOSED},
            until=2.2,
        ),
        ("engines.stencil.equations.typed.passed.Passed.told#1",),
    ),
}
