"""What is written of single cells to disk, and how often."""

from __future__ import annotations

from typing import ClassVar

from engines.api.parameters import quantity
from engines.recording import Recording as FieldRecording

IN_CELLS = {"model": ("SPM", "SPMe", "MPM", "pack")}
SOME = {"cells": (0,)}


class Recording(FieldRecording):
    """What is written of each cell into a folder of results, besides series and charts of them all."""

    only_written: ClassVar[frozenset[str]] = FieldRecording.only_written | {
        "cells", "interval", "voltage", "current", "temperature",
    }  # fmt: skip

    cells: int = quantity(
        1000, "1", "So many cells are written, the first ones; 0: none", when=IN_CELLS, ge=0, le=10_000_000
    )
    interval: float = quantity(60.0, "s", "Time between two rows", when=IN_CELLS, unless=SOME, gt=0, le=1e9)
    voltage: bool = quantity(True, "", "Terminal voltage of each cell", when=IN_CELLS, unless=SOME)
    current: bool = quantity(True, "", "Current of each cell", when=IN_CELLS, unless=SOME)
    temperature: bool = quantity(
        True, "", "Temperature of each cell, where it has one of its own", when=IN_CELLS, unless=SOME
    )
