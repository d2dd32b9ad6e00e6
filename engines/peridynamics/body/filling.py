"""A body filled by a lattice: which lattice points belong to it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TypeVar

import numpy as np
from pydantic import TypeAdapter

from engines.api import Array
from engines.api.errors import ProblemError
from engines.geometry.particles import Particles
from engines.geometry.solids.surface import SurfaceSolid
from engines.named_files import named_versions
from engines.peridynamics.body.corners import corners_of
from engines.peridynamics.body.cuts import TOUCH
from engines.peridynamics.body.groups import Groups
from engines.peridynamics.body.shapes import Figure, Outline, Round, along_z, ball, box, ellipse, rod
from engines.peridynamics.parameters import (
    Ball,
    Block,
    Body,
    Box,
    Circle,
    Cylinder,
    Disc,
    Ellipse,
    FlatRing,
    PeridynamicParameters,
    PlaneBody,
    Plate,
    PointBody,
    Polygon,
    PolygonPlate,
    Shape,
    SolidBody,
    Sphere,
    SurfaceBody,
    Tube,
)
from engines.reading import Version

MOST_PARTICLES = 200_000_000
DRAWN_RADIUS = 0.5
"""Of a particle, in spacings."""
Place = tuple[str | int, ...]
Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Frame:
    """The lattice of a body. origin: (3,) [mm], the lowest corner of the box of all its cells, whose middles are the
    lattice points; counts: (nx, ny, nz); one layer in a plate."""

    origin: Array
    counts: tuple[int, int, int]
    spacing: float
    dimensions: int

    def lattice(self, position: Array | tuple[float, ...]) -> Array:
        """(…, d) of positions (…, 2 or 3) [mm] in spacings from the first lattice point."""
        d = self.dimensions
        return np.asarray((np.asarray(position, float)[..., :d] - self.origin[:d]) / self.spacing - 0.5)

    @property
    def corners(self) -> tuple[Array, Array]:
        """[mm] of the box of all cells."""
        return self.origin, self.origin + np.array(self.counts) * self.spacing


@dataclass(frozen=True, eq=False)
class Filled:
    """cells: (n, 3) lattice points (x, y, z) of the particles in the order of the geometry; counts: (nx, ny, nz);
    groups: those that a file of points tells.

    Between the outermost particles along each axis no row of the lattice is added, so a side is where particles are.
    """

    geometry: Particles
    cells: Array
    counts: tuple[int, int, int]
    spacing: float
    dimensions: int
    origin: Array = field(default_factory=lambda: np.zeros(3))
    groups: Groups | None = None

    @property
    def centers(self) -> Array:
        """(n, 3) in mm; z = 0 in a plate."""
        return np.asarray(self.geometry.positions)

    @property
    def frame(self) -> Frame:
        return Frame(self.origin, self.counts, self.spacing, self.dimensions)


def filled(parameters: PeridynamicParameters) -> Filled:
    """The same object for the same body and spacing: viewers compare geometries by identity. Raises ProblemError."""
    body = _on_a_lattice(parameters.body)
    return _filled(body.model_dump_json(), parameters.bonds.spacing, named_versions(body))


def _on_a_lattice(body: Body) -> PlaneBody | SolidBody:
    if isinstance(body, PointBody):
        raise TypeError("a body of points has no lattice")
    return body


def frame_of(parameters: PeridynamicParameters) -> Frame:
    """The lattice before anything is left out of it; holes do not change it. Raises ProblemError."""
    return _frame(_on_a_lattice(parameters.body), parameters.bonds.spacing)


def extent_of(body: PlaneBody | SolidBody) -> tuple[Array, Array]:
    """Two corners (d,) [mm] of the box around a body. Raises ProblemError."""
    if isinstance(body, Plate):
        return np.zeros(2), np.array([body.size_x, body.size_y])
    if isinstance(body, Block):
        return np.zeros(3), np.array([body.size_x, body.size_y, body.size_z])
    if isinstance(body, PolygonPlate):
        corners = _at(lambda: corners_of(body), ("body", "file" if body.file else "points"))
        return corners.min(axis=0), corners.max(axis=0)
    if isinstance(body, SurfaceBody):
        return _surface(body).bounds()
    if isinstance(body, FlatRing | Tube) and body.inner_radius >= body.radius:
        raise ProblemError("The inner radius is not below the outer one: make it smaller.", ("body", "inner_radius"))
    reach = np.full(len(body.center), body.radius)
    if isinstance(body, Cylinder | Tube):
        reach["xyz".index(body.axis)] = 0.5 * body.length
    return np.array(body.center) - reach, np.array(body.center) + reach


def straight_along(body: PlaneBody | SolidBody) -> list[bool]:
    """(d,) whether its sides across x, y and z are taken for straight: rows of particles end there."""
    axes = "xyz"[:2] if isinstance(body, PlaneBody) else "xyz"
    straight = isinstance(body, Plate | Block | PolygonPlate | SurfaceBody)
    return [straight or axis == getattr(body, "axis", "") for axis in axes]


def _frame(body: PlaneBody | SolidBody, spacing: float) -> Frame:
    low, high = extent_of(body)
    d = len(low)
    parts = (high - low) / spacing
    # along straight sides the nearest number of rows, else so many that they cover it
    numbers = [
        round(part) if flat else math.ceil(part - 1e-6) for part, flat in zip(parts, straight_along(body), strict=True)
    ]
    if min(numbers) < 2:
        raise _too_thin(spacing)
    if math.prod(numbers) > MOST_PARTICLES:
        raise ProblemError(
            f"The body would have {math.prod(numbers):,} particles: use a greater spacing.", ("bonds", "spacing")
        )
    counts = (*numbers, 1)[:3]
    origin = np.full(3, -0.5 * spacing)
    origin[:d] = 0.5 * (low + high) - 0.5 * np.array(numbers) * spacing
    if isinstance(body, Plate | Block):
        origin[:d] = 0.0
    return Frame(origin, (counts[0], counts[1], counts[2]), spacing, d)


def _too_thin(spacing: float) -> ProblemError:
    return ProblemError(
        f"The body is less than two particles wide at a spacing of {spacing:g} mm: use a smaller spacing.",
        ("bonds", "spacing"),
    )


@cache
def _bodies() -> TypeAdapter[Body]:
    return TypeAdapter(Body)


@lru_cache(maxsize=8)
def _filled(body_json: str, spacing: float, files: tuple[Version, ...]) -> Filled:
    body = _on_a_lattice(_bodies().validate_json(body_json))
    frame = _frame(body, spacing)
    d = frame.dimensions
    inside = _body_on(body, frame)
    if not inside.any():
        raise _too_thin(spacing)
    for number, hole in enumerate(body.holes):
        inside = inside & ~shape_of(hole, frame, ("body", "holes", number)).on_lattice(frame.counts, -TOUCH)
    if not inside.any():
        raise ProblemError("The holes leave nothing of the body: make them smaller.", ("body", "holes"))
    inside, first = _trimmed(inside)
    counts = inside.shape[::-1]
    if min(counts[:d]) < 2:
        raise _too_thin(spacing)
    origin = frame.origin + spacing * np.array(first)
    numbers = np.flatnonzero(inside.reshape(-1))
    cells = np.empty((len(numbers), 3), np.int32)
    rows, cells[:, 0] = np.divmod(numbers, counts[0])
    cells[:, 2], cells[:, 1] = np.divmod(rows, counts[1])
    del numbers, rows
    positions = (cells + 0.5) * spacing
    positions += origin
    geometry = Particles(positions, np.full(len(positions), DRAWN_RADIUS * spacing), "mm", cells)
    return Filled(geometry, cells, (counts[0], counts[1], counts[2]), spacing, d, origin)


def _trimmed(inside: Array) -> tuple[Array, tuple[int, int, int]]:
    """Without empty rows around, and (x, y, z) of what is now the first lattice point."""
    spans = []
    for axis in range(3):
        taken = np.flatnonzero(inside.any(axis=tuple(other for other in range(3) if other != axis)))
        spans.append((int(taken[0]), int(taken[-1]) + 1))
    (z0, z1), (y0, y1), (x0, x1) = spans
    return inside[z0:z1, y0:y1, x0:x1], (x0, y0, z0)


def _body_on(body: PlaneBody | SolidBody, frame: Frame) -> Array:
    """(nz, ny, nx) bool: lattice points in the body before holes. Raises ProblemError."""
    if isinstance(body, Plate | Block):
        return np.ones(frame.counts[::-1], bool)
    if isinstance(body, SurfaceBody):
        low, _ = frame.corners
        x, y, z = (low[d] + (np.arange(frame.counts[d]) + 0.5) * frame.spacing for d in range(3))
        return _at(lambda: _surface(body).on_grid(x, y, z), ("body", "file"))
    if isinstance(body, PolygonPlate):
        return Outline(_in_spacings(corners_of(body), frame), 2).on_lattice(frame.counts)
    center, radius = frame.lattice(body.center), body.radius / frame.spacing
    if isinstance(body, Disc | FlatRing | Ball):
        found = ball(center, radius).on_lattice(frame.counts)
    else:
        found = _pillar(center, radius, "xyz".index(body.axis)).on_lattice(frame.counts)
    if isinstance(body, FlatRing | Tube):
        inner = body.inner_radius / frame.spacing
        bore = ball(center, inner) if isinstance(body, FlatRing) else _pillar(center, inner, "xyz".index(body.axis))
        found &= ~bore.on_lattice(frame.counts, -TOUCH)
    return found


def _pillar(center: Array, radius: float, axis: int) -> Round:
    """A cylinder without ends along an axis: its lattice has as many layers as it is long."""
    across = np.delete(np.eye(3), axis, axis=0)
    reach = np.where(np.arange(3) == axis, np.inf, radius)
    return Round(center, across, radius, np.zeros((0, 3)), np.zeros(0), np.zeros(0), (center - reach, center + reach))


def shape_of(shape: Shape, frame: Frame, place: Place = ()) -> Figure:
    """On the lattice. Raises ProblemError that names ``place``."""
    spacing, d = frame.spacing, frame.dimensions
    if isinstance(shape, Polygon):
        inner = "file" if shape.file else "points"
        return Outline(_in_spacings(_at(lambda: corners_of(shape), (*place, inner)), frame), d)
    if isinstance(shape, Box):
        low, high = np.array(shape.low[:d]), np.array(shape.high[:d])
        if (high < low).any():
            axis = "xyz"[int(np.argmax(high < low))]
            raise ProblemError(f"The highest {axis} of a box is below the lowest: exchange them.", (*place, "high"))
        return box(frame.lattice(shape.low), frame.lattice(shape.high))
    if isinstance(shape, Circle | Ellipse):
        center = frame.lattice((*shape.center, 0.0))[:2]
        if isinstance(shape, Circle):
            flat = ball(center, shape.radius / spacing)
        else:
            flat = ellipse(center, (shape.radii[0] / spacing, shape.radii[1] / spacing), shape.angle)
        return flat if d == 2 else along_z(flat)
    if d == 2:
        other = "circle" if isinstance(shape, Sphere) else "box or a polygon"
        raise ProblemError(f"A flat body has no room for a {shape.kind}: use a {other}.", (*place, "kind"))
    if isinstance(shape, Sphere):
        return ball(frame.lattice(shape.center), shape.radius / spacing)
    start, end = frame.lattice(shape.start), frame.lattice(shape.end)
    if np.linalg.norm(end - start) < 1e-6:
        raise ProblemError("A rod begins where it ends: move one of its ends.", (*place, "end"))
    return rod(start, end, shape.radius / spacing)


def _in_spacings(corners: Array, frame: Frame) -> Array:
    return (corners - frame.origin[:2]) / frame.spacing - 0.5


def _surface(body: SurfaceBody) -> SurfaceSolid:
    return _at(lambda: SurfaceSolid(body.file, body.scale, body.shift, None), ("body", "file"))


def _at(made: Callable[[], Made], place: Place) -> Made:
    """What ``made`` gives; its ProblemError names ``place``."""
    try:
        return made()
    except ProblemError as error:
        raise ProblemError(str(error), place) from error
