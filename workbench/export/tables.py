"""CSV tables: plain UTF-8, a header with units, nine significant digits (what a float32 holds)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo
from engines.geometry.base import Geometry
from engines.tables.text import guarded
from workbench.storage.atomic import write_text
from workbench.words.units import file_unit


def cell(value: Any) -> Any:
    """A value as it stands in a table: nothing for what has not come."""
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:.9g}"
    if isinstance(value, str):
        return guarded(value)
    return "" if value is None else value


def rows_as_text(rows: Iterable[Sequence[Any]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([cell(value) for value in row] for row in rows)
    return stream.getvalue()


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Atomically write a table. Raises StorageError."""
    write_text(path, rows_as_text([header, *rows]))


def columns_of(info: FieldInfo, prefix: str = "") -> list[str]:
    """Headings of one field: its name and unit, one for each component."""
    unit = f" [{file_unit(info.unit)}]" if info.unit else ""
    if info.components == 1:
        return [f"{prefix}{info.name}{unit}"]
    return [f"{prefix}{info.name}_{index}{unit}" for index in range(info.components)]


def position_titles(geometry: Geometry, prefix: str = "") -> list[str]:
    """Headings of a position: ``x [mm]`` and so on."""
    return [f"{prefix}{axis} [{geometry.length_unit}]" for axis in "xyz"]


def points_table(
    points: Sequence[tuple[str, int]], geometry: Geometry, fields: Sequence[FieldInfo], values: dict[str, Array]
) -> tuple[list[str], list[list[Any]]]:
    """(header, rows): where each probe is and the final value of each summary field there.

    ``points`` are (name, element); ``values[field]`` is ``(n_points,)``.
    """
    header = ["name", *position_titles(geometry), "element"]
    centers = geometry.centers(np.array([element for _, element in points], np.int64))
    shown = [info for info in fields if info.name in values]
    header += [title for info in shown for title in columns_of(info)]
    rows = []
    for index, (name, element) in enumerate(points):
        row: list[Any] = [name, *(float(x) for x in centers[index]), element]
        for info in shown:
            for value in np.atleast_1d(values[info.name][index]):
                row.append(None if info.missing is not None and value == info.missing else float(value))
        rows.append(row)
    return header, rows
