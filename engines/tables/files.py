"""Tables of numbers in text files, their columns in the units of whoever asks."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.reading import Version, guarded, version_of
from engines.tables.columns import Axis, Column, column_of, columns_for
from engines.tables.text import TextTable, text_table


def read_table(path: str, what: str, columns: tuple[str, ...], units: tuple[str, ...] = ()) -> Array:
    """(rows, columns) float64 in ``units``, the first column increasing; the same array while the file is the same.

    Names above the numbers may give other units ("time [ms]"), and, of more than two columns, say which are meant; rows
    that begin with # are passed over. ``what`` is the table's name in a sentence ("history"). Raises ProblemError that
    names the row.
    """
    if not path:
        raise ProblemError(f"The {what} has no file: choose a CSV file of {_listed(columns)}.")
    try:
        return _read(Path(path), what, columns, units or ("",) * len(columns), version_of(path))
    except OSError as error:
        raise ProblemError(f"The {what} '{path}' cannot be read ({error.strerror}): choose another file.") from error


def _listed(columns: tuple[str, ...]) -> str:
    return f"{', '.join(columns[:-1])} and {columns[-1]}"


@lru_cache(maxsize=16)
@guarded("cannot be read as a table: save it as CSV with numbers in rows.")
def _read(path: Path, what: str, columns: tuple[str, ...], units: tuple[str, ...], version: Version) -> Array:
    try:
        found = text_table(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ProblemError(f"The {what} '{path.name}' is no text: save it as CSV.") from error
    taken = _columns(found, columns, units, path.name)
    rows: list[list[float]] = []
    for number, cells in found.rows:
        row = f"Row {number} of the {what} '{path.name}'"
        values = [found.number(cells[each.place]) if each.place < len(cells) else None for each in taken]
        surplus = len(found.heading) <= len(columns) < len(cells)
        known = [value for value in values if value is not None]
        if surplus or len(known) < len(columns):
            raise ProblemError(f"{row} is not {len(columns)} numbers: write {_listed(columns)}.")
        rows.append([each.factor * value + each.offset for each, value in zip(taken, known, strict=True)])
        if len(rows) > 1 and rows[-1][0] <= rows[-2][0]:
            raise ProblemError(f"{row} is not beyond the row before it: let its first column increase.")
    if len(rows) < 2:
        raise ProblemError(f"The {what} '{path.name}' has {len(rows)} rows of numbers: it needs 2 or more.")
    table = np.array(rows)
    table.setflags(write=False)
    return table


def _columns(table: TextTable, columns: tuple[str, ...], units: tuple[str, ...], name: str) -> list[Column]:
    """In their order, or of two by the headings where there are any."""
    axes = [Axis(*each) for each in zip(columns, units, strict=True)]
    if len(table.heading) >= len(columns) == 2:
        return list(columns_for(table.heading, axes[0], axes[1], name))
    heading = table.heading or ("",) * len(columns)
    return [column_of(text, place, axis, name) for place, (text, axis) in enumerate(zip(heading, axes, strict=False))]
