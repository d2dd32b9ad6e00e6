"""What Gmsh files say by the numbers of nodes and elements: data of some of them, in any order, and physical groups.

meshio takes data in the order of the file, whatever their numbers, and stumbles where they are of some elements, or
where some entities are of no group.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import meshio
import numpy as np
from meshio._common import num_nodes_per_cell
from meshio.gmsh import _gmsh22, _gmsh40, _gmsh41
from meshio.gmsh.common import _fast_forward_to_end_block, _gmsh_to_meshio_type

from engines.api import Array
from engines.geometry.readers.text import read_bytes

ELEMENT_DATA = re.compile(rb"\$ElementData")

MOST_TAGS = 100
"""Of each kind in a section of data; Gmsh writes one name, one time and three or four counts."""


@dataclass
class Noted:
    """nodes, elements: numbers in the order of the file, those of elements only where ``wanted``; data: section, name,
    numbers and values; several: of each dimension, how many entities are of more groups than one."""

    wanted: bool
    nodes: Array | None = None
    elements: Array | None = None
    data: list[tuple[str, str, Array, Array]] = field(default_factory=list)
    several: tuple[int, ...] = (0, 0, 0, 0)

    def put_into(self, mesh: meshio.Mesh) -> None:
        """NaN where there is no value; ``several`` becomes the mesh's info."""
        mesh.info = self.several
        for section, name, numbers, values in self.data:
            own = self.nodes if section == "NodeData" else self.elements
            if own is None:
                continue
            placed = _placed(numbers, values, own)
            if section == "NodeData":
                mesh.point_data[name] = placed
            else:
                mesh.cell_data[name] = np.split(placed, np.cumsum([len(block.data) for block in mesh.cells])[:-1])


_noted: ContextVar[Noted | None] = ContextVar("_noted", default=None)


def read_gmsh(path: Path) -> meshio.Mesh:
    """By meshio, with what it passes over."""
    noted = Noted(ELEMENT_DATA.search(read_bytes(path).data) is not None)
    before = _noted.set(noted)
    try:
        mesh = meshio.gmsh.read(path)
    finally:
        _noted.reset(before)
    noted.put_into(mesh)
    return mesh


def install(fromfile: Callable[..., Array]) -> None:
    """``fromfile``: NumPy's, for what no file can hold."""

    def nodes(read: Callable[..., Any], first: int) -> Callable[..., Any]:
        def reading(*given: Any) -> Any:
            found = read(*given)
            if (noted := _noted.get()) is not None:
                noted.nodes = np.asarray(found[1], np.int64) + first
            return found

        return reading

    def elements(read: Callable[..., Any], numbers: Callable[..., Array], groups: int = -1) -> Callable[..., Any]:
        def reading(file: Any, *given: Any) -> Any:
            noted = _noted.get()
            if noted is not None and noted.wanted:
                place = file.tell()
                noted.elements = numbers(fromfile, file, *given)
                file.seek(place)
            if noted is not None and groups >= 0 and given[groups]:
                noted.several = _grouped(given[groups])
            return read(file, *given)

        return reading

    def data(file: Any, section: str, into: dict[str, Array], data_size: int, is_ascii: bool) -> None:
        noted = _noted.get()
        if noted is None:
            READ_DATA(file, section, into, data_size, is_ascii)
        else:
            noted.data.append((section, *_data(fromfile, file, is_ascii)))
            _fast_forward_to_end_block(file, section)

    for version, first in ((_gmsh22, 0), (_gmsh40, 1), (_gmsh41, 1)):
        version._read_nodes = nodes(version._read_nodes, first)
        version._read_data = data
    _gmsh22._read_cells = elements(_gmsh22._read_cells, _numbers_22)
    _gmsh40._read_elements = elements(_gmsh40._read_elements, _numbers_40, 1)
    _gmsh41._read_elements = elements(_gmsh41._read_elements, _numbers_41, 1)


READ_DATA = _gmsh41._read_data


def _grouped(groups: tuple[dict[int, list[int]], ...]) -> tuple[int, ...]:
    """Of each dimension the groups of the entities: those without become of group 0, as in version 2, where others have
    one; and how many have several."""
    if any(tags for of_dimension in groups for tags in of_dimension.values()):
        for of_dimension in groups:
            of_dimension.update({entity: [0] for entity, tags in of_dimension.items() if not tags})
    return tuple(sum(len(tags) > 1 for tags in of_dimension.values()) for of_dimension in groups)


def _data(fromfile: Callable[..., Array], file: Any, is_ascii: bool) -> tuple[str, Array, Array]:
    """Name, numbers (n,) and values (n,) or (n, components)."""
    texts, _, wholes = _tags(file), _tags(file), _tags(file)  # the second are times
    components, count = int(wholes[1]), int(wholes[2])
    if is_ascii:
        rows = fromfile(file, float, count * (1 + components), " ").reshape(count, 1 + components)
        numbers, values = rows[:, 0].astype(np.int64), rows[:, 1:]
    else:
        both = fromfile(file, np.dtype([("number", "i4"), ("values", "f8", (components,))]), count)
        numbers, values = both["number"].astype(np.int64), np.ascontiguousarray(both["values"])
        if len(both) < count:
            raise ValueError("data end early")
    return texts[0].strip().replace('"', ""), numbers, values[:, 0] if components == 1 else values


def _tags(file: Any) -> list[str]:
    """Lines behind their number. Raises ValueError for more than the sections of a file have."""
    count = int(file.readline())
    if not 0 <= count <= MOST_TAGS:
        raise ValueError("too many tags")
    return [file.readline().decode() for _ in range(count)]


def _placed(numbers: Array, values: Array, own: Array) -> Array:
    placed = np.full((len(own), *values.shape[1:]), np.nan)
    order = np.argsort(own)
    at = order[np.minimum(np.searchsorted(own[order], numbers), len(own) - 1)]
    known = own[at] == numbers
    placed[at[known]] = values[known]
    return placed


def _width(kind: int) -> int:
    return int(num_nodes_per_cell[_gmsh_to_meshio_type[int(kind)]])


def _firsts(file: Any, count: int) -> list[int]:
    """The first word of so many lines."""
    return [int(_line(file)[0]) for _ in range(count)]


def _line(file: Any) -> list[bytes]:
    """Words of the next line that has any. Raises ValueError at the end."""
    for line in file:
        if words := line.split():
            return list(words)
    raise ValueError("elements end early")


def _numbers_22(fromfile: Callable[..., Array], file: Any, cells: Any, tags: Any, is_ascii: bool) -> Array:
    total = int(file.readline())
    if is_ascii:
        return np.array(_firsts(file, total), np.int64)
    found: list[Array] = []
    while total > 0:
        kind, count, tagged = map(int, fromfile(file, "i4", 3))
        found.append(fromfile(file, "i4", count * (1 + tagged + _width(kind))).reshape(count, -1)[:, 0])
        total -= count
    return np.concatenate([*found, []]).astype(np.int64)


def _numbers_40(fromfile: Callable[..., Array], file: Any, tags: Any, groups: Any, is_ascii: bool) -> Array:
    return _of_blocks(fromfile, file, is_ascii, np.dtype("uint64"), 2, np.dtype("i4"))


def _numbers_41(
    fromfile: Callable[..., Array], file: Any, tags: Any, groups: Any, around: Any, is_ascii: bool, size: int, *_: Any
) -> Array:
    whole = np.dtype(f"u{size}")
    return _of_blocks(fromfile, file, is_ascii, whole, 4, whole)


def _of_blocks(
    fromfile: Callable[..., Array], file: Any, is_ascii: bool, counts: np.dtype, head: int, row: np.dtype
) -> Array:
    """Of blocks of one kind each, whose fourth number is how many elements they have."""
    found: list[Any] = []
    for _ in range(int(_line(file)[0]) if is_ascii else int(fromfile(file, counts, head)[0])):
        if is_ascii:
            found.append(_firsts(file, int(_line(file)[3])))
        else:
            kind, (count,) = fromfile(file, "i4", 3)[2], fromfile(file, counts, 1)
            found.append(fromfile(file, row, int(count) * (1 + _width(kind))).reshape(int(count), -1)[:, 0])
    return np.concatenate([*found, []]).astype(np.int64)
