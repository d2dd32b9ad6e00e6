"""Meshes as CARP's .pts (points), .elem (tetrahedra with region tags) and .lon (fibres, or fibres and sheets).

Formats: openCARP user manual, section "Mesh". Points are in micrometres; directions have the nine digits that tell
every float32. Names of regions have no place in these files: only their numbers are written.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.geometry.meshes.mesh import TetMesh
from workbench.storage.atomic import write_atomically

SUFFIXES = (".pts", ".elem", ".lon")
MICROMETRES = 1000.0
"""In a millimetre."""
CHUNK = 200_000
"""Lines that are put into words at once."""


def write_carp(mesh: TetMesh, path: Path, *, again: bool = False) -> tuple[Path, ...]:
    """Write the files with the stem of ``path``, and tell which: no .lon for a mesh without fibres.

    ``again``: those that are there are of the same mesh.

    Raises ProblemError if there is a .lon already that would be taken for the fibres of a mesh that has none, or a file
    that nobody named and would be replaced, and StorageError.
    """
    points, cells, directions = (path.with_suffix(suffix) for suffix in SUFFIXES)
    if mesh.fibres is None and directions.exists():
        raise ProblemError(
            f"'{directions}' is there and would be read with this mesh, which has no fibres: choose another name."
        )
    named = path.with_suffix(path.suffix.lower())
    if not again and not named.exists() and (other := next(filter(Path.exists, (points, cells, directions)), None)):
        raise ProblemError(
            f"'{other}' is there already, and would be replaced with '{named.name}': choose another name."
        )
    _write(points, "%.6f %.6f %.6f\n", f"{mesh.n_points}\n", mesh.points * MICROMETRES)
    _write(cells, "Tt %d %d %d %d %d\n", f"{mesh.n_cells}\n", np.column_stack([mesh.cells, mesh.regions]))
    if mesh.fibres is None:
        return points, cells
    vectors = mesh.fibres if mesh.sheets is None else np.hstack([mesh.fibres, mesh.sheets])
    count = vectors.shape[1]
    _write(directions, " ".join(["%.9g"] * count) + "\n", f"{count // 3}\n", vectors)
    return points, cells, directions


def _write(path: Path, line: str, head: str, rows: Array) -> None:
    def content(file: BinaryIO) -> None:
        file.write(head.encode())
        for first in range(0, len(rows), CHUNK):
            part = rows[first : first + CHUNK]
            file.write((line * len(part) % tuple(part.ravel().tolist())).encode())

    write_atomically(path, content)
