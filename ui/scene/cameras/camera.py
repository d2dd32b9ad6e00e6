"""A turntable camera: z stays up, the heart stays the right way round."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from engines.api import Array
from workbench.project.project import CameraView

FIELD_OF_VIEW = 28.0
"""Vertical, in degrees: narrow enough that sizes in the picture compare."""

FRAMED = (1.2, 1.17)
"""How much wider and higher than a frame its picture is: below and beside it there are ticks."""

VIEWS = {
    "x": (0.0, 0.0),
    "-x": (180.0, 0.0),
    "y": (90.0, 0.0),
    "-y": (-90.0, 0.0),
    "z": (-90.0, 90.0),
    "-z": (-90.0, -90.0),
}
"""Azimuth and elevation of a camera that stands on each axis."""
SLANT = (-65.0, 38.0)
"""Of one that sees how high a relief is."""


@dataclass
class Camera:
    """Looks at ``center`` from ``distance`` [mm]; angles in degrees.

    ``radius`` and ``scene_center`` are those of the scene's bounding sphere.
    """

    azimuth: float = 30.0
    elevation: float = 20.0
    distance: float = 100.0
    center: Array = field(default_factory=lambda: np.zeros(3))
    radius: float = 30.0
    scene_center: Array = field(default_factory=lambda: np.zeros(3))
    frame: Array | None = None
    offset: tuple[float, float] = (0.0, 0.0)
    """Where in the picture the center is: to the right and up, 1 at the edges (the axis of a lens that is shifted)."""

    def fit(self, points: Array, aspect: float = 1.5, frame: Array | None = None) -> None:
        """Frame ``points`` (n, 3): their sphere, or as closely as can be the corners ``frame`` (n, 3)."""
        self.frame = frame
        self.scene_center, self.radius = bounding_sphere(points)
        self.center = self.scene_center.copy()
        self.distance = self.fitting_distance(aspect)

    def fitting_distance(self, aspect: float, part: float = 1.0) -> float:
        """From here the bounding sphere fills the shorter side of the picture, all but a small margin; a frame is
        closer, and leaves room for its ticks. ``part`` of the picture's height alone is to be filled, in a place of
        this ``aspect``."""
        half = np.arctan(part * np.tan(np.deg2rad(FIELD_OF_VIEW / 2)))
        if self.frame is not None:
            x, y, z = ((self.frame - self.scene_center) @ self.axes.T).T
            needed = np.maximum(FRAMED[0] * np.abs(x) / aspect, FRAMED[1] * np.abs(y))
            return float(np.max(z + needed / np.tan(half)))
        narrow = min(half, np.arctan(np.tan(half) * aspect))
        return float(1.03 * self.radius / np.sin(narrow))

    @property
    def back(self) -> Array:
        """Unit vector from the center to the eye."""
        azimuth, elevation = np.deg2rad(self.azimuth), np.deg2rad(self.elevation)
        return np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])

    @property
    def axes(self) -> Array:
        """(3, 3): right, up and back of the picture as rows."""
        azimuth = np.deg2rad(self.azimuth)
        right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
        return np.stack([right, np.cross(self.back, right), self.back])

    @property
    def eye(self) -> Array:
        return self.center + self.distance * self.back

    def view(self) -> Array:
        """(4, 4) world to eye, for column vectors."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.axes
        matrix[:3, 3] = -self.axes @ self.eye
        return matrix

    def projection(self, aspect: float) -> Array:
        """(4, 4) eye to clip space; the depth range hugs the scene."""
        around = 1.5 * self.radius + float(np.linalg.norm(self.center - self.scene_center))
        reach = self.distance + around
        near = max(self.distance - around, reach / 500)
        f = 1 / np.tan(np.deg2rad(FIELD_OF_VIEW / 2))
        matrix = np.zeros((4, 4))
        matrix[0, 0], matrix[1, 1] = f / aspect, f
        matrix[0, 2], matrix[1, 2] = -self.offset[0], -self.offset[1]
        matrix[2, 2], matrix[2, 3] = (reach + near) / (near - reach), 2 * reach * near / (near - reach)
        matrix[3, 2] = -1
        return matrix

    def to_pixels(self, points: Array, width: float, height: float) -> tuple[Array, Array]:
        """Where points (n, 3) appear: (n, 2) pixels from the top left, and depth (n,) in front of the eye [mm]."""
        matrix = self.projection(width / height) @ self.view()
        clip = np.atleast_2d(points) @ matrix[:, :3].T + matrix[:, 3]
        depth = clip[:, 3]
        ndc = clip[:, :2] / np.where(depth != 0, depth, 1e-30)[:, None]
        return np.stack([(ndc[:, 0] + 1) * width / 2, (1 - ndc[:, 1]) * height / 2], axis=1), depth

    def ray(self, x: float, y: float, width: float, height: float) -> tuple[Array, Array]:
        """Origin and unit direction of the ray through a pixel."""
        f = np.tan(np.deg2rad(FIELD_OF_VIEW / 2))
        right, up = 2 * x / width - 1 - self.offset[0], 1 - 2 * y / height - self.offset[1]
        local = np.array([right * f * width / height, up * f, -1.0])
        direction = local @ self.axes
        return self.eye, direction / np.linalg.norm(direction)

    def middle(self, width: float, height: float) -> tuple[float, float]:
        """The pixel of the center, from the top left."""
        return (1 + self.offset[0]) * width / 2, (1 - self.offset[1]) * height / 2

    def mm_per_pixel(self, height: float) -> float:
        """At the distance of the center."""
        return float(2 * self.distance * np.tan(np.deg2rad(FIELD_OF_VIEW / 2)) / height)

    def rotate(self, dx: float, dy: float) -> None:
        """By a drag of (dx, dy) pixels: half a degree each."""
        self.azimuth = (self.azimuth - 0.5 * dx + 180) % 360 - 180
        self.elevation = float(np.clip(self.elevation + 0.5 * dy, -90, 90))

    def pan(self, dx: float, dy: float, height: float) -> None:
        """Move the scene with the pointer by (dx, dy) pixels."""
        scale = self.mm_per_pixel(height)
        self.center = self.center + (-dx * self.axes[0] + dy * self.axes[1]) * scale

    def zoom(self, factor: float, x: float, y: float, width: float, height: float) -> None:
        """Come ``factor`` times nearer; what is under (x, y) stays there."""
        before = self.distance
        self.distance = float(np.clip(before / factor, 0.02 * self.radius, 40 * self.radius))
        middle = self.middle(width, height)
        dx, dy = x - middle[0], middle[1] - y
        scale = 2 * np.tan(np.deg2rad(FIELD_OF_VIEW / 2)) / height
        self.center = self.center + (dx * self.axes[0] + dy * self.axes[1]) * scale * (before - self.distance)

    def look_along(self, axis: str) -> None:
        """Stand on the axis ``"x"``, ``"-x"``, …, or ``"slant"``, and look at the center. Raises KeyError for other
        names."""
        self.azimuth, self.elevation = SLANT if axis == "slant" else VIEWS[axis]

    def settings(self) -> CameraView:
        center = float(self.center[0]), float(self.center[1]), float(self.center[2])
        return CameraView(azimuth=self.azimuth, elevation=self.elevation, distance=self.distance, center=center)

    def apply(self, view: CameraView, aspect: float) -> None:
        """Take the angles, and what else ``view`` says; None means fitting the scene."""
        self.azimuth, self.elevation = view.azimuth, view.elevation
        self.distance = self.fitting_distance(aspect) if view.distance is None else view.distance
        self.center = self.scene_center.copy() if view.center is None else np.array(view.center)


def _directions(number: int) -> Array:
    """(3, number) unit vectors, evenly on the sphere (Fibonacci)."""
    turn, height = np.pi * (3 - np.sqrt(5)) * np.arange(number), 1 - (2 * np.arange(number) + 1) / number
    across = np.sqrt(1 - height**2)
    return np.stack([across * np.cos(turn), across * np.sin(turn), height])


DIRECTIONS = _directions(64)


def bounding_sphere(points: Array) -> tuple[Array, float]:
    """Center (3,) and radius of nearly the smallest sphere around ``points`` (Bădoiu and Clarkson 2003: the center
    steps towards the farthest point by 1/2, 1/3, …; after 60 steps the radius is within 2 % for bodies like ours).
    Only those that lie outermost in some direction move it."""
    points = np.asarray(points)
    sample = points[:: max(len(points) // 20_000, 1)]
    sample = np.asarray(sample[np.unique((sample @ DIRECTIONS).argmax(axis=0))], float)
    center = (sample.min(axis=0) + sample.max(axis=0)) / 2
    for step in range(60):
        farthest = sample[np.argmax(np.sum((sample - center) ** 2, axis=1))]
        center = center + (farthest - center) / (step + 2)
    radius = float(np.sqrt(np.max(np.sum((np.asarray(points, float) - center) ** 2, axis=1))))
    return center, radius or 1.0
