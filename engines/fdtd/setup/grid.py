"""The parameters' grid and faces as Yee's grid, and as the grid that viewers see."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from engines.api import Array, Remedy
from engines.api.errors import ProblemError
from engines.fdtd.grid.boundaries import Face
from engines.fdtd.grid.grading import Span, graded_nodes
from engines.fdtd.grid.yee import Yee
from engines.fdtd.parameters import FaceKind, Faces, GridSetting
from engines.geometry.grid import Grid, rectilinear

STRIP = 20
"""A line is shown as a strip this many times as long as it is wide."""
WALLS = {"symmetric": "PMC", "antisymmetric": "PEC", "Bloch": "periodic"}

FLAT = {"3D": (False, False, False), "2D": (False, False, True), "1D": (False, True, True)}


def make_yee(grid: GridSetting) -> Yee:
    """A flat axis is one unit of length thick, around where the plane or line is. Raises ProblemError."""
    flat = FLAT[grid.dimensions]
    counts, spacing = [grid.cells_x, grid.cells_y, grid.cells_z], [0.0, 0.0, 0.0]
    origin = [0.0, 0.0, 0.0]
    lines: list[Array | None] = [None, None, None]
    sizes = ((grid.size_x, 0.0), (grid.size_y, grid.at_y), (grid.size_z, grid.at_z))
    for axis, (size, at) in enumerate(sizes):
        spans = [Span(item.low, item.high, item.cell) for item in grid.finer if item.axis == "xyz"[axis]]
        if flat[axis]:
            counts[axis], spacing[axis], origin[axis] = 1, 1.0, at - 0.5
        elif spans:
            nodes = graded_nodes(size, size / counts[axis], spans, grid.growth, "xyz"[axis])
            counts[axis], spacing[axis], lines[axis] = len(nodes) - 1, float(np.diff(nodes).min()), nodes
        else:
            spacing[axis] = size / counts[axis]
    return Yee(_three(counts), _three(spacing), _three(origin), flat, _three(lines))


def make_grid(yee: Yee, length_unit: str) -> Grid:
    """What viewers see: a box, a plane, or for a line a strip around it."""
    dimensions = 3 if not yee.flat[2] else 2
    shape, lines = yee.counts[::-1][3 - dimensions :], yee.lines[:dimensions]
    spacing, origin = list(yee.spacing[:dimensions]), list(yee.origin)
    if yee.flat[2]:
        origin[2] += 0.5
    if yee.flat[1]:
        length = float(yee.nodes(0)[-1])
        spacing[1] = length / STRIP
        origin[1] += 0.5 - spacing[1] / 2
    if all(line is None for line in lines):
        return Grid(shape, tuple(spacing), _three(origin), length_unit)
    even = [start + h * np.arange(n + 1) for start, h, n in zip(origin, spacing, yee.counts, strict=False)]
    walls = [each if line is None else line for line, each in zip(lines, even, strict=True)]
    return rectilinear(walls, origin[2], length_unit)


def _three(values: Sequence[Any]) -> Any:
    return tuple(values)


def make_faces(faces: Faces, yee: Yee) -> list[tuple[Face, Face]]:
    """(low, high) for x, y, z. Raises ProblemError."""

    def face(kind: FaceKind, phase: float) -> Face:
        layers = {"CPML": faces.layer, "absorber": faces.absorber}
        return Face(WALLS.get(kind, kind), layers.get(kind, 0), phase)  # type: ignore[arg-type]  # one of Kind

    side, found = Face("periodic"), []
    for axis, ((low, high), phase) in enumerate(zip(faces.pairs(), faces.phases(), strict=True)):
        if yee.flat[axis]:
            found.append((side, side))
            continue
        _require_partner("xyz"[axis], low, high)
        found.append((face(low, phase), face(high, phase)))
    return found


def _require_partner(axis: str, low: FaceKind, high: FaceKind) -> None:
    """Of a periodic or Bloch face. Raises ProblemError, which sets it."""
    for kind, name in (("Bloch", "a Bloch face"), ("periodic", "periodic")):
        if (low == kind) != (high == kind):
            lacks = ("faces", f"{axis}_{'high' if low == kind else 'low'}")
            raise ProblemError(
                f"Only one face of {axis} is {name}: make both so, or none.",
                lacks,
                Remedy(f"Make both faces of {axis} {kind}", {lacks: kind}),
            )


def grid_of(setting: GridSetting) -> Grid:
    """The same object for the same settings: viewers compare grids by identity."""
    return _made_grid(setting.model_dump_json())


@lru_cache(maxsize=16)
def _made_grid(settings: str) -> Grid:
    setting = GridSetting.model_validate_json(settings)
    return make_grid(make_yee(setting), setting.length_unit)
