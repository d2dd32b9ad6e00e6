"""What the kernels of both kinds of network take on the CPU: arrays by name."""

from __future__ import annotations

from typing import NamedTuple

from engines.api import Array


class Firing(NamedTuple):
    """Who may fire from which step on, and who fires in this one: ``fired: (n,)`` uint8; eights: the same bytes, eight
    in a word."""

    release: Array
    fired: Array
    eights: Array


class Counts(NamedTuple):
    """What is counted of spikes; see ``lif.model.new_state``. stride: of the neurons in the raster"""

    last: Array
    spikes: Array
    interval: Array
    interval_square: Array
    population_spikes: Array
    events: Array
    history: Array
    stride: int


class Recorded(NamedTuple):
    """``Electrodes.places``"""

    watched: Array
    kept: Array
