"""TetGen meshes: ``.node`` (points) and ``.ele`` (tetrahedra), numbered from 0 or 1 (TetGen manual, chapter 5)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engines.api import Array
from engines.api.errors import MeshError
from engines.geometry.raw import RawMesh
from engines.geometry.readers.cells import quadratic_finding
from engines.geometry.readers.text import as_type, first_line, numbers, read_bytes


def read_tetgen(path: Path) -> RawMesh:
    """The mesh whose ``.node`` or ``.ele`` is ``path``; the first attribute of the cells is their region."""
    nodes, (dimension, *_) = _table(path.with_suffix(".node"), ("points", "dimension"))
    if dimension != 3:
        raise MeshError(f"{path.with_suffix('.node').name} is {dimension}-dimensional; a mesh in space is needed.")
    cells, (corners, attributes, *_) = _table(path.with_suffix(".ele"), ("tetrahedra", "corners"))
    if corners not in (4, 10):
        raise MeshError(f"{path.with_suffix('.ele').name} has cells of {corners} corners; tetrahedra have 4 (or 10).")
    first = 1 if len(nodes) and nodes[0, 0] == 1 else 0
    if not np.array_equal(nodes[:, 0], np.arange(first, first + len(nodes))):
        name = path.with_suffix(".node").name
        raise MeshError(f"{name} is not numbered consecutively from 0 or 1; let TetGen write it again.")
    try:
        corner_numbers = as_type(cells[:, 1:5], np.dtype(np.int64))
    except ValueError:
        raise MeshError(
            f"{path.with_suffix('.ele').name} has corners that are no whole numbers; export it again."
        ) from None
    mesh = RawMesh(np.ascontiguousarray(nodes[:, 1:4]), corner_numbers - first)
    if attributes:
        mesh.cell_data["region"] = cells[:, 1 + corners]
    if corners == 10:
        mesh.findings.append(quadratic_finding(len(cells)))
    return mesh


def _table(path: Path, what: tuple[str, str]) -> tuple[Array, list[int]]:
    """Rows after the header, and the header's further numbers: index, ``header[0]`` columns, then the optional ones."""
    data = read_bytes(path)
    words, behind = first_line(data)
    if len(words) < 2 or not all(w.isdigit() for w in words):
        raise MeshError(f"{path.name} does not start with the counts of {what[0]} and {what[1]}; export it again.")
    count, *rest = (int(w) for w in words)
    rest += [0] * (3 - len(rest))
    columns = 1 + sum(rest)
    values = numbers(data[behind:], path.name, first_line=2)
    if len(values) != count * columns:
        raise MeshError(
            f"{path.name} promises {count:,} {what[0]} and holds {len(values) / columns:,.10g}; "
            "it is truncated or its first line is wrong, so export the mesh again."
        )
    return values.reshape(count, columns), rest
