"""Kernels that draw synapses: random numbers are functions of seed, connection, neuron and place, in any order.

A synapse is two 32-bit words: the target, shifted by 8, with its delay in steps; and its weight, float32 until
:func:`quantised` makes it an integer. Where delays may pass 255 steps, their higher 8 bits are in an array of their
own, ``late``, which is empty otherwise. Synapses are sorted by sender.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, prange

from engines.api import Array
from engines.backend.threads import in_planes

PROBABILITY, OUTPUTS, ONE_TO_ONE, ALL_TO_ALL, DISTANCE, INPUTS = range(6)
CONSTANT, NORMAL, LOGNORMAL = range(3)
NONE, CONSTANT_DELAY, NORMAL_DELAY, DISTANCE_DELAY = range(4)
WHOLE = 2.0**-53
SHORT, LONGEST = 255, 65535
"""Steps that a delay may take: in the word of its target, and with the byte in ``late``."""
FARTHEST = 6.77
"""Standard deviations that :func:`_normal` may be from its mean."""


class Rule(NamedTuple):
    """Whom a connection joins. kind: PROBABILITY …; seed, salt: of its random numbers; first, stop: its targets;
    values: (4,) probability, -1/2σ² or 0, -1/σ or 0, unused"""

    kind: int
    seed: int
    salt: int
    first: int
    stop: int
    values: Array


class Synapse(NamedTuple):
    """What a synapse's weight and delay are drawn from. numbers: (8,) kind of weight, its mean and spread; kind of
    delay, its mean and spread [steps], steps per µm, unused; places: (n, 3) [µm]; period: (3,) [µm], 0 where there is
    none"""

    numbers: Array
    places: Array
    period: Array


class Drawn(NamedTuple):
    """Where synapses are written. words: (synapses, 2) int32; weights: the same memory as float32; late: (synapses,)
    uint8, or empty"""

    words: Array
    weights: Array
    late: Array


@njit(nogil=True, cache=True)
def _mixed(state):
    """The output function of SplitMix64 (Steele, Lea and Flood 2014)."""
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(nogil=True, cache=True)
def _stream(seed, salt, row):
    """The first state of the stream of a row; salt 0 gives that of ``pairs.random_synapses``."""
    state = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) ^ (np.uint64(row) + np.uint64(1)) * np.uint64(
        0xD1342543DE82EF95
    )
    return state if salt == 0 else _mixed(state ^ np.uint64(salt) * np.uint64(0xA0761D6478BD642F))


@njit(nogil=True, cache=True)
def _normal(bits):
    """A standard normal number from 64 random bits (Box and Muller)."""
    radius = np.sqrt(-2.0 * np.log((np.float64(bits >> np.uint64(32)) + 0.5) * 2.0**-32))
    return radius * np.cos(2.0 * np.pi * np.float64(bits & np.uint64(0xFFFFFFFF)) * 2.0**-32)


@njit(nogil=True, cache=True)
def _apart(places, period, i, j):
    """Distance of two neurons; a period of 0 is none."""
    square = 0.0
    for axis in range(3):
        gap = abs(places[i, axis] - places[j, axis])
        if period[axis] > 0.0:
            gap = min(gap, period[axis] - gap)
        square += gap * gap
    return np.sqrt(square)


@njit(nogil=True, cache=True)
def _put(at, bits, sender, target, numbers, places, period, words, weights, late):
    """Write a synapse at ``at``; arrays as in :class:`Synapse` and :class:`Drawn`, taken out of them by the caller."""
    weight = numbers[1]
    if numbers[0] == NORMAL:
        weight *= max(0.0, 1.0 + numbers[2] * _normal(_mixed(bits)))
    elif numbers[0] == LOGNORMAL:
        variance = np.log1p(numbers[2] * numbers[2])
        weight *= np.exp(np.sqrt(variance) * _normal(_mixed(bits)) - 0.5 * variance)
    delay = 0.0
    if numbers[3] == CONSTANT_DELAY:
        delay = numbers[4]
    elif numbers[3] == NORMAL_DELAY:
        delay = numbers[4] + numbers[5] * _normal(_mixed(bits ^ np.uint64(0xE7037ED1A0B428DB)))
    elif numbers[3] == DISTANCE_DELAY:
        delay = numbers[6] * _apart(places, period, sender, target)
    steps = 0
    if numbers[3] != NONE:
        steps = int(min(max(np.rint(delay), 1.0), np.float64(LONGEST)))
    words[at, 0] = np.int32(target << 8 | (steps & SHORT))
    if len(late):
        late[at] = np.uint8(steps >> 8)
    weights[at, 1] = np.float32(weight)


@njit(nogil=True, cache=True)
def _row(rule, sender, place, number, at, synapse, drawn):
    """Number of synapses that a rule gives a sender; they are written from ``at`` on if that is not negative.

    Gaps between targets are geometric, ln u / ln(1 − p); of ``number`` each target is equally likely. place: of the
    sender in its population. 8 bytes a synapse are written, 9 with long delays; nothing is read but places."""
    kind, first, stop, values = rule.kind, rule.first, rule.stop, rule.values
    numbers, places, period = synapse.numbers, synapse.places, synapse.period
    words, weights, late = drawn.words, drawn.weights, drawn.late
    state = _stream(rule.seed, rule.salt, sender)
    keys = _mixed(state ^ np.uint64(0x8EBC6AF09C88C6E3))
    count, columns = 0, stop - first
    if kind in (ONE_TO_ONE, ALL_TO_ALL) or (kind == PROBABILITY and values[0] >= 1.0):
        begin, end = (place, min(place + 1, columns)) if kind == ONE_TO_ONE else (0, columns)
        for column in range(begin, end):
            if at >= 0:
                bits = _mixed(keys + np.uint64(count + 1) * np.uint64(0x9E3779B97F4A7C15))
                _put(at + count, bits, sender, first + column, numbers, places, period, words, weights, late)
            count += 1
        return count
    if kind == OUTPUTS:
        for column in range(number):
            if at >= 0:
                state += np.uint64(0x9E3779B97F4A7C15)
                chosen = int((_mixed(state) >> np.uint64(32)) * np.uint64(columns) >> np.uint64(32))
                bits = _mixed(keys + np.uint64(column + 1) * np.uint64(0x9E3779B97F4A7C15))
                _put(at + column, bits, sender, first + chosen, numbers, places, period, words, weights, late)
        return number
    if values[0] <= 0.0:
        return 0
    per_skip = 1.0 / np.log1p(-min(values[0], 1.0 - 1e-15))
    column = -1
    while True:
        state += np.uint64(0x9E3779B97F4A7C15)
        skip = np.log((np.float64(_mixed(state) >> np.uint64(11)) + 0.5) * WHOLE) * per_skip
        if skip >= columns - 1 - column:
            return count
        column += 1 + int(skip)
        if kind == DISTANCE:
            apart = _apart(places, period, sender, first + column)
            state += np.uint64(0x9E3779B97F4A7C15)
            chance = np.exp(values[1] * apart * apart + values[2] * apart)
            if np.float64(_mixed(state) >> np.uint64(11)) * WHOLE >= chance:
                continue
        if at >= 0:
            bits = _mixed(keys + np.uint64(count + 1) * np.uint64(0x9E3779B97F4A7C15))
            _put(at + count, bits, sender, first + column, numbers, places, period, words, weights, late)
        count += 1


def shares(parts, seed, salt, first, size, number):
    """(size,) int64: how many of ``number`` synapses each sender has, where each is equally likely to be of any."""
    found = np.zeros((parts, size), np.int64)
    if size > 0:
        _shares(parts, found, seed, salt, first, number)
    return found.sum(axis=0)


@in_planes
@njit(nogil=True, cache=True)
def _shares(first_part, last_part, found, seed, salt, first, number):
    """A row of ``found`` for each part of the synapses."""
    parts, size = found.shape
    state = _stream(seed, salt + 0x20000, first)
    for part in range(first_part, last_part):
        for k in range(part * number // parts, (part + 1) * number // parts):
            bits = _mixed(state + np.uint64(k + 1) * np.uint64(0x9E3779B97F4A7C15))
            found[part, int((bits >> np.uint64(32)) * np.uint64(size) >> np.uint64(32))] += 1


@in_planes
@njit(nogil=True, cache=True)
def by_sender(first, last, fill, rule, senders, outputs, synapse, cursor, drawn):
    """Count (``fill`` false) or write the synapses of a :class:`Rule` that goes by sender, from and to a place among
    the senders.

    senders: (2,) the first, and the one after the last; outputs: (senders,) how many each has, for OUTPUTS; cursor:
    (n,) where each sender's next synapse is written, moves on by them. Bytes: 8 or 9 a synapse are written, 16 a sender
    read and written."""
    for place in range(first, last):
        sender = senders[0] + place
        at = cursor[sender] if fill else -1
        number = outputs[place] if rule.kind == OUTPUTS else 0
        cursor[sender] += _row(rule, sender, place, number, at, synapse, drawn)


@njit(nogil=True, cache=True)
def by_target(fill, rule, senders, number, synapse, cursor, drawn):
    """The same for a fixed number of synapses of each target; one may come twice."""
    numbers, places, period = synapse.numbers, synapse.places, synapse.period
    words, weights, late = drawn.words, drawn.weights, drawn.late
    size = np.uint64(senders[1] - senders[0])
    for target in range(rule.first, rule.stop):
        state = _stream(rule.seed, rule.salt + 0x10000, target)
        keys = _mixed(state ^ np.uint64(0x8EBC6AF09C88C6E3))
        for k in range(number):
            state += np.uint64(0x9E3779B97F4A7C15)
            sender = senders[0] + int((_mixed(state) >> np.uint64(32)) * size >> np.uint64(32))
            if fill:
                bits = _mixed(keys + np.uint64(k + 1) * np.uint64(0x9E3779B97F4A7C15))
                _put(cursor[sender], bits, sender, target, numbers, places, period, words, weights, late)
            cursor[sender] += 1


@njit(nogil=True, cache=True)
def as_listed(pre, post, weight, delay, cursor, drawn):
    """Write given synapses; delays in steps."""
    words, weights, late = drawn
    for k in range(len(pre)):
        at = cursor[pre[k]]
        words[at, 0] = np.int32(post[k] << 8 | (delay[k] & SHORT))
        if len(late):
            late[at] = np.uint8(delay[k] >> 8)
        weights[at, 1] = weight[k]
        cursor[pre[k]] += 1


@njit(parallel=True, nogil=True, cache=True)
def heard(parts, words, weights, sums):
    """Add the sizes of all weights to their targets' sums (parts, n), a row for each thread's share."""
    each = -(-len(words) // parts)
    for part in prange(parts):
        for k in range(part * each, min(part * each + each, len(words))):
            sums[part, words[k, 0] >> 8] += abs(np.float64(weights[k, 1]))


@njit(nogil=True, cache=True)
def longest(words, late):
    """The longest delay [steps]."""
    far = 0
    for k in range(len(words)):
        far = max(far, (words[k, 0] & SHORT) + (np.int64(late[k]) << 8 if len(late) else 0))
    return far


@njit(nogil=True, cache=True)
def shortest(words, late, most):
    """The shortest delay [steps], or ``most`` where none is shorter."""
    near = most
    for k in range(len(words)):
        near = min(near, (words[k, 0] & SHORT) + (np.int64(late[k]) << 8 if len(late) else 0))
    return near


@njit(parallel=True, nogil=True, cache=True)
def quantised(words, weights, quantum):
    """Weights as integers, in place."""
    for k in prange(len(words)):
        words[k, 1] = np.int32(np.rint(np.float64(weights[k, 1]) / quantum))
