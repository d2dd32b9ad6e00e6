"""The largest steps of a model: stored with it, and measured for any other."""

import numpy as np
import pytest

from engines.cardiac.compiler.limits import shape, step_limits
from engines.cardiac.compiler.model import loads, shipped
from engines.cardiac.compiler.schemes import SCHEMES
from engines.cardiac.compiler.single import Pulse, run
from engines.cardiac.compiler.tissue import shipped_step


def test_every_model_has_its_limits(model):
    assert [limit.scheme for limit in model.limits] == list(SCHEMES)
    for limit in model.limits:
        assert limit.stable is not None
        assert limit.accurate is not None
        assert 0.001 <= limit.accurate <= limit.stable <= 1.024
    assert loads(model.dumps()) == model


def test_ten_tusscher_needs_two_microseconds_by_forward_euler():
    """Thesis, table 3.2 and 3.4."""
    model = shipped("ten_tusscher_panfilov_2006")
    euler, light = model.limit("FE"), model.limit("LRL")
    assert euler is not None and light is not None  # noqa: PT018 - both were stored
    assert euler.stable == pytest.approx(0.002)
    assert light.stable >= 0.125
    assert light.accurate >= 0.02


def test_what_is_stored_is_what_is_measured():
    model = shipped("mitchell_schaeffer_2003")
    assert step_limits(model, ("FE",)) == (model.limit("FE"),)


def test_the_shape_of_a_triangle():
    """Up from −80 to 20 mV in 2 ms, down in 10 ms: half way up at 1 ms, nine tenths down 9 ms after the peak."""
    times = np.arange(0, 14, 0.5)
    voltage = np.interp(times, [0, 2, 12, 14], [-80, 20, -80, -80])
    assert shape(voltage, 0.5) == pytest.approx((1.0, 10.0))
    assert np.isnan(shape(np.full(5, -80.0), 0.5)[0])
    assert np.isnan(shape(np.array([-80.0, -20.0, 20.0, 19.0]), 0.5)[1])


def test_a_single_cell_is_stimulated_when_it_is_told():
    """Mitchell-Schaeffer at rest, one step of 1 mV/ms for 0.5 ms from 0.5 ms on: 0.5 mV, less what leaks in 0.02 ms."""
    compiled = shipped_step("mitchell_schaeffer_2003", "float64", "FE")
    voltage, states = run(compiled, 0.5, 4, pulse=Pulse(1.0, 0.5, 0.5))
    assert voltage[:2] == pytest.approx([-80.0, -80.0], abs=1e-12)
    assert voltage[2] == pytest.approx(-79.5, abs=1e-6)
    assert len(states) == 1
    every, _ = run(compiled, 0.5, 4, every=2, pulse=Pulse(1.0, 0.5, 0.5))
    assert np.array_equal(every, voltage[::2])
