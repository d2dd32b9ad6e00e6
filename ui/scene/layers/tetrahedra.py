"""A tetrahedral mesh in the scene: its boundary surface, the cut through it, and the values on both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import scipy

from engines.api import Array, Selection
from engines.geometry.meshes.adjacency import cells_at
from engines.geometry.meshes.mesh import TetMesh
from ui.scene.colormaps import distinct_colours
from ui.scene.layers.layer import MOST_SAMPLES, Layer, Plan
from ui.scene.shapes.cut import Cut, cut
from ui.scene.shapes.decimate import coarse_surface
from ui.scene.shapes.fibres import streamlines
from ui.scene.shapes.inside import RECENT_WIDTHS, FrontSurface, Inside, crossing, inside_of
from ui.scene.shapes.picking import first_hit
from ui.scene.shapes.smoothing import BEAT_WIDTHS, recurring, smoothed, smoothed_known, smoothing
from ui.scene.shapes.surface import Surface, surface
from ui.scene.shapes.vertex_means import NO_DATA, VertexMeans, magnitude
from ui.scene.visuals.fibres import FibreVisual
from ui.scene.visuals.surface import NO_PLANE, Look, Palette, SurfaceVisual
from ui.scene.visuals.within.front import InsideFront
from ui.scene.visuals.within.levels import LevelSurfaces
from workbench.project.project import ClipPlane

AHEAD = 0.3
"""Cells that a front has not reached are taken to be reached after this part of its width."""
COARSE_TRIANGLES = 20_000
GLASS, CUT_GLASS = 0.22, 0.45
"""How opaque the surface and a cut are with the front inside to be seen through them."""


@dataclass(frozen=True)
class Shape:
    """The triangles of a plan, before any value."""

    plan: Plan
    surface: Surface
    surface_means: VertexMeans
    cut: Cut | None
    smooth: dict[str, scipy.sparse.csr_matrix]
    inside: Inside | None = None
    levels: Inside | None = None

    def means(self) -> dict[str, VertexMeans]:
        found = {"surface": self.surface_means}
        if self.cut is not None:
            found["cut"] = VertexMeans(self.cut.cells)
        return found


class TetLayer(Layer):
    """Draws a :class:`TetMesh`."""

    contoured = True
    leveled = True

    def __init__(self, mesh: TetMesh) -> None:
        self.mesh = self.geometry = mesh
        self.full = surface(mesh)
        self.coarse: Surface | None = None
        identifiers = np.unique(mesh.regions)
        self.region_colours = distinct_colours(len(identifiers))
        self.regions = [
            (mesh.region_names.get(int(i), f"region {i}"), (int(colour[0]), int(colour[1]), int(colour[2])))
            for i, colour in zip(identifiers, self.region_colours, strict=True)
        ]
        self._region_rows = np.searchsorted(identifiers, mesh.regions)
        self._means: dict[bool, VertexMeans] = {}
        self._smooth: dict[bool, scipy.sparse.csr_matrix] = {}
        self._last_cut: tuple[ClipPlane, Cut] | None = None
        self._inside: tuple[int, Inside] | None = None
        self._inside_front = InsideFront()
        self._surfaces = LevelSurfaces(self._level_surface)
        self._level_values: Array | None = None
        self._shape = self.plan_shape(Plan())
        self._values: dict[str, Array] = {}
        self._activations: dict[str, Array] = {}
        self._contours: dict[str, Array] = {}
        self._stale_meshes = {"surface", "cut"}
        self._stale_values = False
        self._visuals: dict[str, SurfaceVisual] = {}
        self._fibres = FibreVisual()
        self._fibred: tuple[ClipPlane | None, Array] | None = None

    @property
    def mixes(self) -> bool:
        return True

    @property
    def bounds(self) -> tuple[Array, Array]:
        return self.full.points.min(axis=0).astype(float), self.full.points.max(axis=0).astype(float)

    @property
    def outline(self) -> Array:
        return self.full.points

    @property
    def shape(self) -> Shape:
        return self._shape

    @property
    def triangle_count(self) -> int:
        """Triangles of the surface that is drawn."""
        return len(self.shape.surface.triangles)

    def settled(self, plan: Plan) -> Plan:
        coarse = plan.coarse and self.has_coarse
        plan = replace(plan, coarse=coarse, height=0.0, slices=None, volume=False, samples=MOST_SAMPLES, window=None)
        return replace(plan, cuts=False)

    def plan_shape(self, plan: Plan) -> Shape:
        """The triangles for ``plan``, computed now (a cut through 120,000 cells takes milliseconds)."""
        plan = self.settled(plan)
        coarse = plan.coarse
        shown = self.coarse if coarse and self.coarse is not None else self.full
        if coarse not in self._means:
            self._means[coarse] = VertexMeans(cells_at(self.mesh, shown.nodes))
        section = self._cut(plan.clip)
        smooth = {}
        if plan.front is not None or plan.contours:
            if coarse not in self._smooth:
                self._smooth[coarse] = smoothing(shown.triangles, shown.nodes)
            smooth["surface"] = self._smooth[coarse]
            if section is not None:
                smooth["cut"] = smoothing(section.triangles, np.arange(len(section.points)))
        return Shape(
            plan, shown, self._means[coarse], section, smooth, self._marched(plan.inside), self._marched(plan.levels)
        )

    def _marched(self, most: int) -> Inside | None:
        """The cells that the front inside is looked for in, made once."""
        if most and (self._inside is None or self._inside[0] != most):
            self._inside = most, inside_of(self.mesh, most)
        return self._inside[1] if most and self._inside is not None else None

    def _cut(self, plane: ClipPlane | None) -> Cut | None:
        if plane is None:
            return None
        if self._last_cut is None or self._last_cut[0] != plane:
            self._last_cut = (plane, cut(self.mesh, np.array(plane.origin), np.array(plane.normal)))
        return self._last_cut[1]

    def parts(self, shape: Shape) -> dict[str, tuple[str, Selection]]:
        plan, asked = shape.plan, {}
        for name, means in shape.means().items():
            if plan.field is not None:
                asked[name] = (plan.field.name, means.selection(plan.field))
            if plan.front_field is not None:
                asked[f"{name} front"] = (plan.front_field.name, means.selection(plan.front_field))
        if shape.levels is not None and plan.field is not None:
            asked["levels"] = (plan.field.name, shape.levels.around)
        if shape.inside is not None and plan.front is not None:
            asked["inside"] = (plan.front.crossing, shape.inside.around)
            asked["inside front"] = (plan.front.field, shape.inside.some)
        return asked

    def adopt(self, shape: Shape) -> None:
        """Show these triangles from now on. Values stay where triangles and field do; the others are grey until set."""
        old, self._shape = self._shape, shape
        same = {"surface": shape.surface is old.surface, "cut": shape.cut is old.cut}
        self._stale_meshes |= {name for name, kept in same.items() if not kept}
        if shape.plan.field != old.plan.field:
            self._values = {}
        if (shape.plan.field, shape.plan.contours) != (old.plan.field, old.plan.contours):
            self._contours = {}
        if shape.plan.front != old.plan.front:
            self._activations = {}
        if shape.inside is not old.inside or shape.plan.front != old.plan.front:
            self._inside_front.forget()
        if shape.levels is not old.levels or shape.plan.field != old.plan.field:
            self._level_values = None
        for kept in (self._values, self._activations, self._contours):
            for name in [name for name in kept if not same[name]]:
                del kept[name]

    def set_values(self, values: Mapping[str, Array], time: float) -> None:
        plan = self.shape.plan
        for name, means in self.shape.means().items():
            if plan.field is not None and name in values:
                shown = self._values[name] = means.reduce(plan.field, values[name])
                if plan.contours:
                    self._contours[name] = smoothed_known(self.shape.smooth[name], shown, shown < NO_DATA / 2)
            if plan.front is not None and plan.front_field is not None and f"{name} front" in values:
                expected = time + AHEAD * plan.front.width
                beat = BEAT_WIDTHS * plan.front.width
                times = means.reduce_front(plan.front_field, values[f"{name} front"], expected, beat)
                again = recurring(self.shape.smooth[name], times, time, plan.front.width, expected)
                self._activations[name] = smoothed(self.shape.smooth[name], again)
        if self.shape.levels is not None and "levels" in values:
            self._level_values = magnitude(values["levels"])
        inside = self.shape.inside
        if inside is not None and plan.front is not None and "inside front" in values:
            since = time - RECENT_WIDTHS * plan.front.width
            levels = values["inside"].astype(float) - plan.front.level
            self._inside_front.take(inside, levels, values["inside front"], since)
        self._stale_values = True

    def set_fields(self, fields: Mapping[str, Array], time: float) -> None:
        plan, answer = self.shape.plan, {}
        for name, means in self.shape.means().items():
            if plan.field is not None:
                answer[name] = means.of_whole(plan.field, fields[plan.field.name])
            if plan.front_field is not None and plan.front_field.name in fields:
                answer[f"{name} front"] = means.of_whole(plan.front_field, fields[plan.front_field.name])
        if self.shape.levels is not None and plan.field is not None:
            answer["levels"] = VertexMeans(self.shape.levels.around).of_all(fields[plan.field.name])
        inside, front = self.shape.inside, plan.front
        if inside is not None and front is not None and front.crossing in fields and front.field in fields:
            answer["inside"] = VertexMeans(inside.around).of_all(fields[front.crossing])
            answer["inside front"] = fields[front.field][inside.some.elements]
        self.set_values(answer, time)

    @property
    def has_values(self) -> bool:
        return "surface" in self._values

    @property
    def drawn_values(self) -> tuple[Array, ...]:
        return tuple(self._values.values())

    def pick(self, origin: Array, direction: Array) -> tuple[int, Array] | None:
        """The cell under a ray (in what the clipping plane leaves) and where it was met [mm]."""
        clip = plane_equation(self.shape.plan.clip)
        hits = [(self.full.owners, first_hit(self.full.points, self.full.triangles, origin, direction, clip))]
        if self.shape.cut is not None:
            section = self.shape.cut
            hits.append((section.owners, first_hit(section.points, section.triangles, origin, direction)))
        met = [(hit[1], int(owners[hit[0]])) for owners, hit in hits if hit is not None]
        if not met:
            return None
        distance, cell = min(met)
        return cell, origin + distance * direction

    def tangents(self, position: Array) -> tuple[Array, Array] | None:
        """Along the clipping plane if ``position`` lies on it, else along the surface at the point nearest to it."""
        clip = plane_equation(self.shape.plan.clip)
        low, high = self.bounds
        if clip is not None and abs(np.dot(clip[:3], position) - clip[3]) < 1e-4 * np.linalg.norm(high - low):
            normal = np.array(clip[:3])
        else:
            away = self.full.points - position
            normal = self.full.normals[int(np.einsum("ij,ij->i", away, away).argmin())].astype(float)
        across = np.cross(normal, np.eye(3)[int(np.abs(normal).argmin())])
        across /= np.linalg.norm(across)
        up = np.cross(normal, across)
        return across, up / np.linalg.norm(up)

    def draw(self, look: Look, view: Array, projection: Array, palette: Palette) -> None:
        """``look.clip`` is set here."""
        self._upload(palette)
        clip = plane_equation(self.shape.plan.clip) or NO_PLANE
        self._surfaces.want(self._level_values, self.levels)
        self._surfaces.draw(replace(look, clip=clip), view, projection, palette)
        if self.shape.inside is not None:
            self._inside_front.draw(replace(look, clip=clip), view, projection, palette)
        elif not self._seen_through:
            self._draw_surface(look, view, projection)

    @property
    def _seen_through(self) -> bool:
        """Whether there is something inside to be seen."""
        return self.shape.inside is not None or self._level_values is not None

    def _level_surface(self, values: Array, level: float) -> FrontSurface:
        assert self.shape.levels is not None
        return crossing(self.shape.levels, values.astype(float) - level)

    def draw_over(self, look: Look, view: Array, projection: Array, palette: Palette) -> None:
        """The surface and the cut, where one sees through them, and fibres."""
        if self._seen_through:
            clip = plane_equation(self.shape.plan.clip) or NO_PLANE
            self._surfaces.draw_over(replace(look, clip=clip), view, projection)
            self._draw_surface(look, view, projection, GLASS, CUT_GLASS)
        if self.shape.plan.fibres and self.mesh.fibres is not None:
            self._fibres.draw(self._fibre_lines(self.mesh.fibres), look, view, projection)

    def _fibre_lines(self, fibres: Array) -> Array:
        """(n, 2, 3): on the surface that the clipping plane leaves, and on the cut; made once for these."""
        section, key = self.shape.cut, self.shape.plan.clip
        if self._fibred is None or self._fibred[0] != key:
            full, clip = self.full, plane_equation(key)
            lines = streamlines(full.points, full.triangles, fibres[full.owners])
            if clip is not None:
                lines = lines[(lines @ np.array(clip[:3]) <= clip[3]).all(axis=1)]
            if section is not None:
                on_cut = streamlines(section.points, section.triangles, fibres[section.owners])
                lines = np.concatenate([lines, on_cut])
            self._fibred = key, lines
        return self._fibred[1]

    def _draw_surface(
        self, look: Look, view: Array, projection: Array, glass: float = 0.0, cut_glass: float = 0.0
    ) -> None:
        plan = self.shape.plan
        front = look.front_width if self._activations else 0.0
        masked = plan.front is not None and plan.field is not None and plan.field.name == plan.front.field
        look = replace(look, mapped=look.mapped and self.has_values, front_width=front, front_masks=masked)
        clip = plane_equation(plan.clip) or NO_PLANE
        if self.shape.cut is not None and glass:  # behind the surface that is left, mostly
            self._draw_cut(replace(look, glass=cut_glass), view, projection)
        self._visuals["surface"].draw(replace(look, clip=clip, glass=glass), view, projection)
        if self.shape.cut is not None and not glass:
            self._draw_cut(look, view, projection)

    def _draw_cut(self, look: Look, view: Array, projection: Array) -> None:
        """A cut is there to be read, so it is shaded little."""
        self._visuals["cut"].draw(replace(look, lit=0.3 * look.lit, gloss=0.0), view, projection, two_sided=True)

    def _upload(self, palette: Palette) -> None:
        if not self._visuals:
            self._visuals = {name: SurfaceVisual(palette) for name in ("surface", "cut")}
        shown, section = self.shape.surface, self.shape.cut
        if "surface" in self._stale_meshes:
            colours = self.region_colours[shown.colours]
            self._visuals["surface"].set_mesh(shown.points, shown.normals, shown.triangles, colours)
        if "cut" in self._stale_meshes and section is not None:
            self._visuals["cut"].set_mesh(*self._cut_mesh(section))
        if self._stale_meshes:
            self._stale_meshes, self._stale_values = set(), True
        if self._stale_values:
            for name, values in self._values.items():
                self._visuals[name].set_values(values)
            for name, times in self._activations.items():
                self._visuals[name].set_activation(times)
            for name, values in self._contours.items():
                self._visuals[name].set_contour(values)
            self._stale_values = False

    def _cut_mesh(self, section: Cut) -> tuple[Array, Array, Array, Array]:
        assert self.shape.plan.clip is not None
        normals = np.tile(np.array(self.shape.plan.clip.normal, np.float32), (len(section.points), 1))
        offsets, cells = section.cells.offsets, section.cells.elements
        assert offsets is not None
        rows = self._region_rows[cells[offsets[:-1]]] if len(cells) else np.zeros(0, int)
        return section.points, normals, section.triangles, self.region_colours[rows]

    def release(self) -> None:
        for visual in self._visuals.values():
            visual.release()
        self._visuals = {}
        self._inside_front.release()
        self._surfaces.release()
        self._fibres.release()
        self._stale_meshes = {"surface", "cut"}

    @property
    def is_behind(self) -> bool:
        return self._surfaces.is_behind or (self.shape.inside is not None and self._inside_front.is_behind)

    # Machines that draw slowly.

    @property
    def has_coarse(self) -> bool:
        return self.coarse is not None

    def wants_reducing(self) -> bool:
        return len(self.full.triangles) > 1.25 * COARSE_TRIANGLES

    def reduce(self, cancelled: Callable[[], bool]) -> bool:
        self.coarse = coarse_surface(self.mesh, self.full, COARSE_TRIANGLES, cancelled)
        return self.has_coarse

    def note(self) -> str:
        if not self.shape.plan.coarse:
            return ""
        return f"{grouped(self.triangle_count)} of {grouped(len(self.full.triangles))} triangles"


def grouped(number: int) -> str:
    """Digits in threes."""
    return f"{number:,}".replace(",", "\u202f")


def plane_equation(clip: ClipPlane | None) -> tuple[float, float, float, float] | None:
    """(normal, offset): hidden is where dot(normal, position) > offset."""
    if clip is None:
        return None
    normal = np.array(clip.normal, float)
    return (*clip.normal, float(normal @ np.array(clip.origin)))
