"""Make fibres and sheets by rule (:mod:`engines.geometry.fibres.rules`)."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Literal

import numpy as np
from pydantic import BaseModel

from engines.api import Array, Problem, Progress, no_progress
from engines.api.charts import ChartData, ChartInfo, Curve, Fact
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup, quantity
from engines.api.tools import Tool, ToolResult
from engines.cardiac.tools.mesh_of import mesh_of
from engines.geometry.fibres.rules import Angles, RuleFibres, rule_fibres
from engines.geometry.fibres.walls import (
    Boundary,
    Walls,
    beyond_plane,
    flat_cut,
    named_walls,
    slab_walls,
    ventricle_walls,
)
from engines.geometry.meshes.mesh import TetMesh

VENTRICLES, SLAB = {"shape": ("ventricles",)}, {"shape": ("slab",)}
LAYERS = 10
LEFT = 0.1
"""Cells whose share of the right side is less belong to the left ventricle's wall, where angles are told of."""
CHART = ChartInfo(
    "helix", "Helix angle in the left wall", "°", x_title="Depth from endocardium to epicardium", x_unit="1"
)

Vector = tuple[float, float, float]


class FibreParameters(ParameterGroup):
    """Angles, and where the surfaces of the heart are."""

    shape: Literal["ventricles", "slab"] = quantity(
        "ventricles", "", "One or two ventricles open at the base, or a piece of wall"
    )
    helix_endo: float = quantity(60.0, "°", "Helix angle at the endocardium", title="α at endocardium", ge=-90, le=90)
    helix_epi: float = quantity(-60.0, "°", "Helix angle at the epicardium", title="α at epicardium", ge=-90, le=90)
    sheet_endo: float = quantity(-65.0, "°", "Sheet angle at the endocardium", title="β at endocardium", ge=-90, le=90)
    sheet_epi: float = quantity(25.0, "°", "Sheet angle at the epicardium", title="β at epicardium", ge=-90, le=90)
    base: Literal["flat cut", "plane", "regions"] = quantity(
        "flat cut",
        "",
        "The base: the largest flat part of the surface, all surface beyond a plane, or that of regions",
        when=VENTRICLES,
    )
    direction: Vector = quantity(
        (0.0, 0.0, 0.0),
        "1",
        "Points from apex to base; 0, 0, 0 takes the normal of the flat cut (in a slab, any side)",
        title="Direction to the base",
    )
    plane: float = quantity(
        0.0,
        "mm",
        "Height along the direction to the base from which on the surface is base",
        when={**VENTRICLES, "base": ("plane",)},
    )
    base_regions: str = quantity(
        "", "", "Regions whose surface is base, separated by commas", when={**VENTRICLES, "base": ("regions",)}
    )
    across: Vector = quantity(
        (0.0, 0.0, 0.0), "1", "Points from endocardium to epicardium; 0, 0, 0 takes the thinnest side", when=SLAB
    )
    swap: bool = quantity(
        False, "", "Take the other cavity for the left one", title="Swap the ventricles", when=VENTRICLES
    )
    epi_regions: str = quantity(
        "", "", "Regions whose surface is epicardium; empty: surfaces are found", advanced=True, when=VENTRICLES
    )
    lv_regions: str = quantity(
        "", "", "Regions whose surface is left endocardium; empty: found", advanced=True, when=VENTRICLES
    )
    rv_regions: str = quantity(
        "", "", "Regions whose surface is right endocardium, if there is one", advanced=True, when=VENTRICLES
    )
    apex_radius: float | None = quantity(
        None,
        "mm",
        "Of the apex, where longitudinal directions begin; empty: 2 % of the mesh's diagonal",
        advanced=True,
        when=VENTRICLES,
        gt=0,
    )


class MakeFibres(Tool):
    """Fibres and sheets by Laplace–Dirichlet rules."""

    id = "fibres"
    title = "Make fibres"
    summary = (
        "Gives every cell a fibre and a sheet by rule (Bayer et al. 2012): directions across the wall and along it "
        "come from Laplace problems on this mesh, and the helix angle turns from endocardium to epicardium. Base, "
        "epicardium and cavities are found on the surface; the left cavity is told from the right by the names of "
        "regions or by its thicker wall."
    )
    Parameters = FibreParameters

    def defaults(self, problem: Problem) -> FibreParameters:
        low, high = mesh_of(problem).bounds
        thin = float((high - low).min()) < 0.5 * float(np.median(high - low))
        return FibreParameters(shape="slab" if thin else "ventricles")

    def run(
        self, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress = no_progress
    ) -> ToolResult:
        assert isinstance(parameters, FibreParameters)
        mesh, started = mesh_of(problem), time.perf_counter()
        progress("Finding the surfaces", 0.0)
        walls = find_walls(mesh, parameters)
        angles = Angles(parameters.helix_endo, parameters.helix_epi, parameters.sheet_endo, parameters.sheet_epi)
        made = rule_fibres(mesh, walls, angles, parameters.apex_radius, progress)
        seconds = time.perf_counter() - started
        inner, outer, chart = _profile(made)
        found = _found(mesh, walls, parameters)
        lost = int(made.lost.sum())
        wall = "left wall" if len(walls.rv) else "wall"
        return ToolResult(
            f"Fibres were made in {seconds:.1f} s: the helix angle goes from {inner:+.0f}° in the innermost tenth of "
            f"the {wall} to {outer:+.0f}° in the outermost. {found}{_lost(lost)}",
            (
                Fact("Helix angle, innermost tenth", inner, "°"),
                Fact("Helix angle, outermost tenth", outer, "°"),
                Fact("Points on the epicardium", len(walls.epi), "1"),
                Fact("Points on the left endocardium", len(walls.lv), "1"),
                Fact("Points on the right endocardium", len(walls.rv), "1"),
                Fact("Points on the base", len(walls.base), "1"),
                Fact("Cells without a direction of their own", lost, "1"),
                Fact("Time", seconds, "s"),
            ),
            ((CHART, chart),),
            geometry=replace(mesh, fibres=made.fibres, sheets=made.sheets),
        )


def find_walls(mesh: TetMesh, parameters: FibreParameters) -> Walls:
    """The surfaces, as the parameters say. Raises ProblemError."""
    boundary = Boundary.of(mesh)
    if parameters.shape == "slab":
        return _slab(mesh, boundary, parameters)
    axis = _unit(parameters.direction)
    if parameters.base == "plane":
        if axis is None:
            raise ProblemError("A plane needs a direction to the base: give one, such as 0, 0, 1.", ("direction",))
        base = beyond_plane(boundary, axis, parameters.plane)
    elif parameters.base == "regions":
        base = boundary.of_regions(mesh, parameters.base_regions, "base")
        if axis is None:
            axis = _unit(tuple(boundary.areas[base].sum(axis=0)))
        if axis is None:
            raise ProblemError("The regions of the base are a closed surface: give the direction to the base.")
    else:
        low, high = mesh.bounds
        base, axis = flat_cut(boundary, float(np.linalg.norm(high - low)), axis)
    names = (parameters.epi_regions, parameters.lv_regions, parameters.rv_regions)
    if any(name.strip() for name in names):
        return named_walls(mesh, boundary, names, base, axis)
    return ventricle_walls(mesh, boundary, base, axis, parameters.swap)


def _slab(mesh: TetMesh, boundary: Boundary, parameters: FibreParameters) -> Walls:
    low, high = mesh.bounds
    across, axis = _unit(parameters.across), _unit(parameters.direction)
    if across is None:
        across = np.eye(3)[int((high - low).argmin())]
    if axis is None:
        axis = np.eye(3)[int(np.abs(across).argmin())]
    along = axis - (axis @ across) * across
    if np.linalg.norm(along) < 1e-3:
        raise ProblemError("The directions across the wall and to the base are the same: change one.", ("direction",))
    return slab_walls(boundary, across, along / np.linalg.norm(along))


def _unit(direction: tuple[float, ...]) -> Array | None:
    length = float(np.linalg.norm(direction))
    return np.asarray(direction) / length if length > 0 else None


def _profile(made: RuleFibres) -> tuple[float, float, ChartData]:
    """Helix angle [degrees] in the innermost and the outermost layer of the left wall, and through it (5, 50, 95 %)."""
    left = np.flatnonzero(made.right < LEFT)
    layer = np.minimum((made.depth[left] * LAYERS).astype(int), LAYERS - 1)
    depth, middle, low, high = (np.full(LAYERS, np.nan) for _ in range(4))
    for k in range(LAYERS):
        cells = left[layer == k]
        if len(cells):
            depth[k] = made.depth[cells].mean()
            low[k], middle[k], high[k] = np.quantile(made.helix[cells], [0.05, 0.5, 0.95])
    known = np.flatnonzero(np.isfinite(middle))
    if not len(known):
        return np.nan, np.nan, ChartData(())
    curve = Curve("helix angle", depth[known], middle[known], low=low[known], high=high[known])
    return float(middle[known[0]]), float(middle[known[-1]]), ChartData((curve,))


def _found(mesh: TetMesh, walls: Walls, parameters: FibreParameters) -> str:
    if parameters.shape == "slab":
        return "The piece of wall was taken as one that its endocardium and epicardium bound."
    x, y, z = walls.axis
    cavities = "two cavities" if len(walls.rv) else "one cavity"
    where = ""
    if len(walls.rv):
        left, right = (mesh.points[points].mean(axis=0) for points in (walls.lv, walls.rv))
        where = f", the left one round {left[0]:.3g}, {left[1]:.3g}, {left[2]:.3g} mm"
        where += f" and the right one round {right[0]:.3g}, {right[1]:.3g}, {right[2]:.3g} mm"
    return f"The surface has {cavities}{where}; the base looks along {x:.2g}, {y:.2g}, {z:.2g}."


def _lost(count: int) -> str:
    if not count:
        return ""
    return f" In {count:,} cells a potential is flat, and a direction was chosen: look at the surfaces that were found."
