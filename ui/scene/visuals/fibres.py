"""Fibres on the graphics card: bright lines with a dark edge, which are seen on every colour."""

from __future__ import annotations

from dataclasses import replace

from engines.api import Array
from ui.scene.visuals.grid import LinesVisual
from ui.scene.visuals.surface import Look

EDGE, CORE = (0.06, 0.07, 0.09, 0.45), (1.0, 0.98, 0.94, 0.8)
WIDER, WIDTH = 2.2, 1.1
"""Of half the width of lines in space."""


class FibreVisual:
    """Lines that stay as they are until they are others."""

    def __init__(self) -> None:
        self._lines: LinesVisual | None = None

    def draw(self, lines: Array, look: Look, view: Array, projection: Array) -> None:
        """lines: (n, 2, 3)."""
        self._lines = self._lines or LinesVisual()
        for colour, width in ((EDGE, WIDER), (CORE, WIDTH)):
            self._lines.draw(lines, colour, replace(look, stroke=width * look.stroke), view, projection)

    def release(self) -> None:
        """Free what is on the graphics card."""
        self._lines = None
