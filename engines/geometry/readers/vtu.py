"""Unstructured grids of VTK's XML format (.vtu), in every encoding that ParaView writes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from engines.api import Array, Finding
from engines.api.errors import MeshError
from engines.geometry.raw import RawMesh
from engines.geometry.readers.cells import VTK_NAMES, of_length, tetrahedra_of
from engines.geometry.readers.text import read_whole
from engines.geometry.readers.vtk_xml import XmlFile


def read_vtu(path: Path) -> RawMesh:
    """All pieces of ``path`` as one mesh. Raises MeshError."""
    try:
        return _read(path)
    except (ValueError, IndexError, KeyError, TypeError, OverflowError):  # counts, offsets or shapes that cannot be
        raise MeshError(f"{path.name} is damaged: its arrays do not fit together; copy or export it again.") from None


def _read(path: Path) -> RawMesh:
    xml = XmlFile.parse(read_whole(path), path.name)
    grid = xml.root.find("UnstructuredGrid")
    if grid is None:
        kind = xml.root.get("type", "no grid") if xml.root.tag == "VTKFile" else "no VTK data"
        raise MeshError(f"{path.name} holds {kind}, not UnstructuredGrid; save the tetrahedra as .vtu.")
    pieces = [_piece(xml, piece) for piece in grid.findall("Piece")]
    if not pieces:
        raise MeshError(f"{path.name} holds no piece of a grid; export the mesh again.")
    mesh = pieces[0] if len(pieces) == 1 else _joined(pieces)
    mesh.region_names = _region_names(xml, grid.find("FieldData"))
    return mesh


def _piece(xml: XmlFile, piece: ElementTree.Element) -> RawMesh:
    def section(name: str) -> dict[str, Array]:
        found = piece.find(name)
        return {a.get("Name", "?"): xml.array(a) for a in found.findall("DataArray")} if found is not None else {}

    points = next(iter(section("Points").values()), np.empty((0, 3)))
    cells = section("Cells")
    missing = [name for name in ("connectivity", "offsets", "types") if name not in cells]
    if missing and int(piece.get("NumberOfCells", "0")):
        raise MeshError(f"{xml.name} lacks the array {missing[0]} of its cells; export the mesh again.")
    n_cells, n_points = int(piece.get("NumberOfCells", "0")), int(piece.get("NumberOfPoints", "0"))
    if len(points) != n_points or (n_cells and len(cells["types"]) != n_cells):
        raise MeshError(f"{xml.name} ends early: it promises {n_points} points and {n_cells} cells; export it again.")
    if n_cells == 0:
        return RawMesh(points.astype(np.float64), np.empty((0, 4), np.int64))
    types = cells["types"]
    starts = np.concatenate([[0], cells["offsets"][:-1]]).astype(np.int64)
    tetrahedra, rows, others, findings = tetrahedra_of(types, starts, cells["connectivity"], VTK_NAMES, xml.name)
    of_cells = of_length(section("CellData"), n_cells, "cells", findings)
    cell_data = of_cells if len(rows) == n_cells else {k: v[rows] for k, v in of_cells.items()}
    point_data = of_length(section("PointData"), n_points, "points", findings)
    return RawMesh(points.astype(np.float64), tetrahedra, cell_data, point_data, {}, others, findings)


def _joined(pieces: list[RawMesh]) -> RawMesh:
    """Pieces one behind the other; only the data that all of them have, and the others are told."""
    shifts = np.cumsum([0, *(len(p.points) for p in pieces[:-1])])
    findings = [f for p in pieces for f in p.findings]

    def common(data: list[dict[str, Array]]) -> dict[str, Array]:
        every = dict.fromkeys(name for d in data for name in d)
        names = [n for n in every if all(n in d for d in data)]
        if len(names) < len(every):
            missed = next(n for n in every if n not in names)
            findings.append(Finding(f"Left out: '{missed[:40]}', which some pieces of the file have not."))
        return {name: np.concatenate([d[name] for d in data]) for name in names}

    return RawMesh(
        np.concatenate([p.points for p in pieces]),
        np.concatenate([p.cells + shift for p, shift in zip(pieces, shifts, strict=True)]),
        common([p.cell_data for p in pieces if len(p.cells)] or [{}]),
        common([p.point_data for p in pieces if len(p.points)] or [{}]),
        other_cells=sum((p.other_cells for p in pieces), Counter()),
        findings=findings,
    )


def _region_names(xml: XmlFile, section: ElementTree.Element | None) -> dict[int, str]:
    """Names from the field arrays ``region_ids`` and ``region_names``, as the sample meshes carry them."""
    arrays = {} if section is None else {a.get("Name"): a for a in section}
    if "region_ids" not in arrays or "region_names" not in arrays:
        return {}
    letters = xml.array(arrays["region_names"]).astype(np.uint8).tobytes()
    names = [name.decode("utf-8", "replace") for name in letters.split(b"\0")]
    return {int(i): name for i, name in zip(xml.array(arrays["region_ids"]), names, strict=False) if name}
