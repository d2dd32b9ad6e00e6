"""Keeps what is on the graphics card of a grid, and draws it: sheets or a relief, a volume, the edges of the box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from engines.api import Array
from engines.geometry.grid import Grid
from ui.scene.shapes.sampling import Sampling
from ui.scene.shapes.sheet import Sheet
from ui.scene.visuals.grid import LinesVisual, ReliefVisual, SheetVisual, VolumeVisual
from ui.scene.visuals.surface import Look, Palette

EDGE, SHEET_EDGE = 0.75, 0.45
"""Opacity of the box's edges and of those of the slices."""


class GridPainter:
    """``stale``: names of samples that have changed since they were sent."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self.stale: set[str] = set()
        self._sheets: dict[str, SheetVisual] = {}
        self._relief: ReliefVisual | None = None
        self._volume: VolumeVisual | None = None
        self._lines: LinesVisual | None = None
        edges, faces = _edges(*grid.bounds)
        self._edges, self._faces = edges, faces

    def draw(
        self,
        sheets: Sequence[Sheet],
        values: Mapping[str, tuple[Array, bool]],
        lift: float,
        look: Look,
        view: Array,
        projection: Array,
        palette: Palette,
    ) -> None:
        """What is opaque, and the edges that are behind it however it is turned."""
        self._draw_lines(self._edges[~self._in_front(view)], look, view, projection)
        for name in set(self._sheets) - {sheet.name for sheet in sheets}:
            self._sheets.pop(name).release()
        for sheet in sheets:
            visual = self._sheets.get(sheet.name) or SheetVisual(palette)
            if sheet.name not in self._sheets:
                self._sheets[sheet.name] = visual
                self.stale.add(sheet.name)
            if sheet.name in values and sheet.name in self.stale:
                visual.samples.set(*values[sheet.name])
                self.stale.discard(sheet.name)
            place, mapped = sheet.place(self._grid), look.mapped and sheet.name in values
            if sheet.detail and not mapped:
                continue
            if mapped and lift:
                self._draw_relief(sheet, place, visual, lift, look, view, projection, palette)
            else:
                visual.draw(look, view, projection, place, sheet.span, mapped, over=sheet.detail)
        if len(sheets) == 3:
            places = [sheet.place(self._grid) for sheet in sheets]
            crossings = _crossings(np.array([corner for corner, *_ in places]), *self._grid.bounds)
            lines = np.concatenate([crossings, *(_outline(*place) for place in places)])
            self._draw_lines(lines, look, view, projection, SHEET_EDGE)

    def _draw_relief(
        self,
        sheet: Sheet,
        place: tuple[Array, Array, Array],
        visual: SheetVisual,
        lift: float,
        look: Look,
        view: Array,
        projection: Array,
        palette: Palette,
    ) -> None:
        rows, columns = sheet.shape
        vertices = (max(columns, 2), max(rows, 2))
        if self._relief is None or self._relief.vertices != vertices:
            if self._relief is not None:
                self._relief.release()
            self._relief = ReliefVisual(palette, vertices)
        self._relief.draw(look, view, projection, place, sheet.span, visual.samples, lift)

    def draw_volume(
        self, box: Sampling, values: Array, look: Look, view: Array, projection: Array, palette: Palette
    ) -> None:
        if self._volume is None:
            self._volume = VolumeVisual(palette)
            self.stale.add("volume")
        if "volume" in self.stale:
            self._volume.set(values)
            self.stale.discard("volume")
        x, y, z = ((high - low) / s for low, high, s in zip(box.low, box.high, box.strides, strict=True))
        self._volume.draw(look, view, projection, self._grid.bounds, (x, y, z), look.diverging)

    def draw_edges(self, look: Look, view: Array, projection: Array) -> None:
        """The edges that only what lies before the box could hide."""
        self._draw_lines(self._edges[self._in_front(view)], look, view, projection)

    def _draw_lines(self, lines: Array, look: Look, view: Array, projection: Array, opacity: float = EDGE) -> None:
        if len(lines):
            self._lines = self._lines or LinesVisual()
            self._lines.draw(lines, (*look.ink, opacity), look, view, projection)

    def _in_front(self, view: Array) -> Array:
        """(edges,) bool: whether one of the two faces at an edge looks at the eye."""
        low, high = self._grid.bounds
        eye = -view[:3, :3].T @ view[:3, 3]
        seen = np.stack([eye < low, eye > high])  # (side, axis)
        return np.array([any(seen[side, axis] for axis, side in beside) for beside in self._faces])

    def release(self) -> None:
        """Free what is on the graphics card."""
        for visual in (*self._sheets.values(), self._relief, self._volume):
            if visual is not None:
                visual.release()
        self._sheets, self._relief, self._volume, self._lines = {}, None, None, None


def _outline(corner: Array, across: Array, up: Array) -> Array:
    """(4, 2, 3): the edges of a rectangle."""
    around = np.stack([corner, corner + across, corner + across + up, corner + up])
    return np.stack([around, np.roll(around, -1, axis=0)], axis=1)


def _crossings(corners: Array, low: Array, high: Array) -> Array:
    """(3, 2, 3): where three slices cross; slice k is across axis k through ``corners[k]``."""
    lines = np.tile(np.diag(corners), (3, 2, 1))
    for axis in range(3):
        lines[axis, :, axis] = low[axis], high[axis]
    return lines


def _edges(low: Array, high: Array) -> tuple[Array, list[list[tuple[int, int]]]]:
    """The twelve edges of a box (n, 2, 3), and for each the faces at it as (axis, side). A flat box has four."""
    ends = np.stack([low, high])
    edges, faces = [], []
    for axis in range(3):
        others = [k for k in range(3) if k != axis]
        for sides in product((0, 1), repeat=2):
            beside = list(zip(others, sides, strict=True))
            if high[2] == low[2] and (axis == 2 or (2, 1) in beside):
                continue
            edge = np.empty((2, 3))
            edge[:, axis] = ends[:, axis]
            for other, side in beside:
                edge[:, other] = ends[side, other]
            edges.append(edge)
            faces.append(beside)
    return np.array(edges), faces
