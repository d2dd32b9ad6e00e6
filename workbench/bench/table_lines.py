"""A measured table with what was published beside it: lines in groups, one group for each thing that is measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engines.api.lab import Column, LabTable, PublishedRows, Row, Value
from workbench.bench.records import LabRecord, TableRecord
from workbench.words.numbers import printed

NOTHING = "–"
"""Shown in place of a value that is missing."""
SMALLEST, LARGEST = 1e-4, 1e15
"""Numbers outside are written with an exponent."""


@dataclass(frozen=True)
class Line:
    """One row and where it comes from.

    source: of a published row; empty for one that was measured
    ratios: for each column, the measured figure of the group over this one; None where there are not two
            numbers that a quotient makes sense of
    """

    values: Row
    device: str
    source: str
    ratios: tuple[float | None, ...]


Group = tuple[Line, ...]
"""Lines with the same values in the columns that are no results: the measured ones, then the published ones."""


def published_beside(
    table: LabTable | None, columns: Sequence[Column], other: LabRecord | None = None
) -> list[PublishedRows]:
    """What stands beside rows with these columns: what was published, and the same table of another record.

    Rows under other columns (an older record, a changed table) are left out.
    """
    if table is None:
        return []
    titles = [column.title for column in columns]
    found: list[PublishedRows] = []
    if [column.title for column in table.columns] == titles:
        found += table.published
    same = of_record(other, table.id)
    if other is not None and same is not None and [column.title for column in same.columns] == titles:
        device = str(other.machine.device.get("name", "unknown device"))
        found.append(PublishedRows(f"record of {other.machine.date[:10]}", device, same.rows))
    return found


def grouped(
    columns: Sequence[Column], rows: Sequence[Row], device: str, beside: Sequence[PublishedRows]
) -> list[Group]:
    """Groups in the order of the measured rows; then those that were published alone, in theirs."""
    own: dict[Row, list[Row]] = {}
    for row in rows:
        own.setdefault(key_of(row, columns), []).append(row)
    theirs: dict[Row, list[tuple[PublishedRows, Row]]] = {}
    for published in beside:
        for row in published.rows:
            theirs.setdefault(key_of(row, columns), []).append((published, row))
    groups = []
    for key in dict.fromkeys([*own, *theirs]):
        mine = own.get(key, [])
        lines = [Line(row, device, "", (None,) * len(columns)) for row in mine]
        # Two measured rows of one key: which of them a published one is to be held against is not known.
        one = mine[0] if len(mine) == 1 else None
        lines += [Line(r, device_name(p.device), p.source, ratios(one, r, columns)) for p, r in theirs.get(key, [])]
        groups.append(tuple(lines))
    return groups


def device_name(published: str) -> str:
    """Of a published device, which is empty where the figures depend on none."""
    return published or "Published"


def key_of(row: Row, columns: Sequence[Column]) -> Row:
    """What a row is about: its values in the columns that are no results."""
    return tuple(value for value, column in zip(row, columns, strict=True) if not column.result)


def ratios(own: Row | None, theirs: Row, columns: Sequence[Column]) -> tuple[float | None, ...]:
    """Measured over published, column by column of the results."""
    if own is None:
        return (None,) * len(columns)
    return tuple(
        _ratio(mine, other) if column.result else None for mine, other, column in zip(own, theirs, columns, strict=True)
    )


def _ratio(own: Value, theirs: Value) -> float | None:
    mine, other = number(own), number(theirs)
    # Logarithms and differences may be below zero, where a quotient says nothing.
    return mine / other if mine is not None and other is not None and mine >= 0 and other > 0 else None


def number(value: Value) -> float | None:
    """A finite number, or None."""
    if value is None or isinstance(value, str):
        return None
    return float(value) if math.isfinite(value) else None


def value_text(value: Value, column: Column, measured: bool = True) -> str:
    """In the column's significant digits; what a row is about, where it is whole, in all of its digits.

    A published number gets no zeros at its end that may not have been published.
    """
    if isinstance(value, str):
        return value or NOTHING
    known = number(value)
    if known is None:
        return NOTHING
    if known == 0:
        return "0"
    if not SMALLEST <= abs(known) < LARGEST:
        return printed(f"{known:.{column.digits - 1}e}")
    whole = known == round(known)
    if whole and not column.result:
        return printed(f"{known:.0f}")
    places = column.digits - 1 - math.floor(math.log10(abs(known)))
    text = f"{round(known, places):.{max(0, places)}f}"
    if "." in text and (whole or not measured or not column.result):
        text = text.rstrip("0").rstrip(".")
    return printed(text)


def ratio_text(ratio: float | None) -> str:
    """``0.85×``; empty where there is none."""
    if ratio is None:
        return ""
    return f"{ratio:.2f}×" if 0.095 <= abs(ratio) < 9.995 else f"{ratio:.3g}×"


def title_of(column: Column, between: str = " ") -> str:
    """``Time [ms]``"""
    return column.title + (f"{between}[{column.unit}]" if column.unit else "")


def of_record(record: LabRecord | None, table: str) -> TableRecord | None:
    """The table of a record with this id; None if it was not measured."""
    return next((one for one in record.tables if one.table == table), None) if record is not None else None
