"""A chart as a file: a picture twice as fine as on the screen, or a drawing."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

FINENESS = 2.0


def picture(widget: QWidget) -> QImage:
    """The widget as it stands in the window."""
    image = QImage(widget.size() * FINENESS, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(FINENESS)
    image.fill(widget.palette().window().color())
    widget.render(image)
    return image


def picture_bytes(widget: QWidget, suffix: str) -> bytes:
    """The content of a file with this suffix, ``.png`` or ``.svg``."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if suffix == ".png":
        picture(widget).save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs want bytes, Qt a text
    else:
        drawing = QSvgGenerator()
        drawing.setOutputDevice(buffer)
        drawing.setSize(widget.size())
        drawing.setViewBox(widget.rect())
        painter = QPainter(drawing)
        widget.render(painter, QPoint())
        painter.end()
    buffer.close()
    return bytes(content.data())
