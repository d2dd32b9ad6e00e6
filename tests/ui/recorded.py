"""What is seen, in figures, held against what it was when somebody looked at it last: of widgets here, of scenes in
``tests/ui/scene/recorded.py``.

``python -m tests.ui.charts.recorded`` and ``python -m tests.ui.scene.recorded`` write them anew after a change that is
meant; the difference in ``tests/data/seen`` is read with the change.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsView, QWidget

FILES = Path(__file__).parents[1] / "data" / "seen"
ALL = 4
"""As many figures are told one by one; of more their mean and root mean square, by column where there are few."""
NUMBER = re.compile(r"(?<![#\w])-?\d+\.?\d*(?:e[+-]?\d+)?")
PLATE = re.compile(r"x4 \d")
"""A picture with texts, which are set with slightly other edges by another version of what sets them."""
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
    return [line for group in ElementTree.fromstring(bytes(content.data())).iter() for line in _shapes(group)]


def _shapes(group: ElementTree.Element) -> Iterator[str]:
    """Of a group of SVG, whose shapes have its colours."""
    for shape in group if group.tag.endswith("}g") else ():
        kind = shape.tag.rpartition("}")[2]
        look = {**group.attrib, **shape.attrib}
        colours = [
            f"{look[part]} {look.get(f'{part}-opacity', 1)}" for part in ("fill", "stroke") if look[part] != "none"
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


def file_of(room: str, name: str) -> Path:
    return FILES / room / f"{re.sub('[^a-z]+', '_', name)}.txt"


def write(room: str, seen: Iterable[tuple[str, Callable[[], list[str]]]]) -> None:
    """What each of them is now, in place of all that there was."""
    for file in (FILES / room).glob("*.txt"):
        file.unlink()
    (FILES / room).mkdir(parents=True, exist_ok=True)
    for name, lines in seen:
        file_of(room, name).write_text("\n".join([*lines(), ""]), "utf-8")


def compare(room: str, name: str, now: list[str], pixels: float = 2e-3) -> None:
    """Fails where other things are seen, or the same ones elsewhere, by more than so many pixels."""
    before = file_of(room, name).read_text("utf-8").splitlines()
    for was, line in itertools.zip_longest(before, now, fillvalue=""):
        assert NUMBER.sub("#", line) == NUMBER.sub("#", was), f"it was: {was}; it is: {line}"
        for one, other, off in zip(line.partition(" at "), was.partition(" at "), (2e-3, 0.0, pixels), strict=True):
            figures = [list(map(float, NUMBER.findall(each))) for each in (one, other)]
            same = pytest.approx(figures[1], rel=1e-2 if PLATE.search(was) else 2e-4, abs=off)
            assert figures[0] == same, f"it was: {was}; it is: {line}"
