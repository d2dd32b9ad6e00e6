"""Curves against the functions they stand for."""

import numpy as np
import pytest

from engines.battery.setup.curves import curve, table_curve


def test_fourth_order():
    x = np.linspace(0, 1, 9999)
    errors = [np.abs(curve(lambda x: np.exp(-3 * x), 0, 1, n)(x) - np.exp(-3 * x)).max() for n in (8, 16, 32)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4, abs=0.4)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(4, abs=0.3)


def test_beyond_its_ends_a_curve_keeps_its_last_value():
    line = curve(lambda x: 2 * x + 1, 0, 3)
    assert line(np.array([-1.0, 0.0, 1.5, 3.0, 9.0])) == pytest.approx([1, 1, 4, 7, 7])


def test_a_table_goes_through_its_points_without_overshoot():
    x, y = np.array([0.0, 0.1, 0.2, 1.0]), np.array([4.0, 4.0, 3.0, 3.0])
    got = table_curve(x, y)
    assert got(x) == pytest.approx(y, abs=2e-5)  # a kink between two nodes is rounded by a spline
    dense = got(np.linspace(0, 1, 5000))
    assert dense.max() < 4.0001
    assert dense.min() > 2.9999


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="not a finite number at 0"):
        curve(lambda x: np.log(np.where(x == 0, np.nan, x)), 0, 1)
    with pytest.raises(ValueError, match="they rise"):
        table_curve(np.array([0.0, 0.0]), np.array([1.0, 2.0]))
