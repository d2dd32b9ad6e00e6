"""Icons from ``assets/icons``, drawn in a colour of the theme; those given by :func:`dress` follow the theme."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Protocol
from weakref import WeakKeyDictionary

import shiboken6
from PySide6.QtCore import QByteArray, QObject, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from ui.widgets.theme import theme

SIZES = (16, 20, 24, 32, 48)


class Dressable(Protocol):
    """An action or a button."""

    def setIcon(self, icon: QIcon, /) -> None: ...


_dressed: WeakKeyDictionary[QObject, tuple[str, str]] = WeakKeyDictionary()


def dress(target: Dressable, name: str, role: str = "text") -> None:
    """Give ``target`` an icon, now and after each change of theme."""
    _follow_theme()
    assert isinstance(target, QObject)
    _dressed[target] = (name, role)
    target.setIcon(icon(name, role))


def icon(name: str, role: str = "text") -> QIcon:
    """The icon ``name`` in the present theme's colour ``role``."""
    colors = theme().palette
    return _icon(name, getattr(colors, role), colors.disabled)


def pixmap(name: str, size: int, role: str = "text") -> QPixmap:
    """A square picture of an icon."""
    return _pictures(_source(name).replace("currentColor", getattr(theme().palette, role)), (size,))[0]


@cache
def application_icon() -> QIcon:
    """The picture of the application itself, in its own colours."""
    result = QIcon()
    for picture in _pictures(_source("workbench"), (16, 32, 48, 128, 256)):
        result.addPixmap(picture)
    return result


@cache
def _follow_theme() -> None:
    theme().changed.connect(_dress_all)


def _dress_all() -> None:
    for target, (name, role) in list(_dressed.items()):
        if shiboken6.isValid(target):
            target.setIcon(icon(name, role))  # type: ignore[attr-defined]  # only Dressable ones are put there


@cache
def _source(name: str) -> str:
    return (files("assets") / "icons" / f"{name}.svg").read_text("utf-8")


@cache
def _icon(name: str, color: str, disabled: str) -> QIcon:
    result = QIcon()
    for mode, tint in ((QIcon.Mode.Normal, color), (QIcon.Mode.Disabled, disabled)):
        for picture in _pictures(_source(name).replace("currentColor", tint), SIZES):
            result.addPixmap(picture, mode)
    return result


def _pictures(svg: str, sizes: Sequence[int]) -> list[QPixmap]:
    """Square ones of these sizes."""
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    pictures = [QPixmap(size, size) for size in sizes]
    for picture in pictures:
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        renderer.render(painter)
        painter.end()
    return pictures
