"""From a file on disk to a mesh that can be trusted."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from engines.api.errors import MeshError
from engines.backend.fields.rows import copy
from engines.geometry.fibres.directions import find_fibres
from engines.geometry.fibres.files import read_fibre_file
from engines.geometry.meshes import check, shapes
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.meshes.orient import orient
from engines.geometry.meshes.quality import measure_quality
from engines.geometry.meshes.regions import find_regions
from engines.geometry.meshes.sizes import UNITS, size_findings
from engines.geometry.raw import RawMesh
from engines.geometry.readers.carp import read_carp, read_lon
from engines.geometry.readers.tetgen import read_tetgen
from engines.geometry.readers.vtk_legacy import read_vtk
from engines.geometry.readers.vtu import read_vtu
from engines.reading import foreign_file

CARP = (".pts", ".elem", ".lon")
OF_CELLS = (".npy", ".vtu")
"""Files of fibres that are no text."""
SUFFIXES = (".vtu", ".vtk", ".msh", ".inp", ".mesh", ".elem", ".pts", ".ele", ".node")
"""Files that :func:`read_mesh` takes, by their last suffix."""


def _reader(path: Path) -> Callable[[Path], RawMesh]:
    suffix = path.suffix.lower()
    if suffix in (".msh", ".inp", ".mesh"):
        from engines.geometry.readers.meshio_files import read_with_meshio  # 0.2 s of import that most runs never need

        return read_with_meshio
    readers = {".vtu": read_vtu, ".vtk": read_vtk, ".ele": read_tetgen, ".node": read_tetgen}
    if suffix not in readers:
        kinds = ", ".join(SUFFIXES)
        raise MeshError(f"{path.name} is of a kind that cannot be read; meshes are {kinds}.")
    return readers[suffix]


def read_mesh(path: str | Path, length_unit: str = "mm", fibres: str | Path | None = None) -> TetMesh:
    """Read, check and repair a tetrahedral mesh.

    path: .vtu, .vtk, .msh, .inp, .mesh, CARP .elem/.pts/.lon or TetGen .ele/.node; cells of other kinds are left out.
    length_unit: unit of the coordinates in the file, ``um``, ``mm``, ``cm`` or ``m``.
    fibres: a file with three (fibre) or six (fibre and sheet) numbers per cell, used instead of what the mesh file
        carries: text (CARP's .lon, with or without its first line), a NumPy array or the cell data of a .vtu.

    ``TetMesh.findings`` tells what was repaired or looks odd. Raises MeshError, in one sentence, where the file cannot
    be used.
    """
    path = Path(path)
    fibre_path = None if fibres is None else Path(fibres)
    if length_unit not in UNITS:
        raise MeshError(f"“{length_unit}” is no unit of length; choose um, mm, cm or m.")
    if path.is_dir():
        raise MeshError(f"{path.name} is a folder; choose a mesh file in it.")
    if fibre_path is not None and not fibre_path.is_file():
        raise MeshError(f"The fibre file {fibre_path.name} is not in {fibre_path.parent}; choose another or none.")
    own = fibre_path is not None and fibre_path.suffix.lower() in OF_CELLS
    text = None if own else fibre_path
    with foreign_file(f"{path.name} cannot be read as a mesh: export it again.", MeshError):
        try:
            if path.suffix.lower() in CARP:
                raw = read_carp(path, text)
            else:
                raw = _reader(path)(path)
                if text is not None and len(raw.cells):
                    raw.cell_data["fibres"] = read_lon(text, len(raw.cells))
        except MemoryError:
            sentence = f"{path.name} does not fit into memory; close other programs or take a coarser mesh."
            raise MeshError(sentence) from None
    mesh = checked(raw, path.name, length_unit)
    if fibre_path is None or not own:
        return mesh
    directions, sheets, found = read_fibre_file(fibre_path, mesh)
    return replace(mesh, fibres=directions, sheets=sheets, findings=(*mesh.findings, *found))


def checked(raw: RawMesh, name: str, length_unit: str = "mm") -> TetMesh:
    """A :class:`TetMesh` of what a reader found; ``name`` is what messages call it. Raises MeshError."""
    check.require_tetrahedra(raw, name)
    check.tell_others(raw)
    check.require_valid_indices(raw, name)
    check.drop_unused_points(raw)
    check.require_finite_points(raw, name)
    check.drop_duplicate_cells(raw)
    points = np.ascontiguousarray(raw.points, np.float64) * UNITS[length_unit]
    regions, names = find_regions(raw)
    fibres, sheets, fibre_findings = find_fibres(raw, name)
    numbers = np.empty(raw.cells.shape, np.int32)
    copy(raw.cells, numbers)
    cells, turned = orient(points, numbers, name)
    with ThreadPoolExecutor(1, "pieces") as beside:  # on one core, while others measure
        in_pieces = beside.submit(check.piece_findings, len(points), cells)
        quality = measure_quality(points, cells)
        volumes = shapes.volumes(points, cells)
    findings = (
        *raw.findings,
        *turned,
        *fibre_findings,
        *quality.findings(),
        *in_pieces.result(),
        *size_findings(points, float(volumes.sum()), len(cells), length_unit),
    )
    mesh = TetMesh(points, cells, regions, names, fibres, sheets, findings, quality.summary())
    vars(mesh)["volumes"] = volumes  # as if somebody had asked for them
    return mesh
