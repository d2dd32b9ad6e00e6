"""Cells whose electrolyte runs out of salt: when, what is said of it, and that no number after it is a wrong one."""

import warnings

import numpy as np
import pytest

from engines.api import Problem
from engines.battery.engine import BatteryEngine
from engines.battery.parameters import BatteryParameters
from engines.battery.step.cell_rows import Row

ENGINE = BatteryEngine()
# Seconds at 3C and 5C after which PyBaMM 26.10's SPMe (80, 40, 80 volumes) has a thousandth of Chen2020's salt left.
PYBAMM = {3: 49.941, 5: 18.643}
HARD = {"model": "SPMe", "protocol": ["Discharge at 3C", "Rest for 1 minute", "Discharge at 1C"]}


def built(backend, **given):
    return ENGINE.build(Problem(BatteryParameters.model_validate(given)), backend)


def to_its_end(run):
    """What was seen on the way."""
    seen = []
    while not run.finished:
        run.advance(4)
        seen.append(run.observe())
        assert len(seen) < 100
    return seen


@pytest.mark.parametrize("rate", [3, 5])
def test_it_ends_when_the_salt_is_gone(backend, rate):
    """First order in time: 0.1 s at steps of 1 s. Before this it went on to the cut-off, after 1,085 s at 3C."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = built(backend, **{**HARD, "protocol": [f"Discharge at {rate}C"]}, numerics={"step": 1.0})
        seen = to_its_end(run)
    assert run.ended == pytest.approx(PYBAMM[rate], abs=0.2)
    assert seen[-1]["capacity"] * 3600 == pytest.approx(5 * rate * run.ended, rel=1e-5)
    assert all(2.5 < each["voltage"] < 4.2 for each in seen)
    assert all(np.isfinite(list(each.values())).all() for each in seen[:-1])
    assert "no salt left in the positive electrode after" in run.ending
    assert seen[-1]["balance"] < 1e-6


def test_it_is_the_end_of_the_protocol(backend):
    """And not of its first step: what follows was written for a cell that could carry it."""
    run = built(backend, **HARD, numerics={"step": 5.0})
    to_its_end(run)
    assert 45 < run.ended < 55
    seen = run.observe()
    run.advance(20)
    assert run.observe() == pytest.approx(seen, rel=0, abs=0, nan_ok=True)


def test_a_charge_exhausts_the_other_side(backend):
    run = built(backend, model="SPMe", protocol=["Charge at 3C"], initial_state_of_charge=0.1, numerics={"step": 1.0})
    to_its_end(run)
    assert "in the negative electrode" in run.ending


def test_each_cell_for_itself(backend):
    spread = {"cells": 9, "distributions": [{"parameter": "positive_porosity", "spread": 0.2}]}
    run = built(backend, **{**HARD, "protocol": ["Discharge at 2C for 3 minutes"]}, ensemble=spread)
    to_its_end(run)
    ends = np.array(run._cells.state)[Row.ENDED, :9]
    assert (ends == 180).any()
    assert (ends < 180).any()
    assert run.ending.startswith(f"The electrolyte of {(ends < 180).sum()} of 9 cells has no salt left in the positive")


def test_cells_with_salt_end_with_their_protocol(backend):
    run = built(backend, model="SPMe", protocol=["Discharge at 1C for 1 minute"])
    to_its_end(run)
    assert run.ending == "The cell is through its protocol after 60 s."


def test_a_pack_ends_with_its_first_cell(backend):
    small = {"cells_x": 2, "voxels_x": 2, "voxels_y": 4, "voxels_z": 4}
    pack = {"cells": "SPMe", "parallel": 2, "arrangement": small}
    run = built(backend, model="pack", pack=pack, protocol=["Discharge at 3C"], numerics={"step": 5.0})
    while not run.finished:
        run.advance(1)
        assert run.step < 15
    assert 45 < run.time <= 55  # whole steps
    assert "The electrolyte of cell 1 has no salt left" in run.ending
