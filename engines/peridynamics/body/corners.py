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
from engines.reading import Version, guarded, version_of
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
    """Lines that begin with no number are titles at the top, and comments. Raises ProblemError."""
    name, found, numbers = Path(path).name, list[Flat](), list[list[str]]()
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ProblemError(f"'{name}' cannot be read as text: choose a CSV file.") from None
    separator = ";" if ";" in text else ","
    for number, row in enumerate(csv.reader(text.splitlines(), delimiter=separator), 1):
        if not any(cell.strip() for cell in row) or row[0].strip().startswith("#"):
            continue
        x, y = ([number_of(cell.strip(), separator) for cell in row[:2]] + [None])[:2]
        if x is None or y is None:
            if not found and not re.match(r"\s*[+-]?[.,]?\d", row[0]):
                continue
            raise ProblemError(f"Line {number} of '{name}' is not two numbers: write x{separator} y.")
        found.append((x, y))
        numbers.append(row[:2])
    check_marks(text.splitlines(), numbers, separator)
    if found and found[0] == found[-1]:
        found.pop()
    if len(found) > MOST_CORNERS:
        raise ProblemError(f"'{name}' has {len(found):,} corners: keep at most {MOST_CORNERS:,}.")
    return tuple(found)
