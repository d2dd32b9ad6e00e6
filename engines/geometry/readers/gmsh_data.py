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
from meshio.gmsh import _gmsh22, _gmsh40, _gmsh41, main
from meshio.gmsh.common import _fast_forward_to_end_block, _gmsh_to_meshio_type

from engines.api import Array
from engines.geometry.readers.text import read_bytes

ELEMENT_DATA = re.compile(rb"\$ElementData")
FORMAT = re.compile(rb"\$MeshFormat\s+\S+\s+([01])")
NODES = b"$Nodes"

MOST_TAGS = 100
"""Of each kind in a section of data; Gmsh writes one name, one time and three or four counts."""


Groups = tuple[dict[int, list[int]], ...]


@dataclass
class Noted:
    """nodes, elements: numbers in the order of the file, those of elements only where ``wanted``; data: section, name,
    numbers and values; several: of each dimension, how many entities are of more groups than one; text: whether the
    file is; parts: of each dimension, groups of the entities that a partition of the mesh made; wholes: and the tag of
    the entity that each is a part of."""

    wanted: bool
    text: bool = True
    parts: Groups = ({}, {}, {}, {})
    wholes: tuple[dict[int, int], ...] = ({}, {}, {}, {})
    nodes: Array | None = None
    elements: Array | None = None
    data: list[tuple[str, str, Array, Array]] = field(default_factory=list)
    several: tuple[int, ...] = (0, 0, 0, 0)

    def put_into(self, mesh: meshio.Mesh) -> None:
        """NaN where there is no value; ``several`` becomes the mesh's info."""
        mesh.info = self.several
        for block, tags in zip(mesh.cells, mesh.cell_data.get("gmsh:geometrical", ()), strict=False):
            if len(tags) and (whole := self.wholes[block.dim].get(int(tags[0]))) is not None:
                tags[:] = whole  # all of a block are of one entity
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
    content = read_bytes(path).data
    form = FORMAT.search(content)
    noted = Noted(ELEMENT_DATA.search(content) is not None, form is None or form[1] == b"0")
    before = _noted.set(noted)
    try:
        mesh = meshio.gmsh.read(path)
    finally:
        _noted.reset(before)
    noted.put_into(mesh)
    return mesh


class Four:
    """Version "4", which is 4.0 as Gmsh writes it, and 4.1 as others do: its nodes have two numbers above them or
    four, the last two of which are their least and greatest."""

    @staticmethod
    def read_buffer(file: Any, is_ascii: bool, data_size: int) -> meshio.Mesh:
        place = file.tell()
        behind = file.read().partition(NODES)[2].lstrip(b"\r").removeprefix(b"\n")
        file.seek(place)
        if is_ascii:
            newer = len(behind.partition(b"\n")[0].split()) == 4
        else:
            ends = np.frombuffer(behind[16:32], np.uint64)
            newer = len(ends) == 2 and bool(1 <= ends[0] <= ends[1] < 1 << 32)
        return (_gmsh41 if newer else _gmsh40).read_buffer(file, is_ascii, data_size)


def install(fromfile: Callable[..., Array]) -> None:
    """``fromfile``: NumPy's, for what no file can hold."""

    def nodes(read: Callable[..., Any], first: int) -> Callable[..., Any]:
        def reading(*given: Any) -> Any:
            found = read(*given)
            if (noted := _noted.get()) is not None:
                noted.nodes = np.asarray(found[1], np.int64) + first
            return found

        return reading

    def elements(
        read: Callable[..., Any], numbers: Callable[..., Array], groups: int = -1, around: int = -1
    ) -> Callable[..., Any]:
        def reading(file: Any, *given: Any) -> Any:
            noted = _noted.get()
            if noted is not None and noted.wanted:
                place = file.tell()
                noted.elements = numbers(fromfile, file, *given)
                file.seek(place)
            if noted is not None and groups >= 0 and given[groups]:
                for dimension, parts in enumerate(noted.parts):
                    given[groups][dimension].update(parts)
                    if around >= 0:
                        given[around][dimension].update(dict.fromkeys(parts, np.zeros(0, np.int32)))
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

    def forward(point: int) -> Callable[..., None]:
        def forwarding(file: Any, section: str) -> None:
            noted = _noted.get()
            if noted is not None and section == "PartitionedEntities":
                noted.parts, noted.wholes = _parts(fromfile, file, noted.text, point)
            _fast_forward_to_end_block(file, section)

        return forwarding

    main._readers["4"] = Four
    _gmsh40._fast_forward_to_end_block, _gmsh41._fast_forward_to_end_block = forward(6), forward(3)
    for version, first in ((_gmsh22, 0), (_gmsh40, 1), (_gmsh41, 1)):
        version._read_nodes = nodes(version._read_nodes, first)
        version._read_data = data
    _gmsh22._read_cells = elements(_gmsh22._read_cells, _numbers_22)
    _gmsh40._read_elements = elements(_gmsh40._read_elements, _numbers_40, 1)
    _gmsh41._read_elements = elements(_gmsh41._read_elements, _numbers_41, 1, 2)


READ_DATA = _gmsh41._read_data


def _parts(
    fromfile: Callable[..., Array], file: Any, text: bool, point: int
) -> tuple[Groups, tuple[dict[int, int], ...]]:
    """``parts`` and ``wholes`` of :class:`Noted`. ``point``: numbers that tell where a point is."""

    def some(kind: str, count: int) -> list[Any]:
        found: list[Any] = fromfile(file, np.dtype(kind), int(count), " " if text else "").tolist()
        if len(found) < count:
            raise ValueError("entities end early")
        return found

    def counted() -> list[int]:
        return some("i4", some("u8", 1)[0])

    some("u8", 1)
    some("i4", 2 * some("u8", 1)[0])  # ghosts
    groups: Groups = ({}, {}, {}, {})
    wholes: tuple[dict[int, int], ...] = ({}, {}, {}, {})
    for dimension, number in enumerate(some("u8", 4)):
        for _ in range(number):
            tag, of_dimension, of = some("i4", 3)
            if of_dimension == dimension:
                wholes[dimension][tag] = of
            counted()  # parts
            some("f8", 6 if dimension else point)
            groups[dimension][tag] = counted()
            if dimension:
                counted()  # what bounds it
    return groups, wholes


def _grouped(groups: Groups) -> tuple[int, ...]:
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
