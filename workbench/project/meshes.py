"""Mesh files of a project: reading them, their companions, their fingerprint."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from engines.api.errors import MeshError, ProblemError
from engines.geometry.file_kinds import check_table
from engines.geometry.meshes.mesh import TetMesh

FAMILIES = ((".pts", ".elem", ".lon"), (".node", ".ele", ".face"))
"""Formats of several files with one stem: CARP and TetGen. Each member opens the family."""

NEVER_READ = (".face", ".lon")
"""Of these: what the reader passes by, always or where fibres come from elsewhere."""

SUFFIXES = (".vtu", ".vtk", ".msh", ".inp", ".pts", ".elem", ".node", ".ele", ".mesh")
"""What a person may open as a mesh: :data:`engines.geometry.reading.SUFFIXES`, without importing Numba for it."""


def read_mesh_file(path: Path, length_unit: str, fibres: Path | None) -> TetMesh:
    """The mesh; its ``findings`` are what its owner should know of it. Raises MeshError.

    The one place where the application calls the reader.
    """
    if not path.is_file():
        raise MeshError(f"The mesh '{path}' is missing: put it back or open the project where it is complete.")
    if fibres is not None and not fibres.is_file():
        raise MeshError(f"The fibre file '{fibres}' is missing: put it back or open the mesh without fibres.")
    from engines.geometry.reading import read_mesh  # meshio takes 0.3 s to import; a window opens without it

    return read_mesh(path, length_unit=length_unit, fibres=fibres)


def usual_length_unit(path: Path) -> str:
    """The unit that meshes of this format are written in: CARP's are in micrometres by its manual."""
    return "um" if path.suffix.lower() in (".pts", ".elem", ".lon") else "mm"


def mesh_files(path: Path, fibres: Path | None) -> list[Path]:
    """All files that make up the mesh, ``path`` first."""
    files = [path]
    for family in FAMILIES:
        if path.suffix.lower() in family:
            files += [path.with_suffix(s) for s in family if s != path.suffix and path.with_suffix(s).is_file()]
    if fibres is not None and fibres not in files:
        files.append(fibres)
    return files


def check_companions(path: Path | None) -> None:
    """Raises MeshError where a file that would travel with the mesh, though perhaps nobody read it, is no table."""
    for file in () if path is None else mesh_files(path, None):
        if file.suffix.lower() in NEVER_READ:
            try:
                check_table(file)
            except ProblemError as error:
                raise MeshError(f"{error} It lies beside the mesh '{path}': move it away.") from error


def fingerprint(files: Sequence[Path]) -> str:
    """SHA-256 of the file; of several, the SHA-256 of their own in ascending order, whatever the files are called."""
    digests = sorted(_digest(file) for file in files)
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
