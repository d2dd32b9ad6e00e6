"""Fields that every tissue has, and how its front is drawn."""

from __future__ import annotations

from engines.api import FieldInfo

FRONT_MILLISECONDS = 2.0
"""How long the depolarisation front of a cell is drawn."""

FIELDS: tuple[FieldInfo, ...] = (
    FieldInfo("voltage", "Transmembrane voltage", "mV", "cell", (-90.0, 40.0), "voltage"),
    FieldInfo("calcium", "Intracellular calcium", "mM", "cell", (0.0, 0.001), "inferno"),
)
