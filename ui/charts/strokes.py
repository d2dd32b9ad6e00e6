"""SVG whose lines are as thick everywhere as here: Qt asks for that by ``vector-effect``, which Inkscape and others do
not know; they draw such lines as thin or thick as the plot's scale makes them."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from PySide6.QtCore import QPointF
from PySide6.QtGui import QTransform

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
EFFECT = "vector-effect"
PLACE = re.compile(r"(-?[\d.]+(?:e[+-]?\d+)?),(-?[\d.]+(?:e[+-]?\d+)?)")


def with_widths(svg: bytes) -> bytes:
    """What QSvgGenerator wrote, with the points of lines in the figure's own coordinates, where widths are meant."""
    for prefix, name in (("", SVG), ("xlink", XLINK)):
        ElementTree.register_namespace(prefix, name)
    root = ElementTree.fromstring(svg)
    for group in root.iter(f"{{{SVG}}}g"):
        shapes = list(group)
        steady = [shape for shape in shapes if shape.attrib.pop(EFFECT, "") == "non-scaling-stroke"]
        numbers = re.findall(r"-?[\d.]+(?:e[+-]?\d+)?", group.get("transform", ""))
        if not steady or len(numbers) != 6:
            continue
        transform = group.attrib.pop("transform")
        matrix = QTransform(*map(float, numbers))
        for shape in shapes:
            if shape in steady:
                _place(shape, matrix)
            else:
                shape.set("transform", transform)
    return ElementTree.tostring(root, "utf-8", xml_declaration=True)


def _place(shape: ElementTree.Element, matrix: QTransform) -> None:
    if shape.tag == f"{{{SVG}}}rect":
        x, y, width, height = (float(shape.attrib.pop(name)) for name in ("x", "y", "width", "height"))
        shape.tag = f"{{{SVG}}}polygon"
        shape.set("points", f"{x},{y} {x + width},{y} {x + width},{y + height} {x},{y + height}")
    for name in ("d", "points"):
        if name in shape.attrib:
            shape.set(name, PLACE.sub(lambda place: _mapped(place, matrix), shape.attrib[name]))


def _mapped(place: re.Match[str], matrix: QTransform) -> str:
    at = matrix.map(QPointF(float(place[1]), float(place[2])))
    return f"{at.x():.6g},{at.y():.6g}"
