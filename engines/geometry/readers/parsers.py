"""The compiled parsers of text files.

All in one module, for Numba's cache on disk notices a change only in the file of the function that is called.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from engines.api import Array

POWERS = 10.0 ** np.arange(23)  # exact in float64: with ≤ 15 digits the result is correctly rounded (Clinger 1990)
NEWLINE, SPACE, COMMA, HASH = ord("\n"), ord(" "), ord(","), ord("#")


@njit(cache=True, nogil=True)
def parse_number(data: Array, at: int, stop: int) -> tuple[float, int]:
    """The number that starts at ``at`` and the position behind it; that position is ``at`` where there is no number."""
    start = at
    negative = False
    if at < stop and (data[at] == 45 or data[at] == 43):
        negative = data[at] == 45
        at += 1
    if at + 2 < stop:  # nan, inf in any case
        a, b, c = data[at] | 32, data[at + 1] | 32, data[at + 2] | 32
        if a == 110 and b == 97 and c == 110:
            return np.nan, at + 3
        if a == 105 and b == 110 and c == 102:
            at += 3
            while at < stop and (data[at] | 32) >= 97 and (data[at] | 32) <= 122:
                at += 1
            return (-np.inf if negative else np.inf), at
    mantissa = np.int64(0)
    exponent = 0
    digits = 0
    after_point = False
    while at < stop:
        c = data[at]
        if 48 <= c <= 57:
            digits += 1
            if mantissa < 100_000_000_000_000_000:
                mantissa = mantissa * 10 + (c - 48)
                exponent -= after_point
            else:
                exponent += not after_point
        elif c == 46 and not after_point:
            after_point = True
        else:
            break
        at += 1
    if digits == 0:
        return 0.0, start
    if at < stop and (data[at] | 32 == 101 or data[at] | 32 == 100):  # e or Fortran's d
        at += 1
        down = False
        if at < stop and (data[at] == 45 or data[at] == 43):
            down = data[at] == 45
            at += 1
        power = 0
        first = at
        while at < stop and 48 <= data[at] <= 57:
            power = min(power * 10 + (data[at] - 48), 100_000)
            at += 1
        if at == first:
            return 0.0, start
        exponent += -power if down else power
    value = float(mantissa)
    if exponent < -290:  # in two steps, or the power underflows before the product does
        value, exponent = value * 1e-290, exponent + 290
    if exponent < 0:
        value = value / POWERS[-exponent] if exponent >= -22 else value * 10.0 ** max(exponent, -400)
    elif exponent > 0:
        value = value * POWERS[exponent] if exponent <= 22 else value * 10.0 ** min(exponent, 400)
    return (-value if negative else value), at


@njit(cache=True, nogil=True)
def fill(data: Array, at: int, out: Array) -> tuple[int, int]:
    """Numbers between blanks, commas and # comments from ``at`` on, until ``out`` is full or the data end.

    How many were found, and the position behind the last one; where that is short of both ends, what stands
    there is no number.
    """
    n, stop = 0, len(data)
    while at < stop and n < len(out):
        c = data[at]
        if c <= SPACE or c == COMMA:
            at += 1
        elif c == HASH:
            while at < stop and data[at] != NEWLINE:
                at += 1
        else:
            value, behind = parse_number(data, at, stop)
            if behind == at or (behind < stop and data[behind] > SPACE and data[behind] != COMMA):
                break
            out[n] = value
            n += 1
            at = behind
    return n, at


@njit(cache=True, nogil=True)
def carp_elements(data, at, codes, nodes, cells, tags, rows, counts):
    """Parse the lines of an .elem file; (lines read, tetrahedra found, position of an error or −1)."""
    n_lines, n, stop = 0, 0, len(data)
    while True:
        while at < stop and data[at] <= SPACE:
            at += 1
        if at + 1 >= stop:
            return n_lines, n, -1 if at >= stop else at
        if n_lines == len(rows):
            return n_lines, n, at
        kind = -1
        for k in range(len(codes)):
            if data[at] == codes[k, 0] and data[at + 1] == codes[k, 1]:
                kind = k
        if kind < 0:
            return n_lines, n, at
        start, at, found = at, at + 2, 0
        tag = 0.0
        while True:
            while at < stop and data[at] <= SPACE and data[at] != NEWLINE:
                at += 1
            if at >= stop or data[at] == NEWLINE:
                break
            value, behind = parse_number(data, at, stop)
            if behind == at or value != np.floor(value) or found > nodes[kind]:
                return n_lines, n, start
            if found == nodes[kind]:
                tag = value
            elif kind == 0:
                cells[n, found] = np.int64(value)
            found += 1
            at = behind
        if found < nodes[kind]:
            return n_lines, n, start
        if kind == 0:
            tags[n] = tag
            rows[n] = n_lines
            n += 1
        counts[kind] += 1
        n_lines += 1
