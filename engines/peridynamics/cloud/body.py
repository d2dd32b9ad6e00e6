"""A body of irregular points, checked: the same interface as a body on a lattice, and volumes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import scipy

from engines.api import Array, Finding
from engines.api.errors import ProblemError
from engines.geometry.particles import Particles
from engines.named_files import named_versions
from engines.peridynamics.body.filling import DRAWN_RADIUS, MOST_PARTICLES, Filled
from engines.peridynamics.cloud.files import Points, read_points
from engines.peridynamics.parameters.body.cloud import PointBody
from engines.reading import Version

NEAREST = 0.02
"""Of the mean distance: points that are nearer count as overlapping."""
LEAST_HORIZON, MOST_HORIZON = 2.0, 8.0
"""In mean distances of points."""
HORIZON, REACH = ("body", "horizon"), ("bonds", "reach")
"""Places in the form: what a horizon is given by."""
ROUNDING = 1e-6
"""Part of the horizon by which it is extended, so that rounding of a file's numbers does not decide on a lattice."""


@dataclass(frozen=True, eq=False)
class CloudBody:
    """filled: what loads, regions and viewers know of it; volumes: (n,) in means.

    spacing [mm]: the mean distance of points, the root of the mean volume; horizon [mm]; layer [mm]: (d,) thickness of
    the outermost layers of particles that a side has; findings: what of the file is not in it.
    """

    filled: Filled
    volumes: Array
    spacing: float
    horizon: float
    layer: Array
    findings: tuple[Finding, ...] = ()

    @property
    def dimensions(self) -> int:
        return self.filled.dimensions

    @property
    def reach(self) -> float:
        """Horizon in mean distances."""
        return self.horizon / self.spacing

    @property
    def points(self) -> Array:
        """(n, d) [mm]"""
        return self.filled.centers[:, : self.dimensions]


def cloud_body(body: PointBody, spacing: float, reach: float) -> CloudBody:
    """The same object for the same body, file, spacing [mm, where the file has no volumes] and reach.

    Raises ProblemError.
    """
    return _cloud_body(body.model_dump_json(), spacing, reach, named_versions(body))


@lru_cache(maxsize=4)
def _cloud_body(body_json: str, spacing: float, reach: float, files: tuple[Version, ...]) -> CloudBody:
    body = PointBody.model_validate_json(body_json)
    if not body.file:
        raise ProblemError("The body has no points: choose a mesh or a CSV file.", ("body", "file"))
    dimensions = 3 if body.formulation == "3D" else 2
    try:
        points = read_points(Path(body.file), dimensions, body.length_unit)
        return checked(points, spacing, reach, body.horizon)
    except ProblemError as error:
        raise ProblemError(str(error), error.place or ("body", "file")) from None


def checked(points: Points, spacing: float, reach: float, horizon: float | None = None) -> CloudBody:
    """Raises ProblemError for what cannot be a body. spacing, reach and horizon as in :func:`cloud_body`."""
    n, d = points.positions.shape
    if n < d + 1:
        raise ProblemError(f"A body of {n} points has no shape: use more.")
    if n > MOST_PARTICLES:
        raise ProblemError(f"The body has {n:,} points: use {MOST_PARTICLES:,} at most.")
    volumes = np.full(n, spacing**d) if points.volumes is None else points.volumes
    bad = np.flatnonzero(~(volumes > 0) | ~np.isfinite(volumes))
    if len(bad):
        raise ProblemError(f"The volume of point {bad[0]} is {volumes[bad[0]]:g}: volumes are positive.")
    mean = float(volumes.mean() ** (1 / d))
    delta = reach * mean if horizon is None else horizon
    if delta < LEAST_HORIZON * mean * (1 - ROUNDING):
        raise ProblemError(
            f"The horizon of {delta:g} mm is {delta / mean:.2g} mean distances of points ({mean:.3g} mm): "
            "use 2 at least.",
            HORIZON if horizon is not None else REACH,
        )
    if delta > MOST_HORIZON * mean:
        raise ProblemError(
            f"The horizon of {delta:g} mm is {delta / mean:.3g} mean distances of points ({mean:.3g} mm): use "
            f"{MOST_HORIZON:g} at most; about 3 is usual.",
            HORIZON if horizon is not None else REACH,
        )
    _require_apart(points.positions, mean, delta)
    low = points.positions.min(axis=0) - mean / 2 if points.low is None else points.low
    high = points.positions.max(axis=0) + mean / 2 if points.high is None else points.high
    rows: Array = np.maximum(1, np.rint((high - low) / mean)).astype(np.int64)
    layer: Array = (high - low) / rows
    cells = np.zeros((n, 3), np.int32)
    cells[:, :d] = np.clip((points.positions - low) / layer, 0, rows - 1)
    positions = np.zeros((n, 3))
    positions[:, :d] = points.positions
    counts = (*(int(number) for number in rows), 1)[:3]
    radii = DRAWN_RADIUS * (volumes / volumes.mean()) ** (1 / d) * mean
    geometry, counted = Particles(positions, radii, "mm"), (counts[0], counts[1], counts[2])
    filled = Filled(geometry, cells, counted, mean, d, groups=points.groups)
    return CloudBody(filled, volumes / volumes.mean(), mean, delta, layer, points.findings)


def _require_apart(positions: Array, spacing: float, horizon: float) -> None:
    """Raises ProblemError that names two points on top of each other, or one without a neighbour."""
    found = scipy.spatial.cKDTree(positions).query(positions, k=2, workers=-1)
    apart, other = np.asarray(found[0]), np.asarray(found[1])
    first = int(np.argmin(apart[:, 1]))
    if apart[first, 1] < NEAREST * spacing:
        # of three on one place, "the second nearest" may be the point itself
        second = int(other[first, 1]) if other[first, 1] != first else int(other[first, 0])
        raise ProblemError(
            f"Points {min(first, second)} and {max(first, second)} overlap: they are {apart[first, 1]:.3g} mm apart, "
            f"and points are {spacing:.3g} mm apart on average; take one of them away."
        )
    alone = np.flatnonzero(apart[:, 1] > horizon)
    if len(alone):
        raise ProblemError(
            f"Point {alone[0]} has no neighbour within the horizon of {horizon:.3g} mm ({len(alone):,} such points): "
            "take it away, or use a greater horizon."
        )
