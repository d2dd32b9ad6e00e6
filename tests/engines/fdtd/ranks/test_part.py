"""Slabs of a Yee grid: fields, monitors, results and checkpoints of several ranks are those of one, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from engines.fdtd.engine import FdtdEngine
from tests.engines.fdtd.problems import small
from tests.engines.ranks.led import led_runs, same_states


@pytest.fixture
def led():
    with led_runs(FdtdEngine()) as make:
        yield make


def test_fields_of_two_slabs_are_those_of_one(led):
    many, one = led(small(), 2)
    for steps in (1, 30):
        many.advance(steps)
        one.advance(steps)
    for info in one.fields:
        np.testing.assert_array_equal(many.field(info.name), one.field(info.name))
    assert same_states(many, one)
    assert many.observe() == one.observe()
