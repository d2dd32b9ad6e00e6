"""The walls of a grid as planes of images, and what stands in the way of a far field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from engines.api import Finding
from engines.api.errors import ProblemError
from engines.fdtd.far.spectra import Mirror
from engines.fdtd.grid.boundaries import Axis
from engines.fdtd.grid.yee import METRES, Yee
from engines.fdtd.media.solids.shapes import fillings_of
from engines.fdtd.parameters import BoxMonitor, FdtdParameters, ObliqueWaveSource, WaveSource

IMAGES: dict[str, tuple[Literal["PEC", "PMC"], bool]] = {
    "PEC": ("PEC", True), "PMC": ("PMC", True), "symmetric": ("PMC", False), "antisymmetric": ("PEC", False),
}  # fmt: skip
"""By the kind of a face: what its image is like, and whether it is a ground, behind which there is nothing."""


def walls_of(parameters: FdtdParameters) -> set[tuple[int, int]]:
    """(axis, end) of the faces that let no power through."""
    pairs = parameters.faces.pairs()
    return {(d, end) for d, pair in enumerate(pairs) for end, kind in enumerate(pair) if kind in IMAGES}


def mirrors_of(parameters: FdtdParameters, yee: Yee, name: str) -> list[Mirror]:
    """Raises ProblemError for walls on both sides, whose images have no end."""
    metre, found = METRES[parameters.grid.length_unit], []
    walls = walls_of(parameters)
    for d, end in sorted(walls):
        if (d, 1 - end) in walls:
            raise ProblemError(
                f"Monitor '{name}': between two walls along {'xyz'[d]} there is no far field: "
                "make one of the two faces absorbing."
            )
        kind, ground = IMAGES[parameters.faces.pairs()[d][end]]
        found.append(Mirror(d, float(yee.nodes(d)[(0, -1)[end]]) * metre, kind, ground))
    return found


def line_axis(monitor: BoxMonitor, axes: Sequence[Axis]) -> int | None:
    """The axis of one cell along which nothing varies, in two dimensions. Raises ProblemError for other periods."""
    found = None
    for d, axis in enumerate(axes):
        if not axis.wraps:
            continue
        if axis.n > 1 or found is not None:
            raise ProblemError(
                f"Monitor '{monitor.name}': what is periodic along {'xyz'[d]} has no far field: "
                "make the faces absorbing, or switch the far field off."
            )
        found = d
    return found


def obstacles(monitor: BoxMonitor, parameters: FdtdParameters, yee: Yee, axes: Sequence[Axis]) -> list[Finding]:
    """Warnings of objects that reach through the box, for which there is no vacuum around, and of incident waves in it.

    Raises ProblemError.
    """
    found = []
    free = [d for d in range(3) if not axes[d].wraps]
    low, high = (np.array(corner)[free] for corner in (monitor.low, monitor.high))
    through = set()
    for place, number, solid in fillings_of(parameters):
        first, last = (corner[free] for corner in solid.bounds())
        inside = (first >= low).all() and (last <= high).all()
        if number and not inside:
            through.add(place)
    if through:
        told = ", ".join(str(place) for place in sorted(through)[:5])
        found.append(
            Finding(
                f"Monitor '{monitor.name}' has a far field, but object {told} lies outside of the box or reaches "
                "through it: the pattern takes vacuum around the box, so make the box hold all objects.",
            )
        )
    for source in parameters.sources:
        if isinstance(source, WaveSource | ObliqueWaveSource):
            field_low = np.array([yee.nodes(d)[axes[d].clear[0] + source.margin] for d in free])
            field_high = np.array([yee.nodes(d)[axes[d].clear[1] - source.margin] for d in free])
            if (low > field_low).any() or (high < field_high).any():
                found.append(
                    Finding(
                        f"Monitor '{monitor.name}' lies in the plane wave's box: its far field has the incident wave "
                        "in it. Let it reach beyond that box, toward the absorbing layers.",
                    )
                )
    return found
