"""What is written of single cells to disk, and how often."""

from __future__ import annotations

from engines.api.parameters import ParameterGroup, quantity

SOME = {"cells": (0,)}


class Recording(ParameterGroup):
    """What is written of each cell into a folder of results, besides series and charts of them all."""

    cells: int = quantity(1000, "1", "So many cells are written, the first ones; 0: none", ge=0, le=10_000_000)
    interval: float = quantity(60.0, "s", "Time between two rows", unless=SOME, gt=0, le=1e9)
    voltage: bool = quantity(True, "", "Terminal voltage of each cell", unless=SOME)
    current: bool = quantity(True, "", "Current of each cell", unless=SOME)
    temperature: bool = quantity(True, "", "Temperature of each cell, where it has one of its own", unless=SOME)
