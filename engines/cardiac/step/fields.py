"""Fields that every tissue has, and how its front is drawn."""

from __future__ import annotations

from engines.api import FieldInfo
from engines.cardiac.cells.tt06_tissue import NOT_ACTIVATED

FRONT_MILLISECONDS = 2.0
"""How long the depolarisation front of a cell is drawn."""

FIELDS: tuple[FieldInfo, ...] = (
    FieldInfo("voltage", "Transmembrane voltage", "mV", "cell", (-90.0, 40.0), "voltage"),
    FieldInfo("calcium", "Intracellular calcium", "mM", "cell", (0.0, 0.001), "inferno"),
    FieldInfo(
        "activation", "Activation time", "ms", "cell", (0.0, 60.0), "viridis", summary=True, missing=NOT_ACTIVATED
    ),
)
