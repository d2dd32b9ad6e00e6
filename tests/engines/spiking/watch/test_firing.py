"""What charts of spikes say of themselves."""

import numpy as np

from engines.spiking.watch.firing import irregularity, raster, rate_histogram
from engines.spiking.watch.groups import Groups


def test_a_raster_says_how_much_of_all_it_shows():
    fired, groups = np.zeros((100, 3), np.uint8), Groups(("A",), np.array([0, 24]))
    fired[[3, 50], [0, 2]] = 1
    assert raster(fired, 5000, 0.1, 8, groups, 5600).part == "2 of 5,600 spikes: one neuron in 8, the last 10 ms"
    assert raster(fired, 100, 0.1, 8, groups, 5600).part == "2 of 5,600 spikes: one neuron in 8"
    assert raster(fired, 100, 0.1, 1, groups, 2).part == ""


def test_what_is_beyond_the_last_bar_is_told():
    """It stood in it without a word."""
    groups = Groups(("All",), np.array([0, 5000]))
    spikes = np.full(5000, 10)
    spikes[:3] = 1000
    found = rate_histogram(spikes, 1.0, groups)
    assert found.curves[0].y.sum() == 5000
    assert found.note == "3 neurons above 10.5 Hz in the last bar"
    assert rate_histogram(np.full(5000, 10), 1.0, groups).note == ""
    counted, interval = np.array([5]), np.array([40.0])
    found = irregularity(counted, interval, np.array([1600.0]), Groups(("All",), np.array([0, 1])))
    assert found.note == "1 neuron above 1.5 in the last bar"  # √3
