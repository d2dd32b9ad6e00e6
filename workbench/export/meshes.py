"""A mesh as a file that other programs read: .vtu in millimetres, or CARP in micrometres."""

from __future__ import annotations

from pathlib import Path

from engines.api.errors import ProblemError
from engines.geometry.meshes.mesh import TetMesh
from workbench.export import carp
from workbench.export.vtu import VtuWriter

SUFFIXES = (".vtu", *carp.SUFFIXES)


def export_mesh(mesh: TetMesh, path: Path) -> tuple[Path, ...]:
    """Write points, cells, regions and fibres in the format that the name ends in; tells which files were written.

    Raises ProblemError for another ending, and StorageError.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise ProblemError(
            f"'{path}' must end in .vtu, or in {', '.join(carp.SUFFIXES)} for CARP: meshes are written as these."
        )
    if path.suffix.lower() in carp.SUFFIXES:
        return carp.write_carp(mesh, path)
    VtuWriter(mesh).write(path, {})
    return (path,)
