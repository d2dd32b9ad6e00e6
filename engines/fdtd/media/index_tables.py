"""Measured n and k from text files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.quantities import conversion, is_known
from engines.reading import guarded
from engines.tables.columns import heading_parts
from engines.tables.text import row_of

FEWEST = 5
FEWEST_NAMES = 2
"""In a comment that is a line of titles."""
PERMITTIVITY = re.compile(r"(re|im)?[^a-z]*(eps|ε)")
OTHER_THAN_WAVELENGTHS = ("e", "ev", "energy", "photon energy", "f", "freq", "frequency", "ω", "omega")


@dataclass(frozen=True)
class IndexTable:
    """wavelengths: (n,) ascending [µm]; index: (n,) complex n + ik."""

    wavelengths: Array
    index: Array


def read_index_table(path: Path, micrometres: float) -> IndexTable:
    """Columns wavelength, n, k; or wavelength, n and below it wavelength, k, as refractiveindex.info writes it.

    Separated by commas, semicolons, tabs or spaces; lines of words are titles. ``micrometres``: the wavelengths' unit,
    which titles that give one must agree with.
    Raises ProblemError, which names the file and line.
    """
    blocks = _blocks(path, micrometres)
    if not blocks:
        raise ProblemError(f"{path.name} has no rows of numbers: it needs the columns wavelength, n and k.", ("file",))
    heading, rows = blocks[0]
    first = np.array(rows)
    if first.shape[1] >= 3:
        n, k = (first[:, place] for place in _places(heading, first.shape[1], path.name))
        wavelengths = first[:, 0]
    else:
        tables = {heading[-1] if heading else "": np.array(rows) for heading, rows in reversed(blocks)}
        if "n" not in tables and not heading:
            tables["n"] = first
        if "n" not in tables:
            raise ProblemError(f"{path.name} has no column n: it needs wavelength, n and k.", ("file",))
        wavelengths, n = tables["n"][:, 0], tables["n"][:, 1]
        k = np.zeros(len(n))
        if "k" in tables:
            order = np.argsort(tables["k"][:, 0])
            both = (wavelengths >= tables["k"][order[0], 0]) & (wavelengths <= tables["k"][order[-1], 0])
            wavelengths, n = wavelengths[both], n[both]  # beyond it nobody has measured k
            k = np.interp(wavelengths, tables["k"][order, 0], tables["k"][order, 1])
    order = np.argsort(wavelengths)
    wavelengths, index = wavelengths[order] * micrometres, (n + 1j * k)[order]
    if len(wavelengths) < FEWEST:
        raise ProblemError(f"{path.name} has {len(wavelengths)} rows: at least {FEWEST} are needed.", ("file",))
    if wavelengths[0] <= 0 or (n <= 0).any():
        raise ProblemError(f"{path.name} has a wavelength or an n that is not above 0: correct it.", ("file",))
    if (k < 0).any():
        raise ProblemError(
            f"{path.name} has a negative k, {k.min():g}: that is gain, and only loss (k ≥ 0) can be fitted.", ("file",)
        )
    return IndexTable(wavelengths, index)


@guarded("cannot be read as a table of refractive indices: save it as CSV.")
def _blocks(path: Path, micrometres: float) -> list[tuple[list[str], list[list[float]]]]:
    """Rows of numbers under each line of words, with these; they may stand behind a #, as NumPy writes them."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ProblemError(f"{path.name} cannot be read as text: choose a CSV file.", ("file",)) from error
    blocks: list[tuple[list[str], list[list[float]]]] = []
    heading, fresh = list[str](), True
    for number, line in enumerate(lines, 1):
        comment = line.lstrip().startswith("#")
        words, row = _row(line.lstrip().lstrip("# ") if comment else line.partition("#")[0].strip())
        if not words or (comment and (row is not None or not fresh or len(words) < FEWEST_NAMES)):
            continue
        if row is None:
            heading, fresh = [word.lower() for word in words], True
            _check_wavelengths(
                re.split(r"[,;\t]", line.lstrip("# ")), micrometres, f"{path.name} says in line {number}"
            )
            continue
        if fresh:
            blocks.append((heading, []))
            fresh = False
        rows = blocks[-1][1]
        if len(row) < 2 or (rows and len(row) != len(rows[0])) or not np.isfinite(row).all():
            raise ProblemError(
                f"Line {number} of {path.name} is not like the others: each needs the numbers wavelength, n and k.",
                ("file",),
            )
        rows.append(row)
    return blocks


def _check_wavelengths(cells: list[str], micrometres: float, says: str) -> None:
    """Raises ProblemError where the first title gives another unit than ``micrometres``, or one of no wavelength."""
    title, unit = heading_parts(cells[0])
    told = conversion(unit, "µm")
    elsewhere = told is None and unit and (is_known(unit) or (len(cells) > 1 and unit[:1] not in "0123456789"))
    if elsewhere or (len(cells) > 1 and title.lower() in OTHER_THAN_WAVELENGTHS):
        raise ProblemError(f"{says} '{cells[0][:40]}': put wavelengths in its first column, in nm or µm.", ("file",))
    if unit and told is not None and not np.isclose(told[0], micrometres):
        raise ProblemError(f"{says} '{cells[0][:40]}': choose that unit.", ("unit",))


def _places(heading: list[str], columns: int, name: str) -> tuple[int, int]:
    """The columns of n and k. Raises ProblemError where titles say that there are none, or do not tell which."""
    words = heading[-columns:]
    if any(PERMITTIVITY.match(word) for word in words):
        raise ProblemError(f"{name} has permittivities: it needs the columns wavelength, n and k.", ("file",))
    if len(words) == columns and words.count("n") == words.count("k") == 1:
        return words.index("n"), words.index("k")
    if columns > 3 and words:
        raise ProblemError(f"{name} has {columns} columns: call those that are meant n and k.", ("file",))
    return 1, 2


def _row(line: str) -> tuple[list[str], list[float] | None]:
    """The words of a line, and the numbers that they are, if they all are."""
    if ";" in line or "\t" in line:  # beside which commas are decimal
        words, numbers = row_of(line)
        return words, [number for number in numbers if number is not None] if None not in numbers else None
    words = [word for word in re.split(r"[,\s]+", line) if word]
    try:
        return words, [float(word) for word in words]
    except ValueError:
        return words, None
