"""Whether a file is what a parameter takes it for: looked at before the file is copied beside a project.

A project may name any file of the machine; what is no picture must not travel as one. The sentences quote nothing of
what they refuse.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError

TITLES = 20
"""Lines of words that a table may have before its numbers."""
NUMBER_BYTES = b"0123456789+-.eEdD,; \t\r\n"
_WORD = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eEdD][+-]?\d+)?|[+-]?(nan|inf|infinity)|", re.IGNORECASE)


def check_file(path: Path, kind: str) -> None:
    """Raises ProblemError where the file is not of this kind; kinds that nobody knows here pass."""
    if kind in CHECKS:
        CHECKS[kind](path)


def refused(path: Path, kind: str) -> ProblemError:
    return ProblemError(f"'{path.name}' is no {kind}, and is not copied: choose another file.")


def check_table(path: Path, kind: str = "table") -> None:
    """Rows of numbers below a few lines of titles; lines that begin with # are comments. Raises ProblemError."""
    try:
        data = np.fromfile(path, np.uint8)
    except OSError as error:
        raise refused(path, kind) from error
    known = np.zeros(256, bool)
    known[np.frombuffer(NUMBER_BYTES, np.uint8)] = True
    strange = np.flatnonzero(~known[data])
    first_numbers = _behind_titles(data, path, kind)
    if len(strange) and strange[-1] >= first_numbers:
        rest = data[first_numbers:].tobytes().decode("utf-8", "replace").splitlines()
        if not all(_is_row(line) for line in rest):
            raise refused(path, kind)


def _behind_titles(data: Array, path: Path, kind: str) -> int:
    """Where the first row of numbers begins. Raises ProblemError where there is none below the titles."""
    start, titles = 3 if data[:3].tobytes() == b"\xef\xbb\xbf" else 0, 0
    while start < len(data) and titles <= TITLES:
        ends = np.flatnonzero(data[start : start + 65536] == ord("\n"))
        end = start + int(ends[0]) if len(ends) else len(data)
        line = data[start:end].tobytes().decode("utf-8", "replace").strip()
        if line and not line.startswith("#"):
            if _is_row(line):
                return start
            titles += 1
        start = end + 1
    raise refused(path, kind)


def _is_row(line: str) -> bool:
    """Whether it holds nothing but numbers before a comment."""
    return all(_WORD.fullmatch(word) for word in re.split(r"[,;\s]+", line.partition("#")[0].strip()))


def _check_picture(path: Path) -> None:
    from engines.geometry.pictures import brightness

    brightness(path)


def _check_stl(path: Path) -> None:
    from engines.geometry.solids.stl import read_corners

    read_corners(path)


CHECKS: dict[str, Callable[[Path], None]] = {
    "picture": _check_picture,
    "STL file": _check_stl,
    "table": check_table,
    "drive cycle": lambda path: check_table(path, "drive cycle"),
}
