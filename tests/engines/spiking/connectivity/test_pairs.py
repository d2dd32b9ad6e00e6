"""Random connections: how many, how even, none twice, the same from the same seed."""

import numpy as np
import pytest

from engines.spiking.connectivity.pairs import random_synapses


def test_numbers_are_binomial():
    """1000 × 1000 pairs at 2 %: totals within 5 standard deviations (140), rows and columns of variance n p (1 − p)."""
    synapses = random_synapses(1000, 0.02, seed=7)
    assert abs(len(synapses.targets) - 20_000) < 5 * 140
    for counts in (np.diff(synapses.starts), np.bincount(synapses.targets, minlength=1000)):
        assert counts.var() == pytest.approx(19.6, rel=5 * np.sqrt(2 / 1000))
    rows = np.split(synapses.targets, synapses.starts[1:-1])
    assert all((np.diff(row) > 0).all() for row in rows)
    assert synapses.targets.min() >= 0
    assert synapses.targets.max() < 1000


def test_the_seed_decides():
    first, again, other = (random_synapses(200, 0.1, seed).targets for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert len(first) != len(other) or (first != other).any()


@pytest.mark.parametrize(("probability", "each"), [(0.0, 0), (1.0, 30)])
def test_none_and_all(probability, each):
    synapses = random_synapses(30, probability, 1)
    np.testing.assert_array_equal(np.diff(synapses.starts), each)
    assert synapses.starts.dtype == np.int64
