"""Compiles what draws the picture of the import page, on the thread that reads the file, where nobody waits."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from ui.importing.drawing import drawn


def warm(triangles: Array) -> None:
    """Draw the first of ``triangles: (m, 3, 3)``, small and for nobody."""
    drawn(triangles[:1], np.zeros((1, 3), np.uint8), 8, (0, 0, 0))
