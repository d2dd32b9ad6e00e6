"""What a mesh must have before anything may run on it, and what its owner should know of it."""
# Numba functions carry no annotations: their types are inferred where they are called.
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numba as nb
import numpy as np

from engines.api import Array, Finding
from engines.api.errors import MeshError
from engines.backend.fields.rows import between, extremes
from engines.backend.threads import in_parts, in_planes, usable_cores
from engines.geometry.raw import RawMesh


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


FLAT = ("vertex", "line", "triangle", "quadrilateral", "polygon", "connection")
"""Cells without a volume, which bodies do not miss."""
NOT_TAKEN = "Not taken: "
"""How the finding begins that names what a body lacks."""


def tell_others(raw: RawMesh) -> None:
    """Solids of other kinds are told: where they were the mesh has holes."""
    others = [f"{n:,} {_plural(kind, n)}" for kind, n in raw.other_cells.most_common() if kind not in FLAT]
    if others:
        raw.findings.append(not_taken(others, "tetrahedra", "filter Tetrahedralize"))


def not_taken(others: list[str], taken: str, remedy: str) -> Finding:
    return Finding(
        f"{NOT_TAKEN}{' and '.join(others)}, for a mesh is of {taken}: where they were it has holes. Split them "
        f"(in ParaView: {remedy}) and load the result."
    )


def require_valid_indices(raw: RawMesh, name: str) -> None:
    """Raises MeshError where a cell refers to a point that does not exist."""
    n = len(raw.points)
    lowest, highest = extremes(raw.cells)
    if lowest >= 0 and highest < n:
        return
    bad = np.flatnonzero(((raw.cells < 0) | (raw.cells >= n)).any(axis=1))
    cell = int(bad[0])
    point = int(next(p for p in raw.cells[cell] if not 0 <= p < n))
    raise MeshError(
        f"{name} has {len(bad):,} {_plural('cell', len(bad))} with points that do not exist (cell {cell} refers to "
        f"point {point}, and there are points 0 to {n - 1}); export the mesh again."
    )


FARTHEST = 1e30
"""A coordinate above it has no volumes beside it that are numbers."""


def require_finite_points(raw: RawMesh, name: str) -> None:
    """Raises MeshError where a coordinate is NaN, infinite or beyond :data:`FARTHEST`."""
    finite = np.abs(raw.points) <= FARTHEST
    if not finite.all():
        bad = np.flatnonzero(~finite.all(axis=1))
        what = f"above {FARTHEST:g}" if np.isfinite(raw.points).all() else "not numbers"
        raise MeshError(
            f"{name} has {len(bad):,} {_plural('point', len(bad))} whose coordinates are {what} (the first is "
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
    # Of sums of a random number for each point, which seldom agree by chance, one column is sorted; indices and corners
    # would take ten times as long, and are looked at where sums agree.
    marks = np.random.default_rng(0).integers(0, 2**64, len(raw.points), np.uint64)
    sums = np.empty(len(raw.cells), np.uint64)
    _sum_marks(len(sums), marks, raw.cells, sums)
    bins = usable_cores()
    ends = np.array([(bin_ << 64) // bins for bin_ in range(1, bins)], np.uint64)
    twice = np.concatenate(_twice(bins, sums, ends))
    if not len(twice):
        return
    candidates = np.flatnonzero(np.isin(sums, twice))
    _, first = np.unique(np.sort(raw.cells[candidates], axis=1), axis=0, return_index=True)
    doubled = np.setdiff1d(candidates, candidates[first])
    if not len(doubled):
        return
    keep = np.ones(len(raw.cells), bool)
    keep[doubled] = False
    raw.cells = raw.cells[keep]
    raw.cell_data = {name: values[keep] for name, values in raw.cell_data.items()}
    message = f"{len(doubled):,} {_plural('cell', len(doubled))} stood in the file twice; one of each was kept."
    raw.findings.append(Finding(message))


@in_parts
def _sum_marks(first: int, last: int, marks: Array, cells: Array, sums: Array) -> None:
    sums[first:last] = sum(np.take(marks, cells[first:last, column]) for column in range(4))


@in_planes
def _twice(first: int, last: int, sums: Array, ends: Array) -> Array:
    """The values that stand more than once among ``sums`` of the bins from ``first`` to ``last`` between ``ends``."""
    own = np.sort(between(sums, ends, first, last)[1])
    return own[1:][own[1:] == own[:-1]]


def pieces(n_points: int, cells: Array) -> Array:
    """(n_cells,) int32: which connected piece each cell belongs to, the largest first. Cells connect through points."""
    of_cell, count = joined(n_points, cells)
    sizes = np.bincount(of_cell, minlength=count)
    rank = np.empty(len(sizes), np.int32)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return rank[of_cell]


@nb.njit(cache=True, nogil=True)
def joined(n_points, cells):
    """The piece of each cell (n, any), numbered by its first point, and how many there are: trees of points whose roots
    are their first, joined cell by cell (Tarjan 1975, with paths halved)."""
    above = np.arange(n_points).astype(np.int32)
    for cell in range(len(cells)):
        root = _root(above, cells[cell, 0])
        for k in range(1, cells.shape[1]):
            other = _root(above, cells[cell, k])
            first, last = min(root, other), max(root, other)
            above[last] = first
            root = first
    count = 0
    for point in range(n_points):  # what stands above a point has its number already
        if above[point] == point:
            above[point] = -1 - count
            count += 1
        else:
            above[point] = above[above[point]]
    of_cell = np.empty(len(cells), np.int32)
    for cell in range(len(cells)):
        of_cell[cell] = -1 - above[cells[cell, 0]]
    return of_cell, count


@nb.njit(nogil=True)
def _root(above, point):
    while above[point] != point:
        above[point] = above[above[point]]
        point = above[point]
    return point


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


def _plural(word: str, count: int) -> str:
    if count == 1:
        return word
    return {"vertex": "vertices", "tetrahedron": "tetrahedra", "hexahedron": "hexahedra"}.get(word, word + "s")
