"""Tables of numbers in text files: rows of columns, separated by commas, semicolons, tabs or blanks."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.reading import guarded


def read_table(path: str, what: str, columns: tuple[str, ...]) -> Array:
    """(rows, columns) float64, the first column increasing; the same array as long as the file is the same.

    A first row may hold names; rows that begin with # are passed over. ``what`` is the table's name in a sentence
    ("history"). Raises ProblemError that names the row.
    """
    if not path:
        raise ProblemError(f"The {what} has no file: choose a CSV file of {_listed(columns)}.")
    try:
        changed = Path(path).stat()
        return _read(Path(path), what, columns, changed.st_mtime_ns, changed.st_size)
    except OSError as error:
        raise ProblemError(f"The {what} '{path}' cannot be read ({error.strerror}): choose another file.") from error


def _listed(columns: tuple[str, ...]) -> str:
    return f"{', '.join(columns[:-1])} and {columns[-1]}"


@lru_cache(maxsize=16)
@guarded("cannot be read as a table: save it as CSV with numbers in rows.")
def _read(path: Path, what: str, columns: tuple[str, ...], changed: int, size: int) -> Array:
    try:
        lines = path.read_bytes().decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ProblemError(f"The {what} '{path.name}' is no text: save it as CSV.") from error
    rows: list[list[float]] = []
    named = False
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        row = f"Row {number} of the {what} '{path.name}'"
        cells = [cell for cell in re.split(r"[,;\t ]+", line.strip()) if cell]
        try:
            values = [float(cell) for cell in cells]
        except ValueError:
            if not rows and not named:
                named = True
                continue
            values = []
        if len(values) != len(columns) or not np.isfinite(values).all():
            raise ProblemError(f"{row} is not {len(columns)} numbers: write {_listed(columns)}.")
        if rows and values[0] <= rows[-1][0]:
            raise ProblemError(f"{row} is not beyond the row before it: let its first column increase.")
        rows.append(values)
    if len(rows) < 2:
        raise ProblemError(f"The {what} '{path.name}' has {len(rows)} rows of numbers: it needs 2 or more.")
    table = np.array(rows)
    table.setflags(write=False)
    return table
