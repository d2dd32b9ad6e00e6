"""Charts as CSV tables: a row for each point or bar, the curves one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engines.api.charts import ChartData, ChartInfo, Curve
from workbench.export.tables import rows_as_text
from workbench.words.units import file_unit

Rows = Sequence[Sequence[Any]]


def chart_table(info: ChartInfo, data: ChartData, x_title: str = "", x_unit: str = "") -> tuple[list[str], list[Any]]:
    """(header, rows) in long form: curve, abscissa (bars: from, to; patterns: a second one), ordinate, and where
    some curve has them the ends of its band and what shades its bars.

    ``x_title`` and ``x_unit`` are for charts over time, which name no abscissa of their own.
    """
    bars = info.kind == "bar"
    name, unit = info.x_title or x_title or "x", info.x_unit or x_unit
    header = ["curve"]
    header += [titled(f"{name}, {end}", unit) for end in ("from", "to")] if bars else [titled(name, unit)]
    crossed = info.kind == "pattern"
    header += [titled(info.across_title or "across", unit)] if crossed else []
    header.append(titled(info.y_title if info.kind == "raster" and info.y_title else info.title, info.unit))
    banded = any(curve.low is not None and curve.high is not None for curve in data.curves)
    shaded = any(curve.shade is not None for curve in data.curves)
    header += ["band from", "band to"] if banded else []
    header += [data.shade_title or "shade"] if shaded else []
    return header, [row for curve in data.curves for row in _rows(curve, bars, crossed, banded, shaded)]


def chart_text(info: ChartInfo, data: ChartData, x_title: str = "", x_unit: str = "", more: Rows = ()) -> str:
    """A file with the rows of :func:`chart_table` and then ``more``; what is to be known of them stands above, behind
    a #, which readers of tables pass over."""
    header, rows = chart_table(info, data, x_title, x_unit)
    table = rows_as_text([header, *rows, *([*row, *[None] * (len(header) - len(row))] for row in more)])
    notes = [f"# {' '.join(each.split())}\n" for each in (data.part, data.note) if each]
    return "".join([*notes, table])


def titled(title: str, unit: str) -> str:
    """``Voltage [V]``; a number without a unit has its title alone."""
    return f"{title} [{file_unit(unit)}]" if unit not in ("", "1") else title


def _rows(curve: Curve, bars: bool, crossed: bool, banded: bool, shaded: bool) -> list[Sequence[Any]]:
    n = len(curve.y)
    absent = [None] * n
    columns: list[Any] = [[curve.title] * n]
    columns += [curve.x[:-1], curve.x[1:]] if bars else [curve.x]
    if crossed:
        columns.append(absent if curve.across is None else curve.across)
    columns.append(curve.y)
    if banded:
        columns += [absent if curve.low is None else curve.low, absent if curve.high is None else curve.high]
    if shaded:
        columns.append(absent if curve.shade is None else curve.shade)
    return [list(row) for row in zip(*columns, strict=True)]
