"""What the kernels of sums know by number, declared once for both twins: a block's entries, points of a component, and
how the work is cut on a GPU. Kernels on the CPU take the names from here, those on a GPU from ``rows.cuh``, which
``python -m engines.fdtd.monitors.sums.rows`` writes.
"""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path

from engines.backend.compile.headers import header

HEADER = Path(__file__).with_name("rows.cuh")
THREADS = 256
"""Of a block."""
FREQUENCIES_PER_BLOCK = 32
PLACES = 8
"""Of the field, whose weighted sum is a component at a point."""


class Entry(IntEnum):
    """Of a block of places: (blocks, Entry) int64."""

    ELECTRIC = 0  # 1: of E, 0: of H
    PLACE = 1  # the first
    NEXT_Y = 2  # places to the next along y
    NEXT_Z = 3
    COUNT_X = 4
    COUNT_Y = 5
    COUNT_Z = 6
    NEIGHBOUR = 7  # places to the one that is taken too; 0: none
    START = 8  # where its values begin among the samples


def text() -> str:
    """The text of ``rows.cuh``."""
    numbers = {
        "THREADS": THREADS,
        "FREQUENCIES_PER_BLOCK": FREQUENCIES_PER_BLOCK,
        "PLACES": PLACES,
        "ENTRIES": len(Entry),
    }
    return header("sums/rows.py", "engines.fdtd.monitors.sums.rows", numbers, Entry)


if __name__ == "__main__":
    HEADER.write_text(text(), encoding="utf-8")
