"""STL files: triangles of a surface, whose common corners are found by their coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import scipy

from engines.api import Array
from engines.api.errors import ProblemError
from engines.reading import Version, guarded, version_of

MOST_TRIANGLES = 20_000_000
BINARY = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
BINARY_HEAD = 84
ROUNDING = 2.0**-21
"""Of the largest coordinate, some units in the last place of those in a file: what differs less is one corner."""


@dataclass(frozen=True, eq=False)
class Triangles:
    """corners: (n, 3) float64; triangles: (m, 3) int32, none of them with two equal corners.

    oriented: whether neighbours agree on which side is the outside
    """

    corners: Array
    triangles: Array
    oriented: bool


def read_stl(path: str) -> Triangles:
    """The closed surface in an STL file, read once. Raises ProblemError, also where it is not closed."""
    if not path:
        raise ProblemError("No STL file is chosen for it: choose one.")
    try:
        version = version_of(path)
    except OSError:
        raise ProblemError(f"Its STL file '{path}' is not there: choose another file.") from None
    return _read(path, version)


@lru_cache(maxsize=4)
def _read(path: str, version: Version) -> Triangles:
    name = Path(path).name
    soup = read_corners(Path(path))
    if not np.isfinite(soup).all():
        raise ProblemError(f"'{name}' has corners that are not numbers: write the STL file again.")
    corners, triangles = _welded(soup)
    triangles = _with_area(_rejoined(corners, _with_area(triangles)))
    if len(triangles) < 4:
        raise ProblemError(f"'{name}' has {len(triangles)} triangles with an area: a closed surface has at least four.")
    return Triangles(corners, triangles, _check_closed(corners, triangles, name))


@guarded("cannot be read as STL: write it again.", largest=8 << 30)
def read_corners(path: Path) -> Array:
    """(m, 3, 3) float32 corners of the triangles in an STL file. Raises ProblemError."""
    name = path.name
    content = path.read_bytes()
    count = int.from_bytes(content[80:BINARY_HEAD], "little") if len(content) >= BINARY_HEAD else 0
    binary = count > 0 and len(content) >= BINARY_HEAD + count * BINARY.itemsize
    if binary:
        _check_number(count, name)
        return np.asarray(np.frombuffer(content, BINARY, count, BINARY_HEAD)["corners"])
    words = content.split() if content.lstrip()[:5].lower() == b"solid" else []
    places = [n for n, word in enumerate(words) if word.lower() == b"vertex"]
    if not places or len(places) % 3 or places[-1] + 3 >= len(words):
        raise ProblemError(f"'{name}' is not an STL file that can be read, or its end is missing: write it again.")
    _check_number(len(places) // 3, name)
    try:
        numbers = [[float(word) for word in words[n + 1 : n + 4]] for n in places]
    except ValueError:
        raise ProblemError(f"'{name}' has a corner that is not three numbers: write the STL file again.") from None
    return np.array(numbers, np.float32).reshape(-1, 3, 3)


def _check_number(count: int, name: str) -> None:
    if count > MOST_TRIANGLES:
        raise ProblemError(
            f"'{name}' has {count:,} triangles: simplify it to at most {MOST_TRIANGLES // 1_000_000} million."
        )


def _welded(soup: Array) -> tuple[Array, Array]:
    """Different corners (n, 3) float64 and triangles of their numbers (m, 3)."""
    points = soup.reshape(-1, 3) + np.float32(0)  # -0 is 0
    order = np.lexsort(points.T)
    ordered = points[order]
    new = np.ones(len(points), bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    numbers = np.empty(len(points), np.int32)
    numbers[order] = np.cumsum(new, dtype=np.int32) - 1
    return ordered[new].astype(float), numbers.reshape(-1, 3)


def _with_area(triangles: Array) -> Array:
    a, b, c = triangles.T
    return triangles[(a != b) & (b != c) & (c != a)]


def _rejoined(corners: Array, triangles: Array) -> Array:
    """Corners at open edges become one where they differ by less than the file rounds: programs that work out a corner
    for each triangle write 0 here and 1e-16 there."""
    keys, _, first = _edges(corners, triangles)
    open_edges = keys[_open(keys, first)]
    if not len(open_edges):
        return triangles
    ends = np.unique(np.divmod(open_edges, len(corners)))
    near = ROUNDING * np.abs(corners).max()
    pairs = scipy.spatial.cKDTree(corners[ends]).query_pairs(near, output_type="ndarray")
    links = scipy.sparse.coo_array((np.ones(len(pairs)), pairs.T), shape=(len(ends), len(ends)))
    heaps = scipy.sparse.csgraph.connected_components(links, directed=False)[1]
    become = np.arange(len(corners), dtype=np.int32)
    become[ends] = ends[np.unique(heaps, return_index=True)[1][heaps]]
    return become[triangles]


def _edges(corners: Array, triangles: Array) -> tuple[Array, Array, Array]:
    """Of each edge of each triangle, in order, a number that those between the same corners share, and which way it
    goes, 1 or −1; then where those of another number begin."""
    starts = triangles.astype(np.int64)
    ends = np.roll(starts, -1, axis=1)
    keys = (np.minimum(starts, ends) * len(corners) + np.maximum(starts, ends)).reshape(-1)
    ways = np.where(starts < ends, 1, -1).reshape(-1)
    order = np.argsort(keys)
    keys, ways = keys[order], ways[order]
    return keys, ways, np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])


def _open(keys: Array, first: Array) -> Array:
    """Of these places those of edges that an odd number of triangles have."""
    return first[np.diff(np.append(first, len(keys))) % 2 == 1]


def _check_closed(corners: Array, triangles: Array, name: str) -> bool:
    """Whether each edge is run through as often one way as the other. Raises ProblemError at an edge that an odd number
    of triangles have."""
    keys, ways, first = _edges(corners, triangles)
    open_edges = _open(keys, first)
    if len(open_edges):
        a, b = (corners[number] for number in divmod(int(keys[open_edges[0]]), len(corners)))
        told = " and ".join(f"({p[0]:g}, {p[1]:g}, {p[2]:g})" for p in (a, b))
        what = "edges, the first" if len(open_edges) > 1 else "edge,"
        raise ProblemError(
            f"The surface in '{name}' is open at {len(open_edges):,} {what} between {told} in the file's coordinates: "
            "close it."
        )
    return not np.add.reduceat(ways, first).any()
