"""Units of lines, starts and sides: what they come to, and the sentence for two sides that differ."""

from __future__ import annotations

import pytest

from engines.api.errors import ProblemError
from engines.stencil.equations.language import parse
from engines.stencil.equations.typed.dimensions import check, told, unit_of
from engines.stencil.parameters.equations import OwnEquations, _check
from engines.stencil.setup.equations import TypedProblem
from tests.engines.stencil.equations.typed import CLOSED, ENGINE, typed

GIVEN = {
    "D": "mm**2/s", "r": "1/s", "K": "mM", "h": "W/mm**2/K", "k": "W/mm/K", "T": "K", "u": "mM", "w": "mm", "c": "mm/s",
    "l": "mm", "e": "uM", "n": "1",
}  # fmt: skip


def units(*lines: str) -> dict[str, str]:
    """Of the names and fields of lines."""
    system = parse(lines, [name for name in GIVEN if name not in "uwT"])
    found = check(system, {name: unit_of(text) for name, text in GIVEN.items()})
    return {name: told(found[name]) for name in system.lines if found.get(name) is not None}


@pytest.mark.parametrize(
    "text", ["mm**2/s", "1/s", "mM", "K", "uM/mm", "1", "mm", "W/mm/K", "mM*mm/s", "s", "kPa", "1/mm**2"]
)
def test_units_are_called_as_they_are_typed(text):
    assert told(unit_of(text)) == text


def test_units_of_lines_follow_from_those_that_are_given():
    found = units(
        "du/dt = D*laplacian(u) + gain - div(v*u) + upwind(v, u) - div(upwind(-2*u*v)) - dx(flux)",
        "gain = r*u*(n - u/K)**2 + max(u, 0)*r",
        "v = vector(c, c*tanh(x/l))", "flux = -D*dx(u)",
        "d2w/dt2 = c**2*laplacian(w) - r*w_t*where(u > K, 1, 2)", "free = other*u", "other = 3 if x < y else 1",
        "dT/dt = sqrt(D**2)*laplacian(T) + h/k*c*T", "q = -k*dx(T)", "amount = exp(-t*r)*u/T",
    )  # fmt: skip
    assert found == {
        "u": "mM", "gain": "mM/s", "v": "mm/s", "flux": "mM*mm/s", "w": "mm", "w_t": "mm/s", "free": "mM",
        "other": "1", "T": "K", "q": "W/mm**2", "amount": "mM/K",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (("du/dt = D*laplacian(u) + K",),
         "Line 1 adds 'D ∇²u' in mM/s and 'K' in mM: look at the units under Parameters and Fields."),
        (("du/dt = r*u*(1 - u)",),
         "Line 1 subtracts the plain number 1 and 'u' in mM: give 1 a name, and its unit under Parameters."),
        (("du/dt = D*u",), "Line 1 says that du/dt, in mM/s, is 'D u' in mM*mm**2/s: look at"),
        (("du/dt = 0.1",), "Line 1 says that du/dt, in mM/s, is the plain number 0.1: give 0.1 a name"),
        (("d2w/dt2 = c*laplacian(w)",), "Line 1 says that d2w/dt2, in mm/s**2, is 'c ∇²w' in 1/s"),
        (("du/dt = r*(u - e)",), "Line 1 subtracts 'u' in mM and 'e' in uM: look at"),
        (("du/dt = r*K*exp(-u)",), "Line 1 takes exp of '−u' in mM: divide it by what has that unit"),
        (("du/dt = where(u > D, r*u, 0)",), "Line 1 compares 'D' in mm**2/s and 'u' in mM"),
        (("du/dt = where(u > K, r*u, K)",), "Line 1 chooses between 'r u' in mM/s and 'K' in mM"),
        (("du/dt = -div(v*u)", "v = vector(c, l)"), "Line 2 puts together 'c' in mm/s and 'l' in mm"),
        (("du/dt = -div(v*u)", "v = vector(l, l)"), "Line 1 says that du/dt, in mM/s, is '−∇·(v u)' in mM"),
        (("du/dt = r*u**n", "g = u**r"), "Line 2 raises to a power, or by one, 'u' in mM"),
        (("du/dt = r*u", "g = h**-400"), "Line 2 makes a unit of"),
        (("du/dt = r*u", "g = K**1e300"), "that nothing is measured in: use smaller powers."),
        (("du/dt = r*u*n**1e308", "g = e*D**1e308"), "that nothing is measured in: use smaller powers."),
    ],
)  # fmt: skip
def test_the_two_sides_that_differ_are_named(lines, sentence):
    with pytest.raises(ProblemError) as refused:
        units(*lines)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    "lines",
    [("du/dt = a*D*laplacian(u) + b",), ("du/dt = a*(1 - q)", "q = b*u"), ("du/dt = 0",), ("du/dt = r*u/a + K/t",)],
)
def test_what_has_no_unit_goes_with_anything(lines):
    system = parse(lines, ("a", "b", "D", "r", "K"))
    check(system, {name: unit_of(GIVEN[name]) for name in ("D", "r", "K", "u")})
    check(system, {})


def test_nothing_is_checked_where_no_unit_is_given():
    check(parse(("du/dt = D*laplacian(u) + sin(x)*(1 - u) + where(x < 10, t, 0)",), ("D",)), {"D": None})
    check(
        parse(("du/dt = D*laplacian(u)*sin(x)*(x < 10)*cos(2*t)",), ("D",)),
        {"D": unit_of("mm**2/s"), "u": unit_of("K")},
    )


def with_units(lines: str, units: dict[str, str], **more):
    given = typed(lines, numbers={name: 1.0 for name in units if name != "u"}, **more)
    equation = given.parameters.equation
    for row in (*equation.parameters, *equation.fields):
        row.unit = units[row.name]
    return given


SIDE = {"kind": "exchange", "coefficient": "a", "outside": "c*(1 + y/size_y)"}


def test_starts_and_sides_have_the_units_of_their_field(cpu):
    """Whatever numbers in them stand for; and fields are shown with theirs."""
    units = {"u": "mM", "D": "mm**2/s", "a": "1/mm", "c": "mM"}
    own = {"u": {**CLOSED, "x_low": SIDE, "x_high": {"kind": "gradient", "gradient": "c/size_x"}}}
    given = with_units("du/dt = D*laplacian(u)", units, starts={"u": "3*c*exp(-(x - 4)**2/20) + 0.1"}, own=own)
    simulation = ENGINE.build(given, cpu)
    assert [(info.name, info.unit) for info in simulation.fields] == [("u", "mM")]
    for changes, sentence, place in (
        ({"start": "D"}, r"The start of 'u' is in mm\*\*2/s, and has to be in mM", "start"),
        ({"start": "c + D"}, r"The start of 'u' adds 'c' in mM and 'D' in mm\*\*2/s", "start"),
        ({"coefficient": "c"}, "What holds for 'u' at x low is in mM, and has to be in 1/mm", "sides"),
        ({"outside": "a"}, "What holds for 'u' at x low is in 1/mm, and has to be in mM", "sides"),
    ):
        wrong = {"u": {**CLOSED, "x_low": {**SIDE, **changes}}} if "start" not in changes else own
        with pytest.raises(ProblemError, match=sentence) as refused:
            TypedProblem(
                with_units("du/dt = D*laplacian(u)", units, starts={"u": changes.get("start", "c")}, own=wrong), cpu
            )
        assert refused.value.place[:4] == ("equation", "fields", 0, place)


def test_what_is_no_unit_is_told_where_it_stands(cpu):
    with pytest.raises(ProblemError, match=r"The unit 'mm\^2' uses '\^': write powers as '\*\*'") as refused:
        TypedProblem(with_units("du/dt = D*laplacian(u)", {"u": "", "D": "mm^2"}), cpu)
    assert refused.value.place == ("equation", "parameters", 0, "unit")
    with pytest.raises(ProblemError, match="Line 1 says that du/dt, in mM/s") as refused:
        TypedProblem(with_units("du/dt = D*laplacian(u)", {"u": "mM", "D": "mm/s"}), cpu)
    assert refused.value.place == ("equation", "lines", 0)


def test_the_form_underlines_the_line_whose_units_differ():
    """Given the parameters and fields beside it; one whose unit cannot be read is not checked by it."""
    rows = [{"name": "D", "value": 1.0, "unit": "mm"}, {"name": "r", "value": 1.0}]
    lines = ["a = 1", "du/dt = D*laplacian(u)"]
    assert _check(lines, rows, [{"name": "u", "unit": "mM"}])[0] == 1
    assert _check(lines, rows, [{"name": "u", "unit": ""}]) is None
    assert _check(lines, [{**rows[0], "unit": "nonsense"}], [{"name": "u", "unit": "mM"}]) is None
    assert _check(OwnEquations().lines, OwnEquations().parameters, OwnEquations().fields) is None
