"""The discharge that says what the mean of a diffusivity costs: the series, its orders, two decades of D."""

import numpy as np
import pytest

from engines.battery.bpx.mean_diffusivity import cost_of_means, discharge
from engines.battery.cells.step.reference import spm
from engines.battery.parameter_sets import PARAMETER_SETS

CHEN = PARAMETER_SETS["Chen2020"]


def constant(D):
    return lambda x: np.full(np.shape(x), D)


CONSTANT = {name: constant(CHEN.values()[f"{name}_diffusivity"]) for name in ("negative", "positive")}


def two_decades(x):
    return 10 ** (-15 + 2 * (1 - x) ** 2)


def test_a_constant_diffusivity_gives_the_series():
    found = discharge(CHEN, CONSTANT)
    for time in (300, 900, 1800, 3000):
        assert found[time // 15 - 1] == pytest.approx(spm(CHEN, 5.0, time)[0], abs=1e-3)


def test_second_order_in_space():
    ends = [discharge(CHEN, {**CONSTANT, "negative": two_decades}, points)[99] for points in (10, 20, 40, 80)]
    ratios = np.diff(ends)[:-1] / np.diff(ends)[1:]
    assert (ratios > 3).all()


def test_what_means_cost():
    assert cost_of_means(CHEN, CONSTANT) == pytest.approx((0.0, 0.0), abs=1e-12)
    mean = float(two_decades(np.linspace(0.0279, 0.9014, 1001)).mean())
    volts, charge = cost_of_means(CHEN.changed({"negative_diffusivity": mean}, "test"), {"negative": two_decades})
    assert volts == pytest.approx(0.078, abs=0.005)
    assert charge == pytest.approx(-0.046, abs=0.005)
