"""What is seen, in figures, held against what it was when somebody looked at it last: what a widget paints, and how
those in it behave (``test_as_recorded.py`` in the folders here).

After a change that is meant, ``SEEN=new ./workbench.sh test tests/ui -k as_recorded`` writes ``tests/data/seen`` anew;
the difference there is read with the change.
"""

from __future__ import annotations

import itertools
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint
from PySide6.QtGui import QAction, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFrame, QGraphicsView, QHeaderView, QListView, QScrollBar, QSizeGrip, QWidget

FILES = Path(__file__).parents[1] / "data" / "seen"
ALL = 4
"""As many figures are told one by one; of more their mean and root mean square, by column where there are few."""
NUMBER = re.compile(r"(?<![#\w])-?\d+\.?\d*(?:e[+-]?\d+)?")
MEASURED = re.compile(r"( at |x4 )")
"""Behind it stand pixels, or what a picture with texts looks like, whose edges another version of what sets them sets
slightly otherwise."""
COORDINATE = re.compile(r"-?[\d.]+(?:e[+-]?\d+)?")
PLACES = ("x", "y", "width", "height", "cx", "cy", "r")
IDENTITY = "matrix(1,0,0,1,0,0)"


def in_figures(given: Any) -> str:
    values = np.asarray(getattr(given, "data", given) if not isinstance(given, np.ndarray) else given)
    if not np.issubdtype(values.dtype, np.number):
        return str(given)
    if values.size <= ALL:
        return " ".join(f"{float(value):.5g}" for value in values.ravel())
    columns = values.reshape(-1, values.shape[-1] if values.shape[-1] <= ALL else 1).astype(np.float64)
    shape = "x".join(map(str, values.shape))
    figures = zip(columns.mean(axis=0), np.sqrt((columns**2).mean(axis=0)), strict=True)
    return f"{shape} " + " ".join(f"{mean:.5g} {square:.5g}" for mean, square in figures)


def painted(widget: QWidget) -> list[str]:
    """A line for each shape and each text that a widget and those in it paint: its colours, its pen, where it is."""
    for view in (view for view in (widget, *widget.findChildren(QGraphicsView)) if isinstance(view, QGraphicsView)):
        view.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)  # else its ground is a picture
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    drawing = QSvgGenerator()
    drawing.setOutputDevice(buffer)
    drawing.setSize(widget.size())
    painter = QPainter(drawing)
    QWidget.render(widget, painter, QPoint())  # a view's own is another
    painter.end()
    buffer.close()
    root = ElementTree.fromstring(bytes(content.data()))
    shades = {f"url(#{each.get('id')})": _shades(each) for each in root.iter() if each.tag.endswith("Gradient")}
    return [line for group in root.iter() for line in _shapes(group, shades)]


def _shades(gradient: ElementTree.Element) -> str:
    """Where it has which colour, and from where to where it goes."""
    ends = in_figures(np.array([gradient.get(name, "nan") for name in ("x1", "y1", "x2", "y2")], np.float64))
    return "; ".join([f"from {ends}", *(f"{each.get('offset')} {each.get('stop-color')}" for each in gradient)])


def _shapes(group: ElementTree.Element, shades: dict[str, str]) -> Iterator[str]:
    """Of a group of SVG, whose shapes have its colours."""
    for shape in group if group.tag.endswith("}g") else ():
        kind = shape.tag.rpartition("}")[2]
        look = {**group.attrib, **shape.attrib}
        colours = [
            f"{shades.get(look[part], look[part])} {look.get(f'{part}-opacity', 1)}"
            for part in ("fill", "stroke")
            if look[part] != "none"
        ]
        if kind == "g" or not colours:
            continue
        pen = f" {look['stroke-width']} {look.get('stroke-dasharray', '')}" if look["stroke"] != "none" else ""
        points = look.get("d") or look.get("points") or " ".join(look.get(name, "") for name in PLACES)
        numbers = np.array(COORDINATE.findall(points), np.float64)
        a, b, c, d, right, down = map(float, COORDINATE.findall(look.get("transform", IDENTITY)))
        if kind in ("rect", "image", "ellipse", "circle"):
            numbers = numbers * ([a, d] * 2)[: len(numbers)] + [right, down, *[0] * (len(numbers) - 2)]
        else:
            numbers = numbers.reshape(-1, 2) @ [[a, b], [c, d]] + (right, down)
        text = f" {look.get('font-size')} {look.get('font-weight')} {b:g} {shape.text!r}" if kind == "text" else ""
        yield f"{kind} {', '.join(colours)}{pen}{text} at {in_figures(numbers)}"


def compare(room: str, name: str, now: list[str], pixels: float = 2e-3) -> None:
    """Fails where other things are seen, or the same ones elsewhere, by more than so many pixels."""
    for was, line in itertools.zip_longest(_recorded(room, name, now), now, fillvalue=""):
        assert _alike(was, line, pixels), f"{room}, {name}: it was: {was}; it is: {line}"


def compare_widgets(room: str, name: str, widget: QWidget, *without: type[QWidget]) -> None:
    """Fails where one that there was behaves otherwise; not where others say something else or have come."""
    now = behaviour(widget, *without)
    was, are = (_by_widget(lines) for lines in (_recorded(room, name, now), now))
    assert sum(who in are for who in was) > KNOWN * len(was), f"{room}, {name}: most of it is new"
    for who, lines in was.items():
        if len(lines) == len(are.get(who, ())):
            assert are[who] == lines, f"{room}, {name}: {who}"


def _recorded(room: str, name: str, now: list[str]) -> list[str]:
    file = FILES / room / f"{re.sub('[^a-z]+', '_', name)}.txt"
    if os.environ.get("SEEN") == "new":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join([*now, ""]), "utf-8")
    return file.read_text("utf-8").splitlines()


def _by_widget(lines: list[str]) -> dict[str, list[str]]:
    found = defaultdict(list)
    for line in sorted(lines):
        who, _, how = line.rpartition(": ")
        found[who].append(how)
    return found


def _alike(was: str, now: str, pixels: float) -> bool:
    if NUMBER.sub("#", was) != NUMBER.sub("#", now):
        return False
    (before, mark, seen_before), (after, _, seen) = (
        (*MEASURED.split(each, maxsplit=1), "", "")[:3] for each in (was, now)
    )
    off = {"rel": 1e-2, "abs": 2e-3} if mark == "x4 " else {"rel": 2e-4, "abs": pixels}
    same = _figures(after) == pytest.approx(_figures(before), rel=2e-4, abs=2e-3)
    return same and _figures(seen) == pytest.approx(_figures(seen_before), **off)


def _figures(text: str) -> list[float]:
    return list(map(float, NUMBER.findall(text)))


PLACED = re.compile(
    r"^(x|y|width|height|pos|size|geometry|.*[gG]eometry|.*Rect|rect|.*Size|.*Width|.*Height|styleSheet|windowFilePath|"
    r"active|isActiveWindow|focus|fullScreen|minimized|maximized|visible|mouseTracking|autoFillBackground|"
    r"windowOpacity|opacity|inputMethodHints|layoutDirection|updatesEnabled|normalGeometry|cursorPosition|selectedText|"
    r"hasSelectedText|selectionStart|undoAvailable|redoAvailable|html|objectName|toolTipDuration)$"
)
"""Properties of a widget that its painting shows, or that Qt sets by itself."""
NAMES = ("accessibleName", "text", "windowTitle", "title")
"""Where a widget's name stands, the first that there is."""
KNOWN = 0.8
"""Of the widgets that there were."""
OF_QT = (QHeaderView, QScrollBar, QSizeGrip)


def behaviour(widget: QWidget, *without: type[QWidget]) -> list[str]:
    """A line for a widget and each in it that Qt has not made for itself, by its name: how it behaves where a plain one
    of its class does not, and which texts it has; and its actions. Nothing within one of ``without``."""
    plain: dict[type, dict[str, Any]] = {}
    lines = []
    for each in (widget, *widget.findChildren(QWidget)):
        if any(one.isAncestorOf(each) for kind in without for one in widget.findChildren(kind)):
            continue
        if each.objectName().startswith("qt_") or isinstance(each, OF_QT) or type(each) is QFrame:
            continue
        if isinstance(each, QListView) and each.parentWidget().metaObject().className().startswith("QComboBox"):
            continue
        kind = next(one for one in type(each).__mro__ if one.__module__.startswith("PySide6"))
        if kind not in plain:
            with suppress(TypeError, NotImplementedError):  # which cannot be made by themselves
                plain[kind] = dict(_properties(kind()))
        usual, values = plain.get(kind, {}), dict(_properties(each))
        name = next((values[key] for key in NAMES if values.get(key)), "")
        how = [_told(key, value) for key, value in values.items() if value != usual.get(key)]
        how += ["hidden"] if each.isHidden() else []
        if how:
            lines.append(f"{type(each).__name__} {each.objectName()} {name[:60]!r}: {' '.join(how)}")
    for action in (each for each in widget.findChildren(QAction) if each.text()):
        on = [name for name in ("Enabled", "Checkable", "Checked", "Visible") if getattr(action, f"is{name}")()]
        lines.append(f"QAction {action.text()!r}: {' '.join([*on, action.shortcut().toString() or '–'])}")
    return sorted(lines)  # what is raised over others comes later among the children of Qt


def _told(name: str, value: Any) -> str:
    """Of a text that there is one."""
    return f"{name}={value.name}" if isinstance(value, Enum) else name if isinstance(value, str) else f"{name}={value}"


def _properties(widget: QWidget) -> Iterator[tuple[str, Any]]:
    meta = widget.metaObject()
    for place in range(meta.propertyCount()):
        name = meta.property(place).name()
        if not PLACED.match(name):
            value = widget.property(name)
            if isinstance(value, bool | int | float | str | Enum):
                yield name, value
