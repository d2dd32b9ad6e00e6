"""Numbers that made a curve are found again from it."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.least_squares import Search
from engines.peridynamics.step.batch import Batch, Outcome, varied
from engines.peridynamics.tools.fitting import FitParameters, FitToMeasurement
from engines.peridynamics.tools.measured import Measured, envelope
from tests.engines.peridynamics.step.test_batch import PULLED, given

TOOL = FitToMeasurement()
SMALL = {**PULLED, "body": {"kind": "plate", "size_x": 12, "size_y": 7}, "notches": [{"start": (6, 0), "end": (6, 3)}]}


def asked(**changes) -> FitParameters:
    numbers = [{"name": "material.law.strength", "low": 4.0, "high": 12.0}]
    return FitParameters.model_validate({"numbers": numbers, "until": 12.0, "candidates": 4, "rounds": 3, **changes})


def written(path, outcome):
    x, force = envelope(outcome)
    np.savetxt(path, np.stack([x, force], axis=1)[1:], delimiter=",", header="x, force")
    return str(path)


def test_least_squares_of_a_curve_with_two_numbers():
    """y = exp(−a t) cos(b t): rounding is all that is left after a few steps."""
    t = np.linspace(0.1, 3, 20)

    def curve(points):
        a, b = points.T[:, :, None]
        return np.exp(-2 * a * t) * np.cos(3 * b * t)

    wanted = curve(np.array([[0.37, 0.61]]))
    search = Search(lambda points: curve(points) - wanted)
    search.grid(2, 4)
    assert len(search.tried) == 16
    search.refine(8, 1 / 3)
    assert search.best == pytest.approx([0.37, 0.61], abs=1e-6)


def test_candidates_that_cannot_be_calculated_are_passed_over():
    def evaluate(points):
        residuals = points - 0.4
        residuals[points[:, 0] > 0.45] = np.nan
        return residuals

    search = Search(evaluate)
    search.grid(1, 5)
    search.refine(6, 0.25)
    assert search.best == pytest.approx([0.4], abs=1e-3)
    nothing = Search(lambda points: np.full((len(points), 2), np.nan))
    nothing.grid(1, 3)
    nothing.refine(2, 0.5)
    assert nothing.misfit == np.inf


def test_a_curve_that_goes_back_is_its_envelope():
    x, force = envelope(Outcome(np.array([0.0, 2, 1, 2, 3, 3]), np.array([0.0, 5, 6, 4, 7, 1])))
    assert (x == [0, 2, 3]).all()
    assert (force == [0, 4, 1]).all()
    x, force = envelope(Outcome(np.array([0.0, 0.1, -2, -1, -3]), np.array([0.0, 1, 5, 6, 7])))  # of what is compressed
    assert (x == [-3, -2, 0]).all()
    assert (force == [7, 5, 0]).all()
    unstable = Outcome(np.array([0.0, 1.0]), np.array([0.0, np.nan]))
    assert np.isnan(Measured(np.ones(3), np.arange(3.0)).residuals(unstable)).all()


def test_the_strength_that_made_a_curve_is_found(cpu, tmp_path):
    """Where the curve is smooth in the strength, least squares leave what four digits round: 1e-3."""
    base = given(SMALL)
    (outcome,) = Batch([varied(base, {"material.law.strength": 6.7})], cpu).run(12.0)
    told = []
    result = TOOL.run(
        Problem(base), asked(measured=written(tmp_path / "curve.csv", outcome)), cpu, lambda *each: told.append(each)
    )
    assert result.parameters.material.law.strength == pytest.approx(6.7, rel=1e-3)
    assert result.message.startswith("Law › Tensile strength = 6.7 MPa")
    assert {info.name for info, _ in result.charts} == {"load_displacement", "misfit_1"}
    assert 0 <= told[0][1] < told[-1][1] <= 1


def test_a_peak_load_is_met(cpu):
    """Between two values of the grid: to 0.2 %."""
    base = given(SMALL)
    (outcome,) = Batch([varied(base, {"material.law.strength": 6.7})], cpu).run(12.0)
    result = TOOL.run(Problem(base), asked(target="peak", peak=outcome.peak[0], candidates=3), cpu)
    assert {fact.title: fact.value for fact in result.facts}["Peak load"] == pytest.approx(outcome.peak[0], rel=2e-3)


@pytest.mark.slow
def test_strength_and_energy_that_made_a_curve_are_found(cpu, tmp_path):
    base = given(SMALL)
    made = {"material.law.strength": 6.7, "material.fracture_energy": 24.0}
    (outcome,) = Batch([varied(base, made)], cpu).run(12.0)
    numbers = [
        {"name": "material.law.strength", "low": 4.0, "high": 12.0},
        {"name": "material.fracture_energy", "low": 15.0, "high": 40.0},
    ]
    given_file = written(tmp_path / "curve.csv", outcome)
    result = TOOL.run(Problem(base), asked(measured=given_file, numbers=numbers, rounds=6), cpu)
    assert result.parameters.material.law.strength == pytest.approx(6.7, rel=5e-3)
    assert result.parameters.material.fracture_energy == pytest.approx(24.0, rel=1e-2)


def test_what_is_offered(cpu):
    offered = TOOL.defaults(Problem(given(SMALL)))
    assert [(each.name, each.low, each.high) for each in offered.numbers] == [
        ("material.fracture_energy", 10.0, 40.0),
        ("material.law.strength", 4.0, 16.0),
    ]
    names = TOOL.suggestions(Problem(given(SMALL)))["name"]
    assert {"material.young", "material.law.strength", "loads.0.x", "numerics.damping"} <= set(names)
    assert "loads.0.y" not in names  # free, so no number
    assert names["material.law.strength"] == "Material › Law › Tensile strength [MPa]"  # as the form calls it
    told = TOOL.outlook(Problem(given(SMALL)), offered.model_copy(update={"target": "peak"}))
    assert told == "25 runs, then up to 4 rounds of 6"


def test_the_curve_may_be_that_of_a_penetrator(cpu):
    """A bar that something presses; a run goes on until it has come to its place."""
    motion = {"kind": "shifted", "displacement": (-0.01, 0, 0), "rise": 9.0}
    form = {"kind": "cuboid", "low": (12, -1, 0), "high": (14, 8, 0)}
    pressed = given(SMALL, loads=[], penetrators=[{"form": form, "motion": motion}])
    offered = TOOL.defaults(Problem(pressed))
    assert offered.until == 9.0
    (outcome,) = Batch([pressed], cpu).run(4.0)
    assert outcome.peak[0] > 0
    with pytest.raises(ProblemError, match="Without a load"):
        TOOL.defaults(Problem(given(SMALL, loads=[])))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "nothing to compare with"),
        ({"measured": "nowhere.csv"}, "cannot be read"),
        ({"numbers": [{"name": "material.weight", "low": 1, "high": 2}]}, "no number 'material.weight'"),
        ({"numbers": [{"name": "material.young", "low": 2, "high": 2}]}, "range of 'material.young' is empty"),
        ({"numbers": [{"name": "material.young", "low": -2, "high": 2}]}, "'material.young' cannot be -2"),
        ({"numbers": [{"name": "material.young", "low": 1, "high": 2}] * 2}, "looked for twice"),
        (
            {
                "candidates": 22,
                "numbers": [
                    {"name": f"material.{name}", "low": 1, "high": 2}
                    for name in ("young", "density", "fracture_energy")
                ],
            },
            "10,648 runs to begin with: try at most 21 values",
        ),
        (
            {"target": "peak", "numbers": [{"name": "material.law.strength", "low": 4e4, "high": 8e4}]},
            "None of these runs can be calculated",
        ),
    ],
)
def test_what_is_wrong_is_said(cpu, changes, words):
    with pytest.raises(ProblemError, match=words):
        TOOL.run(Problem(given(SMALL)), asked(**changes), cpu)
