"""What stands in space over the picture: outlines of objects, sources and monitors, the chosen one with its handles.

Outlines are lines in space that slices hide in part (what is behind shines through faintly). The chosen one is drawn in
pixels, on top of everything and anew without the scene, so that dragging costs little on any machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.api.placing import MOVE, Handle, PlacedGroup, PlacedItem, Placement
from ui.scene.scene import Scene
from ui.scene.visuals.screen import Stroke

Colour = tuple[int, int, int]
ROLES: dict[str, Colour] = {
    "material": (150, 156, 168), "object": (96, 165, 250), "source": (244, 114, 94), "monitor": (74, 194, 132),
    "boundary": (150, 156, 168),
}  # fmt: skip
TINTS: tuple[Colour, ...] = (
    (86, 164, 240), (228, 178, 62), (178, 132, 240), (60, 190, 190), (236, 130, 180), (150, 190, 70), (200, 150, 110),
)  # fmt: skip
"""Middle tones, which stand off white slices and dark space."""
AXES: tuple[Colour, ...] = ((232, 92, 88), (112, 196, 96), (92, 148, 240))
CASING, WHITE = (24, 27, 33), (250, 251, 253)
CHOSEN, EDGE = 1.0, 0.9
"""Half the width of a line of the chosen item, and what its dark edge adds, in points."""
ARM = 46.0
"""Points from the middle of the chosen item to the tip of an arrow along an axis."""
SHORTEST_ARM = 15.0
"""An arrow that points at the viewer and is shorter in the picture is left out."""
KNOB, MIDDLE = 4.4, 5.6


@dataclass(frozen=True)
class Knob:
    """A handle as it is drawn: ``axis`` is that of an arrow from the middle of the item; None for the handle itself."""

    handle: Handle
    axis: int | None
    foot: tuple[float, float]
    at: tuple[float, float]


def colour_of(group: PlacedGroup, item: PlacedItem) -> Colour:
    if item.colour is not None:
        return item.colour
    return ROLES[group.role] if item.tint is None else TINTS[item.tint % len(TINTS)]


def shown(scene: Scene) -> Iterator[tuple[PlacedGroup, PlacedItem]]:
    """What outlines are drawn of."""
    if scene.marks.placement is not None and scene.view.outlines and scene.layer is not None:
        yield from ((group, item) for group, item in scene.marks.placement.items() if item.outline)


def solids(scene: Scene) -> list[tuple[PlacedItem, Colour, Array]]:
    """What is drawn as a body, its colour, and (3,) how far from where it was placed; what is dragged as it is now."""
    if scene.view.solidity == 0 or scene.layer is None or scene.layer.lies_flat:
        return []
    dragged = scene.marks.dragged
    bodies = ((g, dragged if dragged is not None and dragged.path == item.path else item) for g, item in shown(scene))
    return [(item, colour_of(group, item), _shift(scene, item)) for group, item in bodies if item.faces is not None]


def materials(scene: Scene) -> tuple[tuple[str, Colour], ...]:
    """The legend of what is drawn as bodies."""
    named: dict[str, Colour] = {}
    if scene.view.solidity > 0:
        for group, item in shown(scene):
            if item.faces is not None:
                named.setdefault(item.material or group.title, colour_of(group, item))
    return tuple(named.items())


def lines_in_space(scene: Scene) -> list[tuple[Array, Colour, bool]]:
    """(n, 2, 3) of each colour, and whether they are but faint (absorbing layers); without the chosen item."""
    found: dict[tuple[Colour, bool], list[Array]] = {}
    for group, item in shown(scene):
        if item.path != scene.marks.chosen:
            key = (colour_of(group, item), group.role == "boundary")
            found.setdefault(key, []).append(segments(scene, item))
    return [(np.concatenate(parts), *key) for key, parts in found.items()]


def segments(scene: Scene, item: PlacedItem) -> Array:
    """(n, 2, 3): the lines of an outline where the item is now; on a flat geometry they lie in its plane."""
    parts = [np.stack([line[:-1], line[1:]], axis=1) for line in item.outline if len(line) > 1]
    lines = np.concatenate(parts) if parts else np.zeros((0, 2, 3))
    return _in_plane(scene, lines + _shift(scene, item))


def _shift(scene: Scene, item: PlacedItem) -> Array:
    """(3,) how far it is drawn from where it was placed: as far as it moved up to the body, and from there on as many
    times as far as the body is, or they would not touch. While its handles are there it is where it was placed."""
    by = np.array(scene.shifts.get(item.path, (0.0, 0.0, 0.0)), float)
    length = float(np.linalg.norm(by))
    if scene.marks.grips or length == 0:
        return np.zeros(3)
    if scene.deformation is None or scene.layer is None:
        return by
    free = min(_way_to(scene.layer.bounds, item, by / length), length)
    return by * (free + scene.deformation * (length - free)) / length


def _way_to(body: tuple[Array, Array], item: PlacedItem, way: Array) -> float:
    """How far the box around an item goes along ``way`` (3,), of length 1, until it meets that of the body; infinite
    where it never does."""
    if item.bounds is None:
        return 0.0
    flat = body[0] == body[1]
    begins, ends = -np.inf, np.inf
    for axis in np.flatnonzero(~flat):
        gaps = body[0][axis] - item.bounds[1][axis], body[1][axis] - item.bounds[0][axis]
        if way[axis] == 0:
            if gaps[0] > 0 or gaps[1] < 0:
                return np.inf
            continue
        first, last = sorted(gap / way[axis] for gap in gaps)
        begins, ends = max(begins, first), min(ends, last)
    return max(float(begins), 0.0) if begins <= ends and ends >= 0 else np.inf


def _in_plane(scene: Scene, points: Array) -> Array:
    assert scene.layer is not None
    low, high = scene.layer.bounds
    points = np.array(points, float)
    if low[2] == high[2]:
        points[..., 2] = low[2]
    return points


def strokes(scene: Scene, width: float, height: float, ratio: float, handles: bool) -> list[Stroke]:
    """The chosen item over the picture, and its handles; the one under the pointer a little brighter."""
    if scene.marks.placement is None or not scene.view.outlines:
        return []
    found: list[Stroke] = []
    hovered = scene.marks.placement.at(scene.marks.hovered)
    if handles and hovered is not None and hovered.path != scene.marks.chosen:
        colour = next(colour_of(*each) for each in scene.marks.placement.items() if each[1] is hovered)
        found += _outline(scene, hovered, width, height, 0.9 * ratio, 0.0, colour)
    item = scene.marks.item
    if item is None or not item.outline:
        return found
    colour = next((colour_of(*each) for each in scene.marks.placement.items() if each[1].path == item.path), WHITE)
    if scene.marks.wrong:
        colour = (240, 84, 84)
    found += _outline(scene, item, width, height, CHOSEN * ratio, EDGE * ratio, colour)
    if handles and scene.marks.grips:
        for knob in knobs(scene, width, height, ratio):
            found += _knob(knob, ratio)
    return found


def _outline(
    scene: Scene, item: PlacedItem, width: float, height: float, radius: float, edge: float, colour: Colour
) -> list[Stroke]:
    lines = segments(scene, item)
    pixels, depth = scene.camera.to_pixels(lines.reshape(-1, 3), width, height)
    ends = pixels.reshape(-1, 2, 2)[(depth.reshape(-1, 2) > 0).all(axis=1)].tolist()
    pairs = [((a[0], a[1]), (b[0], b[1])) for a, b in ends]
    under = [Stroke(a, b, radius + edge, (*CASING, 255)) for a, b in pairs] if edge else []
    return under + [Stroke(a, b, radius, (*colour, 255)) for a, b in pairs]


def knobs(scene: Scene, width: float, height: float, ratio: float = 1.0) -> list[Knob]:
    """What of the chosen item can be gripped, the last drawn on top: arrows along the axes, handles, the middle."""
    item, placement = scene.marks.item, scene.marks.placement
    if item is None or placement is None or not item.handles or not scene.view.outlines:
        return []
    places = _in_plane(scene, np.array([handle.position for handle in item.handles], float))
    pixels, depth = scene.camera.to_pixels(places, width, height)
    arrows: list[Knob] = []
    sizes: list[Knob] = []
    middle: list[Knob] = []
    for handle, place, at, deep in zip(item.handles, places, pixels, depth, strict=True):
        if deep <= 0:
            continue
        spot = (float(at[0]), float(at[1]))
        if handle.name == MOVE:
            arrows += _arrows(scene, placement, item, handle, place, width, height, ratio)
        (middle if handle.name == MOVE else sizes).append(Knob(handle, None, spot, spot))
    return [*arrows, *sizes, *middle]


def _arrows(
    scene: Scene,
    placement: Placement,
    item: PlacedItem,
    handle: Handle,
    place: Array,
    width: float,
    height: float,
    ratio: float,
) -> Iterator[Knob]:
    """Longer than usual where the tip would stand on the handle of a face."""
    usual = ARM * ratio * scene.camera.mm_per_pixel(height)
    extent = np.zeros(3) if item.bounds is None else item.bounds[1] - place
    for axis in range(3):
        if len(placement.snaps[axis]) <= 2:
            continue
        arm = max(usual, extent[axis] + 0.55 * usual) if extent[axis] < 1.6 * usual else usual
        (foot, tip), depth = scene.camera.to_pixels(np.stack([place, place + arm * np.eye(3)[axis]]), width, height)
        if (depth > 0).all() and float(np.linalg.norm(tip - foot)) >= SHORTEST_ARM * ratio:
            yield Knob(handle, axis, (float(foot[0]), float(foot[1])), (float(tip[0]), float(tip[1])))


def _knob(knob: Knob, ratio: float) -> list[Stroke]:
    if knob.axis is not None:
        colour, radius = AXES[knob.axis], 1.4 * ratio
        parts = [(knob.foot, knob.at, radius), *_head(knob, ratio, radius)]
        under = [Stroke(a, b, r + ratio, (*CASING, 200)) for a, b, r in parts]
        return under + [Stroke(a, b, r, (*colour, 255)) for a, b, r in parts]
    radius = (MIDDLE if knob.handle.name == MOVE else KNOB) * ratio
    return [
        Stroke(knob.at, knob.at, radius + 1.2 * ratio, (*CASING, 255)),
        Stroke(knob.at, knob.at, radius, (*WHITE, 255)),
    ]


def _head(knob: Knob, ratio: float, radius: float) -> list[tuple[tuple[float, float], tuple[float, float], float]]:
    """The two strokes of an arrow's head."""
    foot, tip = np.array(knob.foot), np.array(knob.at)
    along = (tip - foot) / max(float(np.linalg.norm(tip - foot)), 1e-9)
    across = np.array([-along[1], along[0]])
    ends = (tip - 9 * ratio * along + sign * 4.5 * ratio * across for sign in (1, -1))
    return [((float(end[0]), float(end[1])), knob.at, radius) for end in ends]
