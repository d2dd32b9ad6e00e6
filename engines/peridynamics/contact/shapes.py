"""Rigid solids: how far points are from their surface, and their outlines."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.api.placing import Faces
from engines.geometry.solids.faces import ball_faces, box_faces, turned_faces
from engines.peridynamics.parameters.contact import Ball, Cuboid, Cylinder, Form, Plane

BALL, CYLINDER, PLANE, CUBOID = range(4)
"""Kinds, as ``penetrators.cu`` numbers them."""
CIRCLE = np.linspace(0.0, 2 * np.pi, 49)
SLAB = 0.08
"""How thick a plane is drawn, of half of its side."""
FAR = 1e12
"""Half of the height of a rectangle in a plate, across the plate."""


@dataclass(frozen=True, eq=False)
class Solid:
    """center: (3,), a point of a plane; axis: (3,) unit vector, out of a plane; sizes: (3,) radius and half length of a
    cylinder, half of the edges of a cuboid. Any unit of length."""

    kind: int
    center: Array
    axis: Array
    sizes: Array
    dimensions: int

    def distance(self, points: Array) -> tuple[Array, Array]:
        """(n,) from the surface to ``points: (n, 3)``, negative inside, and (n, 3) the way out."""
        p = points - self.center
        if self.kind == PLANE:
            return p @ self.axis, np.broadcast_to(self.axis, p.shape)
        if self.kind == CUBOID:
            q, sign = np.abs(p) - self.sizes, np.where(p < 0, -1.0, 1.0)
            beyond = np.maximum(q, 0.0)
            away = np.linalg.norm(beyond, axis=1)
            inside = np.eye(3)[q.argmax(axis=1)]
            outside = away > 0
            direction = np.where(outside[:, None], beyond / np.where(outside, away, 1.0)[:, None], inside)
            return np.where(outside, away, q.max(axis=1)), sign * direction
        along = p @ self.axis if self.kind == CYLINDER else np.zeros(len(p))
        across = p - along[:, None] * self.axis
        radius = np.linalg.norm(across, axis=1)
        outwards = across / np.where(radius > 0, radius, 1.0)[:, None]
        beside = radius - self.sizes[0]
        if self.kind == BALL:
            return beside, outwards
        beyond = np.abs(along) - self.sizes[1]
        end = np.where(along < 0, -1.0, 1.0)[:, None] * self.axis
        corner = (beside > 0) & (beyond > 0)
        away = np.where(corner, np.hypot(beside, beyond), 1.0)
        straight = np.where((beside > beyond)[:, None], outwards, end)
        around = (beside / away)[:, None] * outwards + (beyond / away)[:, None] * end
        found = np.where(corner, away, np.maximum(beside, beyond))
        return found, np.where(corner[:, None], around, straight)

    def outline(self, extent: float) -> tuple[Array, ...]:
        """Polylines, each (n, 3); of a plane so much to all sides."""
        if self.kind == CUBOID:
            return _edges(self.center - self.sizes, self.center + self.sizes, self.dimensions)
        first, second = _across(self.axis)
        if self.kind == PLANE:
            if self.dimensions == 2:
                along = np.array([-self.axis[1], self.axis[0], 0.0])
                return (self.center + extent * np.array([-along, along]),)
            corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]]) * extent
            return (self.center + corners[:, :1] * first + corners[:, 1:] * second,)
        circle = self.sizes[0] * (np.cos(CIRCLE)[:, None] * first + np.sin(CIRCLE)[:, None] * second)
        if self.kind == CYLINDER:
            half = self.sizes[1] * self.axis
            lines = [self.center + circle[at] + np.array([-half, half]) for at in (0, 12, 24, 36)]
            return (self.center + circle - half, self.center + circle + half, *lines)
        if self.dimensions == 2:
            return (self.center + circle,)
        return tuple(self.center + np.roll(circle, turn, axis=1) for turn in range(3))

    def faces(self, extent: float, thickness: float) -> Faces:
        """The surface, in a plate so thick; of a plane a slab behind it, so much to all sides."""
        flat, upright = self.dimensions == 2, np.array([0.0, 0.0, 1.0])
        if self.kind == CUBOID:
            half = np.where([False, False, flat], 0.5 * thickness, self.sizes)
            return box_faces(self.center - half, self.center + half)
        if self.kind == PLANE:
            first, second = (np.cross(upright, self.axis), upright) if flat else _across(self.axis)
            half = np.array([extent, 0.5 * thickness if flat else extent, 0.5 * SLAB * extent])
            slab = box_faces(-half, half)
            turn = np.stack([first, second, np.cross(first, second)])
            way = -half[2] * np.sign(turn[2] @ self.axis)
            return Faces(self.center + (slab.points + np.array([0.0, 0.0, way])) @ turn, slab.triangles)
        if self.kind == BALL and not flat:
            return ball_faces(self.center, self.sizes)
        axis, half_length = (upright, 0.5 * thickness) if flat else (self.axis, self.sizes[1])
        profile = [(0.0, -half_length), (self.sizes[0], -half_length), (self.sizes[0], half_length), (0.0, half_length)]
        return turned_faces(np.array(profile), self.center, axis)

    def moved(self, by: Array) -> Solid:
        """The same solid elsewhere; by: (3,)."""
        return replace(self, center=self.center + by)


def _across(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors that are normal to ``axis`` and to each other."""
    first = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)


def _edges(low: Array, high: Array, dimensions: int) -> tuple[Array, ...]:
    levels = (0.0,) if dimensions == 2 else (low[2], high[2])
    around = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]])
    loops = [np.column_stack([low[:2] + around * (high - low)[:2], np.full(5, level)]) for level in levels]
    if dimensions == 2:
        return tuple(loops)
    return (*loops, *(np.stack([loops[0][at], loops[1][at]]) for at in range(4)))


def solid_of(form: Form, dimensions: int) -> Solid:
    """In mm. Raises ProblemError."""
    flat = np.array([1.0, 1.0, 0.0 if dimensions == 2 else 1.0])
    upright = np.array([0.0, 0.0, 1.0])
    if isinstance(form, Ball):
        return Solid(BALL, flat * form.center, upright, np.full(3, form.radius), dimensions)
    if isinstance(form, Cylinder):
        if dimensions == 2:
            raise ProblemError("A cylinder meets a block only: in a plate take a ball, which is a disc there.")
        sizes = np.array([form.radius, 0.5 * form.length, 0.0])
        return Solid(CYLINDER, np.array(form.center), _unit(np.array(form.direction)), sizes, dimensions)
    if isinstance(form, Plane):
        return Solid(PLANE, flat * form.point, _unit(flat * form.normal), np.zeros(3), dimensions)
    assert isinstance(form, Cuboid)
    low, high = flat * form.low, flat * form.high
    sizes = 0.5 * (high - low)
    if (sizes[:dimensions] <= 0).any():
        raise ProblemError("The highest corner of a cuboid is not beyond the lowest: exchange them.")
    if dimensions == 2:
        sizes[2] = FAR
    return Solid(CUBOID, 0.5 * (low + high), upright, sizes, dimensions)


def _unit(direction: Array) -> Array:
    length = float(np.linalg.norm(direction))
    if length == 0:
        raise ProblemError("A direction of a penetrator has no length: give it one (in a plate along x or y).")
    return np.asarray(direction / length)
