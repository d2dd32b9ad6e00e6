"""Long base64 text, decoded on all cores: Python's own decoder works on one, and keeps every other thread waiting."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import base64

import numba as nb
import numpy as np

from engines.api import Array
from engines.backend.threads import in_parts

LONG = 1 << 16
"""Letters from which on the kernels are worth loading."""
LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
PAD, OTHER = 64, 128
_VALUES = np.full(256, OTHER, np.uint8)
_VALUES[np.frombuffer(LETTERS, np.uint8)] = np.arange(64)
_VALUES[ord("=")] = PAD


def only_base64(text: memoryview) -> bool:
    """Whether nothing but letters of base64 stands in it, and what fills up its ends."""
    return max(_most(len(text), np.frombuffer(text, np.uint8)), default=0) < OTHER


def decoded(text: memoryview, before: int = 0) -> bytes | Array:
    """As Python decodes it; where it is long, as an array (n,) uint8 whose bytes from ``before`` on are aligned. Raises
    ValueError."""
    if len(text) >= LONG and len(text) % 4 == 0:
        whole = len(text) // 4 - 1  # groups of four letters but for the last one, which may be filled up
        out = np.empty(-before % 8 + 3 * whole + 3, np.uint8)[-before % 8 :]
        if max(_decode(whole, np.frombuffer(text, np.uint8), out)) < PAD:
            end = base64.b64decode(bytes(text[4 * whole :]))
            out[3 * whole : 3 * whole + len(end)] = np.frombuffer(end, np.uint8)
            return out[: 3 * whole + len(end)]
    return base64.b64decode(bytes(text))


@in_parts
@nb.njit(cache=True, nogil=True)
def _most(first, last, text):
    """The highest bits of what letters from ``first`` to ``last`` stand for."""
    bits = np.uint8(0)
    for k in range(first, last):
        bits |= _VALUES[text[k]]
    return bits


@in_parts
@nb.njit(cache=True, nogil=True)
def _decode(first, last, text, out):
    """Three bytes of each four letters of the groups from ``first`` to ``last``; :data:`PAD` or more where one of them
    was no letter."""
    bits = np.uint8(0)
    for group in range(first, last):
        a, b = _VALUES[text[4 * group]], _VALUES[text[4 * group + 1]]
        c, d = _VALUES[text[4 * group + 2]], _VALUES[text[4 * group + 3]]
        bits |= a | b | c | d
        out[3 * group] = (a << 2) | (b >> 4)
        out[3 * group + 1] = (b << 4) | (c >> 2)
        out[3 * group + 2] = (c << 6) | d
    return bits
