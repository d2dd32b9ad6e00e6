"""Synapses from a table: columns pre, post and, if there are, weight and delay [ms]; and other tables of the kind.
Lists that PyNN writes name their columns in a comment, and have weights in nA or µS (pyNN/recording/files.py)."""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError, placed_at
from engines.formulas.typed.units import NONE, PHYSICAL, Dimension, named, unit
from engines.geometry.file_kinds import check_table
from engines.reading import Version, count_npz, foreign_file, opened_npz, read_npz, version_of
from engines.tables.columns import Axis, column_of, heading_parts
from engines.tables.text import LONGEST_LINE

COLUMNS = ("pre", "post", "weight", "delay")
TIMES = {name: Axis(name, "ms") for name in ("delay", "time")}
SEPARATORS = ("\t", ";", ",")
PYNN = re.compile(r"#\s*columns\s*=\s*[\[(](.*)[\])]\s*")
PYNNS = {"i": "pre", "j": "post", "weight": "weight", "delay": "delay"}
OF_PYNN = 1000.0
"""pA or nS of a weight there."""
CHUNK = 1 << 20
"""Bytes of a table that are looked at at a time while its lines are counted."""


def rows(path: str) -> int:
    """How many synapses a table has, told without reading their numbers; 0 where there is none that can be read."""
    place = Path(path)
    if not path or not place.is_file():
        return 0
    return _rows(place, version_of(place))


@lru_cache(maxsize=16)
def _rows(place: Path, version: Version) -> int:
    """Of the file while it is this ``version``."""
    try:
        if place.suffix == ".npz":
            with opened_npz(place) as content:
                return count_npz(content, "pre.npy")
        heading = _heading(place, COLUMNS)
        with place.open("rb") as file:
            comments, first = _above(file)
            lines = 0 if heading.below > len(comments) else int(bool(first.strip()))
            last = b"\n"
            while chunk := file.read(CHUNK):
                lines += chunk.count(b"\n")
                last = chunk[-1:]
            return lines + int(last != b"\n")
    except Exception:  # of any kind: what is wrong with it is told by read()
        return 0


def check_path(path: str, k: int) -> None:
    """Raises ProblemError where connection ``k`` has no file to be read from."""
    place = ("connections", k, "rule", "path")
    if not path:
        raise ProblemError(f"Connection {k + 1} has no file to be read from: choose a CSV or npz file.", place)
    if not Path(path).is_file():
        raise ProblemError(f"There is no file '{path}' for connection {k + 1}: choose a CSV or npz file.", place)


def columns_of(path: str) -> tuple[str, ...]:
    """Those that a table has, told without reading its numbers; none of what cannot be read."""
    found = _all_columns(path)
    return tuple(name for name in COLUMNS if name in found)


def unread(path: str) -> tuple[str, ...]:
    """What the other columns of a table are called."""
    return tuple(name for name in _all_columns(path) if name not in COLUMNS)


def _all_columns(path: str) -> tuple[str, ...]:
    place = Path(path)
    if not path or not place.is_file():
        return ()
    try:
        return _columns_of(place, version_of(place))
    except Exception:  # of any kind: what is wrong with it is told by read()
        return ()


@lru_cache(maxsize=16)
def _columns_of(place: Path, version: Version) -> tuple[str, ...]:
    if place.suffix == ".npz":
        with opened_npz(place) as content:
            return tuple(name.removesuffix(".npy") for name in content.namelist())
    comments, separator, titles, names, _ = _heading(place, COLUMNS)
    if names:
        return tuple(name if name in COLUMNS else title for name, title in zip(names, titles, strict=True))
    if names := _listed(comments):
        return tuple(names)
    with place.open("rb") as file:
        number = len(_headings(_above(file)[1].strip(), separator))
    return COLUMNS[:number] + tuple(f"{k + 1}" for k in range(len(COLUMNS), number))


def has_delays(path: str) -> bool:
    """Whether a table has delays of its own; False of what cannot be read."""
    return _longest_of(path) is not None


def longest_delay(path: str) -> float:
    """Of a table that can be read [ms]; 0 of others."""
    return _longest_of(path) or 0.0


def _longest_of(path: str) -> float | None:
    place = Path(path)
    if not path or not place.is_file():
        return None
    return _longest_delay(place, version_of(place))


@lru_cache(maxsize=16)
def _longest_delay(place: Path, version: Version) -> float | None:
    try:
        found = read_columns(place, COLUMNS, COLUMNS[:2], "connections", "synapse")
    except ProblemError:  # told when it is drawn
        return None
    return float(found["delay"].max(initial=0.0)) if "delay" in found else None


def weight_sizes(path: str, weights: Dimension | None) -> tuple[float, float]:
    """Of a table with weights, in the unit of :func:`read`: the least size that is not 0, and the largest sum of sizes
    that a neuron hears; both 0 of what cannot be read."""
    place = Path(path)
    return _weight_sizes(place, version_of(place), weights) if path and place.is_file() else (0.0, 0.0)


@lru_cache(maxsize=16)
def _weight_sizes(place: Path, version: Version, weights: Dimension | None) -> tuple[float, float]:
    try:
        found = read(str(place), weights)
        sizes, hears = np.abs(found["weight"]), np.unique(found["post"], return_inverse=True)[1]
    except (ProblemError, KeyError):  # told when it is drawn
        return 0.0, 0.0
    return float(sizes[sizes > 0].min(initial=np.inf)), float(np.bincount(hears, sizes).max(initial=0.0))


def read(path: str, weights: Dimension | None = None) -> dict[str, Array]:
    """The columns of a CSV file (a line of names above, or in this order) or of an npz file, as float64.

    weights: of what kind those of these synapses are, into whose unit they are converted; None: not of one kind. Raises
    ProblemError where there is no such file, it cannot be read, numbers are missing, or the weights' unit is another.
    """
    place = Path(path)
    if not path or not place.is_file():
        raise ProblemError(f"There is no file '{path}' with connections: choose a CSV or npz file.", ("connections",))
    with placed_at("connections"):
        found = read_columns(place, COLUMNS, COLUMNS[:2], "connections", "synapse")
        if said := _weight_unit(place):
            found["weight"] = _in_kept(said, weights, place.name) * found["weight"]
        elif "weight" in found and from_pynn(path):
            found["weight"] = OF_PYNN * found["weight"]
    return found


def _weight_unit(place: Path) -> str:
    """What the heading of the weights says; empty where it says nothing."""
    if place.suffix == ".npz":
        return ""
    heading = _heading(place, COLUMNS)
    return heading_parts(heading.titles[heading.names.index("weight")])[1] if "weight" in heading.names else ""


def check_unit(path: str, weights: Dimension | None) -> None:
    """Of a table's weights, told without reading its numbers. Raises ProblemError, as :func:`read`; not for a table
    that cannot be read."""
    place = Path(path)
    if not path or not place.is_file():
        return
    try:
        said = _weight_unit(place)
    except (OSError, ValueError):
        return
    if said:
        _in_kept(said, weights, place.name)


def _in_kept(said: str, weights: Dimension | None, name: str) -> float:
    """How much one of a unit is in that of the synapses. Raises ProblemError where it is none of these."""
    if weights is None:
        raise ProblemError(
            f"The weights of {name} are in {said[:24]}, and those whom its synapses reach take weights of several "
            "units: give each population a connection of its own, or leave the unit out of the heading."
        )
    try:
        kind, factor = unit(said.replace("µ", "u").replace("μ", "u"), PHYSICAL)
    except ProblemError:
        kind, factor = None, 1.0
    if kind != weights:
        raise ProblemError(
            f"The weights of {name} are in {said[:24]}, and these synapses take {_shown(weights)}: convert them, or "
            "leave the unit out of the heading."
        )
    return factor


def _shown(weights: Dimension) -> str:
    return "numbers without a unit" if weights == NONE else named(weights, small=True)


def from_pynn(path: str) -> bool:
    """Whether PyNN wrote a list of connections; False of what cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return "i" in _named_by_pynn(_above(file)[0])
    except (OSError, ValueError):  # arrays, and others
        return False


def _above(file: IO[bytes]) -> tuple[list[str], str]:
    """Comments above the first row, and this."""
    comments = []
    while (line := file.readline(LONGEST_LINE)).startswith(b"#"):
        comments.append(line.decode("utf-8", "replace"))
    if len(line) == LONGEST_LINE:
        raise ValueError("no row is as long")
    return comments, line.decode("utf-8-sig")


def _listed(comments: list[str]) -> list[str]:
    return [PYNNS.get(name, name) for name in _named_by_pynn(comments)]


def _named_by_pynn(comments: list[str]) -> list[str]:
    matches = [match for each in comments if (match := PYNN.fullmatch(each.strip()))]
    return re.findall(r"\w+", matches[0][1]) if matches else []


def read_columns(
    place: Path, columns: tuple[str, ...], needed: tuple[str, ...], what: str, row: str
) -> dict[str, Array]:
    """Those of ``columns`` that a table of ``what`` has, as :func:`read`; ``row``: what each of them is one of."""
    sentence = f"{place.name} cannot be read as {what}: write rows of numbers, {' and '.join(needed)} first."
    with foreign_file(sentence):
        found = _npz(place, columns) if place.suffix == ".npz" else _csv(place, columns, what)
    if not set(needed) <= set(found):
        names = " and ".join(f"'{name}'" for name in needed)
        raise ProblemError(f"{place.name} has no columns {names}: name them in its first line.")
    if len({len(values) for values in found.values()}) > 1:
        raise ProblemError(f"The columns of {place.name} are not equally long: give each {row} all of them.")
    for name, values in found.items():
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise ProblemError(
                f"The {name} of {row} {bad[0] + 1:,} in {place.name} is not a number: correct it or leave it out."
            )
    return found


def check_connections(place: Path) -> None:
    """Raises ProblemError where a file holds no connections; of text only looks whether it is numbers."""
    if place.suffix != ".npz":
        check_table(place, "connection table")
    else:
        read(str(place))


def _npz(place: Path, columns: tuple[str, ...]) -> dict[str, Array]:
    with opened_npz(place) as content:
        names = content.namelist()
        found = {name: read_npz(content, f"{name}.npy") for name in columns if f"{name}.npy" in names}
    return {name: np.asarray(values, float).ravel() for name, values in found.items()}


def _headings(line: str, separator: str | None) -> list[str]:
    return [heading.strip().strip('"') for heading in line.split(separator)]


class _Heading(NamedTuple):
    """What stands above the rows of a table, of which ``below`` is the first line. titles, and the names in them: of
    the columns, none where nothing names these."""

    comments: list[str]
    separator: str | None
    titles: list[str]
    names: list[str]
    below: int


def _heading(place: Path, columns: tuple[str, ...]) -> _Heading:
    with place.open("rb") as file:
        comments, first = _above(file)
    separator = next((mark for mark in SEPARATORS if mark in first), None)
    titles, below = _headings(first, separator), len(comments)
    names = _names(titles, columns)
    if columns[0] in names:
        return _Heading(comments, separator, titles, names, below + 1)
    above = _headings(comments[-1].strip().lstrip("# "), separator) if comments else []  # as NumPy writes them
    if len(above) == len(titles) and columns[0] in _names(above, columns):
        return _Heading(comments, separator, above, _names(above, columns), below)
    return _Heading(comments, separator, [], [], below)


def _names(titles: Sequence[str], columns: tuple[str, ...]) -> list[str]:
    """Of neurons that are joined also i and j, as PyNN and Brian2 call them."""
    names = [heading_parts(title)[0].lower() for title in titles]
    if columns == COLUMNS and {"i", "j"} <= set(names) and not {"pre", "post"} & set(names):
        return [PYNNS.get(name, name) for name in names]
    return names


def _explain(place: Path, row: str, separator: str | None, needed: list[str]) -> None:
    """Raises ProblemError for a first row that says why it is none. needed: names that would stand there"""
    if separator != "," and re.search(r"\d,\d", row):
        raise ProblemError(f"{place.name} has decimals behind a comma: write them behind a point.")
    if needed and not re.search(r"\d", row) and separator:
        called = ", ".join(title[:24] for title in _headings(row, separator)[:6])
        names = " and ".join(f"'{name}'" for name in needed)
        raise ProblemError(f"{place.name} has no columns {names}, but {called}: name them in its first line.")


def _csv(place: Path, columns: tuple[str, ...], what: str) -> dict[str, Array]:
    comments, separator, titles, names, below = _heading(place, columns)
    twice = next((name for name in columns if names.count(name) > 1), "")
    if twice:
        raise ProblemError(f"Two columns of {place.name} are called '{twice}': give each a name of its own.")
    with warnings.catch_warnings():  # of a table without rows, with its path
        warnings.simplefilter("ignore", UserWarning)
        try:
            table = np.loadtxt(place, delimiter=separator, skiprows=below, ndmin=2, encoding="utf-8-sig")
        except ValueError:
            with place.open("rb") as file:
                first = next(itertools.islice(file, below, None), b"").decode("utf-8-sig")
            _explain(place, first, separator, [] if names else list(columns[:2]))
            raise
    if not table.size:
        first, second = columns[:2]
        raise ProblemError(f"{place.name} has no {what}: write a row of numbers for each, {first} and {second} first.")
    order = names or _listed(comments) or list(columns[: table.shape[1]])
    found = {name: table[:, k] for k, name in enumerate(order) if name in columns}
    for name, axis in TIMES.items():
        if name in names and name in found:
            found[name] = column_of(titles[names.index(name)], 0, axis, place.name).factor * found[name]
    return found
