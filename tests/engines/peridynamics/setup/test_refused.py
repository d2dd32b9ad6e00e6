"""Bad input: one sentence, and the place in the form that it is about."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.parameters import PeridynamicParameters

ENGINE = PeridynamicsEngine()
SLOW = {"integrator": "dynamic relaxation"}


def problem(**changes) -> Problem:
    given = {"body": {"kind": "plate", "size_x": 20, "size_y": 12}, "bonds": {"spacing": 1.0}, "notches": []}
    return Problem(PeridynamicParameters.model_validate({**given, "unbreakable": [], **changes}))


@pytest.mark.parametrize(
    ("changes", "place", "sentence"),
    [
        ({"bonds": {"spacing": 1.0, "reach": 1}}, ("bonds", "reach"), "below 2 spacings"),
        ({"numerics": {"step": 5.0}}, ("numerics", "step"), "above the stable limit"),
        ({"numerics": SLOW, "loads": []}, ("loads",), "Nothing keeps the body"),
        (
            {"material": {"law": {"kind": "typed", "lines": ["d = 1 - foo/s"]}}},
            ("material", "law", "lines", 0),
            "'foo', which is not known",
        ),
        (
            {"penetrators": [{"form": {"kind": "ball", "center": (10, 6, 0), "radius": 3}}]},
            ("penetrators", 0),
            "starts inside the body",
        ),
        ({"penetrators": [{"form": {"kind": "cylinder"}}]}, ("penetrators", 0, "form"), "take a ball"),
        (
            {"measuring": {"gauges": [{"kind": "point", "point": (90, 0, 0)}]}},
            ("measuring", "gauges", 0, "point"),
            "beside the body",
        ),
    ],
)
def test_what_cannot_run_is_told_in_its_place(cpu, changes, place, sentence) -> None:
    with pytest.raises(ProblemError, match=sentence) as caught:
        ENGINE.estimate(problem(**changes), cpu)
    assert caught.value.place == place


@pytest.mark.parametrize(
    ("points", "horizon", "place", "sentence"),
    [
        ([(0, 0), (1, 0), (0, 1), (1, 1), (1, 0)], None, ("body", "file"), "Points 1 and 4 overlap"),
        ([(0, 0), (1, 0), (0, 1), (1, 1)], 1.0, ("body", "horizon"), "use 2 at least"),
    ],
)
def test_bad_points_are_told_in_their_place(cpu, tmp_path, points, horizon, place, sentence) -> None:
    np.savetxt(tmp_path / "points.csv", points, delimiter=",")
    body = {"kind": "points", "file": str(tmp_path / "points.csv"), "formulation": "plane stress", "horizon": horizon}
    with pytest.raises(ProblemError, match=sentence) as caught:
        ENGINE.estimate(problem(body=body), cpu)
    assert caught.value.place == place


def test_a_law_that_never_fails_is_warned_of_and_runs(cpu) -> None:
    given = problem(material={"law": {"kind": "typed", "lines": ["d = 0*s"]}})
    messages = [finding.message for finding in ENGINE.estimate(given, cpu).findings]
    assert any("never breaks a bond" in message for message in messages)
    simulation = ENGINE.build(given, cpu)
    simulation.advance(5)
    assert simulation.observe()["bonds"] == 0
    simulation.close()


def test_penetrators_say_how_far_they_have_gone(cpu) -> None:
    """At 10 m/s, before it meets the body: velocity times time."""
    driven = {"form": {"kind": "ball", "center": (10, 16, 0), "radius": 3}, "motion": {"kind": "driven"}}
    driven["motion"] |= {"velocity": (0, -10, 0)}
    support = {"form": {"kind": "plane", "point": (0, -1, 0)}, "motion": {"kind": "fixed"}}
    simulation = ENGINE.build(problem(penetrators=[driven, support], loads=[]), cpu)
    simulation.advance(50)
    shifts = simulation.shifts()
    assert shifts["penetrators", 0] == pytest.approx((0, -10e-3 * simulation.time, 0), abs=1e-9)
    assert shifts["penetrators", 1] == (0, 0, 0)
    simulation.close()
    plain = ENGINE.build(problem(), cpu)
    assert plain.shifts() == {}
    plain.close()
