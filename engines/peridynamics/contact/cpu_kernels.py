"""``penetrators.cu`` and ``particles.cu`` in Numba; arrays as there."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange

from engines.api import Array
from engines.backend.compile.digest import noticing
from engines.peridynamics.contact import rows
from engines.peridynamics.contact.rows import MARGIN, NOWHERE, STICK, ShapeRow, StateRow


@njit(nogil=True)
def _distance(shape, p, out):
    """From the surface of a body to p (3), from its middle; out: (3) gets the way out."""
    kind = int(shape[ShapeRow.KIND])
    if kind == 2:
        total = 0.0
        for k in range(3):
            out[k] = shape[ShapeRow.AXIS + k]
            total += p[k] * out[k]
        return total
    if kind == 3:
        square, largest, widest = 0.0, -1e300, 0
        for k in range(3):
            q = abs(p[k]) - shape[ShapeRow.SIZES + k]
            out[k] = max(q, 0.0)
            square += out[k] * out[k]
            if q > largest:
                largest, widest = q, k
        away = math.sqrt(square)
        for k in range(3):
            sign = -1.0 if p[k] < 0 else 1.0
            if away > 0:
                out[k] = sign * out[k] / away
            else:
                out[k] = sign if k == widest else 0.0
        return away if away > 0 else largest
    along = 0.0
    if kind == 1:
        for k in range(3):
            along += p[k] * shape[ShapeRow.AXIS + k]
    square = 0.0
    for k in range(3):
        out[k] = p[k] - along * shape[ShapeRow.AXIS + k]
        square += out[k] * out[k]
    radius = math.sqrt(square)
    for k in range(3):
        out[k] = out[k] / radius if radius > 0 else shape[ShapeRow.AXIS + (k + 1) % 3]
    beside = radius - shape[ShapeRow.SIZES]
    if kind == 0:
        return beside
    beyond = abs(along) - shape[ShapeRow.SIZES + 1]
    sign = -1.0 if along < 0 else 1.0
    if beside > 0 and beyond > 0:
        away = math.sqrt(beside * beside + beyond * beyond)
        for k in range(3):
            out[k] = beside / away * out[k] + beyond / away * sign * shape[ShapeRow.AXIS + k]
        return away
    if beyond >= beside:
        for k in range(3):
            out[k] = sign * shape[ShapeRow.AXIS + k]
    return max(beside, beyond)


@njit(cache=True, nogil=True, parallel=True)
@noticing(rows)
def mark_near(u, v, rest, shapes, states, motion, steps, fastest, near, chunks):
    """near: (size) uint8; fastest: (chunks) the largest square of a speed in each, and the last time's at the end."""
    size, d, bodies = u.shape[1], len(u), len(shapes)
    last = math.sqrt(fastest[chunks])
    for chunk in prange(chunks):
        p, out = np.zeros(3), np.zeros(3)
        largest = 0.0
        for at in range(chunk * size // chunks, (chunk + 1) * size // chunks):
            near[at] = 0
            if rest[0, at] >= 0.5 * NOWHERE:
                continue
            square = 0.0
            for k in range(d):
                square += float(v[k, at]) * float(v[k, at])
            largest = max(largest, square)
            for b in range(bodies):
                free = shapes[b, ShapeRow.RATIO] > 0
                square = 0.0
                for k in range(3):
                    place = states[b, StateRow.PLACE + k] if free else motion[b, k]
                    velocity = states[b, StateRow.VELOCITY + k] if free else motion[b, 6 + k]
                    square += velocity * velocity
                    p[k] = (float(rest[k, at]) + float(u[k, at]) if k < d else 0.0) - place
                if _distance(shapes[b], p, out) < 0.5 + MARGIN + 2 * steps * (last + math.sqrt(square)):
                    near[at] = 1
        fastest[chunk] = largest


@njit(nogil=True)
def _met(depth, before):
    """``met.cuh``."""
    if (depth > 0) == (before > 0):
        return max(depth, 0.0)
    return max(depth, 0.0) - 0.5 * abs(depth * before) / abs(depth - before)


@njit(nogil=True)
def _settle(v, rub, at, rubbed, sums):
    """What friction takes: half of it with the velocity before, the other half with that after the step."""
    for k in range(len(v)):
        sums[4] -= 0.5 * float(v[k, at]) * (float(rub[k, at]) + rubbed[k])
        sums[5 + k] += rubbed[k]
        rub[k, at] = rubbed[k]


@njit(nogil=True)
def _go_on(shape, state, motion, sums):
    """What a step does to a body on which all particles together pull with −sums."""
    ratio = shape[ShapeRow.RATIO]
    done = half = now = later = 0.0
    for k in range(3):
        force = -sums[k]
        place = state[StateRow.PLACE + k] if ratio > 0 else motion[k]
        before = state[StateRow.VELOCITY + k] if ratio > 0 else motion[3 + k]
        after = before + ratio * force if ratio > 0 else motion[6 + k]
        done -= force * 0.5 * (before + after)
        half -= force * (0.5 * before + 0.125 * (after - before))
        now += 0.5 * sums[5 + k] * before
        later += 0.5 * sums[5 + k] * after
        state[StateRow.FORCE + k] = force
        state[StateRow.SEEN + k] = place
        state[StateRow.SEEN_VELOCITY + k] = 0.5 * (before + after)
        state[StateRow.VELOCITY + k] = after
        state[StateRow.PLACE + k] = place + after
    state[StateRow.WORK] += done
    state[StateRow.PENDING] = done - half
    state[StateRow.POTENTIAL] = sums[3]
    state[StateRow.SLID] += sums[4] + state[StateRow.LATER] + now
    state[StateRow.LATER] = later


@njit(cache=True, nogil=True, parallel=True)
@noticing(rows)
def push(u, v, rest, shapes, states, motion, listed, pushes, rub, rubbing, light_of, partial):
    """The force S·depth on particles and bodies along the way out, with Coulomb's friction, and a step of the bodies.

    u, v, rest: (d, size); listed: (n,) particles in reach; pushes: (d, size) gets what this does to velocities;
    rub: (bodies, d, size) the friction of the step before, from which what sticks goes on;
    partial: (bodies, chunks, 8); the list is cut into as many chunks on any number of threads. light_of: (size) or one
    number, 1 over the mass of a particle. Per listed particle and body its number, u, v and rest are read, 28 bytes in
    2D and float32, 40 in 3D; where it touches also pushes, which are written, 16 and 24.
    """
    d, bodies, chunks, count = len(u), len(shapes), partial.shape[1], len(listed)
    for chunk in prange(chunks):
        p, out, relative, given = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
        rubbed = np.zeros(3)
        for b in range(bodies):
            free = shapes[b, ShapeRow.RATIO] > 0
            for k in range(8):
                partial[b, chunk, k] = 0.0
            for c in range(chunk * count // chunks, (chunk + 1) * count // chunks):
                at = listed[c]
                light = float(light_of[at if len(light_of) > 1 else 0])
                for k in range(3):
                    place = states[b, StateRow.PLACE + k] if free else motion[b, k]
                    p[k] = (float(rest[k, at]) + float(u[k, at]) if k < d else 0.0) - place
                depth = 0.5 - _distance(shapes[b], p, out)
                rubbed[:] = 0
                normal = 0.0
                for k in range(3):
                    velocity = states[b, StateRow.VELOCITY + k] if free else motion[b, 3 + k]
                    relative[k] = (float(v[k, at]) if k < d else 0.0) - velocity
                    normal += relative[k] * out[k]
                if not (depth > 0 or depth + normal > 0):
                    if rubbing:
                        _settle(v, rub[b], at, rubbed, partial[b, chunk])
                    continue
                force = shapes[b, ShapeRow.STIFFNESS] * _met(depth, depth + normal)
                if depth > 0:
                    partial[b, chunk, 3] += 0.5 * shapes[b, ShapeRow.STIFFNESS] * depth * depth
                for k in range(3):
                    given[k] = force * out[k]
                if shapes[b, ShapeRow.FRICTION] > 0 and force > 0:
                    square = along = 0.0
                    for k in range(d):
                        along += float(rub[b, k, at]) * out[k]
                    for k in range(3):
                        last = (float(rub[b, k, at]) if k < d else 0.0) - along * out[k]
                        rubbed[k] = last - STICK / light * (relative[k] - normal * out[k])
                        square += rubbed[k] * rubbed[k]
                    most = shapes[b, ShapeRow.FRICTION] * force
                    slips = min(1.0, most / math.sqrt(square)) if square > 0 else 1.0
                    for k in range(3):
                        rubbed[k] *= slips
                        given[k] += rubbed[k]
                if rubbing:
                    _settle(v, rub[b], at, rubbed, partial[b, chunk])
                for k in range(3):
                    partial[b, chunk, k] += given[k]
                for k in range(d):
                    pushes[k, at] += light * given[k]
    for b in range(bodies):
        sums = np.zeros(8)
        for chunk in range(chunks):
            for k in range(8):
                sums[k] += partial[b, chunk, k]
        _go_on(shapes[b], states[b], motion[b], sums)


@njit(cache=True, nogil=True, parallel=True)
@noticing(rows)
def mark_members(words, rest, near, open_):
    """open_: (size) uint8."""
    for at in prange(len(open_)):
        missing = False
        if rest[0, at] < 0.5 * NOWHERE:
            for k in range(len(near)):
                missing |= (words[k, at] & near[k]) != near[k]
        open_[at] = missing


@njit(nogil=True)
def _cell(u, rest, at, per_width, cell):
    for k in range(len(u)):
        cell[k] = math.floor((rest[k, at] + u[k, at]) * per_width)


@njit(nogil=True)
def _bucket(x, y, z, buckets):
    return ((x * 73856093) ^ (y * 19349663) ^ (z * 83492791)) & (buckets - 1)


@njit(nogil=True)
def _pair(u, rest, i, j, pair, offset):
    """pair: (3) from i to j now; offset: (3) at rest. Returns the square of their distance."""
    square = pair[0] * 0
    for k in range(len(u)):
        at_rest = rest[k, j] - rest[k, i]
        offset[k] = int(at_rest)
        pair[k] = at_rest + (u[k, j] - u[k, i])
        square += pair[k] * pair[k]
    return square


@njit(cache=True, nogil=True, parallel=True)
def find_neighbours(u, rest, members, head, next_, per_width, width, reference, numbers, neighbours):
    """members: (n). Returns the number of neighbours where they are too many, else 0."""
    d, n, most, buckets = len(u), len(members), len(neighbours), len(head)
    head[:] = -1
    cell = np.zeros(3, np.int64)
    for m in range(n):
        _cell(u, rest, members[m], per_width, cell)
        bucket = _bucket(cell[0], cell[1], cell[2], buckets)
        next_[m] = head[bucket]
        head[bucket] = m
        for k in range(d):
            reference[k, m] = u[k, members[m]]
    crowds = np.zeros(n, np.int32)
    for m in prange(n):
        i = members[m]
        own, other_cell, offset = np.zeros(3, np.int64), np.zeros(3, np.int64), np.zeros(3, np.int64)
        pair = np.zeros(3, u.dtype)
        _cell(u, rest, i, per_width, own)
        found = 0
        for c in range(-1 if d == 3 else 0, 2 if d == 3 else 1):
            for b in range(-1, 2):
                for a in range(-1, 2):
                    x, y, z = own[0] + a, own[1] + b, own[2] + c
                    other = head[_bucket(x, y, z, buckets)]
                    while other >= 0:
                        j = members[other]
                        other = next_[other]
                        _cell(u, rest, j, per_width, other_cell)
                        if j == i or other_cell[0] != x or other_cell[1] != y or other_cell[2] != z:
                            continue
                        if not _pair(u, rest, i, j, pair, offset) < width * width:
                            continue
                        if found < most:
                            k = found
                            while k > 0 and neighbours[k - 1, m] > j:
                                neighbours[k, m] = neighbours[k - 1, m]
                                k -= 1
                            neighbours[k, m] = j
                        found += 1
        numbers[m] = min(found, most)
        if found > most:
            crowds[m] = found
    return crowds.max() if n else 0


class Springs(NamedTuple):
    """Between particles without a bond: bits: of ``repulsion.bit_table``, up to ``reach``; stiffness S and radius; half
    of the skin; steps until lists may be made anew."""

    bits: Array
    reach: int
    stiffness: Any
    radius: Any
    half: Any
    steps: int


class Lists(NamedTuple):
    """Of members: how many neighbours (capacity,), which (most, capacity), and where they were (d, capacity)."""

    numbers: Array
    neighbours: Array
    reference: Array


@njit(nogil=True)
def _push_on(u, v, rest, words, springs, lists, m, i, pair, offset, given):
    """given: (3) gets what the others do to particle i, the m-th member. Returns its part of the energy."""
    bits, reach, stiffness, radius = springs.bits, springs.reach, springs.stiffness, springs.radius
    neighbours = lists.neighbours
    energy, span = 0.0, 2 * reach + 1
    given[:] = 0
    for n in range(lists.numbers[m]):
        j = neighbours[n, m]
        square, grown = _pair(u, rest, i, j, pair, offset), pair[0] * 0
        if not square > 0:
            continue
        for k in range(len(u)):
            grown += (v[k, j] - v[k, i]) * pair[k]
        length = math.sqrt(square)
        closer, grown = radius - length, grown / length
        if not (closer > 0 or closer + grown > 0):
            continue
        if abs(offset[0]) <= reach and abs(offset[1]) <= reach and abs(offset[2]) <= reach:
            layer = offset[2] + reach if len(u) == 3 else 0
            bit = bits[(layer * span + offset[1] + reach) * span + offset[0] + reach]
            if bit >= 0 and (words[bit >> 5, i] >> (bit & 31)) & 1:
                continue
        force = stiffness * _met(closer, closer + grown) / length
        for k in range(len(u)):
            given[k] -= force * pair[k]
        if closer > 0:
            energy += 0.25 * stiffness * closer * closer
    return energy


@njit(cache=True, nogil=True, parallel=True)
def repel(u, v, rest, words, springs, lists, members, moved, energy, pushes, light_of, measuring):
    """The force S (radius − r) of every neighbour closer than the radius that no bond holds, along the line between.

    u, v, rest: (d, size); words: (words, size); members: (n,); moved: (chunks,) 1 where one has gone far; energy:
    (capacity,); pushes, light_of: as in ``push``. ``measuring``: fill energy, and push nothing. Per member its number,
    how many neighbours it has, u, v, rest, reference and pushes are read and pushes written, per neighbour its number,
    u, v and rest: float32 in 2D 56 bytes and 28, in 3D 80 and 40.
    """
    d, n, chunks = len(u), len(members), len(moved)
    for chunk in prange(chunks):
        pair, given, offset = np.zeros(3, u.dtype), np.zeros(3, u.dtype), np.zeros(3, np.int64)
        for m in range(chunk * n // chunks, (chunk + 1) * n // chunks):
            i = members[m]
            light = light_of[i if len(light_of) > 1 else 0]
            stored = _push_on(u, v, rest, words, springs, lists, m, i, pair, offset, given)
            if measuring:
                energy[m] = stored
                continue
            away = speed = 0.0
            for k in range(d):
                pushed = light * given[k]
                pushes[k, i] += pushed
                away += (u[k, i] - lists.reference[k, m]) ** 2
                speed += (v[k, i] + pushed) ** 2
            if not math.sqrt(away) + springs.steps * math.sqrt(speed) < springs.half:
                moved[chunk] = 1
