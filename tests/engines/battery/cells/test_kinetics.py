"""Butler-Volmer as the reference has it: odd, right for small overpotentials, and its own inverse."""

from __future__ import annotations

import numpy as np
import pytest

from engines.battery.cells.reference import current_density, overpotential
from engines.battery.constants import FARADAY, GAS, REFERENCE_TEMPERATURE


def test_it_is_odd():
    for eta in (1e-12, 1e-3, 0.3):
        assert current_density(-eta, 1.3) == -current_density(eta, 1.3)
    for j in (1e-12, 1e-3, 50.0):
        assert overpotential(-j, 1.3) == -overpotential(j, 1.3)


def test_small_overpotentials_are_linear():
    """j = j0 F η/RT to round-off, where e^{+x} − e^{−x} would have lost all digits."""
    slope = 1.3 * FARADAY / (GAS * REFERENCE_TEMPERATURE)
    for eta in (1e-18, 1e-12, 1e-8):
        assert current_density(eta, 1.3) == pytest.approx(slope * eta, rel=1e-12)


def test_round_trip_in_single_precision():
    """1e-5: float32 has 6e-8, and sinh at the largest x = 20 multiplies an error of η by 20."""
    j = np.concatenate([-np.logspace(-8, 6, 50), np.logspace(-8, 6, 50)]).astype(np.float32)
    back = 2 * np.sinh(np.arcsinh(j / np.float32(2)))
    assert back.dtype == np.float32
    assert np.abs(back / j - 1).max() <= 1e-5
