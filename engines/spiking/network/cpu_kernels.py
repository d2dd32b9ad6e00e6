"""Kernels of a network on the CPU. Every product and sum is rounded to float32 one by one, in the order of
``models.cuh``: both backends give the same spikes bit for bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

from engines.backend.compile.digest import digest, noticing
from engines.spiking.neurons import cpu_models
from engines.spiking.neurons import rows as model_rows
from engines.spiking.neurons.cpu_models import (
    conductance_lif,
    exp,
    expm1,
    fired_adaptive,
    hodgkin_huxley,
    izhikevich,
    log,
    potassium_opens,
    sodium_inactivates,
    sodium_opens,
)
from engines.spiking.neurons.rows import ChannelRow, Kind
from engines.spiking.typed import cpu_call
from engines.spiking.typed.cpu_call import kernel_at

CHUNK = 8192
"""Neurons of a thread's turn; a multiple of 8."""
_0, _1, _2, _HALF, _ARGUMENT, _LEAST = (np.float32(value) for value in (0, 1, 2, 0.5, 40, 1e-7))
FADED = np.float32(model_rows.FADED)


@njit(nogil=True, cache=True)
def _bits(key, now, n, i):
    """64 random bits of a neuron and step (SplitMix64)."""
    state = key + (np.uint64(now) * np.uint64(n) + np.uint64(i) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(nogil=True, cache=True)
def _from_outside(first, now, n, key, chances, outside, arrived_e, arrived_i):
    """Spikes from outside of neurons from ``first`` on, into what arrives now."""
    weight, entries = outside[1], outside[0]
    arrived = arrived_i if weight < 0 else arrived_e
    for i in range(len(arrived)):
        word = np.uint32(_bits(key, now, n, first + i) & np.uint64(0xFFFFFFFF))
        k = 0
        while k < entries and word >= chances[k]:
            k += 1
        arrived[i] += np.int32(k * weight)


# The loops below take slices that begin at the population's (or the chunk's) first neuron, and each does one thing: so
# the compiler knows that no index is negative, and puts them into vector registers.


@njit(nogil=True, cache=True)
def _arrive(scale, arrived, g):
    """What arrives now is added to ``g``."""
    for i in range(len(g)):
        g[i] = g[i] + np.float32(arrived[i]) * scale
        arrived[i] = 0


@njit(nogil=True, cache=True)
@noticing(model_rows)
def _decay(loss, g):
    for i in range(len(g)):
        left = g[i] + g[i] * loss
        g[i] = _0 if abs(left) < FADED else left


@njit(nogil=True, cache=True)
@noticing(model_rows)
def _rise(loss, rise, g):
    """Synapses that are alpha functions after a step."""
    for i in range(len(g)):
        given = g[i] + rise[i]
        left, to_come = given + given * loss, rise[i] + rise[i] * loss
        g[i] = _0 if abs(left) < FADED else left
        rise[i] = _0 if abs(to_come) < FADED else to_come


@njit(nogil=True, cache=True)
def _drive(first, now, n, random, p, base):
    """The current into each neuron, with its noise."""
    current, noise = p.current, p.noise
    if noise == _0:
        base[:] = current
        return
    key, values = random.key, random.values
    for i in range(len(base)):
        word = _bits(key, now, n, first + i) >> np.uint64(32)
        drawn = values[word & np.uint64(4095)] + values[(word >> np.uint64(12)) & np.uint64(4095)]
        base[i] = current + noise * drawn


@njit(nogil=True, cache=True)
def _sources(first, now, n, key, chance, release, fired):
    for i in range(len(fired)):
        drawn = np.uint32(_bits(key, now, n, first + i) & np.uint64(0xFFFFFFFF)) < chance
        fired[i] = drawn & (release[i] <= now)


@njit(nogil=True, cache=True)
def _listed_sources(first, now, starts, steps, release, fired):
    """Sources that fire by a list, too: ``now`` is looked for among the steps of each, which are in order."""
    for i in range(len(fired)):
        low, high = starts[first + i], starts[first + i + 1]
        while low < high:
            middle = (low + high) >> 1
            if steps[middle] < now:
                low = middle + 1
            else:
                high = middle
        if low < starts[first + i + 1] and steps[low] == now:
            fired[i] = release[i] <= now


@njit(nogil=True, cache=True)
@noticing(model_rows)
def _lif_neurons(now, p, base, voltage, g_e, g_i, release, fired):
    threshold, reset, loss, gain_e, gain_i = p.threshold, p.reset, p.loss, p.gain_e, p.gain_i
    for i in range(len(voltage)):
        held = voltage[i]
        moved = held + ((loss * held + base[i]) + (gain_e * g_e[i] + gain_i * g_i[i]))
        ready = release[i] <= now
        moved = moved if ready else held
        fires = ready & (moved > threshold)
        moved = _0 if abs(moved) < FADED else moved
        voltage[i] = reset if fires else moved
        fired[i] = fires


@njit(nogil=True, cache=True)
@noticing(model_rows)
def _rising_lif_neurons(now, p, base, voltage, g_e, g_i, rise_e, rise_i, release, fired):
    """With synapses that are alpha functions."""
    threshold, reset, loss, gain_e, gain_i = p.threshold, p.reset, p.loss, p.gain_e, p.gain_i
    more_e, more_i = p.rise_gain_e, p.rise_gain_i
    for i in range(len(voltage)):
        held = voltage[i]
        given = (loss * held + base[i]) + (gain_e * g_e[i] + gain_i * g_i[i])
        moved = held + (given + (more_e * rise_e[i] + more_i * rise_i[i]))
        ready = release[i] <= now
        moved = moved if ready else held
        fires = ready & (moved > threshold)
        moved = _0 if abs(moved) < FADED else moved
        voltage[i] = reset if fires else moved
        fired[i] = fires


@njit(nogil=True, error_model="numpy")
def _conductance_neurons(now, p, base, voltage, g_e, g_i, release, fired):
    threshold, reset = p.threshold, p.reset
    for i in range(len(voltage)):
        held = voltage[i]
        ready = release[i] <= now
        moved = conductance_lif(p, held, g_e[i], g_i[i], base[i])
        moved = moved if ready else held
        fires = ready & (moved > threshold)
        moved = _0 if abs(moved) < FADED else moved
        voltage[i] = reset if fires else moved
        fired[i] = fires


@njit(nogil=True)
def _izhikevich_neurons(now, p, base, voltage, recovery, g_e, g_i, release, fired):
    threshold, reset, jump = p.threshold, p.reset, p.jump
    for i in range(len(voltage)):
        held = voltage[i]
        ready = release[i] <= now
        moved, follows = izhikevich(p, held, recovery[i], g_e[i], g_i[i], base[i])
        fires = ready & (moved >= threshold)
        moved = moved if ready else held
        voltage[i] = reset if fires else moved
        recovery[i] = follows + jump if fires else follows
        fired[i] = fires


@njit(nogil=True, error_model="numpy")
def _adaptive_neurons(now, p, base, voltage, recovery, g_e, g_i, release, fired):
    """A step of the linear part's halves, each exact, around the exponential one, which is exact too: e^(−v/Δ) falls
    evenly. The adaptation takes its step at the mean voltage of the latter."""
    # read before the loop: with so many numbers of a record in it the compiler gives up vector registers
    threshold, rate, leak, rest, soft_threshold = p.threshold, p.rate, p.leak, p.rest, p.soft_threshold
    per_slope, at_peak, recovery_loss, adaptation = p.per_slope, p.at_peak, p.recovery_loss, p.adaptation
    reversal_e, reversal_i, conducts, per_leak = p.reversal_e, p.reversal_i, p.conducts, (-_2 * p.rate) * p.leak
    for i in range(len(voltage)):
        v, w = voltage[i], recovery[i]
        total = leak + conducts * (g_e[i] + g_i[i])
        drive = base[i] + (g_e[i] * reversal_e + g_i[i] * reversal_i)
        loss = expm1(rate * total)
        begun = v - ((drive - w) / total - v) * loss
        power = exp(min((begun - soft_threshold) * per_slope, _ARGUMENT))
        left = _1 - per_leak * power
        passes = (left <= power * at_peak) | (not left > _LEAST)
        risen = begun - log(_1 if passes else left) / per_slope
        ready = release[i] <= now
        seen = _HALF * (begun + risen) if ready else v
        follows = w - (adaptation * (seen - rest) - w) * recovery_loss
        moved = risen - ((drive - follows) / total - risen) * loss
        fires = ready & (passes | (moved > threshold))
        moved = moved if ready else v
        voltage[i] = v if fires else moved
        recovery[i] = w if fires else follows
        fired[i] = fires
    for i in range(len(voltage)):
        if fired[i]:
            voltage[i], recovery[i] = fired_adaptive(p, voltage[i], recovery[i], g_e[i], g_i[i], base[i])


@njit(nogil=True, error_model="numpy")
def _move_channels(own, voltage, m, h, n, g_e, g_i, base, halves):
    for i in range(len(voltage)):
        voltage[i] = hodgkin_huxley(own, voltage[i], m[i], h[i], n[i], g_e[i], g_i[i], base[i], halves)


@njit(nogil=True, error_model="numpy")
def _channel_neurons(now, p, base, voltage, m, h, n, g_e, g_i, release, fired):
    """Sub-steps of halves of the voltage's around the gates', two in one between."""
    threshold, substeps = p.threshold, int(p.substeps)
    # as in ``_adaptive_neurons``
    own = ChannelRow(p.rate, p.leak, p.substeps, p.sodium, p.sodium_reversal, p.potassium, p.potassium_reversal,
                     p.shift, p.gate_rate, p.reversal_e, p.reversal_i, p.conducts)  # fmt: skip
    for i in range(len(voltage)):
        fired[i] = (release[i] <= now) & (voltage[i] <= threshold)
    _move_channels(own, voltage, m, h, n, g_e, g_i, base, _1)
    for k in range(1, substeps + 1):
        for i in range(len(voltage)):
            m[i] = sodium_opens(own, voltage[i], m[i])
        for i in range(len(voltage)):
            h[i] = sodium_inactivates(own, voltage[i], h[i])
        for i in range(len(voltage)):
            n[i] = potassium_opens(own, voltage[i], n[i])
        _move_channels(own, voltage, m, h, n, g_e, g_i, base, _2 if k < substeps else _1)
    for i in range(len(voltage)):
        fired[i] = fired[i] & (voltage[i] > threshold)


@njit(nogil=True, cache=True)
def _record_given(first, now, recorded, rising, g_e, g_i, rise_e, rise_i):
    """What synapses give those of the watched neurons in a step that are among these, from ``first`` on."""
    row = recorded.kept[now % len(recorded.kept)]
    for k in range(len(recorded.watched)):
        i = recorded.watched[k] - first
        if 0 <= i < len(g_e):
            row[1, k] = g_e[i] + rise_e[i] if rising else g_e[i]
            row[2, k] = g_i[i] + rise_i[i] if rising else g_i[i]


@njit(nogil=True)
def update(k, first, stop, now, populations, rows, random, base, arrived, state, firing, recorded):
    """One step of neurons first … stop − 1, which are of population ``k``."""
    model, n = populations.models[k], len(state.voltage)
    own = slice(first, stop)
    arrived_e, arrived_i, release, fired = arrived[0, own], arrived[1, own], firing.release[own], firing.fired[own]
    if model == Kind.POISSON:
        _sources(first, now, n, random.key, populations.chances[k, 0], release, fired)
        if len(populations.spike_steps):
            _listed_sources(first, now, populations.spike_starts, populations.spike_steps, release, fired)
        arrived_e[:] = 0
        arrived_i[:] = 0
        return
    outside = populations.outside[k]
    if outside[0] > 0:
        _from_outside(first, now, n, random.key, populations.chances[k], outside, arrived_e, arrived_i)
    p = rows.common[k]
    base, voltage, g_e, g_i = base[own], state.voltage[own], state.g_e[own], state.g_i[own]
    _drive(first, now, n, random, p, base)
    if model >= Kind.TYPED:
        kernel_at(populations.typed[k])(
            now, first, (p.scale_e, p.scale_i),
            (arrived_e, arrived_i, base, voltage, g_e, g_i, state.recovery[own], state.more, release, fired,
             populations.numbers[k]),
        )  # fmt: skip
        if len(recorded.watched):
            _record_given(first, now, recorded, False, g_e, g_i, g_e, g_i)
        return
    rising = p.rising != _0
    rise_e, rise_i = (state.rise[0, own], state.rise[1, own]) if rising else (g_e, g_i)
    _arrive(p.scale_e, arrived_e, rise_e)
    _arrive(p.scale_i, arrived_i, rise_i)
    if model == Kind.LIF and rising:
        _rising_lif_neurons(now, rows.lif[k], base, voltage, g_e, g_i, rise_e, rise_i, release, fired)
    elif model == Kind.LIF:
        _lif_neurons(now, rows.lif[k], base, voltage, g_e, g_i, release, fired)
    elif model == Kind.CONDUCTANCE:
        _conductance_neurons(now, rows.conductance[k], base, voltage, g_e, g_i, release, fired)
    elif model == Kind.IZHIKEVICH:
        _izhikevich_neurons(now, rows.izhikevich[k], base, voltage, state.recovery[own], g_e, g_i, release, fired)
    elif model == Kind.ADAPTIVE:
        _adaptive_neurons(now, rows.adaptive[k], base, voltage, state.recovery[own], g_e, g_i, release, fired)
    else:
        m, h, potassium = state.gates[0][own], state.gates[1][own], state.gates[2][own]
        _channel_neurons(now, rows.channel[k], base, voltage, m, h, potassium, g_e, g_i, release, fired)
    if len(recorded.watched):
        _record_given(first, now, recorded, rising, g_e, g_i, rise_e, rise_i)
    if rising:
        _rise(p.loss_e, rise_e, g_e)
        _rise(p.loss_i, rise_i, g_i)
    else:
        _decay(p.loss_e, g_e)
        _decay(p.loss_i, g_i)


@njit(nogil=True, cache=True, inline="always")
def clear(now, counts):
    """The row of the history for a step."""
    row = counts.history[now % counts.history.shape[0]]
    row[:] = 0


@njit(nogil=True, cache=True, inline="always")
def deliver(now, populations, synapses, firing, counts):
    """What follows from the spikes of a step: their targets' input at its time, and what is counted; its row of the
    history was cleared."""
    bounds, starts, words, ring = populations.bounds, synapses.starts, synapses.words, synapses.ring
    late = synapses.late
    fired, eights, release = firing.fired, firing.eights, firing.release
    spikes, last, interval, interval_square = counts.spikes, counts.last, counts.interval, counts.interval_square
    row = counts.history[now % counts.history.shape[0]]
    mask = len(ring) - 1
    for eight in range(len(eights)):
        if eights[eight] == 0:
            continue
        for i in range(8 * eight, min(8 * eight + 8, len(spikes))):
            if not fired[i]:
                continue
            population = 0
            while i >= bounds[population + 1]:
                population += 1
            if len(late):
                for k in range(starts[i], starts[i + 1]):
                    synapse, weight, delay = words[k, 0], words[k, 1], (np.int32(late[k]) << 8) | (words[k, 0] & 255)
                    ring[(now + 1 + delay) & mask, 1 if weight < 0 else 0, synapse >> 8] += weight
            else:
                for k in range(starts[i], starts[i + 1]):
                    synapse, weight = words[k, 0], words[k, 1]
                    ring[(now + 1 + (synapse & 255)) & mask, 1 if weight < 0 else 0, synapse >> 8] += weight
            if spikes[i]:
                since = np.float64(now - last[i])
                interval[i] += since
                interval_square[i] += since * since
            spikes[i] += 1
            last[i] = now
            release[i] = now + populations.refractory[population]
            counts.population_spikes[population] += 1
            counts.events[0] += starts[i + 1] - starts[i]
            if i % counts.stride == 0:
                row[i // counts.stride] = 1


@njit(nogil=True, cache=True, inline="always")
def _record(now, recorded, state, last):
    """The state of the watched neurons after a step."""
    row = recorded.kept[now % len(recorded.kept)]
    for k in range(len(recorded.watched)):
        i = recorded.watched[k]
        if i >= 0:
            row[0, k], row[3, k], row[4, k] = state.voltage[i], state.recovery[i], np.float32(last[i] == now)


def _compiled_run(sources: int) -> Any:
    """``run``; ``sources`` is a digest of the other file's code in it, for Numba's cache."""

    @njit(nogil=True, cache=True)
    def run(steps, clock, populations, rows, random, synapses, state, firing, counts, recorded):
        """Steps on one core: neurons of each population by their model (``cpu_models.py``), then what arrives of their
        spikes.

        Arrays as the structs of ``cpu_arguments.py`` tell; clock: (1,) int32, the next step. Bytes: as in
        ``network.cu``, 44 of a neuron and what its model has besides, 16 of each synaptic event.
        """
        base, bounds = np.empty(len(state.voltage), np.float32), populations.bounds
        ring = synapses.ring
        for _ in range(steps if sources >= 0 else 0):
            now = clock[0]
            arrived = ring[now & (len(ring) - 1)]
            for k in range(len(populations.models)):
                update(
                    k, bounds[k], bounds[k + 1], now, populations, rows, random, base, arrived, state, firing, recorded
                )  # fmt: skip
            clear(now, counts)
            deliver(now, populations, synapses, firing, counts)
            if len(recorded.watched):
                _record(now, recorded, state, counts.last)
            clock[0] = now + 1

    return run


def _compiled_run_shared(sources: int) -> Any:
    """``run_shared``; ``sources`` is a digest of the other file's code in it, for Numba's cache."""

    @njit(parallel=True, nogil=True, cache=True)
    def run_shared(steps, clock, populations, rows, random, synapses, state, firing, counts, recorded):
        """The same, neurons shared among threads."""
        n, bounds, ring = len(state.voltage), populations.bounds, synapses.ring
        base = np.empty(n, np.float32)
        for _ in range(steps if sources >= 0 else 0):
            now = clock[0]
            arrived = ring[now & (len(ring) - 1)]
            for chunk in prange(-(-n // CHUNK)):
                begin, end = chunk * CHUNK, min(chunk * CHUNK + CHUNK, n)
                for k in range(len(populations.models)):
                    first, stop = max(begin, bounds[k]), min(end, bounds[k + 1])
                    if first < stop:
                        update(
                            k, first, stop, now, populations, rows, random, base, arrived, state, firing, recorded
                        )  # fmt: skip
            clear(now, counts)
            deliver(now, populations, synapses, firing, counts)
            if len(recorded.watched):
                _record(now, recorded, state, counts.last)
            clock[0] = now + 1

    return run_shared


SOURCES = digest(cpu_models, model_rows, cpu_call)
run, run_shared = _compiled_run(SOURCES), _compiled_run_shared(SOURCES)
