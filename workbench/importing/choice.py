"""The columns of a measured table as a person may choose them: its first rows, and what is likely meant."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engines.api.errors import ProblemError
from engines.quantities import alike, conversion
from engines.reading import guarded
from engines.tables.columns import Axis, Column, column_of, columns_for, guessed, heading_parts
from engines.tables.text import TextTable, text_table
from workbench.project.measured import is_own, text_of

FIRST = 8
"""Rows that are shown."""


@dataclass(frozen=True)
class Choice:
    """A table of several columns.

    heading: a name for each column, as in the file or by its number; rows: the first ones; units: of each column as its
    heading says, empty where it does not; guess: the columns that are likely x and y
    """

    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    units: tuple[str, ...]
    guess: tuple[int, int]

    def units_for(self, axis: Axis) -> list[str]:
        """Those that a column may be in, that stands along an axis."""
        return alike(axis.unit or "1") + ["dB"] * bool(axis.decibels)

    def unit(self, column: int, axis: Axis) -> str:
        """Of a column, as the list for the axis has it: that of its heading, else the axis's own."""
        known = self.units_for(axis)
        for unit in (self.units[column], "dB" if axis.decibels else axis.unit):
            found = next((each for each in known if conversion(unit, each) == (1.0, 0.0)), None)
            if unit and found is not None:
                return found
        return axis.unit


def column_in(place: int, unit: str, axis: Axis) -> Column:
    """A column whose numbers are in ``unit``, for an axis. Raises ProblemError for a unit of another kind."""
    heading = f"{axis.title} [{unit or '1'}]" if axis.decibels or unit else axis.title
    return column_of(heading, place, axis, "the table")


@guarded("cannot be read as measured points: save it as CSV with two columns, x and y.")
def choice_of(path: Path, axes: tuple[Axis, Axis], always: bool = False) -> Choice | None:
    """What is to be chosen; None where nothing need be: a table of this application, or two columns that are clear.

    Raises ProblemError.
    """
    table = text_table(text_of(path))
    count = max((len(row) for _, row in table.rows), default=0)
    if count < 2 or is_own(table.heading):
        return None
    if count == 2 and not always and not _unclear(table, axes, path.name):
        return None
    heading = tuple(table.heading) if len(table.heading) >= count else tuple(f"column {k + 1}" for k in range(count))
    x = guessed(heading, axes[0])
    rows = tuple(tuple(row) for _, row in table.rows[:FIRST])
    units = tuple(heading_parts(cell)[1] for cell in heading)
    return Choice(heading, rows, units, (x, guessed(heading, axes[1], besides=x)))


def _unclear(table: TextTable, axes: tuple[Axis, Axis], name: str) -> bool:
    if len(table.heading) < 2:
        return False
    try:
        columns_for(table.heading, *axes, name)
    except ProblemError:
        return True
    return False
