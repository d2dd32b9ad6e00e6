"""The thesis' own figures, row by row as the tables here have their columns."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from engines.api.lab import PublishedRows, Row

FIGURES = Path(__file__).with_name("published.json")
"""Number of the table, device (empty where the figures depend on none), rows; null where the thesis has nothing."""
SOLVER = "Monodomain solver on a DGX-2"
"""The thesis, as whoever has not read it may call it; About tells which."""


def published(*numbers: str) -> tuple[PublishedRows, ...]:
    """The rows of these tables (``"table 2.4"``), an entry per table and device."""
    return tuple(
        PublishedRows(f"{SOLVER}, {number}", device, rows)
        for number in numbers
        for device, rows in _figures()[number].items()
    )


@cache
def _figures() -> dict[str, dict[str, tuple[Row, ...]]]:
    data = json.loads(FIGURES.read_text("utf-8"))
    return {
        number: {device: tuple(map(tuple, rows)) for device, rows in devices.items()}
        for number, devices in data.items()
    }
