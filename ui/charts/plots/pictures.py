"""A chart as it stands in the window, as a picture twice as fine as on the screen."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

FINENESS = 2.0


def picture(widget: QWidget) -> QImage:
    """The widget as it stands in the window."""
    image = QImage(widget.size() * FINENESS, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(FINENESS)
    image.fill(widget.palette().window().color())
    widget.render(image)
    return image


def picture_bytes(widget: QWidget) -> bytes:
    """The same as the content of a PNG file."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture(widget).save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs want bytes, Qt a text
    buffer.close()
    return bytes(content.data())
