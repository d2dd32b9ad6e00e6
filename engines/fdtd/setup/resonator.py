"""The body that rings, as far as a problem tells before it runs, and a place in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from engines.api import Array
from engines.api.figures import number
from engines.fdtd.grid.yee import Yee
from engines.fdtd.media.materials import Medium
from engines.fdtd.media.solids.shapes import Filling, fillings_of
from engines.fdtd.parameters import FdtdParameters
from engines.fdtd.setup.grid import make_yee
from engines.fdtd.setup.media import media_of, with_ranges
from engines.geometry.solids.solid import Solid, grid_points

POINTS = 40
"""Along each axis of the body, at which it is looked at."""
DEEP = 0.7
"""Of the largest depth below its surface: off the middle line of a guide, too, where modes have nodes."""
ASIDE = np.array([0.25, 0.14, 0.09])
"""Of the body's size, from its middle: on no symmetry plane of rings, boxes and hexagons that stand along the axes."""
DIGITS = 3


def place_in_resonator(parameters: FdtdParameters, sources: Array) -> tuple[float, float, float] | None:
    """Where to follow what rings: the first of ``sources: (m, 3)`` that is in the body of the largest index, or between
    several (a defect among rods), or else a place in it that is off its symmetry planes; None without a body. Bodies
    that end within the grid go before those that leave it, as guides do. Raises ProblemError."""
    yee = make_yee(parameters.grid)
    fillings = fillings_of(parameters)
    media = with_ranges(media_of(parameters), fillings, yee)
    ranks = [(_leaves(solid, yee), -media[medium].index) for _, medium, solid in fillings]
    best = min((rank for rank, each in zip(ranks, fillings, strict=True) if _rings(media[each[1]])), default=None)
    bodies = [(each[2], _over(fillings, n)) for n, each in enumerate(fillings) if ranks[n] == best]
    if not bodies:
        return None
    ends = np.array([solid.bounds() for solid, _ in bodies])
    for source in sources:
        among = len(bodies) > 1 and np.all((source >= ends[:, 0].min(axis=0)) & (source <= ends[:, 1].max(axis=0)))
        if among or any(_bare(solid, over, source[:, None]).any() for solid, over in bodies):
            return _rounded(source, 12)
    return next((place for body in bodies if (place := _deep(*body, yee)) is not None), None)


def _rings(medium: Medium) -> bool:
    return not medium.perfect_conductor and medium.index > 1


def _leaves(solid: Solid, yee: Yee) -> bool:
    low, high = solid.bounds()
    return any(low[d] <= yee.nodes(d)[0] or high[d] >= yee.nodes(d)[-1] for d in yee.varying)


def _over(fillings: Sequence[Filling], place: int) -> list[Solid]:
    """What lies over a filling and is of another material."""
    _, medium, solid = fillings[place]
    low, high = solid.bounds()
    return [
        other
        for _, material, other in fillings[place + 1 :]
        if material != medium and np.all((other.bounds()[0] < high) & (other.bounds()[1] > low))
    ]


def _bare(solid: Solid, over: Sequence[Solid], axes: Sequence[Array]) -> Array:
    """(nz, ny, nx) bool: which points of a grid ``solid`` holds and none of ``over``."""
    found = solid.on_grid(*axes)
    for other in over:
        found &= ~other.on_grid(*axes)
    return found


def _deep(solid: Solid, over: Sequence[Solid], yee: Yee) -> tuple[float, float, float] | None:
    axes: list[Array] = []
    for d, (low, high) in enumerate(zip(*solid.bounds(), strict=True)):
        halves = yee.halves(d)
        low, high = max(low, halves[0]), min(high, halves[-1])
        if low > high:
            return None
        axes.append(low + (high - low) / POINTS * (np.arange(POINTS) + 0.5) if high > low else halves[:1])
    inside = _bare(solid, over, axes)
    if not inside.any():
        return None
    steps = [axis[1] - axis[0] if len(axis) > 1 else 1.0 for axis in reversed(axes)]
    framed = np.pad(inside, [(int(n > 1),) * 2 for n in inside.shape])  # ends are surfaces, too
    depth = scipy.ndimage.distance_transform_edt(framed, sampling=steps)
    depth = depth[tuple(slice(int(n > 1), int(n > 1) + n) for n in inside.shape)].ravel()
    points = grid_points(*axes)
    deep = points[depth >= DEEP * depth.max()]
    low, high = points.min(axis=0), points.max(axis=0)
    aim = 0.5 * (low + high) + ASIDE * (high - low)
    return _rounded(deep[np.linalg.norm(deep - aim, axis=1).argmin()], DIGITS)


def _rounded(place: Array, digits: int) -> tuple[float, float, float]:
    x, y, z = (number(float(f"{at:.{digits}g}")) for at in place)
    return x, y, z
