"""LZ4's block format, which ParaView offers for .vtu (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md)."""

from __future__ import annotations

from numba import njit

from engines.api import Array


@njit(cache=True, nogil=True)
def lz4_block(block: Array, out: Array) -> int:
    """Decode ``block`` into ``out`` (uint8, of the announced size); bytes written, −1 where the block is damaged."""
    at, n, stop, room = 0, 0, len(block), len(out)
    while at < stop:
        token = block[at]
        at += 1
        literals = int(token >> 4)
        if literals == 15:
            more = 255
            while more == 255:
                if at >= stop:
                    return -1
                more = int(block[at])
                literals += more
                at += 1
        if at + literals > stop or n + literals > room:
            return -1
        for k in range(literals):
            out[n + k] = block[at + k]
        at += literals
        n += literals
        if at >= stop:  # the last sequence has no match
            return n
        if at + 2 > stop:
            return -1
        distance = int(block[at]) | (int(block[at + 1]) << 8)
        at += 2
        length = int(token & 15)
        if length == 15:
            more = 255
            while more == 255:
                if at >= stop:
                    return -1
                more = int(block[at])
                length += more
                at += 1
        length += 4
        if distance == 0 or distance > n or n + length > room:
            return -1
        for k in range(length):  # byte by byte: source and target may overlap
            out[n + k] = out[n - distance + k]
        n += length
    return n
