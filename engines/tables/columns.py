"""Which columns of a measured table belong to the axes of a chart, by their headings: names and units in any order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engines.api.errors import ProblemError
from engines.quantities import alike, conversion, is_known

SYMBOLS = {
    "time": ("t", "zeit", "temps", "elapsed", "seconds", "test_time"),
    "voltage": ("u", "v", "e", "ecell", "ewe", "spannung", "potential", "volt"),
    "current": ("i", "strom", "amps"),
    "temperature": ("t_cell", "temp", "temperatur"),
    "power": ("p", "leistung"),
    "charge": ("q", "capacity", "ah", "kapazität"),
    "force": ("f", "load", "kraft"),
    "displacement": ("u", "d", "stroke", "extension", "weg"),
    "wavelength": ("wl", "lambda", "λ"),
    "frequency": ("f", "freq", "frequenz"),
}
"""What columns are called besides the words of the charts."""
_HEADING = re.compile(r"(.*?)\s*(?:[\[(]([^\[\]()]*)[\])]|\s/\s*(\S+))?\s*")
_JOINED = re.compile(r"(.+?)(?:[/_]|, | in )([^/_,\s]+)")
"""``Voltage/V``, ``current_A``, ``Time, ms``, ``Time in ms``: a name and its unit, if it is one."""
NO_UNITS = ("min", "1")
"""What a comma may stand before that is none: ``Voltage, min``."""
CURVE = "curve"
"""The first heading of a table that this application writes of a chart (:mod:`workbench.export.chart_tables`)."""


@dataclass(frozen=True)
class Axis:
    """What stands along an axis of a chart; ``others``: further words for it, such as the titles of its curves.

    decibels: what a power of ten counts, 10 or 20, where the axis shows decibels of numbers in ``unit``; 0: it does not
    """

    title: str
    unit: str
    others: tuple[str, ...] = ()
    decibels: float = 0.0


@dataclass(frozen=True)
class Column:
    """A column of a table: ``factor * number + offset`` is in the unit of the axis, or in ``decibels`` of it."""

    place: int
    factor: float = 1.0
    offset: float = 0.0
    decibels: float = 0.0

    def value(self, number: float) -> float:
        """A number of this column in the unit of the axis."""
        value = self.factor * number + self.offset
        return 10.0 ** (value / self.decibels) if self.decibels else value


def guessed(heading: Sequence[str], axis: Axis, besides: int = -1) -> int:
    """The column that is most likely of an axis; the first of equals."""
    fits = [-2 if place == besides else _fit(heading_parts(cell), axis, place) for place, cell in enumerate(heading)]
    return fits.index(max(fits))


def fits(heading: str, axis: Axis) -> bool:
    """Whether the name of a heading says that it is of this axis, and its unit does not deny it."""
    return _fit(heading_parts(heading), axis, 0) >= 2


def columns_for(heading: Sequence[str], x: Axis, y: Axis, name: str) -> tuple[Column, Column]:
    """The columns of a table for the two axes.

    Two columns whose headings say nothing are x and y. Raises ProblemError with a sentence
    that names the headings where more than two leave a choice, and where a unit is of another kind.
    """
    cells = [heading_parts(cell) for cell in heading]
    if len(cells) == 2 and not any(unit for _, unit in cells):
        swapped = _fit(cells[0], y, 0) > 1 and _fit(cells[1], x, 1) > 1
        first, second = (1, 0) if swapped else (0, 1)
        return Column(first), Column(second, decibels=y.decibels)
    first = _best(cells, x, name)
    second = _best(cells, y, name, besides=first)
    return column_of(heading[first], first, x, name), column_of(heading[second], second, y, name)


def column_of(heading: str, place: int, axis: Axis, name: str) -> Column:
    """The column under a heading, in the unit of an axis. Raises ProblemError if its unit is of
    another kind or unknown."""
    unit = heading_parts(heading)[1]
    if axis.decibels and conversion(unit, "dB"):
        return Column(place, decibels=axis.decibels)
    if not unit:
        return Column(place, decibels=axis.decibels)
    if not axis.unit:  # parts of one, or what has no known unit, such as fields of one's own equations
        return Column(place, *(conversion(unit, "1") or (1.0, 0.0)))
    found = conversion(unit, axis.unit)
    if found is None and not is_known(unit):
        raise ProblemError(
            f"Column {place + 1} of '{name}' is in '{unit[:24]}', which is no known unit: "
            f"write {' or '.join(alike(axis.unit))} in its heading."
        )
    if found is None:
        shown = ", or let the chart show decibels" if conversion(unit, "dB") else ""
        raise ProblemError(
            f"Column {place + 1} of '{name}' is in a unit of another kind than '{_said(axis)}': "
            f"choose another file or chart{shown}."
        )
    return Column(place, *found)


def column_name(place: int, unit: str) -> str:
    """``4 [mA]``: how a problem names a column and its unit; the first column is 1."""
    return f"{place + 1} [{unit}]"


def heading_parts(cell: str) -> tuple[str, str]:
    """Name and unit of a heading: ``Time [h]``, ``Voltage (mV)``, ``I / A``, ``<I>/mA``, ``time_s``."""
    cell = " ".join(cell.split())  # many blanks would be gone through for each of them
    found = _HEADING.fullmatch(cell)
    name, unit = (cell, "") if found is None else (found[1].strip(), (found[2] or found[3] or "").strip())
    joined = None if unit else _JOINED.fullmatch(name)
    if joined is not None and is_known(joined[2]) and not name.endswith(tuple(f", {each}" for each in NO_UNITS)):
        name, unit = joined[1], joined[2]
    return name.strip("<>"), unit


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d]+", text.lower()))


def _fit(cell: tuple[str, str], axis: Axis, place: int) -> int:
    """How well a heading fits: −1 not at all, by its unit; else 4 for the whole title, 2 for a word of it or a symbol
    of the quantity, and 1 for the unit."""
    title, unit = cell
    if unit and axis.unit and conversion(unit, axis.unit) is None and not (axis.decibels and conversion(unit, "dB")):
        return -1
    score = int(bool(unit))
    words = _words(title)
    names = (axis.title, *axis.others)
    if any(title.lower() == each.lower() for each in names):
        return score + 4
    known = set().union(*(_words(each) for each in names))
    symbols = {symbol for word in known for symbol in SYMBOLS.get(word, ())}
    return score + 2 * bool(words & known or title.lower() in symbols or words & {s for s in symbols if len(s) > 2})


def _best(cells: Sequence[tuple[str, str]], axis: Axis, name: str, besides: int = -1) -> int:
    fits = [-1 if place == besides else _fit(cell, axis, place) for place, cell in enumerate(cells)]
    best = max(fits)
    if best > 0 and fits.count(best) == 1:
        return fits.index(best)
    if len(cells) == 2:  # nothing else is left, and a unit of another kind is said
        return 1 - besides if besides >= 0 else 0
    named = [place for place, (title, _) in enumerate(cells) if place != besides and _fit((title, ""), axis, place) > 1]
    if best <= 0 and len(named) == 1:
        return named[0]  # whose unit is told
    which = "more than one column" if best > 0 else "no column"
    raise ProblemError(
        f"'{name}' has {which} for '{_said(axis)}': name one so in its first row, or keep x and y alone."
    )


def _said(axis: Axis) -> str:
    return f"{axis.title} [{axis.unit}]" if axis.unit not in ("", "1") else axis.title
