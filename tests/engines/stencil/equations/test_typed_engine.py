"""Typed equations as a problem: what is told before a run, what may change during it, and what is kept of it."""

import numpy as np
import pytest

from engines.api import Dab
from engines.api.errors import NotLiveError, ProblemError
from engines.stencil.equations.passes import planned
from engines.stencil.parameters import OwnEquations, StencilParameters
from engines.stencil.setup.equations import TypedProblem
from tests.engines.stencil.equations.typed import CLOSED, ENGINE, PERIODIC, built, plane, typed, values

FISHER = ("du/dt = D*laplacian(u) + growth", "growth = r*u*(1 - u)")
GRAY_SCOTT = ("du/dt = 0.16*laplacian(u) - u*v**2 + F*(1 - u)", "dv/dt = 0.08*laplacian(v) + u*v**2 - (F + k)*v")


def test_what_is_offered_at_first_can_run(cpu):
    from engines.api import Problem

    given = Problem(StencilParameters(equation=OwnEquations(), grid={"kind": "2D", "cells_x": 16, "cells_y": 16}))
    assert not ENGINE.estimate(given, cpu).findings
    simulation = ENGINE.build(given, cpu)
    simulation.advance(3)
    assert simulation.non_finite() is None


def test_gray_scott_is_the_one_that_is_written_by_hand(cpu):
    """400 steps of rounding in fp64, which a pattern that has not formed yet hardly makes grow."""
    start = {
        "u": "1 - 0.5*(abs(x - 24) < 5 and abs(y - 16) < 5)",
        "v": "0.25*where(abs(x - 24) < 5 and abs(y - 16) < 5, 1, 0)",
    }
    ours = built(cpu, GRAY_SCOTT, start, {"F": 0.04, "k": 0.06}, plane(48, 32), step=1.0)
    given = typed(GRAY_SCOTT, start, {"F": 0.04, "k": 0.06}, plane(48, 32), step=1.0)
    given.parameters.equation = {
        "kind": "Gray-Scott", "diffusion_u": 0.16, "diffusion_v": 0.08,
        "reaction": {"kind": "own rates", "feed": 0.04, "kill": 0.06},
    }  # fmt: skip
    theirs = ENGINE.build(given, cpu)
    theirs.restore({**theirs.state(), "u": ours.state()["u"], "v": ours.state()["v"]})
    assert ours.traffic[0].bytes == theirs.traffic[0].bytes
    for simulation in (ours, theirs):
        simulation.advance(400)
    for name in "uv":
        np.testing.assert_allclose(values(ours, name), values(theirs, name), rtol=0, atol=1e-12)
    assert values(ours, "v").max() > 0.2


def test_bytes_are_counted_from_the_graph(cpu):
    one = 24 * 17 * 8
    simulation = built(cpu, GRAY_SCOTT, {"u": "1", "v": "0"}, {"F": 0.04, "k": 0.06}, method="RK4")
    assert (simulation.traffic[0].bytes_read, simulation.traffic[0].bytes_written) == (2 * 9 * one, 2 * 4 * one)
    stored = built(cpu, ("mu = u**3 - u - laplacian(u)", "du/dt = laplacian(mu)"))
    assert (stored.traffic[0].bytes_read, stored.traffic[0].bytes_written) == (3 * one, 2 * one)
    assert ENGINE.estimate(typed("du/dt = D*u", numbers={"D": 1.0}), cpu).bytes_per_step == 2 * one


def test_a_parameter_that_changes_is_that_of_a_run_that_goes_on_with_it(cpu):
    start, grid = {"u": "noise(3)"}, plane(20, 12)
    changed = built(cpu, FISHER, start, {"D": 0.2, "r": 1.0}, grid, step=0.05)
    changed.advance(10)
    changed.set_control("equation.parameters.0.value", 0.5)
    changed.set_control("equation.parameters", [{"name": "D", "value": 0.5}, {"name": "r", "value": 3.0}])
    changed.set_control("equation.parameters.1.high", 5.0)
    other = built(cpu, FISHER, start, {"D": 0.5, "r": 3.0}, grid, step=0.05)
    other.restore({**other.state(), "u": changed.state()["u"], "step": changed.state()["step"]})
    for simulation in (changed, other):
        simulation.advance(20)
    np.testing.assert_array_equal(values(changed), values(other))


def test_a_parameter_with_which_the_step_is_not_stable_is_refused(cpu):
    simulation = built(cpu, FISHER, {"u": "noise(3)"}, {"D": 0.2, "r": 1.0})
    with pytest.raises(
        ProblemError, match=r"With D = 2 the time step of 0.199 s is not stable: take one of at most 0.11\d* s"
    ):
        simulation.set_control("equation.parameters.0.value", 2.0)
    simulation.advance(400)
    assert simulation.non_finite() is None
    waits = "cannot change during a run: reset, change it, and run again"
    with pytest.raises(ProblemError, match=waits) as refused:
        simulation.set_control("equation.parameters", [{"name": "E", "value": 0.1}, {"name": "r", "value": 1.0}])
    assert not isinstance(refused.value, NotLiveError), "which says that the author of the engine has to mend it"
    for part in ("name", "unit"):
        with pytest.raises(ProblemError, match=waits) as refused:
            simulation.set_control(f"equation.parameters.0.{part}", "mm")
        assert not isinstance(refused.value, NotLiveError)
    with pytest.raises(NotLiveError):
        simulation.set_control("equation.lines", ["du/dt = 0"])


BACKWARDS = "he diffusivity of 'u' is below 0: backwards"


@pytest.mark.parametrize("method", ["Euler", "AB2", "RK4"])
def test_diffusion_backwards_is_told_before_the_run_and_refused_during_one(cpu, method):
    start = {"u": "noise(3)"}

    def told(lines, numbers, starts=start, step=None):
        findings = ENGINE.estimate(typed(lines, starts, numbers, method=method, step=step), cpu).findings
        return [each for each in findings if BACKWARDS in each.message]

    (found,) = told(FISHER, {"D": -1.0, "r": 1.0})
    assert found.distorts
    assert told(FISHER, {"D": -0.001, "r": 1.0})
    assert told("du/dt = div((1 - 3*u)*grad(u))", {}, {"u": "0.5 + 0.1*noise(3)"})
    assert not told(FISHER, {"D": 0.0, "r": 1.0})
    assert not told(FISHER, {"D": 0.2, "r": 5.0})
    assert not told("du/dt = -dx(u) + 0.1*laplacian(u)", {})
    of_fourth_order = ("q = laplacian(u)", "du/dt = 0.3*u - u**3 - u - 2*q - laplacian(q)")  # Swift and Hohenberg
    assert not told(of_fourth_order, {})
    joined = ("du/dt = -0.1*laplacian(u) + 0.3*laplacian(v)", "dv/dt = -0.3*laplacian(u) + 0.6*laplacian(v)")
    assert not told(joined, {}, {"u": "noise(3)", "v": "0"}), "eigenvalues of the diffusivities are above 0"
    simulation = built(cpu, FISHER, start, {"D": 0.2, "r": 1.0}, method=method)
    with pytest.raises(ProblemError, match=f"With D = -1 t{BACKWARDS}"):
        simulation.set_control("equation.parameters.0.value", -1.0)
    simulation.advance(50)
    assert simulation.non_finite() is None


def test_the_advice_of_a_run_that_spread_backwards_is_no_smaller_step(cpu):
    simulation = built(cpu, FISHER, {"u": "noise(3)"}, {"D": -1.0, "r": 1.0}, step=0.01)
    for _ in range(200):
        simulation.advance(20)
        simulation.observe()
        if (found := simulation.non_finite()) is not None:
            break
    assert found is not None
    assert BACKWARDS in found.told(simulation.step)


@pytest.mark.parametrize("method", ["Euler", "AB2", "IMEX", "RK4"])
def test_a_state_goes_on_bit_for_bit(cpu, method):
    simulation = built(cpu, FISHER, {"u": "noise(3)"}, {"D": 0.2, "r": 1.0}, method=method)
    simulation.advance(7)
    kept = simulation.state()
    simulation.advance(9)
    wanted = values(simulation)
    simulation.advance(5)
    simulation.restore(kept)
    simulation.advance(9)
    np.testing.assert_array_equal(values(simulation), wanted)


def test_names_of_lines_are_shown_as_they_are_now(cpu):
    simulation = built(cpu, FISHER, {"u": "noise(3)"}, {"D": 0.2, "r": 2.0})
    for _ in range(2):
        u = values(simulation)
        np.testing.assert_allclose(simulation.values("growth"), 2 * u * (1 - u), rtol=1e-14)
        simulation.advance(4)
    assert [info.name for info in simulation.fields] == ["u", "growth"]
    observed = simulation.observe()
    u = values(simulation)
    assert observed["content:u"] == pytest.approx(u.sum())
    assert observed["largest:growth"] == pytest.approx((2 * u * (1 - u)).max())


@pytest.mark.parametrize(
    ("start", "guessed"),
    [("1.4 + 0.1*noise(1)", True), ("0.01*normal(1)", True), ("2 + 0.1*sin(x)", True), ("3", True), ("sin(x)", False)],
)
def test_colours_follow_where_a_start_says_little_of_what_comes(cpu, start, guessed):
    given = typed("du/dt = u - u**3", {"u": start})
    assert [info.guessed for info in ENGINE.build(given, cpu).fields] == [guessed]
    given.parameters.equation.fields[0].high = 5.0
    assert [info.guessed for info in ENGINE.build(given, cpu).fields] == [False]


def test_every_field_is_painted_and_what_was_there_comes_back(cpu):
    simulation = built(cpu, ("d2w/dt2 = laplacian(w)",), {"w": "0"}, method="RK4")
    assert [brush.name for brush in simulation.brushes] == ["w", "w_t"]
    dab = Dab("w_t", (12.0, 8.0, 0.0), 3.0, 2.0)
    under = simulation.underneath(dab, True)
    simulation.paint(dab)
    assert values(simulation, "w_t").max() == pytest.approx(2.0, rel=0.15)  # in the nearest cell
    assert not values(simulation, "w").any()
    simulation.put_back(under)
    assert not values(simulation, "w_t").any()


def test_a_field_that_runs_away_is_told_with_place_time_and_advice(cpu):
    start = {"u": "1 + exp(-((x - 20.5)**2 + (y - 3.5)**2))", "v": "0"}
    simulation = built(cpu, ("du/dt = u**2", "dv/dt = 0.1*laplacian(v)"), start, step=0.05)
    while (told := simulation.non_finite()) is None:
        assert simulation.step < 40
        simulation.advance(1)
    assert told.field == f"The field 'u' at (20.5, 3.5) mm, t = {simulation.step * 0.05:.4g} s,"
    assert told.element == 3 * 24 + 20
    assert "look for terms that make 'u' grow without bound" in told.advice


def test_fronts_that_are_too_thin_for_the_cells_are_told(cpu):
    """A shock of Burgers' is 2ν/u thick, here a third of a cell."""
    given = "du/dt = -u*dx(u) + 0.5*laplacian(u)", {"u": "3*sin(2*pi*x/100)"}, None, plane(128, 2, 100.0, 1.5625), "RK4"
    simulation = built(cpu, *given)
    while (told := simulation.non_finite()) is None:
        assert simulation.step < 4000
        simulation.advance(1)
    assert "fronts that are thinner than a cell (more diffusion, smaller cells or 'upwind' keep them)" in told.advice


def test_steps_that_became_too_long_are_told_with_what_is_not(cpu):
    """A mixture that parts: u goes from 0, where λ = −56, to ±1, where it is −80 (q² = 8)."""
    lines = ("mu = u**3 - u - laplacian(u)", "du/dt = laplacian(mu)")
    simulation = built(cpu, lines, {"u": "0.01*noise(1)"}, grid=plane(24, 24), step=0.034)
    while (told := simulation.non_finite()) is None:
        assert simulation.step < 4000
        simulation.observe()
        simulation.advance(20)
    assert "take steps of at most 0.02" in told.advice
    assert "for those of 0.034 s are not stable from t = " in told.advice


def test_sides_of_one_field_are_its_own(cpu):
    """Robin's with a (c − u) on both ends comes to c; a value and a gradient to a line; a closed field keeps its
    sum."""
    lines = ("du/dt = laplacian(u)", "dv/dt = laplacian(v)", "dw/dt = laplacian(w)")
    robin = {"kind": "exchange", "coefficient": "a/2", "outside": "c"}
    own = {
        "u": dict.fromkeys(PERIODIC, robin),
        "v": {**CLOSED, "x_low": {"kind": "value", "value": "c"}, "x_high": {"kind": "gradient", "gradient": "0.25"}},
    }
    simulation = built(
        cpu, lines, {"u": "noise(1)", "v": "0", "w": "noise(2)"}, {"a": 2.0, "c": 3.0}, plane(12, 5), sides=CLOSED,
        own=own
    )  # fmt: skip
    before = values(simulation, "w").sum()
    simulation.advance(6000)
    np.testing.assert_allclose(values(simulation, "u"), 3.0, atol=1e-9)
    np.testing.assert_allclose(
        values(simulation, "v"), np.broadcast_to(3 + 0.25 * (np.arange(12) + 0.5), (5, 12)), atol=1e-6
    )
    assert values(simulation, "w").sum() == pytest.approx(before, rel=1e-12)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"starts": {"w": "0"}}, r"No line says how 'w' changes: rename or remove its row"),
        ({"starts": {"u": "1/(x - x)"}}, r"The field 'u' begins as no finite number at \(0.5, 0.5\) mm"),
        ({"starts": {"u": "exp(-r)"}}, r"The start of 'u' uses 'r', which is not known"),
        ({"starts": {"u": "laplacian(x)"}}, "calls the unknown function 'laplacian'"),
        ({"numbers": {"D": 1.0, "laplacian": 1.0}}, "'laplacian' cannot name a parameter"),
        ({"numbers": {"D": 1.0, "2a": 1.0}}, "'2a' cannot name a parameter"),
        ({"own": {"u": {"x_low": {"kind": "periodic"}}}}, "One side of 'u' along x is periodic and the other is not"),
        (
            {"own": {"u": {"x_low": {"kind": "value", "value": "u"}}}},
            "What holds for 'u' at x low uses 'u', which is not known",
        ),
        ({"lines": ("du/dt = dz(u)",)}, "Line 1 takes 'dz', and a grid of two dimensions has no z"),
        ({"lines": ("du/dt = D*lap(u)",)}, "Line 1 calls the unknown function 'lap'"),
    ],
)
def test_bad_input_gets_a_sentence(cpu, more, sentence):
    given = {"lines": ("du/dt = D*laplacian(u)",), "numbers": {"D": 1.0}, **more}
    with pytest.raises(ProblemError, match=sentence) as refused:
        ENGINE.build(typed(given.pop("lines"), given.pop("starts", {"u": "0"}), **given), cpu)
    assert refused.value.place[0] == "equation"


@pytest.mark.parametrize(
    ("line", "start", "place"),
    [
        ("du/dt = D*laplacian(u) + F", "0", ("lines", 0)),
        ("du/dt = D*laplacian(u)", "F*exp(-x)", ("fields", 0, "start")),
    ],
)
def test_a_name_that_is_not_known_is_added_to_the_parameters(cpu, line, start, place):
    """Which the sentence of a line says, too; those that are there stay."""
    with pytest.raises(ProblemError, match="uses 'F', which is not known") as refused:
        ENGINE.estimate(typed(line, {"u": start}, {"D": 2.0}), cpu)
    assert refused.value.place == ("equation", *place)
    assert ("add it under Parameters" in str(refused.value)) == (place[0] == "lines")
    assert refused.value.remedy.text == "Add F to the parameters"
    (rows,) = refused.value.remedy.changes.values()
    assert [(row["name"], row["value"]) for row in rows] == [("D", 2.0), ("F", 1.0)]
    ENGINE.estimate(typed(line, {"u": start}, {row["name"]: row["value"] for row in rows}), cpu)


def test_all_names_that_are_not_known_are_added_at_once(cpu):
    given = typed(("du/dt = D*laplacian(u) + a - m*u", "dv/dt = a*F(v) + b"), {"u": "s"}, {"D": 2.0})
    with pytest.raises(ProblemError, match="Line 1 uses 'a'") as refused:
        ENGINE.estimate(given, cpu)
    assert refused.value.remedy.text == "Add a and m to the parameters"  # and then line 2 has another mistake
    (rows,) = refused.value.remedy.changes.values()
    assert [row["name"] for row in rows] == ["D", "a", "m"]


@pytest.mark.parametrize("start", ["w", "u", "t", "laplacian", "a" * 41])
def test_a_name_with_another_meaning_or_none_that_is_one_is_not_offered_as_a_parameter(cpu, start):
    lines = ("du/dt = w", "w = 2*u + x")
    with pytest.raises(ProblemError) as refused:
        ENGINE.estimate(typed(lines, {"u": start}, {}), cpu)
    assert refused.value.remedy is None


def test_a_field_without_a_row_is_told_and_gets_one(cpu):
    (told,) = ENGINE.estimate(typed(GRAY_SCOTT, {"u": "1"}, {"F": 0.04, "k": 0.06}), cpu).findings
    assert "'v' begins at 0" in told.message
    ((place, rows),) = told.remedy.changes.items()
    assert place == ("equation", "fields")
    assert [row["name"] for row in rows] == ["u", "v"]


def test_sides_of_the_grid_far_from_where_a_field_begins_are_told(cpu):
    """Those of a grid that nobody has set hold 0; what fields have as their own is meant."""
    starts = {"u": "1 + 0.1*noise(1)", "v": "exp(-(x - 12)**2 - (y - 8)**2)"}
    held = {side: {"kind": "value", "value": 0.0} for side in PERIODIC}
    given = typed(GRAY_SCOTT, starts, {"F": 0.04, "k": 0.06}, sides=held)
    (told,) = ENGINE.estimate(given, cpu).findings
    assert told.message.startswith("The sides of the grid hold 'u' at 0, far from where that begins")
    for remedy, kind in zip(told.remedies, ("gradient", "periodic"), strict=True):
        assert list(remedy.changes) == [("sides", f"{axis}_{end}") for axis in "xy" for end in ("low", "high")]
        for (_, side), change in remedy.changes.items():
            setattr(given.parameters.sides, side, change)
        assert not ENGINE.estimate(given, cpu).findings
        assert {each["kind"] for each in remedy.changes.values()} == {kind}
    assert not ENGINE.estimate(typed(GRAY_SCOTT, {**starts, "u": "0.05*noise(1)*v0"}, {"F": 0.04, "k": 0.06, "v0": 0.0},
                                     sides=held), cpu).findings  # fmt: skip
    own = typed(GRAY_SCOTT, starts, {"F": 0.04, "k": 0.06}, sides=held, own={"u": CLOSED})
    assert not ENGINE.estimate(own, cpu).findings


def test_a_row_of_no_field_is_renamed_or_removed(cpu):
    """Renamed where a field has none yet."""
    for starts, changed in (
        ({"u": "1", "q": "0"}, {("equation", "fields", 1, "name"): "v"}),
        ({"u": "1", "v": "2", "q": "0"}, {("equation", "fields"): ["u", "v"]}),
    ):
        with pytest.raises(ProblemError, match="No line says how 'q' changes") as refused:
            TypedProblem(typed(GRAY_SCOTT, starts, {"F": 0.04, "k": 0.06}), cpu)
        ((place, value),) = refused.value.remedy.changes.items()
        names = [row["name"] for row in value] if isinstance(value, list) else value
        assert {place: names} == changed


def test_a_start_is_the_same_however_large_the_parts_that_it_is_made_in(cpu, monkeypatch):
    given = typed("du/dt = 0", {"u": "noise(1) + x*y + normal(2)"}, grid=plane(30, 20))
    whole = TypedProblem(given, cpu).start("u")
    monkeypatch.setattr("engines.stencil.setup.starts.SLAB", 70)
    np.testing.assert_array_equal(TypedProblem(given, cpu).start("u"), whole)
    assert abs(whole.mean() - (0.5 + 15 * 10)) < 1


def test_a_change_of_a_number_or_of_the_grid_is_no_other_kernel(cpu):
    """What is compiled hangs on the lines, the method and whether cells are square alone."""
    first, second = (
        TypedProblem(typed(FISHER, {"u": "0"}, {"D": d, "r": 1.0}, plane(n, n)), cpu).plan
        for d, n in ((0.2, 24), (0.3, 40))
    )
    assert first is second
    assert planned(first.system, "Euler", 2, False).passes[0].roots != first.passes[0].roots
