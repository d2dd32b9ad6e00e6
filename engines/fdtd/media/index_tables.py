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
    first = np.array(blocks[0][1])
    if first.shape[1] >= 3:
        wavelengths, n, k = first[:, 0], first[:, 1], first[:, 2]
    else:
        tables = {title: np.array(rows) for title, rows in reversed(blocks)}
        if "n" not in tables and blocks[0][0] == "":
            tables["n"] = first
        if "n" not in tables:
            raise ProblemError(f"{path.name} has no column n: it needs wavelength, n and k.", ("file",))
        wavelengths, n = tables["n"][:, 0], tables["n"][:, 1]
        k = np.zeros(len(n))
        if "k" in tables:
            order = np.argsort(tables["k"][:, 0])
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
def _blocks(path: Path, micrometres: float) -> list[tuple[str, list[list[float]]]]:
    """Rows of numbers under each line of words, with the last word of that."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ProblemError(f"{path.name} cannot be read as text: choose a CSV file.", ("file",)) from error
    blocks: list[tuple[str, list[list[float]]]] = []
    title, fresh = "", True
    for number, line in enumerate(lines, 1):
        words, row = _row(line.partition("#")[0].strip())
        if not words:
            continue
        if row is None:
            title, fresh = words[-1].lower(), True
            heading = re.split(r"[,;\t]", line)[0]
            unit = heading_parts(heading)[1]
            told = conversion(unit, "µm")
            if told is None and unit and is_known(unit):
                raise ProblemError(
                    f"{path.name} says in line {number} '{heading[:40]}': put wavelengths in its first column.",
                    ("file",),
                )
            if told is not None and not np.isclose(told[0], micrometres):
                raise ProblemError(f"{path.name} says in line {number} '{heading[:40]}': choose that unit.", ("unit",))
            continue
        if fresh:
            blocks.append((title, []))
            fresh = False
        rows = blocks[-1][1]
        if len(row) < 2 or (rows and len(row) != len(rows[0])) or not np.isfinite(row).all():
            raise ProblemError(
                f"Line {number} of {path.name} is not like the others: each needs the numbers wavelength, n and k.",
                ("file",),
            )
        rows.append(row)
    return blocks


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
