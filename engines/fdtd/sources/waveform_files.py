"""Waveforms from files of two columns, time and value."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

import numpy as np

from engines.api.errors import ProblemError
from engines.fdtd.sources.waveforms import Sampled

REST = 1e-3
"""A waveform begins and ends within this part of its largest value."""
FEWEST = 4
"""Points that a cubic needs."""


def read_waveform(path: str) -> Sampled:
    """Read a table of time [time unit] and value; a first row may hold names, rows that begin with # are passed over.

    Raises ProblemError that names the row.
    """
    if not path:
        raise ProblemError("The waveform has no file: choose a CSV file of time and value.")
    try:
        changed = Path(path).stat()
        return _read(Path(path), changed.st_mtime_ns, changed.st_size)
    except OSError as error:
        raise ProblemError(f"The waveform '{path}' cannot be read ({error.strerror}): choose another file.") from error


@lru_cache(maxsize=8)
def _read(path: Path, changed: int, size: int) -> Sampled:
    try:
        lines = path.read_bytes().decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ProblemError(f"The waveform '{path.name}' is no text: save it as CSV.") from error
    rows: list[tuple[float, float]] = []
    named = False
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        cells = [cell for cell in re.split(r"[,;\t ]+", line.strip()) if cell]
        try:
            values = [float(cell) for cell in cells]
        except ValueError:
            if rows or named:
                raise ProblemError(
                    f"Row {number} of the waveform '{path.name}' is not two numbers: write time and value."
                ) from None
            named = True
            continue
        if len(values) != 2 or not np.isfinite(values).all():
            raise ProblemError(f"Row {number} of the waveform '{path.name}' is not two numbers: write time and value.")
        if rows and values[0] <= rows[-1][0]:
            raise ProblemError(
                f"Row {number} of the waveform '{path.name}' is not later than the row before it: let time increase."
            )
        rows.append((values[0], values[1]))
    if len(rows) < FEWEST:
        raise ProblemError(f"The waveform '{path.name}' has {len(rows)} points: it needs {FEWEST} or more.")
    times, values_ = np.array(rows).T
    largest = np.abs(values_).max()
    if largest == 0:
        raise ProblemError(f"The waveform '{path.name}' is zero all the time: choose another file.")
    for end, value in (("begins", values_[0]), ("ends", values_[-1])):
        if abs(value) > REST * largest:
            raise ProblemError(
                f"The waveform '{path.name}' {end} at {value:g}: let it {end.rstrip('s')} at zero, "
                "or its step would hold all frequencies."
            )
    return Sampled(np.ascontiguousarray(times), np.ascontiguousarray(values_))
