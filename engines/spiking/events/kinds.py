"""How events are given to a product on a GPU, declared once: the launchers take the names from here, kernels from
``kinds.cuh``, which ``python -m engines.spiking.events.kinds`` writes.
"""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path

from engines.backend.compile.headers import header

HEADER = Path(__file__).with_name("kinds.cuh")


class Given(IntEnum):
    """pitch is a multiple of 16, the values beyond the last row are 0."""

    BYTES = 0  # (batch, pitch) bytes, not 0 where there is an event; its value is 1
    FLOATS = 1  # (batch, pitch) float32, the values; 0 is no event
    LIST = 2  # (1, *) int32 of row numbers, the first *count of them; values float32 beside them, or null for 1


def text() -> str:
    """The text of ``kinds.cuh``."""
    return header("events/kinds.py", "engines.spiking.events.kinds", {}, Given)


if __name__ == "__main__":
    HEADER.write_text(text(), encoding="utf-8")
