"""Numbers out of large text files, at some hundred megabytes per second (Numba)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numba import njit

from engines.api import Array
from engines.errors import MeshError

POWERS = 10.0 ** np.arange(23)  # exact in float64: with ≤ 15 digits the result is correctly rounded (Clinger 1990)
SMALL = 1 << 16  # below this loading the compiled parser (0.5 s) would take longer than Python takes
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


def read_bytes(path: Path) -> Array:
    """(n,) uint8: the file. Raises MeshError where it is missing, unreadable or empty."""
    try:
        data = np.fromfile(path, np.uint8)
    except FileNotFoundError:
        raise MeshError(f"{path.name} does not exist in {path.parent}; choose a file that is there.") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise MeshError(f"{path.name} cannot be opened ({reason}); check the path and its permissions.") from None
    if not (data > SPACE).any():
        raise MeshError(f"{path.name} is empty; export the mesh again.")
    return data


def numbers(data: Array, name: str, first_line: int = 1) -> Array:
    """(n,) float64: every number in ``data`` (uint8). Raises MeshError that names the line of what is no number."""
    if len(data) < SMALL:
        try:
            return np.array(data.tobytes().replace(b",", b" ").split(), np.float64)
        except ValueError:
            pass  # comments, Fortran exponents or an error: the careful parser decides
    out = np.empty(len(data) // 2 + 1)
    count, bad = fill(data, 0, out)
    if bad < len(data):
        line = int((data[:bad] == NEWLINE).sum()) + first_line
        word = data[bad : bad + 20].tobytes().split()[0].decode("utf-8", "replace")
        raise MeshError(f"{name} has “{word}” in line {line} where a number belongs; correct the line or export again.")
    return out[:count]


def as_type(values: Array, dtype: np.dtype) -> Array:
    """``values`` (float64) as ``dtype``. Raises ValueError where one is no integer of that type."""
    if dtype.kind in "iu" and len(values):
        limits = np.iinfo(dtype)
        if not (values.min() >= limits.min and values.max() <= limits.max):  # NaN fails as well
            raise ValueError(f"values beyond {dtype.name}")
        if (values != np.floor(values)).any():
            raise ValueError("fractions among whole numbers")
    with np.errstate(over="ignore"):
        return values.astype(dtype)


def first_line(data: Array) -> tuple[list[str], int]:
    """Words of the first line that is neither blank nor a comment, and the position behind it."""
    start = 0
    while start < len(data):
        ends = np.flatnonzero(data[start : start + 4096] == NEWLINE)
        end = start + int(ends[0]) if len(ends) else len(data)
        words = data[start:end].tobytes().split(b"#")[0].decode("utf-8", "replace").split()
        if words:
            return words, end + 1
        start = end + 1
    return [], len(data)
