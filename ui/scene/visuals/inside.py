"""Draws the front inside the wall. It is looked for when it is drawn, at most ten times a second."""

from __future__ import annotations

import time as clock
from dataclasses import dataclass, replace

import numpy as np

from engines.api import Array
from ui.scene.shapes.inside import Inside, front_surface
from ui.scene.visuals.surface import FRONT_COLOUR, Look, Palette, SurfaceVisual

SECONDS = 0.1
SHARE = 0.15
"""The most of the window's time that looking for the front may take."""


@dataclass(frozen=True)
class _Moment:
    inside: Inside
    levels: Array
    times: Array
    since: float


class InsideFront:
    """The newest moment's surface, and the one that is on the graphics card."""

    def __init__(self) -> None:
        self._wanted: _Moment | None = None
        self._shown: _Moment | None = None
        self._due = 0.0
        self._visual: SurfaceVisual | None = None

    @property
    def is_behind(self) -> bool:
        """Whether what was drawn last is of an earlier moment."""
        return self._wanted is not self._shown

    def take(self, inside: Inside, levels: Array, times: Array, since: float) -> None:
        """What to draw from now on, see :func:`front_surface`."""
        self._wanted = _Moment(inside, levels, times, since)

    def forget(self) -> None:
        """Nothing is to be drawn any more."""
        self._wanted = None
        self._due = 0.0

    def draw(self, look: Look, view: Array, projection: Array, palette: Palette) -> None:
        now = clock.perf_counter()
        if self.is_behind and now >= self._due:
            self._visual = self._visual or SurfaceVisual(palette)
            self._send(self._visual)
            took = clock.perf_counter() - now
            self._due = now + max(SECONDS, took / SHARE)
        if self._visual is not None and self._shown is not None:
            plain = replace(look, mapped=False, front_width=0.0, both_sides=True, gloss=0.25)
            self._visual.draw(plain, view, projection, two_sided=True)

    def _send(self, visual: SurfaceVisual) -> None:
        wanted = self._shown = self._wanted
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
        self._visual, self._shown, self._due = None, None, 0.0
