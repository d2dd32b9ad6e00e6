"""A grid in the scene: an image or a relief in two dimensions, three slices or a volume in three."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from engines.api import Array, FieldInfo, Selection
from engines.geometry.grid import Grid
from ui.scene.cameras.camera import Camera
from ui.scene.cameras.closeness import looked_at
from ui.scene.layers.grid_draw import GridPainter
from ui.scene.layers.layer import Layer, Plan, Window
from ui.scene.layers.marching import first_above, first_crossing, first_opaque
from ui.scene.shapes.inside import FrontSurface
from ui.scene.shapes.levels import level_surface
from ui.scene.shapes.sampling import Sampling, sampling
from ui.scene.shapes.sheet import Sheet, detail, image, layers_at, slices
from ui.scene.shapes.vertex_means import NO_DATA, magnitude
from ui.scene.visuals.surface import Look, Palette
from ui.scene.visuals.within.levels import LevelSurfaces
from workbench.project.project import CameraView

VOLUME, LEVELS = "volume", "levels"
VOLUME_SAMPLES = 144**3
LEVEL_SAMPLES = 4
"""Values that isosurfaces are looked for among, for each of the cells that a mesh would have for it."""
RELIEF_SAMPLES, COARSE_RELIEF_SAMPLES = 512 * 512, 96 * 96
"""Vertices of a relief with a graphics card, and without."""
FROM_ABOVE, ASLANT = CameraView(azimuth=-90.0, elevation=90.0), CameraView(azimuth=-60.0, elevation=24.0)
ACROSS = (CameraView(azimuth=0.0, elevation=0.0), CameraView(azimuth=-90.0, elevation=0.0), FROM_ABOVE)
"""Facing a sheet across x, y, z; a grid with one cell along an axis is one."""
AROUND = 8
"""While a part is looked at closely, the whole has this part of the samples."""
MIDDLE = (0.5, 0.5, 0.5)


@dataclass(frozen=True)
class GridShape:
    """The samples of a plan: sheets, or a volume."""

    plan: Plan
    sheets: tuple[Sheet, ...]
    volume: Sampling | None = None
    levels: Sampling | None = None

    def samplings(self) -> dict[str, Sampling]:
        if self.volume is not None:
            return {VOLUME: self.volume}
        boxes = {sheet.name: sheet.sampling for sheet in self.sheets}
        return boxes if self.levels is None else {**boxes, LEVELS: self.levels}


class Values(NamedTuple):
    """Samples by row (and layer of a volume), NO_DATA where ``masked`` and missing."""

    array: Array
    masked: bool


class GridLayer(Layer):
    """Draws a :class:`Grid`; one with lines of its own through its raster, of which ``grid`` here is short for."""

    clips = False
    ruled = True
    contoured = True
    locations = ("cell", "grid")

    def __init__(self, grid: Grid) -> None:
        self.geometry, self.grid = grid, grid.raster
        self.length_unit = grid.length_unit
        self.flat = grid.dimensions == 2
        thin = grid.counts.index(1) if not self.flat and 1 in grid.counts else 2 if self.flat else None
        self.leveled = thin is None
        self.home = ASLANT if thin is None else ACROSS[thin]
        self.frame = None if thin is None else self.outline
        self._kept: tuple[Plan, GridShape] | None = None
        self._shape = self.plan_shape(Plan())
        self._values: dict[str, Values] = {}
        self._painter = GridPainter(self.grid)
        self._surfaces = LevelSurfaces(self._level_surface)
        self._limits, self._log = (0.0, 1.0), False

    @property
    def bounds(self) -> tuple[Array, Array]:
        return self.grid.bounds

    @property
    def outline(self) -> Array:
        low, high = self.grid.bounds
        x, y, z = np.meshgrid(*zip(low, high, strict=True), indexing="ij")
        return np.unique(np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1), axis=0)

    @property
    def lies_flat(self) -> bool:
        return self.flat and self.shape.plan.height == 0

    @property
    def shape(self) -> GridShape:
        return self._shape

    @property
    def has_coarse(self) -> bool:
        return True

    def settled(self, plan: Plan) -> Plan:
        return self.plan_shape(plan).plan

    def window(self, camera: Camera, aspect: float) -> Window | None:
        return looked_at(self.grid, camera, aspect) if self.flat else None

    def plan_shape(self, plan: Plan) -> GridShape:
        if self._kept is None or self._kept[0] != plan:
            self._kept = (plan, self._planned(plan))
        return self._kept[1]

    def _planned(self, plan: Plan) -> GridShape:
        plan = replace(
            plan, front=None, front_field=None, inside=0, clip=None, window=plan.window if self.flat else None
        )
        if not self.leveled or plan.volume:
            plan = replace(plan, levels=0)
        plan = replace(plan, cuts=plan.cuts and plan.levels > 0)
        means = plan.field is None or (plan.field.missing is None and not plan.field.names)
        if self.flat:
            most = plan.samples
            if plan.height:
                most = min(most, COARSE_RELIEF_SAMPLES if plan.coarse else RELIEF_SAMPLES)
            sheet = image(self.grid, most, means)
            if plan.window is not None and not plan.height:
                closer = detail(self.grid, plan.window, most, means)
                if closer.sampling.strides < sheet.sampling.strides:
                    around = image(self.grid, max(most // AROUND, 1), means)
                    return GridShape(replace(plan, coarse=False, slices=None, volume=False), (around, closer))
            coarse = plan.coarse and plan.height > 0
            plan = replace(plan, coarse=coarse, slices=None, volume=False, samples=sheet.sampling.size, window=None)
            return GridShape(plan, (sheet,))
        nx, ny, nz = self.grid.counts
        if plan.volume:
            box = sampling(self.grid, (0, 0, 0), (nx, ny, nz), VOLUME_SAMPLES, means)
            plan = replace(plan, coarse=False, height=0.0, slices=None, samples=box.size)
            return GridShape(plan, (), box)
        # Two of three slices fill the view at most.
        sheets = slices(self.grid, plan.slices or MIDDLE, max(plan.samples // 2, 1), means)
        levels = None
        if plan.levels:
            levels = sampling(self.grid, (0, 0, 0), (nx, ny, nz), LEVEL_SAMPLES * plan.levels, means)
        x, y, z = (
            (index + 0.5) / count
            for index, count in zip(layers_at(self.grid, plan.slices or MIDDLE), (nx, ny, nz), strict=True)
        )
        most = 2 * max(sheet.sampling.size for sheet in sheets)
        plan = replace(plan, coarse=False, height=0.0, slices=(x, y, z), samples=most)
        return GridShape(plan, () if levels is not None and not plan.cuts else sheets, None, levels)

    def parts(self, shape: GridShape) -> dict[str, tuple[str, Selection]]:
        field = shape.plan.field
        if field is None:
            return {}
        return {name: (field.name, box.selection(self.geometry)) for name, box in shape.samplings().items()}

    def adopt(self, shape: GridShape) -> None:
        old, self._shape = self._shape, shape
        before, now = old.samplings(), shape.samplings()
        same_field = old.plan.field == shape.plan.field
        self._values = {
            name: values
            for name, values in self._values.items()
            if same_field and name in now and before.get(name) == now[name]
        }

    def set_values(self, values: Mapping[str, Array], time: float) -> None:
        field = self.shape.plan.field
        for name, box in self.shape.samplings().items():
            if field is not None and name in values:
                self._values[name] = self._arranged(field, box, name, values[name])
                self._painter.stale.add(name)
        self._surfaces.want(self._level_values, self.levels)

    def _arranged(self, field: FieldInfo, box: Sampling, name: str, values: Array) -> Values:
        nx, ny, nz = box.counts
        shape = (nz, ny, nx) if name in (VOLUME, LEVELS) else self._rows_and_columns(name)
        scalars = magnitude(values).reshape(shape)
        missing = scalars == np.float32(field.missing) if field.missing is not None else None
        if missing is None and np.isfinite(scalars.sum(dtype=np.float64)):
            return Values(scalars, False)
        nothing = ~np.isfinite(scalars) if missing is None else missing | ~np.isfinite(scalars)
        if name in (VOLUME, LEVELS):  # what is not there is clear
            return Values(np.where(nothing, np.float32(field.range[0]), scalars), False)
        return Values(np.where(nothing, np.float32(NO_DATA), scalars), True)

    def _rows_and_columns(self, name: str) -> tuple[int, int]:
        return next(sheet.shape for sheet in self.shape.sheets if sheet.name == name)

    def set_fields(self, fields: Mapping[str, Array], time: float) -> None:
        field = self.shape.plan.field
        if field is not None:
            whole = np.asarray(fields[field.name]).reshape(self.geometry.n_cells, -1)
            whole = whole if field.components > 1 else whole[:, 0]
            taken = {name: box.of_whole(self.geometry, whole) for name, box in self.shape.samplings().items()}
            self.set_values(taken, time)

    @property
    def mixes(self) -> bool:  # a flat sheet alone shows its samples one by one
        return self.shape.volume is not None or self.shape.plan.height > 0

    @property
    def veils(self) -> bool:  # three slices cross a body in seven eighths of which nothing else would be seen
        return len(self.shape.sheets) == 3 and self.shape.levels is None

    @property
    def has_values(self) -> bool:
        return bool(self._values)

    @property
    def drawn_values(self) -> tuple[Array, ...]:
        return tuple(values.array for values in self._values.values())

    # Where things are.

    @property
    def _lift(self) -> float:
        """How high the upper end of the range stands in the relief [length_unit]."""
        return self.shape.plan.height * max(self.grid.lengths) if self.has_values else 0.0

    def pick(self, origin: Array, direction: Array) -> tuple[int, Array] | None:
        position = self._met(np.asarray(origin, float), np.asarray(direction, float))
        return None if position is None else (int(self.geometry.nearest(position)[0]), position)

    def _met(self, origin: Array, direction: Array) -> Array | None:
        low, high = self.grid.bounds
        if self.shape.volume is not None:
            if VOLUME not in self._values:
                return None
            volume, fill = self._values[VOLUME].array, self.shape.volume.fill
            return first_opaque(volume, self._limits, low, high, origin, direction, fill)
        if self._lift:
            met = first_above(self._heights, (-0.25 * self._lift, 1.25 * self._lift), low, high, origin, direction)
            # A place of the grid, not of its picture: flat, as the cells are.
            return None if met is None else np.array([met[0], met[1], low[2]])
        values = self._level_values
        crossed = None
        if values is not None and self.shape.levels is not None:
            axes = self._axes(self.shape.levels)
            crossed = first_crossing(values, self.levels, low, high, origin, direction, axes)
        distances = [] if crossed is None else [crossed]
        distances += [distance for s in self.shape.sheets if (distance := s.meet(self.grid, origin, direction))]
        return origin + min(distances) * direction if distances else None

    def _heights(self, positions: Array) -> Array:
        """(n,): how far the relief stands above the grid at (n, 3)."""
        sheet = self.shape.sheets[0]
        kept = self._values[sheet.name].array
        corner, across, up = sheet.place(self.grid)
        rows, columns = kept.shape
        u = (positions[:, 0] - corner[0]) / across[0] * sheet.span[0]
        v = (positions[:, 1] - corner[1]) / up[1] * sheet.span[1]
        values = kept[np.clip(v.astype(int), 0, rows - 1), np.clip(u.astype(int), 0, columns - 1)]
        place = np.clip(self._place(values), -0.25, 1.25)
        return np.where(values < 0.3 * NO_DATA, self._lift * place, 0.0)

    def _place(self, values: Array) -> Array:
        """Between the ends of the colours, as ``place.glsl`` has it."""
        low, high = self._limits
        share = (values - low) / (high - low)
        return np.log1p(np.maximum(share, 0) * (high / low - 1)) / np.log(high / low) if self._log else share

    def shown_at(self, positions: Array) -> Array:
        if not self._lift:
            return positions
        return positions + np.outer(self._heights(positions), (0.0, 0.0, 1.0))

    def tangents(self, position: Array) -> tuple[Array, Array] | None:
        """Along the sheet that goes through ``position``."""
        spacing = [*self.grid.spacing, max(self.grid.spacing)]
        for sheet in self.shape.sheets:
            corner, across, up = sheet.place(self.grid)
            if abs(position[sheet.axis] - corner[sheet.axis]) < 0.01 * spacing[sheet.axis]:
                return across / np.linalg.norm(across), up / np.linalg.norm(up)
        return None

    # Drawing.

    def draw(self, look: Look, view: Array, projection: Array, palette: Palette) -> None:
        self._limits, self._log = look.limits, look.log
        values = {name: kept for name, kept in self._values.items() if name not in (VOLUME, LEVELS)}
        self._painter.draw(self.shape.sheets, values, self._lift, look, view, projection, palette)
        self._surfaces.want(self._level_values, self.levels)
        self._surfaces.draw(look, view, projection, palette)

    @property
    def _level_values(self) -> Array | None:
        """(nz, ny, nx): those that isosurfaces are looked for among."""
        kept = self._values.get(LEVELS)
        return None if kept is None or self.shape.levels is None else kept.array

    def _level_surface(self, values: Array, level: float) -> FrontSurface:
        box = self.shape.levels
        assert box is not None
        return level_surface(values, level, self._axes(box), self.shape.plan.levels // max(len(self.levels), 1))

    def _axes(self, box: Sampling) -> tuple[Array, Array, Array]:
        """Where the samples of a box are along x, y, z."""
        sides = zip(self.grid.origin, self.grid.spacing, box.low, box.high, box.strides, strict=True)
        x, y, z = (origin + spacing * _middles(low, high, stride) for origin, spacing, low, high, stride in sides)
        return x, y, z

    @property
    def is_behind(self) -> bool:
        return self._surfaces.is_behind

    def draw_over(self, look: Look, view: Array, projection: Array, palette: Palette) -> None:
        volume = self._values.get(VOLUME)
        if self.shape.volume is not None and volume is not None:
            self._painter.draw_volume(self.shape.volume, volume.array, look, view, projection, palette)
        self._surfaces.draw_over(look, view, projection)
        self._painter.draw_edges(look, view, projection)

    def release(self) -> None:
        self._painter.release()
        self._surfaces.release()

    def note(self) -> str:
        boxes = list(self.shape.samplings().values())
        box = boxes[-1] if self.flat else max(boxes, key=lambda box: box.strides)
        if max(box.strides) == 1:
            return ""
        block = " × ".join(str(stride) for stride in box.strides[: self.grid.dimensions])
        cells = "cells" if self.geometry is self.grid else "of the smallest cells"
        return f"{'means' if box.means else 'one'} of each {block} {cells}"


def _middles(low: int, high: int, stride: int) -> Array:
    """Of the blocks of ``stride`` cells from ``low`` to ``high``, in cells: the last one may be shorter."""
    begin = np.arange(low, high, stride)
    return (begin + np.minimum(begin + stride, high)) / 2
