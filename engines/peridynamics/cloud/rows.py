"""How bonds of irregular points lie in memory, declared once for both twins: slices, columns, and the bits of a bond.
Kernels on the CPU take the names from here, those on a GPU from ``rows.cuh``, which
``python -m engines.peridynamics.cloud.rows`` writes.

A bond on a GPU is a word of 32 bits: in a block's own memory, from the top, the neighbour's number in the block's list,
the bond's class and its weight; else the class and the neighbour's number, with the weight beside it.
"""

from __future__ import annotations

from pathlib import Path

from engines.backend.compile.headers import header
from engines.peridynamics.lattice.family import WORD

HEADER = Path(__file__).with_name("rows.cuh")
SLICE = 32
"""Particles whose columns lie side by side: a warp."""
FOUR = 4
"""Columns that a slice has a multiple of, so that a GPU reads a particle's bonds four at a time."""
CLASS_BITS = 3
"""Of a bond's class: which of several limits it has."""
WEIGHT_BITS, MANTISSA = 16, 12
"""Of a weight, and of these behind the point."""
LOWEST = 127 - 8
"""The exponent that a weight's four bits count from (as a float's): 2^-8 to 2^8."""
CLASSES = 2**CLASS_BITS
LISTED_FROM = WEIGHT_BITS + CLASS_BITS
"""The bit from which on a number in a block's list stands."""
CLASS_FROM = WORD - CLASS_BITS
"""The bit from which on the class stands, above a neighbour's number."""


def text() -> str:
    """The text of ``rows.cuh``."""
    numbers: dict[str, float | str] = {
        "WORD": WORD,
        "SLICE": SLICE,
        "FOUR": FOUR,
        "CLASSES": CLASSES,
        "WEIGHT_BITS": WEIGHT_BITS,
        "MANTISSA": MANTISSA,
        "LOWEST": LOWEST,
        "LISTED_FROM": LISTED_FROM,
        "CLASS_FROM": CLASS_FROM,
    }
    return header("cloud/rows.py", "engines.peridynamics.cloud.rows", numbers)


if __name__ == "__main__":
    HEADER.write_text(text(), encoding="utf-8")
