"""Fibres of a mesh from a file of their own: CARP's .lon, .csv or .txt, a NumPy array, or the cell data of a .vtu."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from engines.api import Array, Finding
from engines.api.errors import MeshError
from engines.geometry.fibres.directions import SHORT, find_fibres
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.meshes.sizes import UNITS
from engines.geometry.raw import RawMesh
from engines.geometry.readers.carp import read_lon
from engines.geometry.readers.text import first_line, is_number, numbers, read_bytes
from engines.geometry.readers.vtu import read_vtu
from engines.reading import foreign_file, read_npy

UNIT_LENGTH = 0.01
"""How far from 1 a length may be that a few digits of text have rounded."""
ELSEWHERE = 0.01
"""Of the mesh's diagonal, by which centres of the same cell may differ."""


def read_fibre_file(path: Path, mesh: TetMesh) -> tuple[Array, Array | None, tuple[Finding, ...]]:
    """Fibres and, where the file has them, sheets: (n_cells, 3) float32 unit vectors; and what was repaired.

    The file has a row of three numbers (fibre) or six (fibre and sheet) for each cell, in the order of the mesh.
    Raises MeshError with one sentence.
    """
    suffix = path.suffix.lower()
    if not path.is_file():
        raise MeshError(f"The fibre file {path.name} is not in {path.parent}: choose another.")
    findings: list[Finding] = []
    if suffix == ".vtu":
        raw = read_vtu(path)
        _require_rows(len(raw.cells), mesh, path.name)
        findings += raw.findings
        findings += _elsewhere(raw, mesh, path.name)
    elif suffix in (".lon", ".csv", ".txt", ".npy"):
        read = {".lon": lambda path, mesh: read_lon(path, mesh.n_cells), ".npy": _npy}.get(suffix, _table)
        raw = RawMesh(mesh.points, mesh.cells, {"fibres": read(path, mesh)})
    else:
        raise MeshError(f"{path.name} is no file of fibres that can be read: take .lon, .csv, .txt, .npy or .vtu.")
    fibres, sheets, found = find_fibres(raw, path.name)
    if fibres is None:
        trouble = found[0].message if found else f"{path.name} has no cell data called “fibres”."
        raise MeshError(f"{trouble.split(':')[0].rstrip('.')}: choose a file with a direction for each cell.")
    if "fibres" in raw.cell_data:
        findings += _not_unit(raw.cell_data["fibres"], path.name)
    return fibres, sheets, (*findings, *found)


def _npy(path: Path, mesh: TetMesh) -> Array:
    sentence = f"{path.name} is no array that NumPy can read: save it again with numpy.save."
    with foreign_file(sentence, MeshError), path.open("rb") as stream:
        values = read_npy(stream, path.stat().st_size)
    if values.dtype.kind not in "fiu":
        raise MeshError(f"{path.name} holds no numbers: save an array of {mesh.n_cells:,} × 3 or × 6 numbers.")
    values = values.reshape(len(values), math.prod(values.shape[1:])) if values.ndim > 1 else values
    if values.ndim != 2 or values.shape[1] not in (3, 6):
        shape = " × ".join(f"{n:,}" for n in values.shape) or "one number"
        raise MeshError(f"{path.name} holds an array of {shape} where {mesh.n_cells:,} × 3 or × 6 are needed.")
    _require_rows(len(values), mesh, path.name)
    return np.asarray(values, np.float64)


def _table(path: Path, mesh: TetMesh) -> Array:
    """A table with commas, semicolons or spaces between columns, with or without a line of titles."""
    data = read_bytes(path)
    data[np.isin(data, np.frombuffer(b";,\t", np.uint8))] = ord(" ")
    titles = data[:256].tobytes().split(b"\n")[0].decode("utf-8", "replace").strip().lstrip("#").split()
    axes = [title[-1].lower() for title in titles[:3]]
    if sorted(axes) == list("xyz") != axes:
        raise MeshError(f"{path.name} has columns in the order {', '.join(axes)}: write x, y and z of a direction.")
    if [title[0].lower() for title in titles[:6:3]] == ["s", "f"]:
        raise MeshError(f"{path.name} has the sheets first: write the fibre of each cell before its sheet.")
    words, behind = first_line(data)
    lines = 0
    if words and not all(is_number(word) for word in words):
        data, lines = data[behind:], 1
        words, _ = first_line(data)
    if len(words) not in (3, 6):
        raise MeshError(f"{path.name} has {len(words)} columns; fibres take 3, fibres and sheets 6: leave others out.")
    values = numbers(data, path.name, first_line=1 + lines)
    if len(values) % len(words):
        raise MeshError(f"{path.name} has lines of different lengths: give every cell {len(words)} numbers.")
    values = values.reshape(-1, len(words))
    _require_rows(len(values), mesh, path.name)
    return values


def _require_rows(count: int, mesh: TetMesh, name: str) -> None:
    if count != mesh.n_cells:
        raise MeshError(
            f"{name} holds fibres of {count:,} cells and the mesh has {mesh.n_cells:,}; "
            "take the file that belongs to this mesh."
        )


def _not_unit(values: Array, name: str) -> list[Finding]:
    """A remark where fibres that have a direction are not of unit length."""
    length = np.linalg.norm(np.asarray(values, np.float64)[:, :3], axis=1)
    off = np.flatnonzero((length > SHORT) & np.isfinite(length) & (np.abs(length - 1.0) > UNIT_LENGTH))
    if not len(off):
        return []
    worst = int(off[np.abs(np.log(length[off])).argmax()])
    message = (
        f"{len(off):,} of {len(length):,} fibres in {name} were not of length 1 (that of cell {worst} is "
        f"{length[worst]:.3g}) and have been normalised."
    )
    return [Finding(message)]


def _elsewhere(raw: RawMesh, mesh: TetMesh, name: str) -> list[Finding]:
    """A warning where the cells of the file are not those of the mesh, in whatever unit of length."""
    if len(raw.points) == mesh.n_points and np.array_equal(np.sort(raw.cells, axis=1), np.sort(mesh.cells, axis=1)):
        return []
    centres = raw.points[raw.cells].mean(axis=1)
    low, high = mesh.bounds
    apart = min(float(np.abs(centres * unit - mesh.centroids).max()) for unit in UNITS.values())
    if apart <= ELSEWHERE * float(np.linalg.norm(high - low)):
        return []
    return [Finding(f"The cells in {name} are not in the places of the mesh's: its fibres may belong to other cells.")]
