"""Spectra and correlations of spikes whose statistics are known."""

import numpy as np
import pytest

from engines.spiking.watch import rhythm
from engines.spiking.watch.groups import Groups

GROUPS = Groups(("Random", "Together"), np.array([0, 100, 200]))


@pytest.fixture(scope="module")
def fired():
    """(8000, 200): a hundred at 20 Hz, and a hundred at 20 Hz in the mean, more and less so by a rhythm of 40 Hz."""
    time = np.arange(8000) * 1e-4
    rates = np.stack([np.full(8000, 20.0), 20 * (1 + np.cos(2 * np.pi * 40 * time))])
    return np.random.default_rng(1).random((8000, 200)) < np.repeat(rates, 100, axis=0).T * 1e-4


def test_the_spectrum_of_random_spikes_is_flat_and_a_rhythm_stands_out(fired):
    """Two hundred frequencies, five windows (some 4 independent ones): the mean of 1 is off by 0.04 at one sigma."""
    random, together = rhythm.spectrum(fired, 0.1, 1, GROUPS).curves
    assert random.y.mean() == pytest.approx(1.0, abs=0.15)
    assert together.x[together.y.argmax()] == pytest.approx(40.0, abs=4.0)
    # A rhythm cos of amplitude λ: power λ²/4 (Σw)²/Σw² = λ²/4 · N/1.5 over λ, λ = 2 a ms, N = 256: 85.
    assert together.y.max() == pytest.approx(85, rel=0.3)


def test_pairs_correlate_where_they_share_a_rhythm(fired):
    """Counts over 5 ms of mean 0.1: shared variance 0.1² / 2 · sinc²(0.2) = 0.0044, of 0.1 in all."""
    random, together = rhythm.correlations(fired, 0.1, 1, GROUPS).curves
    means = [float(curve.y @ (curve.x[1:] + curve.x[:-1]) / 2 / curve.y.sum()) for curve in (random, together)]
    assert random.y.sum() == 100 * 99 / 2
    assert means[0] == pytest.approx(0.0, abs=0.01)
    assert means[1] == pytest.approx(0.042, abs=0.015)


def test_spectra_and_correlations_say_of_which_neurons_and_time_they_are(fired):
    for chart in (rhythm.spectrum, rhythm.correlations):
        assert chart(fired, 0.1, 1, GROUPS, 8000).part == ""
        assert chart(fired[:, ::4], 0.1, 4, GROUPS, 8000).part == "one neuron in 4"
        assert chart(fired[:, ::4], 0.1, 4, GROUPS, 9000).part == "one neuron in 4, the last 800 ms"
        assert chart(fired[:100], 0.1, 4, GROUPS, 9000).part == "", "of nothing"
    all_of_one = Groups(("All",), np.array([0, 200]))
    assert rhythm.correlations(fired, 0.1, 1, all_of_one).part == "at most 100 neurons of a population"


def test_nothing_is_told_of_too_short_a_time(fired):
    assert rhythm.spectrum(fired[:100], 0.1, 1, GROUPS).curves == ()
    assert rhythm.correlations(fired[:100], 0.1, 1, GROUPS).curves == ()
    assert rhythm.spectrum(np.zeros_like(fired), 0.1, 1, GROUPS).curves == ()


def test_the_last_steps_are_in_order():
    history = np.array([[4], [1], [2], [3]])
    assert rhythm.recent(history, 5)[:, 0].tolist() == [1, 2, 3, 4]
    assert rhythm.recent(history, 5, 2)[:, 0].tolist() == [3, 4]
    assert rhythm.recent(history, 0).shape == (0, 1)


def test_pairs_below_the_first_bar_are_told():
    """They stood in it without a word: two neurons that take turns have a correlation of −1."""
    fired = np.zeros((2000, 2), bool)
    fired[25::100, 0], fired[75::100, 1] = True, True
    found = rhythm.correlations(fired, 0.1, 1, Groups(("All",), np.array([0, 2])))
    assert found.curves[0].y[0] == 1
    assert found.note == "1 pair below -0.25 in the first bar"
