"""TetGen meshes: ``.node`` (points) and ``.ele`` (tetrahedra), numbered from 0 or 1 (TetGen manual, chapter 5).

Chaste writes them in binary as well: a header that ends in ``BIN``, then rows without numbers, of float64 coordinates
or uint32 corners and float64 attributes; and some of its text files have columns that the header does not promise.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engines.api import Array, Finding
from engines.api.errors import MeshError
from engines.geometry.raw import RawMesh
from engines.geometry.readers.cells import quadratic_finding
from engines.geometry.readers.text import as_type, first_line, numbers, read_bytes

BINARY = "BIN"


def read_tetgen(path: Path) -> RawMesh:
    """The mesh whose ``.node`` or ``.ele`` is ``path``; the first attribute of the cells is their region."""
    findings: list[Finding] = []
    nodes, (dimension, *_) = _table(path.with_suffix(".node"), ("points", "dimension"), np.float64, findings)
    if dimension != 3:
        raise MeshError(f"{path.with_suffix('.node').name} is {dimension}-dimensional; a mesh in space is needed.")
    cells, (corners, attributes, *_) = _table(path.with_suffix(".ele"), ("tetrahedra", "corners"), np.uint32, findings)
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
    mesh.findings += findings
    if attributes:
        mesh.cell_data["region"] = cells[:, 1 + corners]
    if corners == 10:
        mesh.findings.append(quadratic_finding(len(cells)))
    return mesh


def _table(path: Path, what: tuple[str, str], kind: type, findings: list[Finding]) -> tuple[Array, list[int]]:
    """Rows after the header, and the header's further numbers: index, ``header[0]`` columns, then the optional ones.

    ``kind``: of the columns after the index in a binary file."""
    data = read_bytes(path)
    words, behind = first_line(data)
    binary = words[-1:] == [BINARY]
    words = words[: len(words) - binary]
    if len(words) < 2 or not all(w.isdigit() for w in words):
        raise MeshError(f"{path.name} does not start with the counts of {what[0]} and {what[1]}; export it again.")
    count, *rest = (int(w) for w in words)
    rest += [0] * (3 - len(rest))
    if binary:
        return _binary_rows(data[behind:], path, what[0], kind, count, rest), rest
    values = numbers(data[behind:], path.name, first_line=2)
    promised = 1 + sum(rest)
    columns = promised if len(values) == count * promised else _columns(values, count, rest)
    if not columns:
        raise MeshError(
            f"{path.name} promises {count:,} {what[0]} and holds {len(values) / promised:,.10g}; "
            "it is truncated or its first line is wrong, so export the mesh again."
        )
    if columns > promised:
        text = f"{path.name} has {columns} columns where its first line promises {promised}: the further are left out."
        findings.append(Finding(text, "info"))
    elif columns < promised:
        text = f"{path.name} has {columns} columns where its first line promises {promised}: it lacks attributes."
        findings.append(Finding(text))
        rest = [rest[0], columns - 1 - rest[0], 0]
    return values.reshape(count, columns), rest


def _columns(values: Array, count: int, rest: list[int]) -> int:
    """Columns of rows that are numbered consecutively, though the header promises others; 0 where there are none such.

    Of one row the numbering tells nothing: it is as long as the header says."""
    columns, left = divmod(len(values), count) if count > 1 else (0, 0)
    if left or columns < 1 + rest[0]:
        return 0
    numbering = values[::columns]
    return columns if np.array_equal(numbering, numbering[0] + np.arange(count)) else 0


def _binary_rows(data: Array, path: Path, what: str, kind: type, count: int, rest: list[int]) -> Array:
    """The same rows from a binary file, numbered from 0."""
    row = np.dtype([("own", np.dtype(kind).newbyteorder("<"), (rest[0],)), ("more", "<f8", (sum(rest[1:]),))])
    if not row.itemsize or len(data) < count * row.itemsize:
        held = len(data) // row.itemsize if row.itemsize else 0
        raise MeshError(
            f"{path.name} promises {count:,} {what} and holds {held:,}; it is truncated or its first line is wrong, so "
            "export the mesh again."
        )
    rows = data[: count * row.itemsize].view(row)
    return np.column_stack([np.arange(count), rows["own"], rows["more"]]).astype(np.float64)
