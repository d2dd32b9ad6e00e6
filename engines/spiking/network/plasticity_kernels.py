"""Kernels of changing weights on the CPU; the twins of those in ``plasticity.cu``, to the bit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from engines.api import Array
from engines.backend.compile.digest import noticing
from engines.spiking.neurons import rows

FADED = np.float32(rows.FADED)


class Block(NamedTuple):
    """Synapses with one rule, sorted by sender and listed by target, see ``connectivity.plastic.Plastic``;
    coefficients: (9,) float32, ``connectivity.plastic.coefficients``"""

    starts: Array
    words: Array
    late: Array
    into: Array
    listed: Array
    coefficients: Array


@njit(nogil=True, cache=True)
@noticing(rows)
def change(fired, now, block, weights, sent, heard, ring, events):
    """The changes of one step, after its neurons: each sender's spike delivers and takes down, each target's takes up,
    both by the traces of the steps before; then the traces move on. A pair in the same step changes nothing.

    w ← w − (c2 + c3 w) heard, w ← w + (c0 + c1 w) sent, within bounds; traces x ← x + s + c6 (x + s), s 1 for a spike.
    block: :class:`Block`; weights: (synapses,); sent, heard: (n,) traces; ring: (slots, 2, n) int32 of what is under
    way. Bytes: 17 of each neuron; those of an event are told in ``plasticity.cu``.
    """
    starts, words, late, into, listed, c = block
    mask, n = len(ring) - 1, len(fired)
    for i in range(n):
        if not fired[i]:
            continue
        for k in range(starts[i], starts[i + 1]):
            word, weight = words[k, 0], weights[k]
            delay = (word & 255) | (np.int32(late[k]) << 8) if len(late) else word & 255
            ring[(now + 1 + delay) & mask, 0, word >> 8] += np.int32(np.rint(weight * c[8]))
            weights[k] = min(max(weight - (c[2] + c[3] * weight) * heard[word >> 8], c[4]), c[5])
        events[0] += starts[i + 1] - starts[i]
    for i in range(n):
        if not fired[i]:
            continue
        for place in range(into[i], into[i + 1]):
            k = listed[place]
            weight = weights[k]
            weights[k] = min(max(weight + (c[0] + c[1] * weight) * sent[words[k, 1]], c[4]), c[5])
    for i in range(n):
        spike = np.float32(fired[i])
        before, after = sent[i] + spike, heard[i] + spike
        before, after = before + before * c[6], after + after * c[7]
        sent[i] = np.float32(0) if abs(before) < FADED else before
        heard[i] = np.float32(0) if abs(after) < FADED else after
