"""What a mesh or a surface is, in words: for the window's import page and for ``workbench new``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from engines.api import Array
from engines.geometry.meshes.adjacency import boundary_faces, face_neighbours
from engines.geometry.meshes.mesh import TetMesh
from engines.geometry.meshes.regions import region_table
from engines.geometry.meshes.sizes import UNITS, UnitChoice, body_choices, length_text, size_text, unit_choices
from engines.geometry.solids.stl import read_corners
from workbench.project.document import Document
from workbench.project.meshes import SUFFIXES, read_mesh_file
from workbench.words.numbers import grouped
from workbench.words.units import counted, percent

SAMPLE = 200_000
"""Cells or triangles whose edges are measured."""


@dataclass(frozen=True)
class RegionRow:
    """A region of the file: its name, cells, share of the volume, and what it becomes (empty: nothing yet)."""

    name: str
    cells: int
    share: float
    becomes: str


@dataclass(frozen=True, eq=False)
class Report:
    """A file as it is read in ``unit``.

    choices: what it would be in each unit; proposed: the likely one
    fibres: a sentence, None where they play no part
    edges, count: in words
    triangles: (m, 3, 3) float32 [mm] of its surface, for a picture; colours: (m,) int32, the row of each in ``regions``
    """

    size: str
    unit: str
    proposed: str
    choices: tuple[UnitChoice, ...]
    regions: tuple[RegionRow, ...]
    fibres: str | None
    edges: str
    count: str
    triangles: Array
    colours: Array

    @property
    def chosen(self) -> UnitChoice:
        return next(choice for choice in self.choices if choice.unit == self.unit)

    @property
    def means(self) -> str:
        """``a heart of 62 mm``"""
        remark = f", {self.chosen.remark}" if self.chosen.remark else ""
        return f"{self.chosen.means}{remark}"


def report_of(document: Document, path: Path, unit: str) -> Report:
    """Of the file that a new document was made of (:func:`workbench.project.document.new_document`), read in ``unit``.

    Raises ProblemError.
    """
    if path.suffix.lower() not in SUFFIXES:
        return _of_surface(read_corners(path), unit)
    if not isinstance(document.loaded, TetMesh):
        mesh = read_mesh_file(path, unit, None)
        return _of_mesh(mesh, unit, {}, None, body=True)
    own = None if document.fibres is None else document.fibres.name
    become = document.engine.regions_become(document.problem)
    return _of_mesh(document.loaded, unit, become, _fibres_told(document.loaded, own))


def report_lines(report: Report) -> Iterator[str]:
    """For a terminal: a line for each thing, and for each unit that the file might be in instead."""
    yield f"Unit      {report.unit}: {report.means}"
    for choice in report.choices:
        if choice.unit != report.unit:
            likely = ", which is likely" if choice.unit == report.proposed else ""
            remark = f", {choice.remark}" if choice.remark else ""
            yield f"          in {choice.unit} {choice.means}{remark}{likely}"
    yield f"Size      {report.size}"
    yield f"Mesh      {report.count}, edges {report.edges}"
    for place, region in enumerate(report.regions):
        becomes = f": {region.becomes}" if region.becomes else ""
        title = "Regions" if place == 0 else ""
        share = f"{percent(region.share, 1)} of the volume"
        yield f"{title:10}{region.name}, {counted(region.cells, 'cell')}, {share}{becomes}"
    if report.fibres is not None:
        yield f"Fibres    {report.fibres}"


def _fibres_told(mesh: TetMesh, file: str | None) -> str:
    if mesh.fibres is None:
        return "none: the tissue conducts alike in all directions"
    where = "from the mesh's file" if file is None else f"from {file}"
    return f"{where}, {'with sheets' if mesh.sheets is not None else 'without sheets'}"


def _of_mesh(mesh: TetMesh, unit: str, become: Mapping[str, str], fibres: str | None, body: bool = False) -> Report:
    low, high = mesh.bounds
    total = float(mesh.volumes.sum())
    choices, proposed = unit_choices(mesh.points, total, mesh.n_cells, unit)
    if body:
        choices, proposed = body_choices((high - low) / UNITS[unit]), unit
    found = region_table(mesh)
    regions = tuple(
        RegionRow(each.name, each.n_cells, each.volume / total, become.get(each.name, "")) for each in found
    )
    sides, owners = boundary_faces(mesh.cells, face_neighbours(mesh.cells))
    rows = np.searchsorted(np.array([each.id for each in found]), mesh.regions[owners])
    corners = mesh.points[mesh.cells[:: 1 + mesh.n_cells // SAMPLE]]
    return Report(
        size=size_text(high - low),
        unit=unit,
        proposed=proposed,
        choices=choices,
        regions=regions,
        fibres=fibres,
        edges=_edges_told(corners),
        count=f"{grouped(mesh.n_cells)} tetrahedra, {counted(mesh.n_points, 'point')}",
        triangles=mesh.points[sides].astype(np.float32),
        colours=rows.astype(np.int32),
    )


def _of_surface(corners: Array, unit: str) -> Report:
    points = corners.reshape(-1, 3).astype(float)
    extent = np.ptp(points, axis=0)
    scaled = corners * np.float32(UNITS[unit])
    return Report(
        size=size_text(extent * UNITS[unit]),
        unit=unit,
        proposed=unit,
        choices=body_choices(extent),
        regions=(),
        fibres=None,
        edges=_edges_told(scaled[:: 1 + len(scaled) // SAMPLE].astype(float)),
        count=counted(len(corners), "triangle"),
        triangles=scaled,
        colours=np.zeros(len(corners), np.int32),
    )


def _edges_told(corners: Array) -> str:
    """corners: (n, 3 or 4, 3) [mm]"""
    pairs = combinations(range(corners.shape[1]), 2)
    lengths = np.concatenate([np.linalg.norm(corners[:, i] - corners[:, j], axis=1) for i, j in pairs])
    return f"mean {length_text(float(lengths.mean()))}, longest {length_text(float(lengths.max()))}"
