"""The products on the CPU, in Numba. Weights come as bytes with the number of bits of each: one kernel serves all.

Events: ``active[offsets[b]:offsets[b + 1]]`` int64 are those of vector b, with ``values`` float32.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from engines.api import Array

_TILE = 2048
"""Columns whose sums stay in a core's first-level cache while the rows go by."""
_SPAN = 512
"""Events that are added before their sum is: roundings grow with the events of a stretch, not with all."""
_ROWS = 64
"""Of a thread's turn."""
_HALF = np.float32(2.0**112)
"""Between the bits of a float16, moved to where those of a float32 are, and its value; exact, denormals as well."""


@njit(nogil=True, cache=True)
def _decode(raw, bits, scratch, out):
    """out: the weights whose bytes are ``raw``, as float32."""
    if bits == 32:
        singles = raw.view(np.float32)
        for c in range(len(out)):
            out[c] = singles[c]
    elif bits == 16:
        halves = raw.view(np.uint16)
        for c in range(len(out)):
            half = np.uint32(halves[c])
            scratch[c] = (half & np.uint32(0x7FFF)) << np.uint32(13) | (half & np.uint32(0x8000)) << np.uint32(16)
        singles = scratch.view(np.float32)
        for c in range(len(out)):
            out[c] = singles[c] * _HALF
    else:
        signed = raw.view(np.int8)
        for c in range(len(out)):
            out[c] = np.float32(signed[c])


# What a thread does is a function of its own, without array expressions: inside of prange it took Numba four times as
# long to compile.


@njit(nogil=True, cache=True)
def _gather_tile(raw, bits, row_scale, first, active, values, out):
    width, size = len(out), bits // 8
    part, row, scratch = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(width, np.uint32)
    for c in range(width):
        out[c] = 0
    for start in range(0, len(active), _SPAN):
        for c in range(width):
            part[c] = 0
        for k in range(start, min(start + _SPAN, len(active))):
            value = values[k] * row_scale[active[k]] if len(row_scale) else values[k]
            piece = raw[active[k]][first * size : (first + width) * size]
            if bits == 32:
                row = piece.view(np.float32)
            else:
                _decode(piece, bits, scratch, row)
            for c in range(width):
                part[c] += value * row[c]
        for c in range(width):
            out[c] += part[c]


@njit(parallel=True, nogil=True, cache=True)
def gather_rows(raw, bits, row_scale, columns, offsets, active, values, out):
    """out[b, c] = sum over the events k of vector b (ascending) of values[k] * weights[active[k], c].

    raw: (rows, bytes) of weights of ``bits`` bits; offsets: (batch + 1,) where a vector's events begin. Each column is
    summed by one thread in the order of the events, so the number of threads does not matter. Bytes: the row of each
    event.
    """
    tiles = -(-columns // _TILE)
    for task in prange(tiles * (len(offsets) - 1)):
        batch, first = task // tiles, task % tiles * _TILE
        begin, end = offsets[batch], offsets[batch + 1]
        tile = out[batch][first : min(first + _TILE, columns)]
        _gather_tile(raw, bits, row_scale, first, active[begin:end], values[begin:end], tile)


@njit(nogil=True, cache=True)
def _scan_row(raw, bits, scale, columns, offsets, active, values, out):
    row = np.empty(columns, np.float32)
    if bits == 32:
        row = raw.view(np.float32)
    else:
        _decode(raw, bits, np.empty(columns, np.uint32), row)
    for batch in range(len(out)):
        whole = np.float32(0)
        for start in range(offsets[batch], offsets[batch + 1], _SPAN):
            part = np.float32(0)
            for k in range(start, min(start + _SPAN, offsets[batch + 1])):
                part += values[k] * row[active[k]]
            whole += part
        out[batch] = whole * scale


@njit(parallel=True, nogil=True, cache=True)
def scan_rows(raw, bits, row_scale, columns, offsets, active, values, out):
    """out[b, r] = sum over the events k of vector b of values[k] * weights[r, active[k]]; arrays as of ``gather_rows``.
    Bytes: all rows, once.
    """
    for r in prange(len(raw)):
        scale = row_scale[r] if len(row_scale) else np.float32(1)
        _scan_row(raw[r], bits, scale, columns, offsets, active, values, out[:, r])


@njit(nogil=True, cache=True)
def push(first, length, targets, raw, bits, row_scale, width, offsets, active, values, scales, sums):
    """sums[b, target] += value * weight * scales[b], as integers, for the synapses of rows with an event.

    The integers of a row are made first, which is done in vectors; beside the additions it took as long as these.
    """
    scratch, weights, sent = np.empty(width, np.uint32), np.empty(width, np.float32), np.empty(width, np.int64)
    size = bits // 8
    for batch in range(len(offsets) - 1):
        own, scale = sums[batch], scales[batch]
        for event in range(offsets[batch], offsets[batch + 1]):
            row = active[event]
            start, many = first[row], length[row]
            value = values[event] * row_scale[row] if len(row_scale) else values[event]
            piece = raw[start * size : (start + many) * size]
            if bits == 32:
                weights = piece.view(np.float32)
            else:
                _decode(piece, bits, scratch, weights[:many])
            for j in range(many):
                sent[j] = np.int64((weights[j] * value) * scale)
            hearers = targets[start : start + many]
            for j in range(many):
                own[np.uint32(hearers[j])] += sent[j]


@njit(nogil=True, cache=True)
def finish(sums, powers, out):
    """out[b, c] = sums[b, c] / 2^powers[b], rounded once, and ``sums`` are 0 again."""
    for batch in range(len(sums)):
        own, told, scale = sums[batch], out[batch], 2.0 ** -powers[batch]
        for c in range(len(own)):
            told[c] = np.float32(own[c] * scale)
            own[c] = 0


@njit(nogil=True, cache=True)
def _pull_rows(begin, end, first, length, targets, raw, bits, row_scale, width, events, out):
    scratch, weights = np.empty(width, np.uint32), np.empty(width, np.float32)
    size = bits // 8
    for row in range(begin, end):
        start, many = first[row], length[row]
        _decode(raw[start * size : (start + many) * size], bits, scratch, weights[:many])
        for batch in range(len(events)):
            total = np.float64(0)
            for j in range(many):
                total += weights[j] * events[batch, targets[start + j]]
            out[batch, row] = total * (row_scale[row] if len(row_scale) else np.float32(1))


@njit(parallel=True, nogil=True, cache=True)
def pull(first, length, targets, raw, bits, row_scale, width, events, out):
    """out[b, r] = sum of weight * events[b, target] over the synapses of row r; most of ``events`` are 0.

    first, length: (rows,) where a row's synapses begin and how many they are. Bytes: 4 + bits/8 a synapse.
    """
    rows = out.shape[1]
    for chunk in prange(-(-rows // _ROWS)):
        end = min(rows, _ROWS * (chunk + 1))
        _pull_rows(_ROWS * chunk, end, first, length, targets, raw, bits, row_scale, width, events, out)


@njit(nogil=True, cache=True)
def draw(seed, row, number, columns, low, span, targets, weights):
    """Targets and weights of a row of a procedural matrix; see ``procedural.cu``."""
    mask = np.uint64(0xFFFFFFFF)
    shift = np.uint64(32)
    words = np.empty(4, np.uint64)
    for pair in range((number + 1) // 2):
        x, y, z, w = np.uint64(pair), np.uint64(row), np.uint64(0), np.uint64(0)
        low_key, high_key = np.uint64(seed) & mask, np.uint64(seed) >> shift
        for _ in range(10):
            a, b = np.uint64(0xD2511F53) * x, np.uint64(0xCD9E8D57) * z
            x, z = (b >> shift) ^ y ^ low_key, (a >> shift) ^ w ^ high_key
            y, w = b & mask, a & mask
            low_key = (low_key + np.uint64(0x9E3779B9)) & mask
            high_key = (high_key + np.uint64(0xBB67AE85)) & mask
        words[0], words[1], words[2], words[3] = x, y, z, w
        for half in range(2):
            j = 2 * pair + half
            if j < number:
                targets[j] = np.int64(words[2 * half] * np.uint64(columns) >> shift)
                share = np.float32(words[2 * half + 1] >> np.uint64(8)) * np.float32(2.0**-24)
                weights[j] = low + span * share


@njit(nogil=True, cache=True)
def push_drawn(seed, number, columns, low, span, offsets, active, values, scales, sums):
    """As :func:`push`, for rows that are drawn."""
    targets, weights = np.empty(number, np.int64), np.empty(number, np.float32)
    for batch in range(len(offsets) - 1):
        for event in range(offsets[batch], offsets[batch + 1]):
            draw(seed, active[event], number, columns, low, span, targets, weights)
            for j in range(number):
                sums[batch, targets[j]] += np.int64((weights[j] * values[event]) * scales[batch])


@njit(nogil=True, cache=True)
def _pull_rows_drawn(begin, end, seed, number, columns, low, span, events, out):
    targets, weights = np.empty(number, np.int64), np.empty(number, np.float32)
    for row in range(begin, end):
        draw(seed, row, number, columns, low, span, targets, weights)
        for batch in range(len(events)):
            total = np.float64(0)
            for j in range(number):
                total += weights[j] * events[batch, targets[j]]
            out[batch, row] = total


@njit(parallel=True, nogil=True, cache=True)
def pull_drawn(seed, number, columns, low, span, events, out):
    """As :func:`pull`, for rows that are drawn: of them nothing is read."""
    rows = out.shape[1]
    for chunk in prange(-(-rows // _ROWS)):
        end = min(rows, _ROWS * (chunk + 1))
        _pull_rows_drawn(_ROWS * chunk, end, seed, number, columns, low, span, events, out)


def as_bytes(codes: Array) -> Array:
    """The same memory, its last axis in bytes."""
    return np.ascontiguousarray(codes).view(np.uint8)
