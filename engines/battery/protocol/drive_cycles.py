"""Drive cycles: a current or a power over time, from a file of two columns or from lists, and its time steps."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.quantities import conversion
from engines.reading import Version, guarded, version_of
from engines.tables.columns import Axis, Column, column_name, columns_for, fits, heading_parts
from engines.tables.text import TextTable, text_table

TIMES = {"s": 1.0, "sec": 1.0, "seconds": 1.0, "min": 60.0, "minutes": 60.0, "h": 3600.0, "hours": 3600.0}
CURRENTS = {"A": 1.0, "mA": 1e-3}
POWERS = {"W": 1.0, "mW": 1e-3, "kW": 1e3}
TIME, CURRENT, POWER = Axis("Time", "s"), Axis("Current", "A"), Axis("Power", "W")
MOST_STEPS = 1 << 24
"""Of one drive cycle: half a year of seconds."""
MOST_ROWS = 10_000_000

_NAMED = re.compile(r"\s*(\d{1,4})\s*\[\s*([^\[\]]*?)\s*\]\s*")


@dataclass(frozen=True)
class Cycle:
    """``values`` in A or W, positive in discharge, at rising ``times`` [s]; straight lines between them."""

    times: Array
    values: Array
    kind: Literal["current", "power"] = "current"

    def per_step(self, dt: float) -> Array:
        """(steps, 2) for steps of ``dt`` [s]: the mean of each, so that no charge is lost, and the value at its end."""
        means = drive_cycle(self.times, self.values, dt)
        ends = self.times[0] + dt * np.arange(1, len(means) + 1)
        late = ends > self.times[-1] + 1e-9 * dt  # a last step that goes on after the cycle ends at nothing
        return np.stack([means, np.where(late, 0.0, np.interp(ends, self.times, self.values))], axis=1)

    @property
    def spacing(self) -> float:
        """What half of its rows are apart at most [s]."""
        return float(np.median(np.diff(self.times)))


@guarded("cannot be read as a drive cycle: save it as CSV with two columns, time and current.")
def read_drive_cycle(path: Path, time_column: str = "", value_column: str = "") -> Cycle:
    """Read a table of time and current or power. Raises ProblemError that names the row.

    ``time_column`` and ``value_column`` say which columns are meant, by their numbers and units, ``4 [mA]``.

    Of more columns than two the headings say which are meant, in any order and unit (``I/mA, time/h, Ewe/V``).

    A first row of names may give units (``time [min], power [kW]``); without them seconds and amperes are meant. The
    columns are separated by commas, semicolons, tabs or blanks; decimal commas are understood beside semicolons and
    tabs; a row that begins with # is passed over.
    """
    try:
        return _read(path, version_of(path), time_column, value_column)
    except OSError as error:
        raise ProblemError(
            f"The drive cycle '{path}' cannot be read ({error.strerror}): choose another file."
        ) from error


@lru_cache(maxsize=8)
def _read(path: Path, version: Version, time_column: str, value_column: str) -> Cycle:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProblemError(f"The drive cycle '{path.name}' is no text: save it as CSV.") from error
    if time_column or value_column:
        return _by_numbers(text_table(text), time_column, value_column, path.name)
    found = _by_headings(text, path.name)
    if found is not None:
        return found
    rows: list[tuple[float, float]] = []
    time_scale, scale, kind = 1.0, 1.0, "current"
    names: str | None = None
    for number, line in enumerate(text.splitlines(), 1):
        comment = line.lstrip().startswith("#")
        content = line.strip().lstrip("#").strip()
        if not content:
            continue
        if not rows and names is None and re.search(r"[A-Za-z]", re.sub(r"\d[eE][+-]?\d", "", content)):
            if len(_cells(content, True)) == 2:
                names = content
                time_scale, scale, kind = _units(content, path.name, _above_numbers(text, number))
                continue
            if comment:
                continue
        if comment:
            continue
        rows.append(_numbers(content, number, path.name, bool(rows)))
        if len(rows) > MOST_ROWS:
            raise ProblemError(f"The drive cycle '{path.name}' has more than {MOST_ROWS:,} rows: shorten it.")
    table = np.array(rows, float).reshape(-1, 2)
    times, values = table[:, 0] * time_scale, table[:, 1] * scale
    _check(times, values, f"the drive cycle '{path.name}'", _line_numbers(text, len(rows)))
    return Cycle(times, values, "power" if kind == "power" else "current")


def _by_headings(text: str, name: str) -> Cycle | None:
    """Of a table whose headings are needed to know its columns: it has more than two, or the time is not the first."""
    table = text_table(text)
    if len(table.heading) < 2 or not table.rows or len(table.rows[0][1]) < 2:
        return None
    if len(table.heading) == 2 and not fits(table.heading[1], TIME):
        return None
    kind: Literal["current", "power"] = "current"
    if not any(fits(each, CURRENT) for each in table.heading) and any(fits(each, POWER) for each in table.heading):
        kind = "power"
    return _of_columns(
        table, columns_for(table.heading, TIME, CURRENT if kind == "current" else POWER, name), kind, name
    )


def _by_numbers(table: TextTable, time_column: str, value_column: str, name: str) -> Cycle:
    """Of the columns that a person named, in the units that were said."""
    time = _named(time_column, (TIME,), table, name, "time_column")
    value = _named(value_column, (CURRENT, POWER), table, name, "value_column")
    return _of_columns(table, (time[0], value[0]), "power" if value[1] == POWER else "current", name)


def _named(said: str, axes: Sequence[Axis], table: TextTable, name: str, field: str) -> tuple[Column, Axis]:
    """The column that ``said`` names, and which of the axes its unit belongs to."""
    place = ("drive_cycle", field)
    match = _NAMED.fullmatch(" ".join(said.split()))
    for axis in axes if match is not None else ():
        found = conversion(match[2], axis.unit)  # type: ignore[index]  # a match
        if found is not None:
            most = max((len(row) for _, row in table.rows), default=0)
            column = Column(int(match[1]) - 1, *found)  # type: ignore[index]
            if not 0 <= column.place < most:
                raise ProblemError(f"The drive cycle '{name}' has {most} columns: choose one of them.", place)
            return column, axis
    usual = " or ".join(column_name(0, axis.unit) for axis in axes)
    raise ProblemError(f"A column of a drive cycle is named by its number and unit: write it as {usual}.", place)


def _of_columns(
    table: TextTable, columns: tuple[Column, Column], kind: Literal["current", "power"], name: str
) -> Cycle:
    numbers = np.array(
        [[_cell(table, line, row, column, name) for column in columns] for line, row in table.rows], float
    ).reshape(-1, 2)
    times, values = numbers.T
    _check(times, values, f"the drive cycle '{name}'", np.array([line for line, _ in table.rows]))
    return Cycle(times, values, kind)


def _cell(table: TextTable, line: int, row: list[str], column: Column, name: str) -> float:
    cell = row[column.place] if column.place < len(row) else ""
    value = table.number(cell)
    if value is None:
        what = f"'{cell[:24]}'" if cell else "a gap"
        raise ProblemError(f"Row {line} of the drive cycle '{name}' has {what}: a number should stand there.")
    return column.factor * value + column.offset


def drive_cycle(times: Array, currents: Array, dt: float) -> Array:
    """Currents [A] (or powers [W]) per step of ``dt`` [s]: means of a cycle given at rising ``times`` [s], linear in
    between and nothing after its end, so that no charge is lost. Raises ProblemError for what is no cycle."""
    times, currents = np.asarray(times, float), np.asarray(currents, float)
    _check(times, currents, "the drive cycle")
    steps = max(1, math.ceil((times[-1] - times[0]) / dt * (1 - 1e-12)))
    if steps > MOST_STEPS:
        raise ProblemError(
            f"The drive cycle takes {steps:,} steps of {dt:g} s: take a longer step.", ("numerics", "step")
        )
    edges = times[0] + dt * np.arange(steps + 1)
    charge = np.concatenate([[0.0], np.cumsum(np.diff(times) * (currents[1:] + currents[:-1]) / 2)])
    within = np.clip(np.searchsorted(times, edges, "right") - 1, 0, len(times) - 2)
    into = np.minimum(edges, times[-1]) - times[within]
    slope = (currents[within + 1] - currents[within]) / (times[within + 1] - times[within])
    return np.diff(charge[within] + into * (currents[within] + slope * into / 2)) / dt


def _check(times: Array, values: Array, name: str, lines: Array | None = None) -> None:
    def row(place: int) -> int:
        return place + 1 if lines is None else int(lines[place])

    if times.ndim != 1 or times.shape != values.shape or len(times) < 2:
        raise ProblemError(f"{name[0].upper()}{name[1:]} needs two columns, time and current, of at least two rows.")
    bad = ~(np.isfinite(times) & np.isfinite(values))
    if bad.any():
        raise ProblemError(f"Row {row(int(np.argmax(bad)))} of {name} has a gap or text: fill in a number.")
    backward = np.diff(times) <= 0
    if backward.any():
        place = int(np.argmax(backward)) + 1
        raise ProblemError(f"The time in row {row(place)} of {name} is not after the row before: sort the rows.")


def _cells(line: str, heading: bool = False) -> list[str]:
    for separator in ("\t", ";", ","):
        if separator in line:
            return [cell.strip().strip('"') for cell in line.split(separator)]
    if heading:  # names may have blanks in them
        return re.findall(r"[^\s\[(]+(?:\s*(?:\[[^\]]*\]|\([^)]*\)))?", line)
    return line.split()


def _numbers(line: str, number: int, name: str, quoted: bool) -> tuple[float, float]:
    """Time and value of a row; ``quoted``: what is no number may be repeated, for the file is of this kind."""
    cells = _cells(line)
    if len(cells) != 2:
        raise ProblemError(
            f"Row {number} of the drive cycle '{name}' has {len(cells)} columns: it should have time and current."
        )
    decimal_comma = ";" in line or "\t" in line
    values = []
    for cell in cells:
        try:
            values.append(float(cell.replace(",", ".") if decimal_comma else cell))
        except ValueError:
            values.append(math.nan)
        if not math.isfinite(values[-1]):
            what = "a gap" if not cell else f"'{cell}'" if quoted else "text"
            raise ProblemError(f"Row {number} of the drive cycle '{name}' has {what}: a number should stand there.")
    return values[0], values[1]


def _line_numbers(text: str, rows: int) -> Array:
    """(rows,) the line of the file that each row of numbers stands in."""
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.strip() and line.lstrip()[0] != "#"]
    return np.array(lines[len(lines) - rows :], int)


def _above_numbers(text: str, number: int) -> bool:
    """Whether the row of names in this line stands above a row of two numbers, as in a drive cycle it does."""
    below = next((line.strip() for line in text.splitlines()[number:] if line.strip()), "")
    try:
        return len([float(cell.replace(",", ".")) for cell in _cells(below)]) == 2
    except ValueError:
        return False


def _units(heading: str, name: str, quoted: bool) -> tuple[float, float, str]:
    """(seconds per unit of time, A or W per unit of the second column, "current" or "power") of a row of names, which
    messages repeat if it is ``quoted``."""

    def told(what: str) -> str:
        return what if quoted else "something else"

    (time_name, time_unit), (value_name, unit) = (heading_parts(cell) for cell in _cells(heading, True))
    if time_unit and time_unit not in TIMES:
        what = told(f"in '{time_unit}'")
        raise ProblemError(f"The time of the drive cycle '{name}' is {what}: use one of {', '.join(TIMES)}.")
    if not time_name.lower().startswith("t"):
        what = told(f"'{time_name}'")
        raise ProblemError(f"The first column of the drive cycle '{name}' is {what}: it should be the time.")
    power = value_name.lower().startswith("p") or unit in POWERS
    units = POWERS if power else CURRENTS
    if unit and unit not in units:
        known = ", ".join({**CURRENTS, **POWERS})
        what = told(f"in '{unit}'")
        raise ProblemError(f"The second column of the drive cycle '{name}' is {what}: use one of {known}.")
    rate = re.match(r"c[\s_-]*rate", value_name, re.IGNORECASE) is not None
    if rate or (not power and value_name and not value_name.lower().startswith(("i", "c"))):
        what = told(f"'{value_name}'")
        raise ProblemError(
            f"The second column of the drive cycle '{name}' is {what}: it should be a current or a power."
        )
    return TIMES.get(time_unit, 1.0), units.get(unit, 1.0), "power" if power else "current"
