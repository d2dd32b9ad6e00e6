"""What of the placed items is under the pointer, and where a drag brings a handle to.

A handle with a direction, and the arrows of the one that moves an item, slide along a line. The middle of an item moves
in the plane across the axis that faces the viewer most, which is that of a slice. Places are those of the cells (nodes)
unless asked for free ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.api.placing import MOVE, Handle, Path, PlacedItem, Placement, Position
from ui.scene.overlays.placed import knobs, segments, shown
from ui.scene.scene import Scene

NEAR_LINE, NEAR_KNOB, NEAR_ARROW = 6.0, 10.0, 7.0
"""Points within which something is under the pointer."""
GRAZING = 0.03
"""A ray that meets a plane or a line at less than this sine tells no place on it."""


@dataclass(frozen=True, eq=False)
class Hold:
    """A handle in hand, and where it was gripped; ``along``: the line that it slides on, None in a plane across
    ``normal``."""

    item: PlacedItem
    handle: Handle
    along: Array | None
    normal: Array
    start: Array
    gripped: Array


def item_at(scene: Scene, x: float, y: float, width: float, height: float) -> Path | None:
    """The item whose outline passes nearest to the pointer; absorbing layers are chosen from the list alone."""
    best, found = NEAR_LINE, None
    for group, item in shown(scene):
        if group.role == "boundary":
            continue
        distance = _distance(scene, item, x, y, width, height)
        if distance < best:
            best, found = distance, item.path
    return found


def _distance(scene: Scene, item: PlacedItem, x: float, y: float, width: float, height: float) -> float:
    """Points from the pointer to an outline in the picture."""
    lines = segments(scene, item)
    pixels, depth = scene.camera.to_pixels(lines.reshape(-1, 3), width, height)
    ends = pixels.reshape(-1, 2, 2)[(depth.reshape(-1, 2) > 0).all(axis=1)]
    if not len(ends):
        return np.inf
    start, along = ends[:, 0], ends[:, 1] - ends[:, 0]
    to = np.array([x, y]) - start
    share = np.clip((to * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-9), 0, 1)
    return float(np.linalg.norm(to - share[:, None] * along, axis=1).min())


def hold_at(scene: Scene, x: float, y: float, width: float, height: float) -> Hold | None:
    """What a press at (x, y) takes into the hand: a handle of the chosen item, or its outline, which moves it."""
    item = scene.marks.item
    if not scene.marks.grips or item is None or item.moved is None:
        return None
    pointer = np.array([x, y])
    for knob in reversed(knobs(scene, width, height)):
        if knob.axis is None:
            near = float(np.linalg.norm(pointer - knob.at)) < NEAR_KNOB
        else:
            near = _near_arrow(pointer, np.array(knob.foot), np.array(knob.at))
        if near:
            direction = None if knob.axis is None else np.eye(3)[knob.axis]
            return _hold(scene, item, knob.handle, direction, x, y, width, height)
    whole = next((handle for handle in item.handles if handle.name == MOVE), None)
    if whole is not None and _distance(scene, item, x, y, width, height) < NEAR_LINE:
        return _hold(scene, item, whole, None, x, y, width, height)
    return None


def _near_arrow(pointer: Array, foot: Array, tip: Array) -> bool:
    along = tip - foot
    share = np.clip((pointer - foot) @ along / max(along @ along, 1e-9), 0, 1)
    return float(np.linalg.norm(pointer - foot - share * along)) < NEAR_ARROW


def _hold(
    scene: Scene, item: PlacedItem, handle: Handle, along: Array | None, x: float, y: float, width: float, height: float
) -> Hold | None:
    if along is None and handle.direction is not None:
        along = np.array(handle.direction)
    facing = np.abs(scene.camera.back)
    assert scene.marks.placement is not None
    thin = np.array([len(nodes) <= 2 for nodes in scene.marks.placement.snaps])
    normal = np.eye(3)[int(np.argmax(facing + 2 * thin))]  # of one cell before others, and what faces most
    start = np.array(handle.position)
    hold = Hold(item, handle, along, normal, start, start)
    gripped = _met(hold, *scene.camera.ray(x, y, width, height))
    return None if gripped is None else Hold(item, handle, along, normal, start, gripped)


def dragged_to(
    scene: Scene, hold: Hold, x: float, y: float, width: float, height: float, free: bool
) -> Position | None:
    """Where the handle is with the pointer at (x, y); ``free``: anywhere, not on the cells. None: no place is told."""
    placement = scene.marks.placement
    met = _met(hold, *scene.camera.ray(x, y, width, height))
    if met is None or placement is None:
        return None
    step = met - hold.gripped
    reference = np.array(hold.handle.reference or hold.handle.position)
    for axis in range(3):
        if len(placement.snaps[axis]) <= 2 or abs(step[axis]) < 1e-12:
            step[axis] = 0.0
        elif not free:
            step[axis] = snapped(placement, axis, reference[axis] + step[axis]) - reference[axis]
    x_, y_, z_ = (float(value) for value in np.array(hold.handle.position) + step)
    return x_, y_, z_


def nudged(scene: Scene, right: int, up: int) -> tuple[PlacedItem, Handle, Position] | None:
    """The chosen item a cell further towards a side of the picture: along the axis that points there most."""
    marks = scene.marks
    item, placement = marks.item, marks.placement
    handle = None if item is None else next((each for each in item.handles if each.name == MOVE), None)
    if item is None or placement is None or handle is None or item.moved is None or not marks.grips:
        return None
    way = right * scene.camera.axes[0] + up * scene.camera.axes[1]
    free = np.array([len(nodes) > 2 for nodes in placement.snaps])
    axis = int(np.argmax(np.where(free, np.abs(way), -1.0)))
    reference, position = handle.reference or handle.position, list(handle.position)
    cell = float(np.diff(placement.snaps[axis]).min())
    beside = snapped(placement, axis, reference[axis] + np.sign(way[axis]) * cell)
    position[axis] += beside - reference[axis]
    return item, handle, (position[0], position[1], position[2])


def snapped(placement: Placement, axis: int, place: float) -> float:
    """The nearest node; beyond the ends they go on in steps of the last one."""
    nodes = placement.snaps[axis]
    if nodes[0] <= place <= nodes[-1]:
        after = int(np.clip(np.searchsorted(nodes, place), 1, len(nodes) - 1))
        return float(min(nodes[after - 1 : after + 1], key=lambda node: abs(node - place)))
    end, step = (nodes[0], nodes[1] - nodes[0]) if place < nodes[0] else (nodes[-1], nodes[-1] - nodes[-2])
    return float(end + round((place - end) / step) * step)


def _met(hold: Hold, origin: Array, direction: Array) -> Array | None:
    """Where a ray meets the plane, or passes the line nearest, on which the handle moves."""
    away = hold.start - origin
    if hold.along is None:
        slope = float(direction @ hold.normal)
        return None if abs(slope) < GRAZING else origin + float(away @ hold.normal) / slope * direction
    cosine = float(direction @ hold.along)
    if 1 - cosine**2 < GRAZING**2:
        return None
    along = (cosine * float(away @ direction) - float(away @ hold.along)) / (1 - cosine**2)
    return np.asarray(hold.start + along * hold.along)
