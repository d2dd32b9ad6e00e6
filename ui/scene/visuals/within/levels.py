"""Isosurfaces on the graphics card, each in the colour of its level: the smallest is solid, the others are glass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from engines.api import Array
from ui.scene.shapes.inside import FrontSurface
from ui.scene.visuals.surface import Look, Palette, SurfaceVisual
from ui.scene.visuals.within.paced import Paced

GLASS = 0.4
GLOSS = 0.3


@dataclass(frozen=True, eq=False)
class _Moment:
    values: Array
    levels: tuple[float, ...]


class LevelSurfaces(Paced[_Moment]):
    """``find(values, level)`` looks for one of them."""

    def __init__(self, find: Callable[[Array, float], FrontSurface]) -> None:
        super().__init__()
        self._find = find
        self._visuals: list[SurfaceVisual] = []

    def want(self, values: Array | None, levels: tuple[float, ...]) -> None:
        """What is to be drawn from now on; None: nothing."""
        wanted = self._wanted
        if values is None:
            self.forget()
        elif wanted is None or wanted.values is not values or wanted.levels != levels:
            self._wanted = _Moment(values, levels)

    def draw(self, look: Look, view: Array, projection: Array, palette: Palette) -> None:
        """The one that hides what is behind it."""
        self._catch_up(lambda moment: self._send(moment, palette))
        for visual in self._visuals[:1]:
            visual.draw(_surfaced(look), view, projection, two_sided=True)

    def draw_over(self, look: Look, view: Array, projection: Array) -> None:
        """Those that one sees through."""
        for visual in self._visuals[1:]:
            visual.draw(replace(_surfaced(look), glass=GLASS), view, projection, two_sided=True, nearest=True)

    def _send(self, moment: _Moment | None, palette: Palette) -> None:
        levels = () if moment is None else moment.levels
        found = [] if moment is None else [(self._find(moment.values, level), level) for level in levels]
        found.sort(key=lambda each: len(each[0].triangles))
        while len(self._visuals) < len(found):
            self._visuals.append(SurfaceVisual(palette))
        for visual in self._visuals[len(found) :]:
            visual.release()
        del self._visuals[len(found) :]
        for visual, (surface, level) in zip(self._visuals, found, strict=True):
            count = len(surface.points)
            visual.set_mesh(surface.points, surface.normals, surface.triangles, np.zeros((count, 3)))
            visual.set_values(np.full(count, level, np.float32))

    def release(self) -> None:
        """Free what is on the graphics card; drawing puts it there again."""
        for visual in self._visuals:
            visual.release()
        self._visuals = []
        self._lost()


def _surfaced(look: Look) -> Look:
    return replace(look, front_width=0.0, isochrone=0.0, both_sides=True, gloss=GLOSS if look.gloss else 0.0)
