"""Axes whose values share a power of ten."""

from __future__ import annotations

import pytest

from ui.charts.plots.scaled_axis import ScaledAxis, power_of


@pytest.mark.parametrize(
    ("largest", "power"),
    [(1.0, 0), (9999.0, 0), (2.5e4, 3), (4e7, 6), (0.02, 0), (5e-3, -3), (3e-44, -45), (0.0, 0), (float("inf"), 0)],
)
def test_powers_are_those_of_a_thousand(largest, power):
    assert power_of(largest) == power


def test_large_values_stand_beside_a_power_of_ten(qtbot):
    axis = ScaledAxis("left")
    axis.set_unit("V/m", "#888888")
    axis.setRange(-4e7, 4e7)
    assert axis.tickStrings([-2e7, 0.0, 2e7], 1.0, 2e7) == ["−20", "0", "20"]
    assert "10⁶ V/m" in axis.labelString()
    axis.setRange(0.0, 5.0)
    assert axis.tickStrings([0.0, 2.0], 1.0, 2.0) == ["0", "2"]
    assert "10" not in axis.labelString().split("V/m")[0].rsplit(">", 1)[-1]
