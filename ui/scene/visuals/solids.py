"""Bodies in space on the graphics card: shaded, and looked through.

Of each body the nearest face is drawn alone, bodies behind before bodies in front, so that however they lie every one
tints what is behind it once. Triangles go to the card when a body is another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from vispy import gloo

from engines.api import Array
from engines.api.placing import Faces, PlacedItem
from ui.scene.shapes.surface import corner_normals
from ui.scene.visuals.software import is_software
from ui.scene.visuals.surface import Look, Palette, SurfaceVisual

Colour = tuple[int, int, int]
Body = tuple[PlacedItem, Colour, Array]
"""What it is, its colour, and (3,) how far it has moved."""
GLOSS = 0.22
VEILED = 0.25
"""Of their opacity is left to each wall of bodies that a slice hides."""
FINEST, COARSE = 1 << 20, 64
"""Steps along the longest side of a body that tell points apart."""
MOST_TRIANGLES = 20_000
"""Of a body, where the processor draws: one of more (a file's) is drawn in coarse steps (57,600 triangles: 64 to 25 ms
a frame)."""


@dataclass
class _Kept:
    item: PlacedItem
    colour: Colour
    visual: SurfaceVisual
    corners: Array


class SolidVisuals:
    """Needs the GL context for everything."""

    def __init__(self, palette: Palette) -> None:
        self._palette = palette
        self._kept: dict[int, _Kept] = {}
        self._software: bool | None = None

    def draw(
        self, bodies: Sequence[Body], opacity: float, look: Look, view: Array, projection: Array, veiled: bool = False
    ) -> None:
        """``opacity`` 1: nothing is seen through them. ``veiled``: what lies before them lets them shine through."""
        drawn = [(self._body(item, colour), shift) for item, colour, shift in bodies]
        for gone in set(self._kept) - {id(item) for item, *_ in bodies}:
            self._kept.pop(gone).visual.release()
        eye = -view[:3, :3].T @ view[:3, 3]
        far_first = sorted(drawn, key=lambda each: -_distance(each[0].corners + each[1], eye))
        plain = replace(look, mapped=False, front_width=0.0, isochrone=0.0, both_sides=True, gloss=GLOSS)
        plain.glass = 0.0 if opacity >= 1 else opacity
        for kept, shift in far_first if veiled else ():  # all before the first that may itself hide one
            kept.visual.draw_behind(replace(plain, glass=VEILED * opacity), _moved(view, shift), projection)
        for kept, shift in far_first:
            kept.visual.draw(plain, _moved(view, shift), projection, two_sided=True, nearest=True)

    def _body(self, item: PlacedItem, colour: Colour) -> _Kept:
        kept = self._kept.get(id(item))
        if kept is not None and kept.colour == colour:
            return kept
        if kept is not None:
            kept.visual.release()
        visual = SurfaceVisual(self._palette)
        faces = item.faces() if item.faces is not None else None
        corners = np.zeros((1, 3))
        if faces is not None and len(faces.triangles):
            if self._software is None:
                self._software = is_software(str(gloo.gl.glGetParameter(gloo.gl.GL_RENDERER)))
            coarse = self._software and len(faces.triangles) > MOST_TRIANGLES
            points, normals = with_normals(faces, COARSE if coarse else FINEST)
            shade = np.broadcast_to(np.array(colour, np.float32), points.shape)
            visual.set_mesh(points, normals, np.arange(len(points)), shade)
            corners = _corners(faces.points)
        self._kept[id(item)] = _Kept(item, colour, visual, corners)
        return self._kept[id(item)]

    def release(self) -> None:
        """Free what is on the graphics card."""
        for kept in self._kept.values():
            kept.visual.release()
        self._kept = {}


def _moved(view: Array, shift: Array) -> Array:
    by = np.eye(4)
    by[:3, 3] = shift
    return view @ by


def with_normals(faces: Faces, steps: int = FINEST) -> tuple[Array, Array]:
    """Corners of all triangles and unit normals there, (3 m, 3) each: smooth but at edges. Points in one of so many
    ``steps`` along the longest side are one, at their mean."""
    low, high = faces.points.min(axis=0), faces.points.max(axis=0)
    size = max(float((high - low).max()), 1e-300)
    places = np.rint((faces.points - low) * ((steps - 1) / size)).astype(np.int64)
    _, number = np.unique(places @ np.array([1 << 40, 1 << 20, 1]), return_inverse=True)
    count = np.bincount(number)
    points = np.stack([np.bincount(number, faces.points[:, axis]) / count for axis in range(3)], axis=1)
    triangles = np.ascontiguousarray(number[faces.triangles], np.int64)
    triangles = triangles[(triangles != np.roll(triangles, 1, axis=1)).all(axis=1)]
    return points[triangles].reshape(-1, 3), corner_normals(points, triangles).reshape(-1, 3)


def _corners(points: Array) -> Array:
    """(8, 3): of the box around them."""
    ends = np.stack([points.min(axis=0), points.max(axis=0)])
    return np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


def _distance(corners: Array, eye: Array) -> float:
    """To the nearest of them: what holds another body is then in front of it."""
    return float(np.linalg.norm(corners - eye, axis=1).min())
