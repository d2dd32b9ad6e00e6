"""The network in float64, step by step as its definition reads."""

from __future__ import annotations

import math

import numpy as np

from engines.api import Array
from engines.spiking.lif.model import Lif, Sources, Start, Synapses


def spikes(lif: Lif, sources: Sources, synapses: Synapses, start: Start, steps: int) -> tuple[Array, Array]:
    """(step, neuron) of all spikes of the first ``steps`` steps, ordered.

    A step: voltages and currents over dt by the exact solution, spikes where a voltage that is not held is above the
    threshold, their weights to the targets' currents, reset.
    """
    n, population = sources.neurons, sources.of()
    v, g_e, g_i = start.voltage.astype(float), np.zeros(n), np.zeros(n)
    last = np.full(n, -(10**9))
    held_for = round(lif.refractory / lif.dt)
    e_m, e_e, e_i = (math.exp(-lif.dt / tau) for tau in (lif.membrane, lif.excitatory, lif.inhibitory))
    infinity = lif.rest + lif.drive
    share_e = lif.excitatory / (lif.excitatory - lif.membrane) * (e_e - e_m)
    share_i = lif.inhibitory / (lif.inhibitory - lif.membrane) * (e_i - e_m)
    times, ids = [], []
    for step in range(steps):
        free = step - last >= held_for
        v = np.where(free, infinity + (v - infinity) * e_m + share_e * g_e + share_i * g_i, v)
        g_e, g_i = g_e * e_e, g_i * e_i
        fired = np.flatnonzero(free & (v > lif.threshold))
        for neuron in fired:
            targets = synapses.targets[synapses.starts[neuron] : synapses.starts[neuron + 1]]
            weight = sources.weights[population[neuron]]
            if weight >= 0:
                np.add.at(g_e, targets, weight * lif.excitation)
            else:
                np.add.at(g_i, targets, weight * lif.inhibition)
        v[fired], last[fired] = lif.reset, step
        times.append(np.full(len(fired), step))
        ids.append(fired)
    return np.concatenate(times), np.concatenate(ids)
