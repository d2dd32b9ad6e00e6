"""Points and volumes from a mesh (one of each cell) or from a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engines.api import Array, Finding
from engines.api.errors import MeshError, ProblemError
from engines.geometry.file_kinds import check_table
from engines.geometry.meshes import shapes
from engines.geometry.meshes.check import NOT_TAKEN, not_taken
from engines.geometry.meshes.regions import WHOLE, find_regions
from engines.geometry.meshes.sizes import UNITS
from engines.geometry.raw import RawMesh
from engines.geometry.reading import SUFFIXES, read_mesh
from engines.peridynamics.body.groups import Groups
from engines.reading import guarded

TABLES = (".csv", ".txt", ".tsv", ".dat")
TRIANGLES = (".msh", ".inp", ".mesh", ".vtk", ".vtu")
"""Meshes whose triangles can be read."""
OTHER_FLAT = ("quad", "quad8", "quad9", "polygon")


@dataclass(frozen=True, eq=False)
class Points:
    """positions: (n, d) [mm]; volumes: (n,) [mm³, in a plane mm²] or None; groups that the file tells, else None;
    low, high: (d,) corners of the body where the file tells its surface, else None.
    findings: what of the file is not in the body"""

    positions: Array
    volumes: Array | None
    groups: Groups | None = None
    low: Array | None = None
    high: Array | None = None
    findings: tuple[Finding, ...] = ()


@guarded("cannot be read as points: export it again, or save it as CSV.", largest=8 << 30)
def read_points(path: Path, dimensions: int, length_unit: str) -> Points:
    """Raises ProblemError in one sentence where the file cannot be used."""
    if not path.is_file():
        raise ProblemError(
            f"There is no file {path.name or 'of points'}: choose a mesh or a CSV file.", ("body", "file")
        )
    suffix = path.suffix.lower()
    scale = UNITS[length_unit]
    if suffix in TABLES:
        return _table(path, dimensions, scale)
    if dimensions == 3:
        return _tetrahedra(path, length_unit)
    if suffix not in TRIANGLES:
        raise ProblemError(
            f"{path.name} is of a kind that cannot be read; use CSV, or triangles in {', '.join(TRIANGLES)}."
        )
    return _triangles(path, scale)


def check_points(path: Path) -> None:
    """Raises ProblemError where a file holds no points, in space or in a plane."""
    if path.suffix.lower() in TABLES:
        check_table(path)
        return
    try:
        read_points(path, 3, "mm")
    except ProblemError:
        read_points(path, 2, "mm")


def _table(path: Path, dimensions: int, scale: float) -> Points:
    """Columns by the names in the first line, which may be a comment, or in their usual order."""
    size = "volume" if dimensions == 3 else "area"
    usual = [*"xyz"[:dimensions], size, "material"]
    every = [line.strip() for line in path.read_text("utf-8-sig", errors="replace").splitlines() if line.strip()]
    lines = [line for line in every if not line.startswith("#")]
    if not lines:
        raise ProblemError(f"{path.name} is empty: it needs a line with x, y and more for each point.")
    if above := every[: every.index(lines[0])]:
        named = above[-1].lstrip("# ")
        if {word.lower() for word in _words(named)} <= {*usual, "volume", "area"}:
            lines = [named, *lines]
    words = _words(lines[0])
    if any(_number(word) is None for word in words):
        names, lines, start = [word.lower() for word in words], lines[1:], 2
        names = [size if name in ("volume", "area") else name for name in names]
        unknown = [name for name in names if name not in usual]
        missing = [name for name in usual[:dimensions] if name not in names]
        if unknown or missing or len(set(names)) < len(names):
            raise ProblemError(f"The columns of {path.name} have other names: call them {', '.join(usual)}.")
        if not lines:
            raise ProblemError(f"{path.name} has names of columns and no points: write a line for each point.")
    else:
        names, start = usual[: len(words)], 1
        if not dimensions <= len(words) <= len(usual):
            raise ProblemError(f"{path.name} has {len(words)} columns: use {', '.join(usual)}, the last two if wanted.")
    columns = len(names)
    try:
        values = np.array([word for line in lines for word in _words(line)], dtype=float).reshape(len(lines), columns)
    except ValueError:
        for number, line in enumerate(lines, start):
            if len(_words(line)) != columns or any(_number(word) is None for word in _words(line)):
                raise ProblemError(f"Row {number} of {path.name} has not {columns} numbers: correct it.") from None
        raise
    found = {name: values[:, k] for k, name in enumerate(names)}
    positions = np.stack([found[name] for name in usual[:dimensions]], axis=1) * scale
    _require_finite(positions, path.name)
    volumes = found[size] * scale**dimensions if size in found else None
    materials = found.get("material")
    if materials is None:
        return Points(positions, volumes)
    if (materials != np.rint(materials)).any() or (materials < 0).any():
        raise ProblemError(f"The materials in {path.name} are not all whole numbers from 0: number them.")
    return Points(positions, volumes, Groups(materials.astype(np.int64)))


def _words(line: str) -> list[str]:
    for separator in (",", ";", "\t"):
        if separator in line:
            return [word.strip() for word in line.split(separator)]
    return line.split()


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def _require_finite(positions: Array, name: str) -> None:
    bad = np.flatnonzero(~np.isfinite(positions).all(axis=1))
    if len(bad):
        raise ProblemError(f"Point {bad[0]} of {name} is nowhere: its coordinates are not numbers.")


def _tetrahedra(path: Path, length_unit: str) -> Points:
    if path.suffix.lower() not in SUFFIXES:
        raise ProblemError(
            f"{path.name} is of a kind that cannot be read; use CSV, or a mesh in {', '.join(SUFFIXES)}."
        )
    mesh = read_mesh(path, length_unit)
    nodes = np.ascontiguousarray(mesh.points, np.float64)
    centres, volumes = shapes.centroids(nodes, mesh.cells), shapes.volumes(nodes, mesh.cells)
    groups = _groups(mesh.regions, mesh.region_names)
    missing = tuple(each for each in mesh.findings if each.message.startswith(NOT_TAKEN))
    return Points(centres, volumes, groups, nodes.min(axis=0), nodes.max(axis=0), missing)


def _groups(numbers: Array, names: Mapping[int, str]) -> Groups | None:
    """Without the names that meshes get where the file has none; None where it has no groups."""
    if names == WHOLE:
        return None
    known = {number: name for number, name in names.items() if name != f"region {number}"}
    return Groups(np.asarray(numbers, np.int64), known)


def _triangles(path: Path, scale: float) -> Points:
    """The triangles of a mesh in the plane z = 0 or any other of one z."""
    import meshio  # 0.2 s of import that most runs never need

    from engines.geometry.readers.meshio_files import READERS, read_bounded, refuse_include, tell_groups

    if path.suffix.lower() == ".inp":
        refuse_include(path)
    try:
        mesh = read_bounded(path, READERS.get(path.suffix.lower(), meshio.read))
    except MeshError:
        raise
    except (Exception, SystemExit):  # its readers raise whatever the file makes them stumble over
        raise MeshError(f"{path.name} cannot be read as a mesh; export it again.") from None
    blocks = [k for k, block in enumerate(mesh.cells) if block.type in ("triangle", "triangle6", "triangle7")]
    if not blocks:
        raise MeshError(f"{path.name} holds no triangles: export the plane mesh, or choose 3D for tetrahedra.")
    cells = np.concatenate([mesh.cells[k].data[:, :3] for k in blocks]).astype(np.int64)
    nodes = np.asarray(mesh.points, float)
    if cells.min() < 0 or cells.max() >= len(nodes):
        raise MeshError(f"{path.name} has triangles with points that do not exist; export the mesh again.")
    used = nodes[np.unique(cells)] * scale
    _require_finite(used, path.name)
    if used.shape[1] == 3 and np.ptp(used[:, 2]) > 1e-6 * np.ptp(used[:, :2], axis=0).max():
        raise MeshError(f"The triangles of {path.name} do not lie in a plane of constant z: turn them into one.")
    corners = nodes[cells][:, :, :2] * scale
    p, q = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas = 0.5 * np.abs(p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0])
    raw = RawMesh(nodes, cells)
    tell_groups(raw, mesh, blocks, 2)
    groups = _groups(*find_regions(raw))
    others = sum(len(block.data) for block in mesh.cells if block.type in OTHER_FLAT)
    told = [f"{others:,} quadrilateral{'s' * (others > 1)}"]
    missing = (not_taken(told, "triangles", "filter Triangulate"),) if others else ()
    return Points(corners.mean(axis=1), areas, groups, used[:, :2].min(axis=0), used[:, :2].max(axis=0), missing)
