"""What charts of spikes say of themselves."""

import numpy as np

from engines.spiking.watch.firing import raster
from engines.spiking.watch.groups import Groups


def test_a_raster_says_how_much_of_all_it_shows():
    fired, groups = np.zeros((100, 3), np.uint8), Groups(("A",), np.array([0, 24]))
    fired[[3, 50], [0, 2]] = 1
    assert raster(fired, 5000, 0.1, 8, groups, 5600).part == "2 of 5,600 spikes: one neuron in 8, the last 10 ms"
    assert raster(fired, 100, 0.1, 8, groups, 5600).part == "2 of 5,600 spikes: one neuron in 8"
    assert raster(fired, 100, 0.1, 1, groups, 2).part == ""
