"""The values that a sweep offers at first: around the present one, within its bounds."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ui.sweep.values import _first_range
from workbench.words.bounds import Bounds


@pytest.mark.parametrize(
    ("value", "integer", "bounds", "offered"),
    [
        (2.0, False, Bounds(), (1.6, 2.4)),
        (-2.0, False, Bounds(), (-2.4, -1.6)),
        (0.0, False, Bounds(), (0.0, 1.0)),
        (1 / 3, False, Bounds(), (0.266667, 0.4)),
        (2.0, False, Bounds(le=2.2), (1.6, 2.0)),
        (2.0, False, Bounds(gt=1.9, lt=2.1), (2.0, 2.0)),
        (10, True, Bounds(), (8, 12)),
        (1, True, Bounds(), (1, 2)),
        (0, True, Bounds(), (0, 1)),
    ],
)
def test_a_range_begins_around_the_present_value(value, integer, bounds, offered):
    found = _first_range(SimpleNamespace(value=value, integer=integer, bounds=bounds))
    assert found == pytest.approx(offered)
    assert {type(each) for each in found} == {int if integer else float}
