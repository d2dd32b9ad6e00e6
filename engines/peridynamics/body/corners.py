"""Corners of polygons: typed, or read from a CSV file."""

from __future__ import annotations

import csv
import re
from functools import lru_cache
from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.geometry.solids.extruded import check_outline
from engines.peridynamics.parameters import Flat, Polygon, PolygonPlate
from engines.peridynamics.parameters.body.shapes import MOST_CORNERS
from engines.quantities import conversion
from engines.reading import Version, guarded, version_of
from engines.tables.columns import heading_parts
from engines.tables.text import check_marks, number_of


def corners_of(polygon: Polygon | PolygonPlate) -> Array:
    """(n, 2) [mm]. Raises ProblemError for fewer than three corners, lines that cross, files that cannot be read."""
    points = _read(polygon.file, _version(polygon.file)) if polygon.file else tuple(polygon.points)
    check_outline(points)
    return np.array(points, float)


def _version(path: str) -> Version:
    try:
        return version_of(path)
    except OSError:
        raise ProblemError(f"Its CSV file '{path}' is not there: choose another file.") from None


@lru_cache(maxsize=8)
@guarded("cannot be read as corners: save it as CSV with two columns, x and y.")
def _read(path: str, version: Version) -> tuple[Flat, ...]:
    """Lines that begin with no number are titles at the top, and comments; x and y may give their units there.
    Raises ProblemError."""
    name, found, numbers = Path(path).name, list[Flat](), list[list[str]]()
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ProblemError(f"'{name}' cannot be read as text: choose a CSV file.") from None
    separator = ";" if ";" in text else ","
    places, scale = (0, 1), (1.0, 1.0)
    for number, row in enumerate(csv.reader(text.splitlines(), delimiter=separator), 1):
        if not any(cell.strip() for cell in row):
            continue
        if not re.match(r"\s*[+-]?[.,]?\d", row[0]) and not found:
            places, scale = _titled(row, name) or (places, scale)
            continue
        if row[0].strip().startswith("#"):
            continue
        numbers.append([row[place].strip() for place in places if place < len(row)])
        x, y = ([number_of(cell, separator) for cell in numbers[-1]] + [None, None])[:2]
        if x is None or y is None:
            raise ProblemError(f"Line {number} of '{name}' is not two numbers: write x{separator} y.")
        found.append((scale[0] * x, scale[1] * y))
    check_marks(text.splitlines(), numbers, separator)
    if found and found[0] == found[-1]:
        found.pop()
    if len(found) > MOST_CORNERS:
        raise ProblemError(f"'{name}' has {len(found):,} corners: keep at most {MOST_CORNERS:,}.")
    return tuple(found)


def _titled(row: list[str], name: str) -> tuple[tuple[int, int], tuple[float, float]] | None:
    """Where x and y stand below these titles, and how many millimetres their units have; None where they name no x and
    y. Raises ProblemError for a unit that is no length."""
    titles = [heading_parts(cell.strip().lstrip("#")) for cell in row]
    names = [title.lower() for title, _ in titles]
    if names.count("x") != 1 or names.count("y") != 1:
        return None
    places = names.index("x"), names.index("y")
    known = [conversion(titles[place][1] or "mm", "mm") for place in places]
    if None in known:
        raise ProblemError(f"The titles of '{name}' give a unit that is no length: write x [mm] and y [mm].")
    return places, (known[0][0], known[1][0])  # type: ignore[index]  # none is None
