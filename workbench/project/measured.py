"""Measured data that are laid over charts: read from CSV files, and compared with a computed curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.reading import guarded
from engines.tables.columns import CURVE, Axis, Column, column_of, columns_for, heading_parts
from engines.tables.text import number_of, text_table
from workbench.project.project import MeasuredData
from workbench.words.numbers import figure, grouped
from workbench.words.units import unit_text

LARGEST_FILE = 64 * 2**20
MOST_POINTS = 20_000
"""Points that are kept of a file; of more, every so manyth."""
MOST_CURVES = 12
"""Of one table."""
PREFIXED = {"V", "A", "W", "Ω", "m", "s"}
"""Units whose thousandths have a name of their own."""


@guarded("cannot be read as measured points: save it as CSV with two columns, x and y.")
def read_curves(
    path: Path, chart: str, axes: tuple[Axis, Axis] | None = None, chosen: tuple[Column, Column] | None = None
) -> list[MeasuredData]:
    """The points (x, y) of a file, for the chart of this name.

    Between columns stands a tab, a semicolon, a comma or spaces; with the first two a comma may be the decimal sign.
    The first row may be a heading; empty rows and those that begin with # are skipped. Of two columns the first is x;
    a heading finds those for ``axes`` (x, y) among more, in any order, and converts their units ("Time [h]"). A table
    that this application has written of a chart gives each of its curves. ``chosen``: the columns of x and y that a
    person says. Raises ProblemError with one sentence that names row and column.
    """
    table = text_table(text_of(path))
    heading, cells = table.heading, table.rows
    if not cells:
        raise ProblemError(f"'{path.name}' is empty: it needs two columns of numbers, x and y.")
    if len(cells) < 2:
        raise ProblemError(f"'{path.name}' has fewer than two rows of numbers: it needs columns x and y.")
    if chosen is not None:
        widest = max(len(row) for _, row in cells)
        points = [_point(path.name, place, row, table.separator, chosen, widest) for place, row in cells]
        return [_thinned(chart, path.stem, points)]
    if is_own(heading):
        return _own_curves(path, chart, heading, cells, axes)
    columns = Column(0), Column(1, decibels=axes[1].decibels if axes is not None else 0.0)
    at_most = 2
    if axes is not None and len(heading) >= max(2, len(cells[0][1])):
        columns, at_most = columns_for(heading, *axes, path.name), len(heading)
    points = [_point(path.name, place, row, table.separator, columns, at_most) for place, row in cells]
    return [_thinned(chart, path.stem, points)]


def is_own(heading: Sequence[str]) -> bool:
    """Whether these headings are of a table that this application has written of a chart."""
    return len(heading) > 2 and heading[0].lower() == CURVE


def _own_curves(
    path: Path,
    chart: str,
    heading: Sequence[str],
    cells: Sequence[tuple[int, list[str]]],
    axes: tuple[Axis, Axis] | None,
) -> list[MeasuredData]:
    """The curves of a table in long form (:func:`workbench.export.chart_tables.chart_table`); rows without an ordinate
    interrupt a line there, and are left out."""
    columns = Column(1), Column(2)
    if " ÷ " in heading[2]:
        raise ProblemError(f"'{path.name}' has quotients, '{heading[2]}': save it of the chart undivided.")
    if axes is not None:
        x, y = axes
        if not heading_parts(heading[2])[1]:
            y = replace(y, decibels=0.0)  # without a unit it has written plain numbers
        columns = column_of(heading[1], 1, x, path.name), column_of(heading[2], 2, y, path.name)
    found: dict[str, list[tuple[float, float]]] = {}
    for place, row in cells:
        if len(row) > 2 and row[2]:
            found.setdefault(row[0], []).append(_point(path.name, place, row, ",", columns, len(heading)))
    if not found or len(found) > MOST_CURVES:
        what = "no points" if not found else f"more than {MOST_CURVES} curves"
        raise ProblemError(f"'{path.name}' has {what}: keep those of a few curves.")
    several = len(found) > 1
    return [_thinned(chart, f"{path.stem}: {curve}" if several else path.stem, each) for curve, each in found.items()]


def _thinned(chart: str, title: str, points: list[tuple[float, float]]) -> MeasuredData:
    points = points[:: -(-len(points) // MOST_POINTS)]
    return MeasuredData(chart=chart, title=title, x=[x for x, _ in points], y=[y for _, y in points])


@dataclass(frozen=True)
class Difference:
    """Root mean square of measured − computed, over the part of the abscissa that both have."""

    rmse: float
    span: float

    def text(self, unit: str, x_unit: str, size: float = 1.0) -> str:
        """``RMSE 4.2 mV over 3 412 s``; ``size``: that of ``x_unit`` in the unit of the abscissa (3600 of h)."""
        value, prefix = self.rmse, ""
        if unit in PREFIXED and 0 < value < 0.1:
            value, prefix = (1e3 * value, "m") if value >= 1e-4 else (1e6 * value, "µ")
        told = f"{figure(value, 3)} {prefix}{'' if unit == '1' else unit}".rstrip()
        span = self.span / size
        long = grouped(round(span)) if span >= 100 else figure(span, 3)
        return f"RMSE {told} over {long} {unit_text(x_unit)}".rstrip()


def difference(x: Array, y: Array, computed_x: Array, computed_y: Array) -> Difference | None:
    """How far measured points ``x, y: (n,)`` are from a computed curve, whose ``computed_x: (m,)`` rises.

    The curve is taken as straight between its points. None where they have no range in common, and where the curve
    turns back (load over displacement may).
    """
    known = np.isfinite(computed_y)
    computed_x, computed_y = computed_x[known], computed_y[known]
    if not len(computed_x) or (np.diff(computed_x) < 0).any():
        return None
    inside = (x >= computed_x[0]) & (x <= computed_x[-1])
    if not inside.any():
        return None
    away = y[inside] - np.interp(x[inside], computed_x, computed_y)
    return Difference(float(np.sqrt(np.mean(away**2))), float(np.ptp(x[inside])))


def text_of(path: Path) -> str:
    """The text of a measured table. Raises ProblemError."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ProblemError(f"'{path.name}' is larger than {LARGEST_FILE >> 20} MB: thin it out first.")
        content = path.read_bytes()
    except OSError as error:
        raise ProblemError(f"'{path.name}' cannot be read: {error.strerror or error}.") from error
    if b"\0" in content:
        raise ProblemError(f"'{path.name}' is no text: save it as CSV with two columns, x and y.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:  # a heading with µ or ° from an old spreadsheet; numbers are the same in both
        return content.decode("latin-1")


def _point(
    name: str, place: int, row: Sequence[str], separator: str | None, columns: tuple[Column, Column], at_most: int
) -> tuple[float, float]:
    if len(row) > at_most or (at_most == 2 and len(row) != 2):
        count = "one column" if len(row) == 1 else f"{len(row)} columns"
        advice = " (a decimal comma needs ; between the columns)" if separator == "," and len(row) > 2 else ""
        raise ProblemError(f"'{name}', row {place} has {count}: keep two, x and y{advice}.")
    values = []
    for column in columns:
        cell = row[column.place] if column.place < len(row) else ""
        value = number_of(cell, separator)
        if value is None:
            what = f"'{cell[:24]}' is not a number" if cell else "there is no number"
            where = f"row {place}, column {column.place + 1}"
            raise ProblemError(f"'{name}', {where}: {what}; put one there or remove the row.")
        values.append(column.value(value))
    return values[0], values[1]
