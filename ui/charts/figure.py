"""A chart as a figure for print: on white, at a size in millimetres, as PNG, SVG or PDF."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QPoint, QSize, QSizeF
from PySide6.QtGui import QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsView, QWidget

from ui.charts.plots.plot import ChartPlot
from ui.charts.strokes import with_widths
from ui.widgets.theme import palette, theme

INCH, SCREEN = 25.4, 96
"""Millimetres; and the pixels of an inch in which a widget lays itself out."""


@dataclass(frozen=True)
class FigureSize:
    """``width`` and ``height`` [mm], height of the text [pt], and what a picture has of pixels per inch."""

    width: float = 120.0
    height: float = 80.0
    text: float = 9.0
    dots: int = 300

    def pixels(self) -> QSize:
        return QSize(round(self.width / INCH * SCREEN), round(self.height / INCH * SCREEN))


def figure_bytes(make: Callable[[], QWidget], size: FigureSize, suffix: str) -> bytes:
    """The content of a file with this suffix: .png, .svg or .pdf. ``make`` gives the widget, which is dressed in the
    colours of paper and drawn, but never shown."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    with _on_paper(make, size) as widget:
        if suffix == ".png":
            _image(widget, size.dots).save(buffer, "PNG")  # type: ignore[call-overload]  # stubs want bytes, Qt a text
        elif suffix == ".pdf":
            page = QPdfWriter(buffer)
            page.setPageSize(QPageSize(QSizeF(size.width, size.height), QPageSize.Unit.Millimeter))
            page.setPageMargins(QMarginsF())
            page.setResolution(SCREEN)
            _draw(widget, page)
        else:
            drawing = QSvgGenerator()
            drawing.setOutputDevice(buffer)
            drawing.setResolution(SCREEN)
            drawing.setSize(widget.size())
            drawing.setViewBox(widget.rect())
            _draw(widget, drawing)
    buffer.close()
    written = bytes(content.data())
    return with_widths(written) if suffix == ".svg" else written


def figure_image(make: Callable[[], QWidget], size: FigureSize, dots: int = SCREEN) -> QImage:
    """The same as a picture, with ``dots`` pixels per inch."""
    with _on_paper(make, size) as widget:
        return _image(widget, dots)


@contextmanager
def _on_paper(make: Callable[[], QWidget], size: FigureSize) -> Iterator[QWidget]:
    """The widget in the colours of paper. The theme's own are back before anything else is painted."""
    known = theme().palette
    light = palette("light")
    theme().palette = replace(
        light, window="#ffffff", surface="#ffffff", plot="#ffffff", border="#8a94a3", muted="#2c3440"
    )
    widget = make()
    try:
        pixels = max(6, round(size.text / 72 * SCREEN))
        ink, font = theme().palette, f"font-size: {pixels}px;"
        paper = "background: #ffffff; border: 0;"
        widget.setStyleSheet(f"* {{ {font} color: {ink.text}; }} #panel, QGraphicsView {{ {paper} }}")
        for view in widget.findChildren(QGraphicsView):
            view.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)  # else its ground is a picture
        widget.resize(size.pixels())
        widget.ensurePolished()
        widget.grab(widget.rect().adjusted(0, 0, 1 - widget.width(), 1 - widget.height()))  # lays it out
        yield widget
    finally:
        theme().palette = known
        widget.deleteLater()


def _image(widget: QWidget, dots: int) -> QImage:
    fineness = dots / SCREEN
    image = QImage(widget.size() * fineness, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(fineness)
    image.setDotsPerMeterX(round(1000 * dots / INCH))
    image.setDotsPerMeterY(round(1000 * dots / INCH))
    image.fill("#ffffff")
    for plot in widget.findChildren(ChartPlot):
        plot.thicken(fineness)
    widget.render(image)
    return image


def _draw(widget: QWidget, device: QPdfWriter | QSvgGenerator) -> None:
    painter = QPainter(device)
    widget.render(painter, QPoint())
    painter.end()
