"""Kernels of a network on the CPU. Every product and sum is rounded to float32 one by one, in the order of
``models.cuh``: both backends give the same spikes bit for bit.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

CHUNK = 8192
"""Neurons of a thread's turn; a multiple of 8."""
LIF, CONDUCTANCE, IZHIKEVICH, ADAPTIVE, HODGKIN_HUXLEY, POISSON = range(6)
RISING = 20
"""As in ``constants.py``."""
_0, _1, _2, _4, _5, _HALF = (np.float32(value) for value in (0, 1, 2, 4, 5, 0.5))
_140, _004, _ARGUMENT = np.float32(140), np.float32(0.04), np.float32(40)
_LOWEST, _HIGHEST = np.float32(-87), np.float32(88)
_LOG2E, _LN2_HIGH, _LN2_LOW = np.float32(1.44269504), np.float32(0.693359375), np.float32(-2.12194440e-4)
_E5, _E4, _E3, _E2, _E1, _E0 = (
    np.float32(value)
    for value in (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
)
_FLAT = np.float32(1e-4)
FADED = np.float32(1e-20)
"""As in ``models.cuh``."""
_3, _13, _15, _17, _18, _40 = (np.float32(value) for value in (3, 13, 15, 17, 18, 40))
_A_M, _B_M, _A_H, _A_N = (np.float32(value) for value in (1.28, 1.4, 0.128, 0.16))


@njit(nogil=True, cache=True, error_model="numpy")
def expm1(x):
    """e^x − 1 (Cephes' polynomial; 2^k by its bits), the same bits as on a GPU."""
    x = x if x > _LOWEST else _LOWEST
    x = x if x < _HIGHEST else _HIGHEST
    k = np.floor(x * _LOG2E + _HALF)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    p = ((((_E5 * r + _E4) * r + _E3) * r + _E2) * r + _E1) * r + _E0
    q = (p * r) * r + r
    s = np.int32((np.int32(k) + np.int32(127)) << np.int32(23)).view(np.float32)
    return q * s + (s - _1)


@njit(nogil=True, cache=True, error_model="numpy")
def _linear(y):
    """y/(e^y − 1)"""
    return _1 - y * _HALF if abs(y) < _FLAT else y / expm1(y)


@njit(nogil=True, cache=True, error_model="numpy")
def _gate(value, opens, closes, step):
    """A gate after a step at fixed voltage; ``step`` is −dt."""
    both = opens + closes
    return value - (opens / both - value) * expm1(step * both)


@njit(nogil=True, cache=True, error_model="numpy")
def conductance_lif(p, v, g_e, g_i, base):
    total = (_1 + g_e) + g_i
    target = (base + (g_e * p[9] + g_i * p[10])) / total
    return v - (target - v) * expm1(p[8] * total)


@njit(nogil=True, cache=True)
def izhikevich(p, v, u, g_e, g_i, base):
    current = (base + (g_e + g_i)) - u
    v = v + p[8] * (((_004 * v + _5) * v + _140) + current)
    v = v + p[8] * (((_004 * v + _5) * v + _140) + current)
    return v, u + p[9] * (p[10] * v - u)


@njit(nogil=True, cache=True)
def adaptive(p, v, w, g_e, g_i, base):
    seen = p[19] * v
    synapses = g_e * (p[17] - seen) + g_i * (p[18] - seen)
    bend = p[13] * (expm1(min((v - p[11]) * p[12], _ARGUMENT)) + _1)
    slope = ((p[9] * (p[10] - v) + bend) + (base + synapses)) - w
    return v + p[8] * slope, w + p[14] * (p[15] * (v - p[10]) - w)


@njit(nogil=True, cache=True, error_model="numpy")
def channels(p, v, m, h, n):
    """The gates after a step."""
    x = v - p[15]
    m = _gate(m, _A_M * _linear((_13 - x) / _4), _B_M * _linear((x - _40) / _5), p[16])
    h = _gate(h, _A_H * (expm1((_17 - x) / _18) + _1), _4 / (expm1((_40 - x) / _5) + _2), p[16])
    n = _gate(n, _A_N * _linear((_15 - x) / _5), _HALF * (expm1((np.float32(10) - x) / _40) + _1), p[16])
    return m, h, n


@njit(nogil=True, cache=True, error_model="numpy")
def hodgkin_huxley(p, v, m, h, n, g_e, g_i, base):
    sodium = p[11] * (((m * m) * m) * h)
    potassium = p[13] * ((n * n) * (n * n))
    total = ((p[9] + sodium) + potassium) + p[19] * (g_e + g_i)
    driven = ((p[10] + sodium * p[12]) + potassium * p[14]) + (base + (g_e * p[17] + g_i * p[18]))
    return v - (driven / total - v) * expm1(p[8] * total)


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
def _decay(loss, g):
    for i in range(len(g)):
        left = g[i] + g[i] * loss
        g[i] = _0 if abs(left) < FADED else left


@njit(nogil=True, cache=True)
def _rise(loss, rise, g):
    """Synapses that are alpha functions after a step."""
    for i in range(len(g)):
        given = g[i] + rise[i]
        left, to_come = given + given * loss, rise[i] + rise[i] * loss
        g[i] = _0 if abs(left) < FADED else left
        rise[i] = _0 if abs(to_come) < FADED else to_come


@njit(nogil=True, cache=True)
def _drive(first, now, n, key, p, noises, base):
    """The current into each neuron, with its noise."""
    if p[7] == _0:
        base[:] = p[6]
        return
    for i in range(len(base)):
        word = _bits(key, now, n, first + i) >> np.uint64(32)
        noise = noises[word & np.uint64(4095)] + noises[(word >> np.uint64(12)) & np.uint64(4095)]
        base[i] = p[6] + p[7] * noise


@njit(nogil=True, cache=True)
def _sources(first, now, n, key, chance, release, fired):
    for i in range(len(fired)):
        drawn = np.uint32(_bits(key, now, n, first + i) & np.uint64(0xFFFFFFFF)) < chance
        fired[i] = drawn & (release[i] <= now)


@njit(nogil=True, cache=True)
def _lif_neurons(now, p, base, voltage, g_e, g_i, release, fired):
    threshold, reset, leak, gain_e, gain_i = p[4], p[5], p[8], p[9], p[10]
    for i in range(len(voltage)):
        held = voltage[i]
        moved = held + ((leak * held + base[i]) + (gain_e * g_e[i] + gain_i * g_i[i]))
        ready = release[i] <= now
        moved = moved if ready else held
        fires = ready & (moved > threshold)
        moved = _0 if abs(moved) < FADED else moved
        voltage[i] = reset if fires else moved
        fired[i] = fires


@njit(nogil=True, cache=True)
def _rising_lif_neurons(now, p, base, voltage, g_e, g_i, rise_e, rise_i, release, fired):
    """With synapses that are alpha functions."""
    threshold, reset, leak, gain_e, gain_i, more_e, more_i = p[4], p[5], p[8], p[9], p[10], p[11], p[12]
    for i in range(len(voltage)):
        held = voltage[i]
        given = (leak * held + base[i]) + (gain_e * g_e[i] + gain_i * g_i[i])
        moved = held + (given + (more_e * rise_e[i] + more_i * rise_i[i]))
        ready = release[i] <= now
        moved = moved if ready else held
        fires = ready & (moved > threshold)
        moved = _0 if abs(moved) < FADED else moved
        voltage[i] = reset if fires else moved
        fired[i] = fires


@njit(nogil=True, cache=True, error_model="numpy")
def _conductance_neurons(now, p, base, voltage, g_e, g_i, release, fired):
    threshold, reset = p[4], p[5]
    for i in range(len(voltage)):
        held = voltage[i]
        ready = release[i] <= now
        moved = conductance_lif(p, held, g_e[i], g_i[i], base[i])
        moved = moved if ready else held
        fires = ready & (moved > threshold)
        moved = _0 if abs(moved) < FADED else moved
        voltage[i] = reset if fires else moved
        fired[i] = fires


@njit(nogil=True, cache=True)
def _recovering_neurons(model, now, p, base, voltage, recovery, g_e, g_i, release, fired):
    """Izhikevich's and adaptive exponential ones."""
    threshold, reset = p[4], p[5]
    for i in range(len(voltage)):
        held = voltage[i]
        ready = release[i] <= now
        if model == IZHIKEVICH:
            moved, follows = izhikevich(p, held, recovery[i], g_e[i], g_i[i], base[i])
            jump = p[11]
            fires = ready & (moved >= threshold)
        else:
            moved, follows = adaptive(p, held, recovery[i], g_e[i], g_i[i], base[i])
            jump = p[16]
            fires = ready & (moved > threshold)
        moved = moved if ready else held
        voltage[i] = reset if fires else moved
        recovery[i] = follows + jump if fires else follows
        fired[i] = fires


@njit(nogil=True, cache=True, error_model="numpy")
def _channel_neurons(now, p, base, voltage, gates, g_e, g_i, release, fired):
    threshold = p[4]
    for i in range(len(voltage)):
        held = voltage[i]
        m, h, potassium = channels(p, held, gates[0, i], gates[1, i], gates[2, i])
        gates[0, i] = m
        gates[1, i] = h
        gates[2, i] = potassium
        moved = hodgkin_huxley(p, held, m, h, potassium, g_e[i], g_i[i], base[i])
        fired[i] = (release[i] <= now) & (held <= threshold) & (moved > threshold)
        voltage[i] = moved


@njit(nogil=True, cache=True)
def _record_given(first, now, watched, kept, rising, g_e, g_i, rise_e, rise_i):
    """What synapses give those of ``watched`` neurons in a step that are among these, from ``first`` on."""
    row = kept[now % len(kept)]
    for k in range(len(watched)):
        i = watched[k] - first
        if 0 <= i < len(g_e):
            row[1, k] = g_e[i] + rise_e[i] if rising else g_e[i]
            row[2, k] = g_i[i] + rise_i[i] if rising else g_i[i]


@njit(nogil=True, cache=True)
def _update(
    model, first, stop, now, key, p, chances, outside, noises, rise, base, voltage, recovery, gates, g_e, g_i, arrived,
    release, fired, watched, kept,
):  # fmt: skip
    """One step of neurons first … stop − 1, which are of one population."""
    n = len(voltage)
    own = slice(first, stop)
    arrived_e, arrived_i, release, fired = arrived[0, own], arrived[1, own], release[own], fired[own]
    if model == POISSON:
        _sources(first, now, n, key, chances[0], release, fired)
        arrived_e[:] = 0
        arrived_i[:] = 0
        return
    if outside[0] > 0:
        _from_outside(first, now, n, key, chances, outside, arrived_e, arrived_i)
    base, voltage, g_e, g_i = base[own], voltage[own], g_e[own], g_i[own]
    _drive(first, now, n, key, p, noises, base)
    rising = p[RISING] != _0
    rise_e, rise_i = (rise[0, own], rise[1, own]) if rising else (g_e, g_i)
    _arrive(p[0], arrived_e, rise_e)
    _arrive(p[1], arrived_i, rise_i)
    if model == LIF and rising:
        _rising_lif_neurons(now, p, base, voltage, g_e, g_i, rise_e, rise_i, release, fired)
    elif model == LIF:
        _lif_neurons(now, p, base, voltage, g_e, g_i, release, fired)
    elif model == CONDUCTANCE:
        _conductance_neurons(now, p, base, voltage, g_e, g_i, release, fired)
    elif model == HODGKIN_HUXLEY:
        _channel_neurons(now, p, base, voltage, gates[:, own], g_e, g_i, release, fired)
    else:
        _recovering_neurons(model, now, p, base, voltage, recovery[own], g_e, g_i, release, fired)
    _record_given(first, now, watched, kept, rising, g_e, g_i, rise_e, rise_i)
    if rising:
        _rise(p[2], rise_e, g_e)
        _rise(p[3], rise_i, g_i)
    else:
        _decay(p[2], g_e)
        _decay(p[3], g_i)


@njit(nogil=True, cache=True)
def _deliver(
    fired, words, now, refractory, stride, bounds, starts, synapses, ring, release, last, spikes, interval,
    interval_square, population_spikes, events, history,
):  # fmt: skip
    """What follows from the spikes of a step: their targets' input at its time, and what is counted."""
    row = history[now % history.shape[0]]
    row[:] = 0
    mask = len(ring) - 1
    for word in range(len(words)):
        if words[word] == 0:
            continue
        for i in range(8 * word, min(8 * word + 8, len(spikes))):
            if not fired[i]:
                continue
            population = 0
            while i >= bounds[population + 1]:
                population += 1
            for k in range(starts[i], starts[i + 1]):
                synapse, weight = synapses[k, 0], synapses[k, 1]
                ring[(now + 1 + (synapse & 255)) & mask, 1 if weight < 0 else 0, synapse >> 8] += weight
            if spikes[i]:
                since = np.float64(now - last[i])
                interval[i] += since
                interval_square[i] += since * since
            spikes[i] += 1
            last[i] = now
            release[i] = now + refractory[population]
            population_spikes[population] += 1
            events[0] += starts[i + 1] - starts[i]
            if i % stride == 0:
                row[i // stride] = 1


@njit(nogil=True, cache=True)
def _record(now, watched, kept, voltage, recovery, last):
    """The state of ``watched`` neurons after a step; none if there is none."""
    row = kept[now % len(kept)]
    for k in range(len(watched)):
        i = watched[k]
        if i >= 0:
            row[0, k], row[3, k], row[4, k] = voltage[i], recovery[i], np.float32(last[i] == now)


@njit(nogil=True, cache=True)
def run(
    steps, key, stride, fired, words, bounds, models, refractory, noises, starts, synapses, rise, parameters,
    chances, outside, voltage, recovery, gates, g_e, g_i, ring, release, last, spikes, interval, interval_square,
    population_spikes, events, clock, history, watched, kept,
):  # fmt: skip
    """Steps on one core."""
    base = np.empty(len(voltage), np.float32)
    for _ in range(steps):
        now = clock[0]
        arrived = ring[now & (len(ring) - 1)]
        for k in range(len(models)):
            _update(
                models[k], bounds[k], bounds[k + 1], now, key, parameters[k], chances[k], outside[k], noises, rise,
                base, voltage, recovery, gates, g_e, g_i, arrived, release, fired, watched, kept,
            )  # fmt: skip
        _deliver(
            fired, words, now, refractory, stride, bounds, starts, synapses, ring, release, last, spikes, interval,
            interval_square, population_spikes, events, history,
        )  # fmt: skip
        _record(now, watched, kept, voltage, recovery, last)
        clock[0] = now + 1


@njit(parallel=True, nogil=True, cache=True)
def run_shared(
    steps, key, stride, fired, words, bounds, models, refractory, noises, starts, synapses, rise, parameters,
    chances, outside, voltage, recovery, gates, g_e, g_i, ring, release, last, spikes, interval, interval_square,
    population_spikes, events, clock, history, watched, kept,
):  # fmt: skip
    """The same, neurons shared among threads."""
    n = len(voltage)
    base = np.empty(n, np.float32)
    for _ in range(steps):
        now = clock[0]
        arrived = ring[now & (len(ring) - 1)]
        for chunk in prange(-(-n // CHUNK)):
            begin, end = chunk * CHUNK, min(chunk * CHUNK + CHUNK, n)
            for k in range(len(models)):
                first, stop = max(begin, bounds[k]), min(end, bounds[k + 1])
                if first < stop:
                    _update(
                        models[k], first, stop, now, key, parameters[k], chances[k], outside[k], noises, rise, base,
                        voltage, recovery, gates, g_e, g_i, arrived, release, fired, watched, kept,
                    )  # fmt: skip
        _deliver(
            fired, words, now, refractory, stride, bounds, starts, synapses, ring, release, last, spikes, interval,
            interval_square, population_spikes, events, history,
        )  # fmt: skip
        _record(now, watched, kept, voltage, recovery, last)
        clock[0] = now + 1
