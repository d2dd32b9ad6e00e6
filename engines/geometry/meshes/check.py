"""What a mesh must have before anything may run on it, and what its owner should know of it."""

from __future__ import annotations

import numpy as np
import scipy

from engines.api import Array, Finding, Remedy
from engines.api.errors import MeshError
from engines.geometry.raw import RawMesh

UNITS = {"um": 1e-3, "µm": 1e-3, "mm": 1.0, "cm": 10.0, "m": 1000.0}
"""Length of each unit in mm."""
USUAL_SIZE = (0.5, 500.0)
"""Diagonal [mm] of what is usually simulated: from a strip of cells to a whale's ventricle."""
LIKELY_SIZE = (2.0, 400.0)
"""Of what a piece of tissue is taken for, if its unit is another."""
HEART_CELLS, HEART_FILL = 500, 0.6
"""A heart has at least so many cells and fills less of the smallest box around it: walls around cavities. (A ball fills
0.52, a cylinder 0.79, a slab 1.)"""
HEARTS = ((4.0, "smaller than a mouse's"), (10.0, "the size of a mouse's"), (20.0, "the size of a rat's"))
"""Below these lengths [mm] a heart is asked after; a rabbit's is 25 to 30 mm long, a human's 80 to 150."""
LARGEST_HEART = 250.0
"""A horse's."""
HUMAN, RABBIT = (40.0, LARGEST_HEART), (HEARTS[-1][0], 40.0)
"""Lengths [mm] that a file's unit is looked for with, in this order."""


def require_tetrahedra(raw: RawMesh, name: str) -> None:
    """Raises MeshError that says what the file holds instead."""
    if len(raw.cells):
        return
    others = raw.other_cells
    held = ", ".join(f"{count:,} {_plural(kind, count)}" for kind, count in others.most_common(3))
    if others.get("hexahedron"):
        raise MeshError(
            f"{name} holds {held} and no tetrahedra, which are needed; split the hexahedra "
            "(in ParaView: filter Tetrahedralize) and load the result."
        )
    if others.get("triangle") or others.get("polygon") or others.get("quadrilateral"):
        raise MeshError(
            f"{name} is a surface: it holds {held} and no tetrahedra, which are needed; fill it with tetrahedra "
            "(Gmsh, TetGen) and load the result."
        )
    if others:
        raise MeshError(f"{name} holds {held} and no tetrahedra, which are needed; export the volume mesh.")
    raise MeshError(f"{name} holds no cells; export the volume mesh with its tetrahedra.")


def require_valid_indices(raw: RawMesh, name: str) -> None:
    """Raises MeshError where a cell refers to a point that does not exist."""
    n = len(raw.points)
    if len(raw.cells) and raw.cells.min() >= 0 and raw.cells.max() < n:
        return
    bad = np.flatnonzero(((raw.cells < 0) | (raw.cells >= n)).any(axis=1))
    cell = int(bad[0])
    point = int(next(p for p in raw.cells[cell] if not 0 <= p < n))
    raise MeshError(
        f"{name} has {len(bad):,} {_plural('cell', len(bad))} with points that do not exist (cell {cell} refers to "
        f"point {point}, and there are points 0 to {n - 1}); export the mesh again."
    )


def require_finite_points(raw: RawMesh, name: str) -> None:
    """Raises MeshError where a coordinate is NaN or infinite."""
    bad = np.flatnonzero(~np.isfinite(raw.points).all(axis=1))
    if len(bad):
        raise MeshError(
            f"{name} has {len(bad):,} {_plural('point', len(bad))} whose coordinates are not numbers (the first is "
            f"point {int(bad[0])}); correct them or export the mesh again."
        )


def drop_unused_points(raw: RawMesh) -> None:
    """Keep the points that cells use."""
    used = np.zeros(len(raw.points), bool)
    used[raw.cells] = True
    unused = len(used) - int(used.sum())
    if not unused:
        return
    number = np.cumsum(used) - 1
    raw.points = raw.points[used]
    raw.cells = number[raw.cells]
    raw.point_data = {name: values[used] for name, values in raw.point_data.items()}
    raw.findings.append(Finding(f"Left out: {unused:,} {_plural('point', unused)} that no tetrahedron uses.", "info"))


def drop_duplicate_cells(raw: RawMesh) -> None:
    """Keep one of the cells that have the same four points."""
    corners = np.sort(raw.cells, axis=1).astype(np.uint64)
    with np.errstate(over="ignore"):  # a 64-bit hash first: sorting one column is ten times faster than sorting four
        mixed = corners[:, 0]
        for column in range(1, 4):
            mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15) + corners[:, column]
    order = np.argsort(mixed, kind="stable")
    alike = np.flatnonzero(mixed[order[1:]] == mixed[order[:-1]])
    if not len(alike):
        return
    candidates = np.unique(np.concatenate([order[alike], order[alike + 1]]))
    _, first = np.unique(corners[candidates], axis=0, return_index=True)
    doubled = np.setdiff1d(candidates, candidates[first])
    if not len(doubled):
        return
    keep = np.ones(len(raw.cells), bool)
    keep[doubled] = False
    raw.cells = raw.cells[keep]
    raw.cell_data = {name: values[keep] for name, values in raw.cell_data.items()}
    message = f"{len(doubled):,} {_plural('cell', len(doubled))} stood in the file twice; one of each was kept."
    raw.findings.append(Finding(message))


def pieces(n_points: int, cells: Array) -> Array:
    """(n_cells,) int32: which connected piece each cell belongs to, the largest first. Cells connect through points."""
    rows = np.concatenate([cells[:, 0]] * 3)
    columns = np.concatenate([cells[:, k] for k in (1, 2, 3)])
    graph = scipy.sparse.coo_matrix((np.ones(len(rows), np.int8), (rows, columns)), shape=(n_points, n_points))
    _, labels = scipy.sparse.csgraph.connected_components(graph, directed=False)
    of_cell = labels[cells[:, 0]]
    sizes = np.bincount(of_cell)
    rank = np.empty(len(sizes), np.int32)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return rank[of_cell]


def piece_findings(n_points: int, cells: Array) -> list[Finding]:
    """A warning where the mesh falls apart."""
    sizes = np.bincount(pieces(n_points, cells))
    if len(sizes) == 1:
        return []
    return [
        Finding(
            f"The mesh is in {len(sizes):,} pieces that share no point (the largest has {sizes[0]:,} cells, the "
            f"smallest {sizes[-1]:,}): excitation does not pass between them; merge coincident points if they touch."
        )
    ]


def size_findings(points: Array, volume: float, n_cells: int, length_unit: str) -> list[Finding]:
    """A warning where the size suggests another unit of length. points: [mm], scaled with ``length_unit``; volume
    [mm³]."""
    extent = np.ptp(points, axis=0)
    size = " × ".join(f"{x:.3g}" for x in extent)
    if n_cells >= HEART_CELLS and 0 < volume < HEART_FILL * _box(points):
        return _heart_findings(float(extent.max()), size, length_unit)
    diagonal = float(np.linalg.norm(extent))
    if USUAL_SIZE[0] <= diagonal <= USUAL_SIZE[1]:
        return []
    message = f"The mesh measures {size} mm, which is unusual for tissue"
    likely = _unit_for(diagonal, length_unit, [LIKELY_SIZE])
    if likely is None:
        return [Finding(f"{message}; check the length unit.")]
    text = f"{message}: its coordinates are probably in {likely}; choose that length unit."
    return [Finding(text, remedy=_read_in(likely))]


def _heart_findings(length: float, size: str, length_unit: str) -> list[Finding]:
    if HEARTS[-1][0] <= length <= LARGEST_HEART:
        return []
    compared = "larger than a horse's" if length > LARGEST_HEART else next(x for end, x in HEARTS if length < end)
    others = [unit for unit in ("um", "mm", "cm", "m") if UNITS[unit] != UNITS[length_unit]]
    means = [f"in {unit} a heart of {_told(length * UNITS[unit] / UNITS[length_unit])} mm" for unit in others]
    text = (
        f"Its coordinates read in {length_unit}, the mesh is a heart of {size} mm, {compared}; it would be "
        f"{', '.join(means[:-1])}, and {means[-1]}."
    )
    likely = _unit_for(length, length_unit, [HUMAN, RABBIT])
    return [Finding(text, remedy=None if likely is None else _read_in(likely))]


def _unit_for(length: float, length_unit: str, ranges: list[tuple[float, float]]) -> str | None:
    """The unit in which a length [mm in ``length_unit``] falls into the first range that has one."""
    for low, high in ranges:
        for unit in ("mm", "um", "cm", "m"):
            if UNITS[unit] != UNITS[length_unit] and low <= length * UNITS[unit] / UNITS[length_unit] <= high:
                return unit
    return None


def _read_in(unit: str) -> Remedy:
    return Remedy(f"Read the file in {unit}", length_unit=unit)


def _box(points: Array) -> float:
    """Volume of the smaller of two boxes around the points: along the axes, and along their principal directions."""
    middle = points - points.mean(axis=0)
    _, directions = np.linalg.eigh(middle.T @ middle)
    return float(min(np.prod(np.ptp(points, axis=0)), np.prod(np.ptp(middle @ directions, axis=0))))


def _told(length: float) -> str:
    return f"{length:,.0f}" if length >= 100 else f"{length:.2g}"


def _plural(word: str, count: int) -> str:
    if count == 1:
        return word
    return {"vertex": "vertices", "tetrahedron": "tetrahedra", "hexahedron": "hexahedra"}.get(word, word + "s")
