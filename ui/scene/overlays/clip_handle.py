"""The handle of the clipping plane: an arrow to push it along its normal, a ball at the arrow's tip to tilt it."""

from __future__ import annotations

from typing import Literal

import numpy as np

from engines.api import Array
from ui.scene.scene import Scene
from ui.scene.visuals.screen import Stroke
from workbench.project.project import ClipPlane

WHITE, CASING = (250, 251, 253), (34, 38, 46)
Grip = Literal["move", "tilt"]


def _frame(normal: Array) -> tuple[Array, Array]:
    """Two unit vectors that span the plane; the second as upright as can be."""
    upright = np.array([0.0, 0.0, 1.0]) if abs(normal[2]) < 0.9 else np.array([0.0, 1.0, 0.0])
    across = np.cross(upright, normal)
    across /= np.linalg.norm(across)
    return across, np.cross(normal, across)


def _points(scene: Scene) -> tuple[Array, Array, Array]:
    """Foot and tip of the arrow, and the corners (4, 3) of the plane's outline [mm]."""
    clip = scene.clip
    assert clip is not None
    normal = np.array(clip.normal, float)
    low, high = scene.layer.bounds if scene.layer is not None else (np.zeros(3), np.zeros(3))
    center = (low + high) / 2
    # The handle stays near the middle of the geometry however far the plane was pushed.
    foot = center + normal * float(normal @ (np.array(clip.origin) - center))
    across, upright = _frame(normal)
    half = 1.08 * (high - low) / 2
    reach_across, reach_up = np.abs(across) @ half, np.abs(upright) @ half
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    corners = np.array([foot + a * reach_across * across + b * reach_up * upright for a, b in signs])
    return foot, foot + 0.42 * scene.camera.radius * normal, corners


def handle_strokes(scene: Scene, width: int, height: int, ratio: float) -> list[Stroke]:
    """Outline, arrow and ball."""
    foot, tip, corners = _points(scene)
    pixels, depth = scene.camera.to_pixels(np.vstack([foot, tip, corners]), width, height)
    if (depth <= 0).any():
        return []
    at = [(float(x), float(y)) for x, y in pixels]
    strokes = [Stroke(at[2 + k], at[2 + (k + 1) % 4], 0.7 * ratio, (*scene.theme.faint, 150)) for k in range(4)]
    for start, end, radius in ((at[0], at[1], 1.6), (at[0], at[0], 4.0), (at[1], at[1], 7.0)):
        strokes.append(Stroke(start, end, (radius + 1.2) * ratio, (*CASING, 255)))
    for start, end, radius in ((at[0], at[1], 1.6), (at[0], at[0], 4.0), (at[1], at[1], 7.0)):
        strokes.append(Stroke(start, end, radius * ratio, (*WHITE, 255)))
    return strokes


def grip_at(scene: Scene, x: float, y: float, width: float, height: float) -> Grip | None:
    """What of the handle is under the pointer."""
    if scene.clip is None:
        return None
    foot, tip, _ = _points(scene)
    (a, b), depth = scene.camera.to_pixels(np.vstack([foot, tip]), width, height)
    if (depth <= 0).any():
        return None
    pointer = np.array([x, y])
    if np.linalg.norm(pointer - b) < 13:
        return "tilt"
    along = b - a
    share = np.clip((pointer - a) @ along / max(along @ along, 1e-9), 0, 1)
    return "move" if np.linalg.norm(pointer - a - share * along) < 9 else None


def moved(scene: Scene, dx: float, dy: float, width: float, height: float) -> ClipPlane:
    """The plane after dragging its arrow by (dx, dy) pixels."""
    clip = scene.clip
    assert clip is not None
    foot, tip, _ = _points(scene)
    (a, b), _ = scene.camera.to_pixels(np.vstack([foot, tip]), width, height)
    along, drag = b - a, np.array([dx, dy])
    length = float(np.linalg.norm(tip - foot))
    squared = float(along @ along)
    # An arrow that points at the viewer has no length to drag along: up is then away from them.
    away = -dy * scene.camera.mm_per_pixel(height)
    distance = length * float(drag @ along) / squared if squared > 15**2 else away
    return pushed(scene, clip, distance)


def pushed(scene: Scene, clip: ClipPlane, distance: float) -> ClipPlane:
    """The plane ``distance`` mm further along its normal, but not out of the geometry."""
    normal = np.array(clip.normal, float)
    center, reach = scene.camera.scene_center, scene.camera.radius
    offset = float(normal @ (np.array(clip.origin) - center)) + distance
    origin = center + normal * float(np.clip(offset, -reach, reach))
    return ClipPlane(origin=_triple(origin), normal=clip.normal)


def tilted(scene: Scene, dx: float, dy: float, height: float) -> ClipPlane:
    """The plane after dragging the ball: it turns about the middle with the pointer."""
    clip = scene.clip
    assert clip is not None
    foot, _, _ = _points(scene)
    arm = 0.42 * scene.camera.radius
    right, up, _ = scene.camera.axes
    normal = np.array(clip.normal, float) * arm + (dx * right - dy * up) * scene.camera.mm_per_pixel(height)
    normal /= np.linalg.norm(normal)
    return ClipPlane(origin=_triple(foot), normal=_triple(normal))


def _triple(vector: Array) -> tuple[float, float, float]:
    return float(vector[0]), float(vector[1]), float(vector[2])
