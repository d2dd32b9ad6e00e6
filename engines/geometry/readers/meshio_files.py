"""Gmsh files (.msh 2.2, 4.0, 4.1) through meshio, Abaqus's (.inp) and Medit's (.mesh) as meshio would give them.

meshio prints and may leave the interpreter when a file is wrong; here both become a MeshError.
"""

from __future__ import annotations

import io
import re
import sys
import threading
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import meshio
import numpy as np
from meshio._common import num_nodes_per_cell
from meshio.gmsh import _gmsh22, _gmsh40, _gmsh41
from meshio.gmsh.common import _gmsh_to_meshio_type

from engines.api import Finding
from engines.api.errors import MeshError
from engines.geometry.raw import RawMesh
from engines.geometry.readers.abaqus import TwiceError, read_abaqus
from engines.geometry.readers.cells import quadratic_finding
from engines.geometry.readers.gmsh_data import install, read_gmsh
from engines.geometry.readers.medit import read_medit
from engines.geometry.readers.parsers import fill
from engines.geometry.readers.text import as_type, read_bytes

READERS = {".msh": read_gmsh, ".inp": read_abaqus, ".mesh": read_medit}
NAMES = {"quad": "quadrilateral", "wedge": "prism", "tetra4": "tetrahedron"}
TETRAHEDRA = ("tetra", "tetra4", "tetra10", "tetra14")

LARGEST_TAG = 1 << 27
"""Of a node: meshio makes a list with a place for each number up to it, of 1 GB here, whatever the file's own size."""


MANY = 10_000
"""Numbers or lines of a text from which the compiled parser is worth loading."""
LONGEST_NUMBER = 21
"""Letters of an integer of 64 bits, and a blank."""


ONCE = {
    ".msh": (re.compile(rb"^\$(Nodes|Elements)\s*$", re.MULTILINE), 2),
    ".inp": (re.compile(rb"^\*node\s*(,|$)", re.MULTILINE | re.IGNORECASE), 1),
    ".mesh": (re.compile(rb"^\s*Vertices\b", re.MULTILINE), 1),
}
"""Where a section begins that there is once: meshio puts a second one of nodes in the place of the first, below cells
that are of that. And how many such sections a file may have."""


class _Numbers(np.ndarray):
    """Places by the numbers that a file gives: two of one number, and what would count from the end, are refused."""

    def __setitem__(self, numbers: Any, places: Any) -> None:
        if isinstance(numbers, np.ndarray):
            if numbers.min(initial=0) < 0:
                raise ValueError("numbers begin with 1")
            if len(numbers) and np.bincount(numbers).max() > 1:
                raise TwiceError("nodes")
        super().__setitem__(numbers, places)

    def __getitem__(self, numbers: Any) -> Any:
        if (
            isinstance(numbers, np.ndarray)
            and numbers.size
            and not 0 <= int(numbers.min()) <= int(numbers.max()) < len(self)
        ):
            raise ValueError("numbers begin with 1, and end with the last")
        return np.asarray(super().__getitem__(numbers))


class _BoundedNumPy:
    """NumPy for meshio's readers of Gmsh, but for arrays that a single wrong number makes larger than the file, and for
    what would be in them by chance."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def full(self, shape: Any, *given: Any, **options: Any) -> np.ndarray:
        return np.full(_bounded(shape, LARGEST_TAG), *given, **options).view(_Numbers)

    def ones(self, shape: Any, *given: Any, **options: Any) -> np.ndarray:
        return np.ones(_bounded(shape, LARGEST_TAG), *given, **options).view(_Numbers)

    def empty(self, shape: Any, *given: Any, **options: Any) -> np.ndarray:
        values = np.empty(_bounded(shape, _file_bytes.get()), *given, **options)
        values.fill(np.nan if values.dtype.kind == "f" else -2)  # which no reader takes, where the file fills fewer
        return values

    def vstack(self, parts: list[np.ndarray]) -> np.ndarray:
        """Those of Gmsh's binary elements may have more tags in some rows, of the parts that they are in."""
        width = min(part.shape[1] for part in parts)
        return np.vstack([part[:, :width] for part in parts])

    def arange(self, *ends: Any, **options: Any) -> np.ndarray:
        _bounded(ends[-1], _file_bytes.get())
        return np.arange(*ends, **options)

    def fromfile(self, file: Any, dtype: Any = float, count: int = -1, sep: str = "") -> np.ndarray:
        _bounded(max(count, 0) * (1 if sep else np.dtype(dtype).itemsize), _file_bytes.get())
        if sep and count > MANY and np.dtype(dtype).kind in "iu":
            found = _integers(file, count, count * LONGEST_NUMBER)
            if found is not None and len(found) == count:
                return as_type(found, np.dtype(dtype))
        heads = count == 4 and _is_behind(file, b"$Elements")
        values = np.fromfile(file, dtype, count, sep)
        if heads:  # blocks, of which a list is made; elements, and the least and greatest of their numbers
            _bounded(values[0], _file_bytes.get())
        return values


class _Silence:
    """Nothing is printed by whoever is inside, on however many threads: the first replaces what is printed to, the last
    puts it back. (contextlib's, one within the other on two threads, would put the other's back.)"""

    def __init__(self) -> None:
        self._lock, self._inside, self._before = threading.Lock(), 0, (sys.stdout, sys.stderr)

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._before = sys.stdout, sys.stderr
                sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                sys.stdout, sys.stderr = self._before


_silence = _Silence()
_file_bytes: ContextVar[int] = ContextVar("_file_bytes", default=sys.maxsize)
"""Of the file that is read: nothing in it is more often there."""


def _is_behind(file: Any, word: bytes) -> bool:
    """Whether the line before the place of a file opened for bytes is this word."""
    place = file.tell()
    back = min(place, len(word) + 2)
    file.seek(place - back)
    return bool(file.read(back).strip() == word)  # and stands where it stood


def _bounded(shape: Any, most: int) -> Any:
    if np.prod(shape, dtype=float) > most:
        raise ValueError("a number is too large")
    return shape


def _integers(file: Any, most: int, size: int) -> np.ndarray | None:
    """(n,) float64: numbers from the place of a file opened for bytes on, up to ``most`` in ``size`` bytes; it stands
    behind them then. None, where it stood, if there is none."""
    place = file.tell()
    data, out = np.fromfile(file, np.uint8, size), np.empty(min(most, size // 2 + 1))
    count, end = fill(data, 0, out)
    file.seek(place + end if count else place)
    return out[:count] if count else None


def _elements_of_lines(file: Any, cells: list[Any], tags: dict[str, Any], total: int) -> None:
    """meshio's own reader of the elements of Gmsh 2.2 in text takes 4 s for a million; this one 1.3 s where lines of
    one kind follow each other, and it leaves all else to meshio's."""
    place = file.tell()
    values = _integers(file, sys.maxsize, _file_bytes.get() - place)
    runs = None if total < MANY or values is None else _runs(as_type(values, np.dtype(np.int64)), total)
    if runs is None:
        file.seek(place)
        _ELEMENTS_OF_LINES(file, cells, tags, total)
        return
    for kind, rows, n_tags in runs:
        tags.setdefault(kind, []).extend(rows[:, 3 : 3 + n_tags].tolist())
        nodes = rows[:, 3 + n_tags :].astype(np.int32) - 1
        if cells and cells[-1][0] == kind:
            cells[-1] = (kind, np.concatenate([cells[-1][1], nodes]))
        else:
            cells.append((kind, nodes))


def _runs(values: np.ndarray, total: int) -> list[tuple[str, np.ndarray, int]] | None:
    """Kind, lines and number of tags of lines that are alike, "number kind tags …tags …nodes"; None where there are not
    ``total`` lines, or too few alike."""
    runs: list[tuple[str, np.ndarray, int]] = []
    at = lines = 0
    while lines < total and len(runs) < MANY // 100:
        kind = _gmsh_to_meshio_type.get(int(values[at + 1])) if at + 2 < len(values) else None
        if kind is None:
            return None
        n_tags = int(values[at + 2])
        width = 3 + n_tags + num_nodes_per_cell[kind]
        rows = values[at : at + (len(values) - at) // width * width].reshape(-1, width)
        others = np.flatnonzero((rows[:, 1:3] != rows[0, 1:3]).any(axis=1)) if len(rows) else [0]
        rows = rows[: min(others[0] if len(others) else len(rows), total - lines)]
        if not len(rows):
            return None
        runs.append((kind, rows, n_tags))
        at, lines = at + rows.size, lines + len(rows)
    return runs if lines == total and at == len(values) else None


_ELEMENTS_OF_LINES = _gmsh22._read_cells_ascii
_gmsh22._read_cells_ascii = _elements_of_lines
_bounded_numpy = _BoundedNumPy()
for _version in (_gmsh22, _gmsh40, _gmsh41):
    _version.np = _bounded_numpy
install(_bounded_numpy.fromfile)


def read_with_meshio(path: Path) -> RawMesh:
    """The tetrahedra of ``path`` with cell and point data; named groups become regions. Raises MeshError."""
    start = read_bytes(path)[:4096].tobytes()
    if path.suffix.lower() == ".inp":
        refuse_include(path)
    elif path.suffix.lower() == ".msh" and not start.lstrip().startswith((b"$MeshFormat", b"$Comments")):
        raise MeshError(
            f"{path.name} is no Gmsh file (Fluent uses .msh as well); save it by Gmsh as version 4.1 or 2.2."
        )
    try:
        return _raw(read_bounded(path, READERS[path.suffix.lower()]))
    except MeshError:
        raise
    except OverflowError:
        raise MeshError(
            f"{path.name} has a number of a group, node or element above {2**31 - 1:,}; number them anew and export it "
            "again."
        ) from None
    except (Exception, SystemExit):  # its readers raise whatever the file makes them stumble over, and quote it
        raise MeshError(f"{path.name} is truncated or damaged; copy or export the file again.") from None


def read_bounded(path: Path, read: Callable[[Path], meshio.Mesh]) -> meshio.Mesh:
    """What one of meshio's readers makes of ``path``, in silence and in memory that the file's own size bounds. Raises
    MeshError where numbers or sections are twice in it, and whatever else the file makes it stumble over, SystemExit
    among it."""
    begins = ONCE.get(path.suffix.lower())
    if begins is not None and len(begins[0].findall(read_bytes(path).data)) > begins[1]:
        raise MeshError(
            f"{path.name} has several sections of nodes or elements; put them into one and export it again."
        )
    before = _file_bytes.set(path.stat().st_size)
    try:
        with _silence:
            return read(path)
    except TwiceError as error:
        raise MeshError(f"{path.name} gives two {error} one number; number them anew and export it again.") from None
    finally:
        _file_bytes.reset(before)


def _raw(mesh: meshio.Mesh) -> RawMesh:
    blocks = [k for k, block in enumerate(mesh.cells) if block.type in TETRAHEDRA]
    raw = RawMesh(_in_space(np.asarray(mesh.points, np.float64)), np.empty((0, 4), np.int64))
    for block in mesh.cells:
        if block.type not in TETRAHEDRA:
            raw.other_cells[NAMES.get(block.type, block.type.rstrip("0123456789"))] += len(block.data)
    if not blocks:
        return raw
    parts = [mesh.cells[k].data[:, :4].astype(np.int64) for k in blocks]
    raw.cells = np.concatenate(parts)
    quadratic = sum(len(mesh.cells[k].data) for k in blocks if mesh.cells[k].data.shape[1] > 4)
    if quadratic:
        raw.findings.append(quadratic_finding(quadratic))
    raw.point_data = {name: np.asarray(data) for name, data in mesh.point_data.items()}
    tell_groups(raw, mesh, blocks, 3)
    return raw


def tell_groups(raw: RawMesh, mesh: meshio.Mesh, blocks: list[int], dimension: int) -> None:
    """Give ``raw`` what ``mesh`` tells of the cells of these ``blocks``: data, and named groups of that dimension."""
    raw.cell_data = {name: np.concatenate([data[k] for k in blocks]) for name, data in mesh.cell_data.items()}
    if not np.any(raw.cell_data.get("gmsh:physical", 1)):
        del raw.cell_data["gmsh:physical"]  # 0 is no group: the entities are told instead
    several = (mesh.info or (0, 0, 0, 0))[dimension]
    if several:
        text = f"Parts of the file that are of several physical groups ({several:,}) are taken as of the first."
        raw.findings.append(Finding(text))
    for name, data in mesh.field_data.items():
        if np.size(data) == 2 and int(data[1]) == dimension:  # (number, dimension) of a physical group
            raw.region_names[int(data[0])] = name
    if "gmsh:physical" not in raw.cell_data:
        _regions_from_sets(raw, mesh, blocks)


def refuse_include(path: Path) -> None:
    """Raises MeshError where an Abaqus file includes others, which may lie anywhere."""
    if b"*include" in read_bytes(path).tobytes().lower():
        raise MeshError(f"{path.name} includes other files; put everything into one file.")


def _in_space(points: np.ndarray) -> np.ndarray:
    """Points padded to three coordinates."""
    return np.pad(points, ((0, 0), (0, 3 - points.shape[1]))) if points.shape[1] < 3 else points[:, :3]


def _regions_from_sets(raw: RawMesh, mesh: meshio.Mesh, blocks: list[int]) -> None:
    """Named cell sets (Abaqus ELSET) as regions; a cell in several belongs to the smallest, in none to “rest”.

    Of sets of one size the ELSET cards come before the names that element cards carry (gmsh's “Volume1”).
    """
    starts = np.cumsum([0, *(len(mesh.cells[k].data) for k in blocks)])
    sets = {}
    for name, members in mesh.cell_sets.items():
        if name.startswith("gmsh:"):
            continue
        rows = [np.asarray(members[k], np.int64) + starts[i] for i, k in enumerate(blocks) if members[k] is not None]
        found = np.concatenate(rows) if rows else np.empty(0, np.int64)
        if len(found):
            sets[name] = found
    if not sets:
        return
    region = np.zeros(len(raw.cells), np.int32)
    largest_first = list(sets)[::-1]
    largest_first.sort(key=lambda name: -len(sets[name]))
    names = ["rest", *largest_first]
    for number, name in enumerate(names[1:], start=1):
        region[sets[name]] = number
    present, compact = np.unique(region, return_inverse=True)
    raw.cell_data["region"] = compact.astype(np.int32) + 1
    raw.region_names = {k + 1: names[number] for k, number in enumerate(present)}
