"""Rows of one component in vectors by construction: its curl, what absorbing layers and poles add, and its step.

Rows are padded to whole vectors, so there is no scalar code: in the last vector of a row the lanes beyond its places
keep what they hold. Where a row, or a vector, has one material its coefficients are two numbers, else they are looked
up. All rows are pointers.
"""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import Any, NamedTuple

import numba as nb
import numpy as np

from engines.backend.pointers import at
from engines.backend.vector_math import all_lanes, select, splat
from engines.fdtd.step.curl.vectors import equal_ids, load, load_some, looked_up, store, store_some, width, within


class Material(NamedTuple):
    """Of a row. number: the one that all places have, or −1; ids: of each place; ca, cb: tables by number"""

    ids: Any
    number: Any
    ca: Any
    cb: Any


class Across(NamedTuple):
    """A difference of two rows. inverse: 1/(κΔ); layered: whether in an absorbing layer, with ψ, b and c"""

    upper: Any
    lower: Any
    inverse: Any
    layered: Any
    psi: Any
    b: Any
    c: Any


class Along(NamedTuple):
    """A difference along a row. inverse, b, c: of the places of x; first: what ``lower`` is at place 0; last: what
    ``upper`` is at the last place; psi: of the places 0 … low − 1 and start … count − 1 of this row"""

    inverse: Any
    b: Any
    c: Any
    upper: Any
    lower: Any
    first: Any
    last: Any
    psi: Any
    low: Any
    start: Any


@nb.njit(nogil=True)
def _looked_up(like, i, ids, ca, cb):
    return looked_up(like, ca, ids, i), looked_up(like, cb, ids, i)


@nb.njit(nogil=True, forceinline=True)
def _finish(target, i, count, curl, material, a, b):
    """target ← a target + b curl, as far as the row goes.

    a, b: of the row's material, if it has one; the ends of a row, which may be on walls, and vectors have their own
    """
    ids, number, ca, cb = material
    lanes = width(target)
    old = load(target, i)
    mixed = False
    if number < 0:
        same = equal_ids(curl, ids, i, ids[i + 1]) | within(curl, count - 1 - i, lanes)
        if i == 0:
            same = same | within(curl, 0, 1)
        mixed = not all_lanes(same)
        if mixed:
            a, b = _looked_up(curl, i, ids, ca, cb)
        else:
            a, b = splat(curl, ca[ids[i + 1]]), splat(curl, cb[ids[i + 1]])
    if i == 0 and not mixed:
        first = within(curl, 0, 1)
        a, b = select(first, ca[ids[0]], a), select(first, cb[ids[0]], b)
    if i + lanes >= count and not mixed:
        last = within(curl, count - 1 - i, count - i)
        a, b = select(last, ca[ids[count - 1]], a), select(last, cb[ids[count - 1]], b)
    new = a * old + b * curl
    if i + lanes > count:
        new = select(within(curl, 0, count - i), new, old)
    store(target, i, new)


@nb.njit(nogil=True, forceinline=True)
def _layered(psi, i, b, c, difference):
    """ψ ← bψ + c difference."""
    psi_new = b * load(psi, i) + c * difference
    store(psi, i, psi_new)
    return psi_new


@nb.njit(nogil=True)
def row_across(target, count, first, second, material, bound):
    """The component along x, of places 0 … count − 1: curl = ∂p − ∂q, neither along x; F ← a F + b (curl − w).

    first, second: :class:`Across`, of p and of q; bound: (whether, w of poles). Bytes of a place: target read and
    written, four rows read (two of them a neighbour's, from the caches), 2 of ids where rows are mixed; ψ in layers.
    """
    p, p_low, ip, in_p, psi_p, bp, cp = first
    q, q_low, iq, in_q, psi_q, bq, cq = second
    lanes, plain = width(target), max(material.number, 0)
    a, b = splat(load(p, 0), material.ca[plain]), splat(load(p, 0), material.cb[plain])
    for i in range(0, count, lanes):
        dp, dq = load(p, i) - load(p_low, i), load(q, i) - load(q_low, i)
        if i + lanes > count:
            inside = within(dp, 0, count - i)
            dp, dq = select(inside, dp, 0.0), select(inside, dq, 0.0)
        curl = dp * ip - dq * iq
        if in_p:
            curl = curl + _layered(psi_p, i, bp, cp, dp)
        if in_q:
            curl = curl - _layered(psi_q, i, bq, cq, dq)
        if bound[0]:
            curl = curl - load(bound[1], i)
        _finish(target, i, count, curl, material, a, b)


@nb.njit(nogil=True)
def row_along(target, count, first, second, material, bound):
    """A component across x: curl = ∂p − ∂_x q, of z with the opposite sign (then ``cb`` and w come negative).

    first: :class:`Across`, of p; second: :class:`Along`, of q; all else, and the bytes, as of ``row_across``, but three
    rows are read and 1/(κΔ) of the places of x.
    """
    p, p_low, ip, in_p, psi_p, bp, cp = first
    inverse, b_x, c_x, q, q_low, q_first, q_last, psi_x, low, start = second
    lanes, plain = width(target), max(material.number, 0)
    a, b = splat(load(p, 0), material.ca[plain]), splat(load(p, 0), material.cb[plain])
    for i in range(0, count, lanes):
        dp, upper, lower = load(p, i) - load(p_low, i), load(q, i), load(q_low, i)
        if i == 0:
            lower = select(within(lower, 0, 1), q_first, lower)
        if i + lanes >= count:
            upper = select(within(upper, count - 1 - i, count - i), q_last, upper)
        dq = upper - lower
        if i + lanes > count:
            inside = within(dp, 0, count - i)
            dp, dq = select(inside, dp, 0.0), select(inside, dq, 0.0)
        curl = dp * ip - dq * load(inverse, i)
        if in_p:
            curl = curl + _layered(psi_p, i, bp, cp, dp)
        if i < low:
            lane = within(dq, 0, low - i)
            psi = load(b_x, i) * load_some(psi_x, i, lane) + load(c_x, i) * dq
            store_some(psi_x, i, psi, lane)
            curl = curl - select(lane, psi, 0.0)
        if i + lanes > start and start < count:
            lane = within(dq, start - i, count - i)
            psi = load(b_x, i) * load_some(psi_x, low + i - start, lane) + load(c_x, i) * dq
            store_some(psi_x, low + i - start, psi, lane)
            curl = curl - select(lane, psi, 0.0)
        if bound[0]:
            curl = curl - load(bound[1], i)
        _finish(target, i, count, curl, material, a, b)


@nb.njit(nogil=True)
def polarize(bound, values, count, ids, span, poles, sign):
    """bound: sign · w of all slots over a row of places; the states (dispersion.py) of its span take their step."""
    _, states, constants, beta, slots, seconds, places, mixtures = poles
    first, last = np.int64(span[0]), min(np.int64(span[1]), count)
    start = 4 * np.int64(span[2]) - first
    for i in range(count):
        bound[i] = 0
    for slot in range(slots):
        p, c, g, r = constants[4 * slot], constants[4 * slot + 1], constants[4 * slot + 2], constants[4 * slot + 3]
        strength = at(beta, slot * mixtures)
        y_j = at(states, slot * places + start)
        if slot < seconds:
            y_p = at(states, (slots + slot) * places + start)
            for i in range(first, last):
                t = strength[ids[i]] * values[i]
                w = p * y_j[i] + c * y_p[i] + g * t
                bound[i] += sign * w
                y_j[i] = w + r * y_j[i]
                y_p[i] += w + (t + t)
        else:
            for i in range(first, last):
                w = p * y_j[i] + g * strength[ids[i]] * values[i]
                bound[i] += sign * w
                y_j[i] = w + r * y_j[i]
