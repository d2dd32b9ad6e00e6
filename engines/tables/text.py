"""Rows and headings of a table in a text file, however its columns are kept apart."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import isfinite

from engines.api.errors import ProblemError
from engines.quantities import is_known
from engines.tables.columns import heading_parts

PREAMBLE = 200
"""Lines that may stand above the numbers: what instruments write of a measurement."""
_NAMES = re.compile(r"[^\s\[(]+(?:\s*(?:\[[^\]]*\]|\([^)]*\)))?")
"""Headings with nothing but spaces between them: ``Time [h] Voltage [V]``."""
LONGEST_LINE = 1 << 18
_DECIMAL_COMMA = re.compile(r'(?:^|[;\t])[ "]*[+-]?\d+,\d', re.MULTILINE)
_DOTTED = re.compile(r'(?:^|[;\t])[ "]*([+-]?[1-9]\d{0,2}(?:\.\d{3})+)[ "]*(?:[;\t\r]|$)', re.MULTILINE)
_POINTED = re.compile(r'(?:^|[;\t])[ "]*[+-]?\d*\.\d+(?:[eE][+-]?\d+)?[ "]*(?:[;\t\r]|$)', re.MULTILINE)
_COMMAS = re.compile(r'(?:^|[;\t])[ "]*([+-]?[1-9]\d{0,2},\d{3})[ "]*(?:[;\t\r]|$)', re.MULTILINE)
_COMMA = re.compile(r"[+-]?(?:0,\d+|\d+,(?:\d{1,2}|\d{4,}))")
"""A decimal comma that separates no thousands."""
_POINT = re.compile(r"[+-]?(?:0?\.\d+|\d+\.(?:\d{0,2}|\d{4,}))(?:[eE][+-]?\d+)?")
"""A decimal point that separates no thousands."""
_GROUP = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_APART = "put ; between the columns."
_QUOTED = re.compile(r'"[^"]*"')
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")


_FORMULA = re.compile(r"(^|;)(\s*)(?=[=+\-@])")
"""A spreadsheet carries out cells that begin so; where commas are decimal, a semicolon begins one."""
_GUARDED = re.compile(r"(^|;)(\s*)'(?=[=+\-@])")


def guarded(text: str) -> str:
    """As it goes into a table that spreadsheets open: on one line, and with an apostrophe before what they would carry
    out. :func:`unguarded` gives it back."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    return plain if number_of(plain, None) is not None else _FORMULA.sub(r"\1\2'", plain)


def unguarded(cell: str) -> str:
    """Without the apostrophes of :func:`guarded`."""
    return _GUARDED.sub(r"\1\2", cell)


@dataclass(frozen=True)
class TextTable:
    """heading: one for each column, or none; rows: (line of the file, its cells); separator: None for spaces"""

    heading: tuple[str, ...]
    rows: tuple[tuple[int, list[str]], ...]
    separator: str | None

    def number(self, cell: str) -> float | None:
        return number_of(cell, self.separator)


def text_table(text: str) -> TextTable:
    """The table in a text. Empty lines and those that begin with # are passed over, and what stands above the headings,
    if the numbers below have as many columns as these. A line of units below the names belongs to them. Headings may
    stand behind a # as well, as NumPy writes them, if they give a unit.

    Raises ProblemError for lines that no table has, and where 1.000 or 1,000 may be one or a thousand.
    """
    lines = _without_comments([(place, line) for place, line in enumerate(text.splitlines(), 1) if line.strip()])
    if not lines:
        return TextTable((), (), ",")
    if max(len(line) for _, line in lines) > LONGEST_LINE:
        raise ProblemError(f"A line of the table has more than {LONGEST_LINE:,} letters: write a row a line.")
    separator = _separator([line for _, line in lines[:2]] if len(lines) < 3 else [lines[-1][1]])
    cells = [(place, _split(line, separator)) for place, line in lines[: PREAMBLE + 1]]
    first = next((at for at, (_, row) in enumerate(cells) if _is_row(row, separator)), 1)
    below = cells[first][1] if first < len(cells) else []
    heading = _heading([line for _, line in lines[:first]], below, separator)
    if first == 1 and not heading:  # a word, and no names: what is wrong with it is told where it is read
        first = 0
    rows = [(place, _split(line, separator)) for place, line in lines[first:]]
    check_marks([line for _, line in lines[first:]], [row for _, row in rows], separator)
    return TextTable(tuple(heading), tuple(rows), separator)


def _without_comments(lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Those that do not begin with #; of these the last one above the first row too, if it is its headings."""
    kept = [(place, line) for place, line in lines if line.lstrip()[0] != "#"]
    above = [(place, line) for place, line in lines if not kept or place < kept[0][0]]
    if not kept or not above or len(above[-1][1]) > LONGEST_LINE:
        return kept
    (place, comment), row = above[-1], kept[0][1]
    heading, separator = comment.strip().lstrip("# "), _separator([row])
    names, cells = headings_in(heading, separator), _split(row, separator)
    if _is_row(cells, separator) and len(names) == len(cells) and any(is_known(heading_parts(n)[1]) for n in names):
        return [(place, heading), *kept]
    return kept


def headings_in(line: str, separator: str | None) -> list[str]:
    """The names in a line of headings; between some of them may stand nothing but spaces."""
    return _split(line, separator) if separator else _NAMES.findall(line)


def check_marks(lines: Sequence[str], rows: Sequence[Sequence[str]], separator: str | None) -> None:
    """Raises ProblemError where points or commas may stand in some cells for decimals and in others for thousands, and
    where nothing tells for which commas between quotes stand. ``rows``: the cells of ``lines`` of numbers"""
    if separator == "," and any('"' in line for line in lines):
        pointed = any(_POINT.fullmatch(cell) for row in rows for cell in row)
        for column in zip_longest(*rows, fillvalue=""):
            cells = list(filter(None, column))
            if any(map(_COMMA.fullmatch, cells)):
                for cell in filter(_THOUSANDS.fullmatch, cells):
                    raise ProblemError(f"'{cell}' may be a thousand times less in a column of decimal commas: {_APART}")
            if cells and not pointed and all(map(_GROUP.fullmatch, cells)):
                less, more = (cells[0].replace(",", mark) for mark in (".", ""))
                raise ProblemError(f"'{cells[0]}' may be {less} or {more}: write one of these, without a comma.")
    if separator not in (";", "\t"):
        return
    text = "\n".join(lines)
    for decimal, thousands, mark, other in (
        (_DECIMAL_COMMA, _DOTTED, "commas", "points"),
        (_POINTED, _COMMAS, "points", "commas"),
    ):
        if decimal.search(text) and (found := thousands.search(text)):
            raise ProblemError(
                f"'{found[1]}' may be a thousand times as much in a table of decimal {mark}: "
                f"write numbers without {other}."
            )


def doubtful_comma(table: TextTable) -> str:
    """A cell as 3,700 of a column that has none but such, between semicolons or tabs, where no other cell of the table
    tells that its commas stand for decimals; empty where there is none."""
    if table.separator not in (";", "\t") or any(_COMMA.fullmatch(cell) for _, row in table.rows for cell in row):
        return ""
    for column in zip_longest(*(row for _, row in table.rows), fillvalue=""):
        cells = list(filter(None, column))
        if cells and all(map(_GROUP.fullmatch, cells)):
            return str(cells[0])
    return ""


def number_of(cell: str, separator: str | None) -> float | None:
    """A finite number, with a decimal comma where that separates no columns, or with thousands apart by commas."""
    text = cell
    if "," in cell and separator == "," and _THOUSANDS.fullmatch(cell):
        text = cell.replace(",", "")
    elif separator is not None and "." not in cell:
        text = cell.replace(",", ".", 1)
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) and "_" not in text else None  # which Python passes over


def rows_of(text: str) -> list[tuple[list[str], list[float | None]]]:
    """:func:`row_of` of each line of a text that is not empty. Raises ProblemError as :func:`text_table` does."""
    lines = [line for line in text.splitlines() if line.strip()]
    rows = [row_of(line) for line in lines]
    check_marks(lines[1:], [cells for cells, _ in rows[1:]], _separator(lines[-1:] or [""]))
    return rows


def row_of(line: str) -> tuple[list[str], list[float | None]]:
    """The cells of a line by itself, and the numbers in them: commas are decimal beside semicolons and tabs."""
    separator = _separator([line])
    cells = _split(line, separator)
    return cells, [number_of(cell, separator) for cell in cells]


def _separator(lines: Sequence[str]) -> str | None:
    """What stands between the columns: the last row of these tells, since a heading may hold anything."""
    bare = _QUOTED.sub("", lines[-1])
    return next((mark for mark in ("\t", ";", ",") if mark in bare), None)


def _split(line: str, separator: str | None) -> list[str]:
    if separator is None:
        cells = [cell.strip('"') for cell in line.split()]
    else:
        cells = [unguarded(cell.strip()) for cell in next(csv.reader([line.strip(" \r\n")], delimiter=separator))]
    while len(cells) > 2 and not cells[-1]:
        cells.pop()  # a separator at the end of the row
    return cells


def _is_row(row: Sequence[str], separator: str | None) -> bool:
    """Of numbers: two of them, or one of two cells."""
    numbers = sum(number_of(cell, separator) is not None for cell in row)
    return numbers >= 2 or (numbers == 1 and len(row) <= 2)


def _heading(above: Sequence[str], row: Sequence[str], separator: str | None) -> list[str]:
    """The names right above the first row of numbers, with the units of a line between them; none where there are
    fewer names than columns."""
    named = [headings_in(line, separator) for line in above[-2:]]
    if not named:
        return []
    if len(named) == 2 and len(named[0]) == len(named[1]) and any(named[1]) and all(map(_is_unit, named[1])):
        units = [unit.strip("[]()") for unit in named[1]]
        return [f"{name} [{unit}]" if unit else name for name, unit in zip(named[0], units, strict=True)]
    return named[-1] if len(named[-1]) >= min(2, len(row)) else []


def _is_unit(cell: str) -> bool:
    return not cell or is_known(cell.strip("[]()"))
