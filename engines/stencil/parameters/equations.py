"""The parameters of equations that a person types: lines, named numbers, and what each field begins as and is held
at."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from engines.api.errors import ProblemError
from engines.api.parameters import Lines, ParameterGroup, quantity
from engines.formulas.typed.unknown import offer, unknown_names
from engines.stencil.equations import language
from engines.stencil.equations.typed import dimensions, rendered
from engines.stencil.parameters.sides import Periodic

IN_3D = {"grid.kind": ("3D",)}
LONGEST = 2_000
"""Characters of a line or a formula."""
LONGEST_UNIT = 60
MOST_PARAMETERS = 50


LONGEST_NAME = 40


class NamedNumber(ParameterGroup):
    """A number that the lines name. With a lowest and a highest value it has a slider."""

    name: str = quantity("a", "", "What the lines call it: letters, digits and _", max_length=LONGEST_NAME)
    value: float = quantity(1.0, "", "Its value; it may change while a run goes on", live=True)
    unit: str = quantity(
        "", "", "Unit of the value: mm**2/s, 1/s, mM, K, W/mm/K …; 1 for a plain number. None: units are not checked",
        max_length=LONGEST_UNIT,
    )  # fmt: skip
    low: float | None = quantity(None, "", "Lowest value of the slider", title="Slider from")
    high: float | None = quantity(None, "", "Highest value of the slider", title="Slider to")


class HeldValue(ParameterGroup):
    """The field is held at a value on this side (Dirichlet)."""

    kind: Literal["value"] = "value"
    value: str = quantity("0", "", "Value on the side: a formula of x, y, z, t and parameters", max_length=LONGEST)


class HeldGradient(ParameterGroup):
    """The outward derivative is held on this side (Neumann); 0 lets nothing through."""

    kind: Literal["gradient"] = "gradient"
    gradient: str = quantity(
        "0", "", "Derivative along the outward normal: a formula of x, y, z, t and parameters", max_length=LONGEST
    )


class Exchange(ParameterGroup):
    """The outward derivative is a (c − u), as of a body in surroundings at c (Robin)."""

    kind: Literal["exchange"] = "exchange"
    coefficient: str = quantity(
        "1", "", "a [1/mm]: a formula of x, y, z, t and parameters, 0 or more", max_length=LONGEST
    )
    outside: str = quantity("0", "", "c: a formula of x, y, z, t and parameters", max_length=LONGEST)


OwnSide = Annotated[HeldValue | HeldGradient | Exchange | Periodic, Field(discriminator="kind")]


class AsTheGrid(ParameterGroup):
    """What holds at the sides of the grid."""

    kind: Literal["as the grid"] = "as the grid"


class OwnSides(ParameterGroup):
    """What holds for this field alone."""

    kind: Literal["own"] = "own"
    x_low: OwnSide = quantity(HeldGradient(), "", "Side of lowest x", title="x low")
    x_high: OwnSide = quantity(HeldGradient(), "", "Side of highest x", title="x high")
    y_low: OwnSide = quantity(HeldGradient(), "", "Side of lowest y", title="y low")
    y_high: OwnSide = quantity(HeldGradient(), "", "Side of highest y", title="y high")
    z_low: OwnSide = quantity(HeldGradient(), "", "Side of lowest z", title="z low", when=IN_3D)
    z_high: OwnSide = quantity(HeldGradient(), "", "Side of highest z", title="z high", when=IN_3D)


SidesOfField = Annotated[AsTheGrid | OwnSides, Field(discriminator="kind")]


class FieldSetting(ParameterGroup):
    """Where a field begins, and what holds at its sides."""

    name: str = quantity("u", "", "The field, as the lines call it", max_length=40)
    start: str = quantity(
        "0", "", "Where it begins: a formula of x, y, z, parameters, noise(seed) from 0 to 1 and normal(seed)",
        title="Begins as", max_length=LONGEST,
    )  # fmt: skip
    unit: str = quantity(
        "", "", "Its unit: mM, K, mV, 1/mm**2 …; 1 for plain numbers. None: units are not checked",
        max_length=LONGEST_UNIT,
    )  # fmt: skip
    sides: SidesOfField = quantity(AsTheGrid(), "", "What holds at its sides")
    low: float | None = quantity(
        None,
        "",
        "Lowest colour, and value that steps are stable for; none: of where it begins",
        title="Colours from",
        advanced=True,
    )
    high: float | None = quantity(
        None,
        "",
        "Highest colour, and value that steps are stable for; none: of where it begins",
        title="Colours to",
        advanced=True,
    )


def units_of(rows: Sequence[Any]) -> dict[str, dimensions.Unit | None]:
    """Of parameters or fields by name; a unit that is none counts as not given, for its own field says so."""
    found: dict[str, dimensions.Unit | None] = {}
    for each in rows:
        name, text = (each["name"], each.get("unit", "")) if isinstance(each, Mapping) else (each.name, each.unit)
        try:
            found[name] = dimensions.unit_of(text)
        except ProblemError:
            found[name] = None
    return found


def _check(lines: Sequence[str], parameters: Sequence[Any] = (), fields: Sequence[Any] = ()) -> tuple[int, str] | None:
    units = units_of(parameters)
    found = language.check(lines, list(units))
    if found is None:
        try:
            dimensions.check(language.parse(lines, list(units)), {**units, **units_of(fields)})
        except ProblemError as error:
            return int(error.place[-1]), str(error)
    return found


def offered(
    lines: Sequence[str], parameters: Sequence[Any] = (), fields: Sequence[Any] = (), first: Sequence[str] = (),
    taken: Collection[str] = (),
) -> tuple[str, dict[str, Any]] | None:  # fmt: skip
    """To add to the parameters what they do not know, beginning with the names ``first``; None where that is not all.
    taken: names that have a meaning elsewhere."""
    known = list(units_of(parameters))

    def usable(name: str) -> bool:
        return (
            name.isidentifier() and len(name) <= LONGEST_NAME and name not in (*language.GIVEN, *language.KNOWN, *taken)
        )

    def read(more: Sequence[str]) -> object:
        return language.parse(lines, [*known, *first, *more])

    if not all(map(usable, first)):
        return None
    names = [*first, *unknown_names(read, usable, MOST_PARAMETERS)]
    room = len(known) + len(names) <= MOST_PARAMETERS
    return offer(names, parameters, lambda name: NamedNumber(name=name)) if names and room else None


STEPS = (
    "du/dt = D*laplacian(u)",
    "du/dt = div(D*grad(u))",
    "du/dt = -dx(u**2/2)",
    "du/dt = -upwind(a, b, u)",
    "d2u/dt2 = c**2*laplacian(u)",
    "mu = u**3 - u - laplacian(u)",
    "rate = where(u > 0.5, 1, 0)",
)
WHOLE = (
    ("Diffusion that depends on u", ("D = 1 + u**2", "du/dt = div(D*grad(u))")),
    ("Waves", ("c = 1", "d2u/dt2 = c**2*laplacian(u) - 0.01*u_t")),
    ("Cahn-Hilliard", ("mu = u**3 - u - laplacian(u)", "du/dt = laplacian(mu)")),
    ("Gray-Scott", (
        "du/dt = 0.16*laplacian(u) - u*v**2 + 0.0545*(1 - u)",
        "dv/dt = 0.08*laplacian(v) + u*v**2 - (0.0545 + 0.062)*v",
    )),
)  # fmt: skip


class OwnEquations(ParameterGroup):
    """Fields u with ∂u/∂t = f(u, derivatives, x, y, z, t, parameters), as you type them."""

    kind: Literal["own equations"] = "own equations"
    lines: Annotated[
        list[Annotated[str, Field(max_length=LONGEST)]],
        Lines(_check, STEPS, WHOLE, ("parameters", "fields"), rendered.html, (), offered),
    ] = quantity(
        ["du/dt = D*laplacian(u) + r*u*(1 - u)"],
        "",
        "How fields change in time, du/dt = … or d2u/dt2 = …, and what other names stand for",
        title="Equations",
    )
    parameters: list[NamedNumber] = quantity(
        [NamedNumber(name="D", value=1.0, low=0.0, high=2.0), NamedNumber(name="r", value=1.0, low=0.0, high=2.0)],
        "", "Numbers that the equations name", live=True, max_length=MOST_PARAMETERS,
    )  # fmt: skip
    fields: list[FieldSetting] = quantity(
        [FieldSetting(name="u", start="exp(-((x - size_x/2)**2 + (y - size_y/2)**2)/20)")],
        "", "Where fields begin, and what holds at their sides", max_length=4 * language.MOST_FIELDS,
    )  # fmt: skip
    method: Literal["Euler", "AB2", "IMEX", "RK4"] = quantity(
        "Euler",
        "",
        "Explicit Euler, of first order; Adams and Bashforth's of second, in steps half as long; diffusion implicit, "
        "of second, which then limits no step; Runge and Kutta's of fourth, also for waves",
        title="Method",
        labels={
            "Euler": "Explicit Euler", "AB2": "Adams-Bashforth, second order",
            "IMEX": "Diffusion implicit, second order", "RK4": "Runge-Kutta, fourth order",
        },
    )  # fmt: skip
    seed: int = quantity(
        1, "", "Start of the random numbers of white noise, xi: the same seed gives the same run", ge=0, le=2**31,
        title="Seed of noise", advanced=True,
    )  # fmt: skip
