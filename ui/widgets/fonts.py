"""The font of the window, which comes with Workbench: the same widths on every machine."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from PySide6.QtGui import QFont, QFontDatabase

WEIGHTS = ("Regular", "Medium", "SemiBold")
PIXELS = 13
PLAIN, STRONG = QFont.Weight.Normal, QFont.Weight.DemiBold
"""The latter is the heaviest cut that there is: Qt would draw a bold one twice over, blurred."""


@cache
def family() -> str:
    """Its name, once its files are known to Qt; what Qt proposes where they cannot be read."""
    for weight in WEIGHTS:
        data = (files("assets") / "fonts" / f"Inter-{weight}-subset.otf").read_bytes()
        place = QFontDatabase.addApplicationFontFromData(data)
    known = QFontDatabase.applicationFontFamilies(place)
    return known[0] if known else QFont().defaultFamily()


def window_font() -> QFont:
    """At the size of most texts."""
    font = QFont(family())
    font.setPixelSize(PIXELS)
    return font
