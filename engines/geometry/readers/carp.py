"""CARP / openCARP meshes: ``.pts`` (points), ``.elem`` (cells with region tags) and ``.lon`` (fibres).

The formats are those of the openCARP manual, section "Mesh": counts in the first line, then one line per item.
CARP writes micrometres.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from engines.api import Array, Finding
from engines.api.errors import MeshError
from engines.geometry.raw import RawMesh
from engines.geometry.readers.parsers import NEWLINE, carp_elements
from engines.geometry.readers.text import first_line, numbers, read_bytes

KINDS = ("Tt", "Hx", "Oc", "Py", "Pr", "Qd", "Tr", "Ln", "Cx")
KIND_NAMES = (
    "tetrahedron",
    "hexahedron",
    "octahedron",
    "pyramid",
    "prism",
    "quadrilateral",
    "triangle",
    "line",
    "connection",
)
CODES = np.array([list(kind.encode()) for kind in KINDS], np.uint8)
NODES = np.array([4, 8, 6, 5, 6, 4, 3, 2, 2])


def read_carp(path: Path, fibres: Path | None = None) -> RawMesh:
    """The mesh whose ``.pts``, ``.elem`` or ``.lon`` is ``path``. Raises MeshError.

    ``fibres`` replaces the ``.lon`` beside the mesh. Without either the mesh has no fibres, and a finding says so.
    """
    points = read_points(path.with_suffix(".pts"))
    cells, tags, rows, total, others = read_elements(path.with_suffix(".elem"))
    mesh = RawMesh(points, cells, {"region": tags}, other_cells=others)
    lon = fibres or path.with_suffix(".lon")
    if fibres is None and not lon.exists():
        message = f"There is no {lon.name} beside {path.with_suffix('.elem').name}: the tissue conducts isotropically."
        mesh.findings.append(Finding(message))
        return mesh
    directions = read_lon(lon, total)
    mesh.cell_data["fibres"] = directions[rows]
    return mesh


def _count(data: Array, name: str) -> tuple[int, int]:
    words, behind = first_line(data)
    if len(words) != 1 or not words[0].isdigit():
        raise MeshError(f"{name} does not start with a line that holds one count; export the mesh again as CARP.")
    return int(words[0]), behind


def read_points(path: Path) -> Array:
    """(n, 3) float64."""
    data = read_bytes(path)
    count, behind = _count(data, path.name)
    values = numbers(data[behind:], path.name, first_line=2)
    if len(values) != 3 * count:
        raise MeshError(
            f"{path.name} promises {count:,} points and holds {len(values) / 3:,.10g}; "
            "it is truncated or its first line is wrong, so export the mesh again."
        )
    return values.reshape(-1, 3)


def read_elements(path: Path) -> tuple[Array, Array, Array, int, Counter[str]]:
    """Tetrahedra (n, 4) int64, tags (n,) float64, their rows (n,) int64, number of all cells, counts of other kinds."""
    data = read_bytes(path)
    count, behind = _count(data, path.name)
    room = min(count, len(data) // 6 + 1)  # "Ln 0 1" is the shortest line: a wrong count must not eat the memory
    cells, tags, rows = np.empty((room, 4), np.int64), np.zeros(room), np.empty(room, np.int64)
    counts = np.zeros(len(KINDS), np.int64)
    lines, n, bad = carp_elements(data, behind, CODES, NODES, cells, tags, rows, counts)
    if bad >= 0 and lines < count:
        number = int((data[:bad] == NEWLINE).sum()) + 1
        raise MeshError(
            f"{path.name} has a line {number} that is no cell (such as “Tt 0 1 2 3 1”); correct it or export again."
        )
    if bad >= 0 or lines != count:
        more = "more" if bad >= 0 else f"{lines:,}"
        raise MeshError(
            f"{path.name} promises {count:,} cells and holds {more}; "
            "it is truncated or its first line is wrong, so export the mesh again."
        )
    others = Counter({name: int(c) for name, c in zip(KIND_NAMES[1:], counts[1:], strict=True) if c})
    return cells[:n], tags[:n], rows[:n], count, others


def read_lon(path: Path, n_cells: int) -> Array:
    """(n_cells, 3 or 6): fibre and, where the file has two vectors, sheet of each cell. Raises MeshError.

    The first line says 1 or 2 (vectors per cell); old files go without it.
    """
    data = read_bytes(path)
    words, behind = first_line(data)
    columns = len(words)
    start = 0
    if len(words) == 1:
        if words[0] not in ("1", "2"):
            raise MeshError(f"{path.name} must say 1 or 2 (vectors per cell) in its first line.")
        columns, start = 3 * int(words[0]), behind
    if columns not in (3, 6):
        raise MeshError(f"{path.name} has {columns} numbers in its first line; fibres take 3, fibres and sheets 6.")
    values = numbers(data[start:], path.name, first_line=1 + (start > 0))
    if len(values) != columns * n_cells:
        raise MeshError(
            f"{path.name} holds fibres of {len(values) / columns:,.10g} cells and the mesh has {n_cells:,}; "
            "take the file that belongs to this mesh."
        )
    return values.reshape(-1, columns)
