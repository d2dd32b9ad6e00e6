"""Draws the front inside the wall. It is looked for when it is drawn, at most ten times a second."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engines.api import Array
from ui.scene.shapes.inside import Inside, front_surface
from ui.scene.visuals.surface import FRONT_COLOUR, Look, Palette, SurfaceVisual
from ui.scene.visuals.within.paced import Paced


@dataclass(frozen=True)
class _Moment:
    inside: Inside
    levels: Array
    times: Array
    since: float


class InsideFront(Paced[_Moment]):
    """The newest moment's surface, and the one that is on the graphics card."""

    def __init__(self) -> None:
        super().__init__()
        self._visual: SurfaceVisual | None = None

    def take(self, inside: Inside, levels: Array, times: Array, since: float) -> None:
        """What to draw from now on, see :func:`front_surface`."""
        self._wanted = _Moment(inside, levels, times, since)

    def draw(self, look: Look, view: Array, projection: Array, palette: Palette) -> None:
        visual = self._visual = self._visual or SurfaceVisual(palette)
        self._catch_up(lambda moment: self._send(visual, moment))
        if self._shown is not None:
            plain = replace(look, mapped=False, front_width=0.0, both_sides=True, gloss=0.25)
            visual.draw(plain, view, projection, two_sided=True)

    @staticmethod
    def _send(visual: SurfaceVisual, wanted: _Moment | None) -> None:
        if wanted is None:
            visual.release()
            return
        found = front_surface(wanted.inside, wanted.levels, wanted.times, wanted.since)
        srgb = 255 * np.sqrt(np.array(FRONT_COLOUR))
        visual.set_mesh(found.points, found.normals, found.triangles, np.tile(srgb, (len(found.points), 1)))

    def release(self) -> None:
        """Free what is on the graphics card; drawing puts it there again."""
        if self._visual is not None:
            self._visual.release()
        self._visual = None
        self._lost()
