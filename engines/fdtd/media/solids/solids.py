"""Solids of the parameters' objects."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from engines.api.errors import ProblemError
from engines.fdtd.media.solids.picture import PictureSolid
from engines.fdtd.parameters.objects import (
    Box,
    Cone,
    Cylinder,
    Ellipsoid,
    Object,
    Painted,
    PictureObject,
    Polygon,
    Ring,
    Rod,
    Sphere,
    SurfaceObject,
    Torus,
)
from engines.fdtd.parameters.placing import MOST_COPIES, Lattice
from engines.geometry.solids.extruded import Block, Prism
from engines.geometry.solids.round import Ball, Doughnut, Frustum, Point, Tube
from engines.geometry.solids.solid import Shifted, Solid, Turned, rotation_matrix
from engines.geometry.solids.surface import SurfaceSolid


def solids_of(item: Object) -> Iterator[Solid]:
    """The solids of an object: one, or one for each copy or painted spot. Raises ProblemError."""
    if isinstance(item, Painted):
        for spot in item.spots:
            yield _ball(spot[:3], spot[3])
        return
    solid = _turned(item)
    for by in lattice_shifts(item.copies):
        yield Shifted(solid, by) if by.any() else solid


def _turned(item: Object) -> Solid:
    turn = getattr(item, "turn", None)
    rotation = rotation_matrix(turn.axis, turn.angle) if turn is not None and turn.angle else None
    if isinstance(item, SurfaceObject):
        return SurfaceSolid(item.file, item.scale, item.shift, rotation)
    solid = _made(item)
    return solid if rotation is None else Turned(solid, rotation)


def _made(item: Object) -> Solid:
    """As it stands before it is turned."""
    if isinstance(item, Box):
        return Block(item.low, item.high)
    if isinstance(item, Sphere):
        return _ball(item.center, item.radius)
    if isinstance(item, Ellipsoid):
        return Ball(item.center, item.radii)
    if isinstance(item, Rod):
        return Frustum(item.start, item.end, item.radius, item.radius)
    if isinstance(item, Cylinder):
        return Frustum(*_ends(item.center, item.axis, item.length), item.radius, item.radius)
    if isinstance(item, Cone):
        return Frustum(*_ends(item.center, item.axis, item.length), item.radius_low, item.radius_high)
    if isinstance(item, Ring):
        half = item.width / 2
        return Tube(*_ends(item.center, item.axis, item.height), item.radius - half, item.radius + half)
    if isinstance(item, Torus):
        return Doughnut(item.center, "xyz".index(item.axis), item.radius, item.tube_radius)
    if isinstance(item, Polygon):
        outlines = [tuple(item.points), *(tuple(hole.points) for hole in item.holes)]
        return Prism("xyz".index(item.axis), item.low, item.high, outlines)
    assert isinstance(item, PictureObject)
    return PictureSolid(
        item.picture, "xyz".index(item.axis), item.low, item.high, item.corner, item.size,
        (item.darkest, item.brightest),
    )  # fmt: skip


def _ball(center: Point, radius: float) -> Ball:
    return Ball(center, (radius, radius, radius))


def _ends(center: Sequence[float], axis: str, length: float) -> tuple[Point, Point]:
    start, end = list(center), list(center)
    start["xyz".index(axis)] -= length / 2
    end["xyz".index(axis)] += length / 2
    return (start[0], start[1], start[2]), (end[0], end[1], end[2])


def lattice_shifts(lattice: Lattice) -> Iterator[np.ndarray]:
    """Vectors (3,) to the sites that are not omitted. Raises ProblemError."""
    copies = int(np.prod(lattice.counts, dtype=np.int64))
    if copies > MOST_COPIES:
        raise ProblemError(f"Its lattice has {copies:,} copies: make it at most {MOST_COPIES:,}.")
    omitted = set(lattice.omitted)
    for empty in omitted:
        if not all(0 <= n < count for n, count in zip(empty, lattice.counts, strict=True)):
            told = " × ".join(str(count) for count in lattice.counts)
            raise ProblemError(f"Its lattice of {told} has no site {empty}: sites count from 0.")
    pitches = np.array([lattice.first, lattice.second, lattice.third])
    for site in itertools.product(*(range(count) for count in lattice.counts)):
        if site not in omitted:
            yield np.array(site) @ pitches
