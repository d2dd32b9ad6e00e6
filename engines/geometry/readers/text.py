"""Numbers out of large text files, at some hundred megabytes per second (Numba)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from engines.api import Array
from engines.api.errors import MeshError
from engines.geometry.readers.parsers import NEWLINE, SPACE, fill

Content = TypeVar("Content", Array, bytes)
SMALL = 1 << 16  # below this loading the compiled parser (0.5 s) would take longer than Python takes

FEWEST = 3
"""Numbers that a file of numbers has at least."""


def read_bytes(path: Path) -> Array:
    """(n,) uint8: the file. Raises MeshError where it is missing, unreadable or empty."""
    return _not_empty(path, lambda: np.fromfile(path, np.uint8))


def read_whole(path: Path) -> bytes:
    """The same as bytes, of which NumPy makes arrays that nothing is written to."""

    def read() -> bytes:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            return file.read(size)

    return _not_empty(path, read)


def _not_empty(path: Path, read: Callable[[], Content]) -> Content:
    try:
        content = read()
    except FileNotFoundError:
        raise MeshError(f"{path.name} does not exist in {path.parent}; choose a file that is there.") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise MeshError(f"{path.name} cannot be opened ({reason}); check the path and its permissions.") from None
    data = np.frombuffer(content, np.uint8)
    if not (data[:4096] > SPACE).any() and not (data > SPACE).any():
        raise MeshError(f"{path.name} is empty; export the mesh again.")
    return content


def numbers(data: Array, name: str, first_line: int = 1) -> Array:
    """(n,) float64: every number in ``data`` (uint8). Raises MeshError that names the line of what is no number."""
    if len(data) < SMALL:
        try:
            return np.array(data.tobytes().replace(b",", b" ").split(), np.float64)
        except ValueError:
            pass  # comments, Fortran exponents or an error: the careful parser decides
    out = np.empty(len(data) // 2 + 1)
    count, bad = fill(data, 0, out)
    if bad < len(data):
        line = int((data[:bad] == NEWLINE).sum()) + first_line
        word = data[bad : bad + 20].tobytes().split()[0].decode("utf-8", "replace")
        told = f"“{word}”" if _of_numbers(data) else "a word"
        raise MeshError(f"{name} has {told} in line {line} where a number belongs; correct the line or export again.")
    return out[:count]


def _of_numbers(data: Array) -> bool:
    """Whether most words at the beginning are numbers: else the file is of another kind, and may be one that a project
    should never have named, so that messages quote nothing of it."""
    words = data[:4096].tobytes().split()
    found = sum(map(is_number, words))
    return found >= FEWEST and 2 * found > len(words)


def is_number(word: bytes | str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def as_type(values: Array, dtype: np.dtype) -> Array:
    """``values`` (float64) as ``dtype``. Raises ValueError where one is no integer of that type."""
    if dtype.kind in "iu" and len(values):
        limits = np.iinfo(dtype)
        if not (values.min() >= limits.min and values.max() <= limits.max):  # NaN fails as well
            raise ValueError(f"values beyond {dtype.name}")
        if (values != np.floor(values)).any():
            raise ValueError("fractions among whole numbers")
    with np.errstate(over="ignore"):
        return values.astype(dtype)


def first_line(data: Array) -> tuple[list[str], int]:
    """Words of the first line that is neither blank nor a comment, and the position behind it."""
    start = 0
    while start < len(data):
        ends = np.flatnonzero(data[start : start + 4096] == NEWLINE)
        end = start + int(ends[0]) if len(ends) else len(data)
        words = data[start:end].tobytes().split(b"#")[0].decode("utf-8", "replace").split()
        if words:
            return words, end + 1
        start = end + 1
    return [], len(data)
