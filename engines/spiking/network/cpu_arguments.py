"""What the kernels of a network take on the CPU: arrays by name."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engines.api import Array


class Rows(NamedTuple):
    """The constants of populations, seen as records of each model (``rows.record``); a population's are those of its
    own."""

    common: Array
    lif: Array
    conductance: Array
    izhikevich: Array
    adaptive: Array
    channel: Array


class Populations(NamedTuple):
    """models, refractory [steps]: (populations,) int32; chances, outside, numbers: see ``Plan.live``; typed:
    (populations,) int64, addresses of kernels of typed neurons; spike_starts, spike_steps: ``spike_lists.Listed``"""

    bounds: Array
    models: Array
    refractory: Array
    chances: Array
    outside: Array
    typed: Array
    numbers: Array
    spike_starts: Array
    spike_steps: Array


class Random(NamedTuple):
    """Of noise and chances. values: (4096,) float32, ``plan.noise_table``"""

    key: np.uint64
    values: Array


class Synapses(NamedTuple):
    """By sender, see ``wiring.Wiring``; and the ring of what is under way."""

    starts: Array
    words: Array
    late: Array
    ring: Array


class State(NamedTuple):
    """What moves; see ``plan.new_state``."""

    voltage: Array
    recovery: Array
    gates: Array
    g_e: Array
    g_i: Array
    rise: Array
    more: Array
