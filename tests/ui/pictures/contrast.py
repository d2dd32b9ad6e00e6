"""Whether texts stand out from what is behind them, and what of another theme is left: read from the picture."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QRadioButton,
    QTabBar,
    QToolButton,
    QWidget,
)

from tests.ui.pictures.walk import MARK_PIXELS, cells, name_of, seen, text_of
from ui.widgets.theme import Palette

SCALE = 2
"""Stems of letters are then wide enough to have their colour in full."""
LEAST_PIXELS = 12
EQUALS = 0.9
LEAST = 4.5
"""WCAG 2.2, level AA, of text."""
GROUNDS = ("window", "surface", "raised", "plot")


def picture_of(window: QWidget) -> np.ndarray:
    """(height, width) uint32 as 0xffrrggbb, at twice the size."""
    image = QImage(window.size() * SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SCALE)
    painter = QPainter(image)
    window.render(painter, QPoint())
    painter.end()
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)[:, : image.width()].copy()


def luminance(colors: np.ndarray) -> np.ndarray:
    """Relative luminance (WCAG 2.2) of colours as above."""
    channels = np.stack([(colors >> shift) & 255 for shift in (16, 8, 0)], -1) / 255.0
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def contrast(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    bright, dark = np.maximum(luminance(one), luminance(other)), np.minimum(luminance(one), luminance(other))
    return (bright + 0.05) / (dark + 0.05)


def contrast_of_text(area: np.ndarray, *, strongest: bool = False) -> float:
    """Of the commonest colours that are not the ground's, or of the strongest (where bars lie behind the text); NaN
    where nothing is written."""
    colors, counts = np.unique(area, return_counts=True)
    if len(colors) < 2:
        return float("nan")
    ground = colors[np.argmax(counts)]
    apart = contrast(colors, ground)
    marks = apart > 1.3
    if counts[marks].sum() < LEAST_PIXELS:
        return float("nan")
    if strongest:
        return float(apart[marks & (counts >= LEAST_PIXELS)].max(initial=1.0))
    common = marks & (counts >= EQUALS * counts[marks].max())  # a dash has as much of its edges as of its middle
    return float(apart[common].max())


def faint_texts(window: QWidget, picture: np.ndarray) -> list[str]:
    """Texts of what is not disabled whose contrast is too low."""
    found = []
    for widget, area in _written(window):
        top_left = widget.mapTo(window, area.topLeft())
        clear = QRect(top_left, area.size()).adjusted(2, 2, -2, -2)
        pixels = picture[
            clear.top() * SCALE : (clear.bottom() + 1) * SCALE, clear.left() * SCALE : (clear.right() + 1) * SCALE
        ]
        in_cell = isinstance(widget.parentWidget(), QAbstractItemView)
        apart = contrast_of_text(pixels, strongest=in_cell) if pixels.size else float("nan")
        if apart < LEAST:
            found.append(f"contrast {apart:.1f}: {name_of(widget)}")
    return found


def _written(window: QWidget) -> Iterator[tuple[QWidget, QRect]]:
    """Widgets with a text, and the part of each that shows."""
    for widget in seen(window):
        if not widget.isEnabled():
            continue
        shown = widget.visibleRegion().boundingRect()
        if isinstance(widget, QTabBar):
            yield from ((widget, widget.tabRect(place) & shown) for place in range(widget.count()))
        elif isinstance(widget, QAbstractItemView):
            yield from ((widget.viewport(), rect) for text, rect in cells(widget) if text)
        elif isinstance(widget, QToolButton) and widget.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly:
            continue
        elif isinstance(widget, QLabel | QAbstractButton | QComboBox | QLineEdit):
            if isinstance(widget, QCheckBox | QRadioButton):
                shown.setLeft(shown.left() + MARK_PIXELS)
            placeholder = isinstance(widget, QLineEdit) and widget.placeholderText()
            if (text_of(widget) or placeholder) and shown.height() >= widget.height() - 2:
                yield widget, shown


def left_of(other: Palette, present: Palette, picture: np.ndarray) -> list[str]:
    """Grounds of the other theme that are still there."""
    rgb = picture & 0xFFFFFF
    return [
        f"{part:.1%} of the picture has the ground '{name}' of the {other.name} theme"
        for name in GROUNDS
        if getattr(other, name) not in (getattr(present, each) for each in (*GROUNDS, "text", "hover", "border"))
        if (part := float((rgb == int(getattr(other, name)[1:], 16)).mean())) > 0.001
    ]
