"""Bodies on several ranks: motion, bonds, cracks, loads, gauges and checkpoints are those of one."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem, Selection
from engines.api.abilities import Directed, Displaced, Hiding, Lined, WithResults
from engines.api.errors import ProblemError
from engines.peridynamics.engine import PeridynamicsEngine
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.watch.curve import CHART
from tests.cuda_on_host import COMPILER
from tests.engines.peridynamics.test_engine import SMALL
from tests.engines.ranks.led import PatientBackend, PatientHostCuda, led_runs
from tests.engines.ranks.threads import Post, ThreadRanks

ENGINE = PeridynamicsEngine()
SUMS = 1e-12
"""Sums over all particles have another order, of the largest of their kind."""
REACHED = ("penetrators.list", "penetrators.rub", "penetrators.fastest")
"""Of the particles that a penetrator may come to touch, which hang on how fast those of a rank are."""
PLATE = {
    **SMALL,
    "measuring": {
        "gauges": [
            {"kind": "opening", "name": "mouth", "axis": "y", "first": (0.5, 6.5, 0), "second": (0.5, 9.5, 0)},
            {"kind": "mean", "name": "half", "axis": "x", "region": {"kind": "side", "side": "right"}},
        ]
    },
}
BLOCK = {
    "body": {
        "kind": "block", "size_x": 14, "size_y": 9, "size_z": 17,
        "holes": [{"kind": "sphere", "center": (7, 4.5, 8.5), "radius": 2.5}],
    },
    "bonds": {"spacing": 1.0, "reach": 2},
    "material": {"fracture_energy": 0.1},
    "notches": [],
    "loads": [
        {"kind": "velocity", "region": {"kind": "side", "side": "back"}, "z": 5.0},
        {"kind": "displacement", "region": {"kind": "side", "side": "front"}, "z": 0.0},
    ],
    "growth": "+x",
    "numerics": {"precision": "fp64", "damping": 1e4},
}  # fmt: skip
MIXED = {
    **PLATE,
    "bonds": {"spacing": 1.0, "influence": "triangular", "partial_volumes": True, "surface_correction": True},
    "materials": [{"young": 144, "density": 4880, "region": {"kind": "box", "low": (15, 5, 0), "high": (40, 16, 0)}}],
    "interfaces": [{"fracture_energy": 0.1}],
    "loads": [*PLATE["loads"], {"kind": "gravity", "acceleration": (0, -9810, 0)}],
    "start": {"kind": "expanding", "center": (20, 8, 0), "outward": 5.0},
}
SOFTENING = {**PLATE, "material": {"fracture_energy": 10.0, "law": {"kind": "bilinear", "strength": 10.0}}}
STATE = {
    **BLOCK,
    "bonds": {"spacing": 1.0, "reach": 2, "theory": "state-based"},
    "material": {"fracture_energy": 0.1, "poisson": 0.3},
}
STRUCK = {
    **PLATE,
    "material": {"fracture_energy": 1.0},
    "loads": [],
    "penetrators": [
        {
            "form": {"kind": "ball", "center": (43.02, 9, 0), "radius": 3.0}, "friction": 0.3,
            "motion": {"kind": "driven", "velocity": (-40, 15, 0)},
        },
        {"form": {"kind": "plane", "point": (-0.1, 0, 0), "normal": (1, 0, 0)}, "motion": {"kind": "fixed"}},
    ],
}  # fmt: skip
BODIES = {"struck": STRUCK, "state": STATE, "plate": PLATE, "block": BLOCK, "mixed": MIXED, "softening": SOFTENING}


def problem(given, **changes) -> Problem:
    return Problem(PeridynamicParameters.model_validate({**given, **changes}))


@pytest.fixture
def led():
    with led_runs(ENGINE) as make:
        yield make


def close(found, expected, largest) -> bool:
    np.testing.assert_allclose(found, expected, rtol=SUMS, atol=SUMS * largest)
    return True


def same_states(many, one) -> bool:
    found, expected = many.state(), one.state()
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        if name in ("points", "penetrators.states"):
            assert close(found[name], values, np.abs(values).max())
        elif name in REACHED:
            assert set(found["penetrators.list"]) & set(expected["penetrators.list"])
        else:
            np.testing.assert_array_equal(found[name], values, name)
    return True


def same_answers(many, one) -> bool:
    """Series, fields, selections of them, charts, results and states."""
    found, expected = many.observe(), one.observe()
    assert found.keys() == expected.keys()
    for unit in {info.unit for info in one.series}:
        names = [info.name for info in one.series if info.unit == unit and info.name != "imbalance"]
        largest = max((abs(expected[name]) for name in names if np.isfinite(expected[name])), default=0.0)
        assert close([found[name] for name in names], [expected[name] for name in names], largest)
    assert found["imbalance"] == pytest.approx(expected["imbalance"], abs=1e-6)
    chosen = np.random.default_rng(0).integers(0, one.geometry.n_cells, 40).astype(np.int32)
    for name in [*(info.name for info in one.fields), one.displaced.name, *one.vectors[1].named]:
        np.testing.assert_array_equal(many.field(name), one.field(name), name)
        selection = Selection(chosen)
        np.testing.assert_array_equal(
            many.gather(name, many.select(selection)), one.gather(name, one.select(selection)), name
        )
    np.testing.assert_array_equal(many.lines().segments, one.lines().segments)
    if CHART in {chart.name for chart in one.charts}:
        for mine, theirs in zip(many.chart(CHART).curves, one.chart(CHART).curves, strict=True):
            assert close(mine.y, theirs.y, np.abs(theirs.y).max())
    mine, theirs = many.results(), one.results()
    assert mine.keys() == theirs.keys()
    for name, values in theirs.items():
        assert close(mine[name], values, np.abs(values).max(initial=0.0))
    assert many.non_finite() is None
    assert many.noticed() == one.noticed()
    assert same_inspections(many, one)
    return same_states(many, one)


def same_inspections(many, one) -> bool:
    """Of particles at all places, beside cuts between ranks too, with the bonds that hold and those that are gone."""
    for element in np.linspace(0, one.geometry.n_cells - 1, 40).astype(int):
        mine, theirs = many.inspect(int(element)), one.inspect(int(element))
        assert (mine.title, str(mine.facts)) == (theirs.title, str(theirs.facts))  # nan is not nan
        assert mine.links.range == theirs.links.range
        for name in ("segments", "values", "displacements"):
            np.testing.assert_array_equal(getattr(mine.links, name), getattr(theirs.links, name), name)
    return True


@pytest.mark.parametrize(
    ("name", "size"), [("plate", 3), ("block", 2), ("mixed", 2), ("softening", 2), ("state", 2), ("struck", 2)]
)
def test_a_body_on_ranks_is_that_on_one(led, name, size):
    many, one = led(problem(BODIES[name]), size)
    for ability in (Directed, Displaced, Hiding, Lined, WithResults):
        assert isinstance(many, ability)
    for steps in (1, 40, 60):
        for simulation in (many, one):
            simulation.advance(steps)
        assert same_answers(many, one)
    assert one.observe()["bonds"] > 50


@pytest.mark.parametrize("name", ["plate", "struck"])
def test_a_checkpoint_of_some_ranks_opens_on_any_other_number(led, name):
    three, one = led(problem(BODIES[name]), 3)
    two, alone = led(problem(BODIES[name]), 2)
    for simulation in (three, one):
        simulation.advance(70)
        simulation.observe()
    for other in (two, alone):
        other.restore(three.state())
    for simulation in (three, two, alone, one):
        simulation.advance(30)
    assert same_answers(two, one)
    for other in (three, alone):
        other.observe()
        assert same_states(other, one)


def test_a_place_that_is_no_number_is_that_of_the_body(led):
    many, one = led(problem(PLATE), 2)
    state = one.state()
    place = one._solver.body.places[16 * 20 - 3]  # beside the cut, so that both ranks have it
    state["u"][0, place] = np.nan
    for simulation in (many, one):
        simulation.restore(state)
    assert many.non_finite() == one.non_finite()


@pytest.mark.parametrize(
    ("changes", "size", "said"),
    [
        ({"contact": {"kind": "repulsion"}}, 2, "Contact of particles runs on one rank"),
        (
            {"penetrators": [{**STRUCK["penetrators"][0], "motion": {"kind": "free", "mass": 1.0}}]},
            2,
            "A penetrator that flies freely runs on one rank",
        ),
        ({}, 6, "A body of 16 rows cannot be shared by 6 ranks, of which each needs 3, .* use at most 5"),
    ],
)
def test_what_ranks_cannot_share_is_refused_in_a_sentence(changes, size, said):
    with pytest.raises(ProblemError, match=said):
        ENGINE.build_part(problem(PLATE, **changes), PatientBackend(), ThreadRanks(Post(size), 0))


@pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")
@pytest.mark.parametrize("name", ["plate", "block", "state", "struck"])
def test_kernels_of_a_gpu_step_parts_as_one_body(name):
    with led_runs(ENGINE, PatientHostCuda) as make:
        many, one = make(problem(BODIES[name]), 2)
        for simulation in (many, one):
            simulation.advance(30)
        assert np.abs(one.state()["u"]).max() > 0
        assert same_states(many, one)
        for info in one.fields:
            np.testing.assert_array_equal(many.field(info.name), one.field(info.name), info.name)


SLOW = {
    "body": {"kind": "plate", "size_x": 24, "size_y": 12},
    "bonds": {"spacing": 1.0},
    "notches": [{"start": (12, 0), "end": (12, 4)}],
    "material": {"fracture_energy": 10.0},
    "loads": [
        {"kind": "displacement", "region": {"kind": "side", "side": "left"}, "x": 0.0, "y": 0.0},
        {
            "kind": "displacement", "region": {"kind": "side", "side": "right"}, "x": 0.12, "y": 0.0,
            "history": {"kind": "ramp", "rise": 100.0},
        },
    ],
    "numerics": {
        "precision": "fp64", "integrator": "dynamic relaxation", "relaxation": {"load_steps": 4, "lasts": 100.0},
    },
}  # fmt: skip


def test_slow_loading_on_ranks_is_that_on_one(led):
    """How much is damped hangs on sums, so that displacements agree as sums do, and the same bonds break."""
    many, one = led(problem(SLOW), 2)
    for steps in (300, 3000):
        for simulation in (many, one):
            simulation.advance(steps)
        assert many.step == one.step
        found, expected = many.state(), one.state()
        np.testing.assert_array_equal(found["words"], expected["words"])
        for name in ("u", "seen_u", "at_rest", "points"):
            assert close(found[name], expected[name], np.abs(expected[name]).max())
    assert one.observe()["bonds"] > 5
    assert many.observe() == pytest.approx(one.observe(), rel=1e-9, abs=1e-12)
    assert (many.finished, many.ending) == (one.finished, one.ending)
