"""Ensembles whose cells several ranks share: whatever is asked of them is what one rank answers."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem, Selection
from engines.api.abilities import Cells, Inspected
from engines.api.errors import ProblemError
from engines.battery.engine import BatteryEngine
from engines.battery.parameters import BatteryParameters
from tests.engines.ranks.led import PatientBackend, led_runs, same_states
from tests.engines.ranks.threads import Post, ThreadRanks

SPREAD = {"kind": "normal", "spread": 0.1}
MANY = {
    "ensemble": {"cells": 150, "distributions": [{"parameter": "negative_particle_radius", **SPREAD}], "seed": 4},
    "protocol": ["Discharge at 2C until 2.5 V", "Charge at 2C until 4.2 V", "Rest for 3 minutes"],
    "recording": {"cells": 100},
    "numerics": {"step": 10.0},
}
KINDS = {
    "SPM": {},
    "SPMe, fp64": {"model": "SPMe", "thermal": "lumped", "numerics": {"step": 10.0, "precision": "fp64"}},
    "ageing": {
        "parameter_set": "OKane2022", "cycles": 2, "ageing": {"sei": "solvent-diffusion limited"},
    },
}  # fmt: skip


@pytest.fixture
def led():
    with led_runs(BatteryEngine()) as make:
        yield lambda size, **changes: make(Problem(BatteryParameters.model_validate(MANY | changes)), size)


def same_answers(many, one) -> bool:
    assert many.geometry is one.geometry
    n = one.geometry.n_cells
    chosen = np.random.default_rng(0).integers(0, n, 30).astype(np.int32)
    for info in one.fields:
        np.testing.assert_array_equal(many.field(info.name), one.field(info.name), info.name)
        handle = many.select(Selection(chosen))
        np.testing.assert_array_equal(
            many.gather(info.name, handle), one.gather(info.name, one.select(Selection(chosen)))
        )
    np.testing.assert_equal(dict(many.observe()), dict(one.observe()))
    for info in one.charts:
        if not info.series:
            for mine, theirs in zip(many.chart(info.name).curves, one.chart(info.name).curves, strict=True):
                np.testing.assert_array_equal(mine.y, theirs.y)
    for asked in ("cell_series", "drawn_parameters", "cell_results"):
        np.testing.assert_equal(getattr(many, asked)(), getattr(one, asked)())
    assert many.finished == one.finished
    assert many.ending == one.ending
    return same_states(many, one)


@pytest.mark.parametrize("kind", KINDS)
def test_cells_of_three_ranks_are_those_of_one(led, kind):
    many, one = led(3, **KINDS[kind])
    assert isinstance(many, Cells)
    assert isinstance(many, Inspected)
    for steps in (5, 100):
        many.advance(steps)
        one.advance(steps)
        assert same_answers(many, one)
    assert many.inspect(149).facts == one.inspect(149).facts
    for simulation in (many, one):
        simulation.set_control("current_factor", 1.5)
        while not simulation.finished:
            simulation.advance(simulation.sample_steps)
    assert one.ending
    assert same_answers(many, one)


def test_a_checkpoint_of_three_ranks_opens_on_two(led):
    three, one = led(3, **KINDS["ageing"])
    two, _ = led(2, **KINDS["ageing"])
    for simulation in (three, one):
        simulation.advance(200)
    two.restore(three.state())
    for simulation in (two, one):
        simulation.advance(300)
    assert same_answers(two, one)
    assert np.isfinite(one.chart("cycle_capacity").curves[0].y).any()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"ensemble": {"cells": 100}}, "An ensemble of 100 cells cannot be shared by 3 ranks"),
        ({"model": "pack"}, "The cells of a pack share its current and its heat, and run on one rank"),
        ({"model": "MPM"}, "The particles of the MPM share one potential, and run on one rank"),
        ({"model": "particles"}, "Bare particles run on one rank"),
    ],
)
def test_what_ranks_cannot_share_is_refused_in_a_sentence(changes, said):
    problem = Problem(BatteryParameters.model_validate(MANY | changes))
    with pytest.raises(ProblemError, match=said):
        BatteryEngine().build_part(problem, PatientBackend(), ThreadRanks(Post(3), 0))
