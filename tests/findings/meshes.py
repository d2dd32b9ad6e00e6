"""Meshes: what reading their files says, with that a project makes of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import meshio
import numpy as np

from engines.geometry.meshes.box import box_mesh
from tests.engines.geometry.cups import cup
from tests.findings.cases import Case, project

Tetrahedra = tuple[np.ndarray, np.ndarray]


def box() -> Tetrahedra:
    mesh = box_mesh((2, 2, 1), (8.0, 8.0, 4.0))
    return mesh.points, mesh.cells.astype(np.int64)


def mesh(make: Callable[[], Tetrahedra], kind: str = "tetra", **data: Any) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        points, cells = make()
        values = {name: [np.asarray(each, float)] for name, each in data.items()}
        meshio.write(folder / "mesh.vtu", meshio.Mesh(points, [(kind, cells)], cell_data=values))
        return folder / "mesh.vtu"

    return write


def case(*places: str, made: Callable[[Path], Path]) -> Case:
    return Case(project("cardiac", {}, made), tuple(f"engines.geometry.{place}" for place in places))


def _thin() -> Tetrahedra:
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.02], [0.5, 0.5, 1]], float)
    return 8 * points, np.array([[0, 1, 2, 3], [0, 1, 2, 4]])


def _two_and_more() -> Tetrahedra:
    points, cells = box()
    cells = np.concatenate([cells, cells[:1], cells + len(points)])
    return np.concatenate([points, points + 20.0, [[3.0, 3.0, 3.0]]]), cells


def _turned(which: slice) -> Tetrahedra:
    points, cells = box()
    cells[which] = cells[which][:, [1, 0, 2, 3]]
    return points, cells


def _heart() -> Tetrahedra:
    whole = cup(across=12, through=3)
    return whole.points * (10.0 / 32.0), whole.cells.astype(np.int64)


def _quadratic() -> Tetrahedra:
    points, cells = box()
    edges = [points[cells[:, pair]].mean(axis=1) for pair in ([0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3])]
    numbers = [len(points) + k * len(cells) + np.arange(len(cells)) for k in range(6)]
    return np.concatenate([points, *edges]), np.column_stack([cells, *numbers])


def _carp(folder: Path) -> Path:
    points, cells = box()
    (folder / "mesh.pts").write_text(f"{len(points)}\n" + "".join(f"{x} {y} {z}\n" for x, y, z in points))
    (folder / "mesh.elem").write_text(f"{len(cells)}\n" + "".join(f"Tt {a} {b} {c} {d} 1\n" for a, b, c, d in cells))
    return folder / "mesh.elem"


def _tetgen(folder: Path) -> Path:
    points, cells = box()
    rows = "".join(f"{k} {x} {y} {z}\n" for k, (x, y, z) in enumerate(points))
    (folder / "mesh.node").write_text(f"{len(points)} 3 0 1\n{rows}")
    rows = "".join(f"{k} {a} {b} {c} {d} 1\n" for k, (a, b, c, d) in enumerate(cells))
    (folder / "mesh.ele").write_text(f"{len(cells)} 4 0\n{rows}")
    return folder / "mesh.ele"


def _short(folder: Path) -> Path:
    """A mesh whose regions lack one cell."""
    points, cells = box()
    path = folder / "mesh.vtu"
    numbers = np.full(len(cells), 7777)
    meshio.vtu.write(path, meshio.Mesh(points, [("tetra", cells)], cell_data={"region": [numbers]}), binary=False)
    path.write_text(path.read_text().replace("7777\n", "", 1))
    return path


def _mixed(folder: Path) -> Path:
    points, cells = box()
    solid = [[0, 1, 2, 3, len(points)]]
    whole = meshio.Mesh(np.concatenate([points, [[3.0, 3.0, 9.0]]]), [("tetra", cells), ("pyramid", solid)])
    meshio.write(folder / "mesh.vtu", whole)
    return folder / "mesh.vtu"


def _pieces(folder: Path) -> Path:
    """Two of one kind, of which one has data."""
    points, cells = box()
    path = folder / "mesh.vtu"
    whole = meshio.Mesh(points, [("tetra", cells)], cell_data={"pressure": [np.linspace(0, 1, len(cells))]})
    meshio.vtu.write(path, whole, binary=False)
    before, piece, behind = re.split(r"(<Piece.*</Piece>)", path.read_text(), flags=re.DOTALL)
    path.write_text(before + piece + piece.replace("pressure", "height") + behind)
    return path


def _of_two_groups(folder: Path) -> Path:
    points, cells = box()
    path = folder / "mesh.msh"
    places = "".join(f"{x} {y} {z}\n" for x, y, z in points)
    numbers = "".join(f"{k + 1}\n" for k in range(len(points)))
    rows = "".join(f"{k + 1} {a} {b} {c} {d}\n" for k, (a, b, c, d) in enumerate(cells + 1))
    path.write_text(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 8 8 4 2 1 7 0\n$EndEntities\n"
        f"$Nodes\n1 {len(points)} 1 {len(points)}\n3 1 0 {len(points)}\n{numbers}{places}$EndNodes\n"
        f"$Elements\n1 {len(cells)} 1 {len(cells)}\n3 1 4 {len(cells)}\n{rows}$EndElements\n"
    )
    return path


COUNT = len(box()[1])
ALONG = np.tile([1.0, 0.0, 0.0], (COUNT, 1))
SOME = np.where(np.arange(COUNT)[:, None] == 3, 0.0, ALONG)
ACROSS = np.where(np.arange(COUNT)[:, None] == 5, 0.0, np.roll(ALONG, 1, axis=1))


def _changed(folder: Path) -> Path:
    """A project whose mesh was written anew since it was saved."""
    saved = project("cardiac", {}, mesh(box))(folder)
    mesh(lambda: _turned(slice(None)))(saved)
    return saved


CASES = {
    "fibres that are all zero": case("fibres.directions.find_fibres#1", made=mesh(box, fibres=0 * ALONG)),
    "fibres and sheets that are zero in places": case(
        "fibres.directions.find_fibres#2", "fibres.directions.find_fibres#4", made=mesh(box, fibres=SOME, sheets=ACROSS)
    ),
    "sheets along the fibres": case("fibres.directions.find_fibres#3", made=mesh(box, fibres=ALONG, sheets=ALONG)),
    "a heart of the size of a rat's": case("meshes.sizes._heart_findings", made=mesh(_heart)),
    "cells twice, points unused, two pieces": case(
        "meshes.check.drop_duplicate_cells",
        "meshes.check.drop_unused_points",
        "meshes.check.piece_findings",
        made=mesh(_two_and_more),
    ),
    "a size of no tissue": case("meshes.sizes.size_findings#1", made=mesh(lambda: (1e9 * box()[0], box()[1]))),
    "a size in another unit": case("meshes.sizes.size_findings#2", made=mesh(lambda: (1e3 * box()[0], box()[1]))),
    "cells that are all inside out": case("meshes.orient.orient#1", made=mesh(lambda: _turned(slice(None)))),
    "a cell that is inside out": case("meshes.orient.orient#2", made=mesh(lambda: _turned(slice(3, 4)))),
    "slivers": case("meshes.quality.MeshQuality.findings", made=mesh(_thin)),
    "a mesh of openCARP without fibres": case("readers.carp.read_carp", made=_carp),
    "quadratic tetrahedra": case("readers.cells.quadratic_finding", made=mesh(_quadratic, "tetra10")),
    "solids of other kinds": case("meshes.check.not_taken", made=_mixed),
    "data that some pieces lack": case("readers.vtu._joined.common", made=_pieces),
    "a part of two groups": case("readers.meshio_files.tell_groups", made=_of_two_groups),
    "regions under another name": case("meshes.regions.find_regions#2", made=mesh(box, tissue=np.arange(COUNT) % 2)),
    "regions that are no whole numbers": case(
        "meshes.regions.find_regions#1", made=mesh(box, region=np.arange(COUNT) + 0.5)
    ),
    "an array of another length": case("readers.cells.of_length", made=_short),
    "columns that a header does not promise": case("readers.tetgen._table#1", "readers.tetgen._table#2", made=_tetgen),
    "a mesh that has changed": Case(_changed, ("workbench.project.document._load_geometry",)),
}
