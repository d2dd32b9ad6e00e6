"""Ticks with figures along the outer edges of a grid's box."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import product

import numpy as np

from engines.api import Array
from ui.scene.scene import Scene
from ui.scene.visuals import plates
from ui.scene.visuals.screen import Stroke
from workbench.words.numbers import tick_texts
from workbench.words.units import unit_text

SHORTEST_POINTS = 70
"""An axis that looks shorter than this has no ticks."""
APART_POINTS = 65
TICK_POINTS, LABEL_POINTS, NAME_POINTS = 5.0, 17.0, 38.0
EDGE_POINTS = 9.0
"""A name whose middle is nearer to the picture's upper or lower edge would be cut."""
HALF_LETTER = 3.2
"""Points of the width of a letter, halved."""
AXES = "xyz"


@dataclass(frozen=True)
class Label:
    """Text whose middle is at a pixel; ``instead``: where it may be if it lay over something there."""

    text: str
    middle: tuple[float, float]
    faint: bool
    instead: tuple[tuple[float, float], ...] = ()

    def around(self, ratio: float) -> tuple[float, ...]:
        """About the rectangle (left, top, width, height) of the text [pixels]."""
        half, high = HALF_LETTER * len(self.text) * ratio, EDGE_POINTS * ratio
        return self.middle[0] - half, self.middle[1] - high, 2 * half, 2 * high


def seen_from(scene: Scene, width: int, height: int, ratio: float) -> Hashable:
    """All that a ruler hangs on."""
    layer, camera = scene.layer, scene.camera
    assert layer is not None
    angles = camera.azimuth, camera.elevation, camera.distance, camera.radius, camera.offset
    places = tuple(tuple(map(float, point)) for point in (camera.center, camera.scene_center, *layer.bounds))
    return angles, places, layer.length_unit, scene.theme, width, height, ratio


def ruler(scene: Scene, width: int, height: int, ratio: float) -> tuple[list[Label], list[Stroke]]:
    """What is written along x, y and z, figures before names, and the ticks' strokes."""
    layer = scene.layer
    assert layer is not None
    low, high = layer.bounds
    labels: list[Label] = []
    names: list[Label] = []
    strokes: list[Stroke] = []
    for axis in range(3):
        edge = _outer_edge(scene, low, high, axis, width, height) if high[axis] > low[axis] else None
        if edge is None:
            continue
        ends, outward = edge
        pixels, _ = scene.camera.to_pixels(ends, width, height)
        length = float(np.linalg.norm(pixels[1] - pixels[0]))
        if length < SHORTEST_POINTS * ratio:
            continue
        values = plates.ticks(low[axis], high[axis], max(1, min(6, int(length / (APART_POINTS * ratio)))))
        share = (np.array(values) - low[axis]) / (high[axis] - low[axis])
        marks, _ = scene.camera.to_pixels(ends[0] + share[:, None] * (ends[1] - ends[0]), width, height)
        for text, mark in zip(tick_texts(values), marks, strict=True):
            tip = mark + TICK_POINTS * ratio * outward
            strokes.append(Stroke(_pair(mark), _pair(tip), 0.6 * ratio, (*scene.theme.faint, 255)))
            room = LABEL_POINTS + HALF_LETTER * len(text) * abs(outward[0])  # figures beside an edge stand clear of it
            labels.append(
                Label(text, _within(text, mark + room * ratio * outward, mark, (width, height), ratio), False)
            )
        unit = f" [{unit_text(layer.length_unit)}]" if unit_text(layer.length_unit) else ""
        longest = len(max(["", *tick_texts(values)], key=len))
        room = NAME_POINTS + (12 + 6.4 * longest) * abs(outward[0])
        name, middle, along = f"{AXES[axis]}{unit}", pixels.mean(axis=0), (pixels[1] - pixels[0]) / length
        edge_room = np.array([HALF_LETTER * len(name), EDGE_POINTS]) * ratio
        sides = (middle + part * length * along + room * ratio * outward for part in (0.0, -0.25, 0.25, -0.4, 0.4))
        places = [at for at in sides if np.all((at >= edge_room) & (at <= (width, height) - edge_room))]
        past = np.abs(along) @ (10 + HALF_LETTER * (longest + len(name)), 2 * EDGE_POINTS) * ratio * along
        among = (pixels[1] + past, pixels[0] - past)  # the figures, past the last or before the first
        places += [end + LABEL_POINTS * ratio * outward for end in among]
        first, *instead = (_within(name, place, middle, (width, height), ratio) for place in places)
        names.append(Label(name, first, True, tuple(instead)))
    return labels + names, strokes


def _within(text: str, middle: Array, of: Array, size: tuple[int, int], ratio: float) -> tuple[float, float]:
    """The middle of a text that is wholly in a picture of ``size`` where the point is that it stands for."""
    if np.all((of >= 0) & (of <= size)):
        room = np.array([HALF_LETTER * len(text), EDGE_POINTS]) * ratio
        middle = np.clip(middle, room, np.maximum(size - room, room))
    return _pair(middle)


def _outer_edge(
    scene: Scene, low: Array, high: Array, axis: int, width: int, height: int
) -> tuple[Array, Array] | None:
    """The edge (2, 3) along ``axis`` that is lowest in the picture (of z: leftmost), and the unit
    vector that points away from the box in pixels. None if a part of it is behind the eye."""
    others = [k for k in range(3) if k != axis]
    middle, depth = scene.camera.to_pixels((low + high) / 2, width, height)
    best, best_score = None, -np.inf
    for sides in product((0, 1), repeat=2):
        ends = np.stack([low, high]).astype(float)
        for other, side in zip(others, sides, strict=True):
            ends[:, other] = (low, high)[side][other]
        pixels, depths = scene.camera.to_pixels(ends, width, height)
        if min(*depths, *depth) <= 0:
            return None
        along = pixels[1] - pixels[0]
        center = pixels.mean(axis=0)
        # Upright edges of a box are best read at its left; the others in front, and of two at the left.
        score = -center[0] if axis == 2 else center[1] - 0.02 * center[0]
        outward = np.array([along[1], -along[0]]) / max(float(np.linalg.norm(along)), 1e-9)
        outward = outward if outward @ (center - middle[0]) >= 0 else -outward
        if score > best_score:
            best, best_score = (ends, outward), score
    return best


def _pair(point: Array) -> tuple[float, float]:
    return float(point[0]), float(point[1])
