"""Far fields as charts: cuts through the pattern as polar curves, and the whole of it as a surface."""

from __future__ import annotations

import numpy as np

from engines.api import Array
from engines.api.charts import EMPTY, ChartData, ChartInfo, Curve
from engines.fdtd.far.fields import FarField, decibels

SPAN = 40.0
"""Decibels below the largest that are shown."""
CUTS = (0.0, 90.0)
"""Azimuths [°] of the cuts over the polar angle."""


def far_chart_infos(prefix: str, of: str = "") -> tuple[ChartInfo, ChartInfo, ChartInfo]:
    """Cuts over the polar angle, cuts over the azimuth, and the pattern; ``of`` says at the end of titles of what."""
    return (
        ChartInfo(
            f"{prefix}_elevation", f"Directivity over θ{of}", "dBi", kind="polar", x_title="θ", x_unit="°",
            clockwise=True, span=SPAN,
        ),
        ChartInfo(
            f"{prefix}_azimuth", f"Directivity over φ{of}", "dBi", kind="polar", x_title="φ", x_unit="°", span=SPAN
        ),
        ChartInfo(
            f"{prefix}_pattern", f"Pattern{of}", "dBi", kind="pattern", x_title="θ", x_unit="°", across_title="φ",
            span=SPAN,
        ),
    )  # fmt: skip


def elevation_chart(far: FarField, ratio: Array) -> ChartData:
    """Cuts of ``ratio`` (t, p), a directivity or gain, over θ: φ = 0° on the right and φ + 180° on the left.

    The angles of :func:`engines.fdtd.far.directions.sphere` with an even number of azimuths.
    """
    values, phi = decibels(ratio), far.directions.phi
    if not np.isfinite(values).all():
        return EMPTY
    theta = np.degrees(far.directions.theta)
    around = np.concatenate([theta, 360 - theta[-2::-1]])
    curves = []
    for cut in CUTS:
        column = int(np.argmin(np.abs(np.degrees(phi) - cut)))
        other = (column + len(phi) // 2) % len(phi)
        cut_values = np.concatenate([values[:, column], values[-2::-1, other]])
        title = f"φ = {np.degrees(phi[column]):.0f}°"
        curves.append(Curve(title, around, cut_values))
    return ChartData(tuple(curves))


def azimuth_chart(far: FarField, ratio: Array) -> ChartData:
    """The cut of ``ratio`` (t, p) at the polar angle of its largest value and, where that is another, at 90°."""
    values, theta = decibels(ratio), far.directions.theta
    if not np.isfinite(values).all():
        return EMPTY
    rows = {int(np.argmin(np.abs(theta - np.pi / 2))), int(np.unravel_index(values.argmax(), values.shape)[0])}
    rows -= {0, len(theta) - 1} if len(theta) > 1 else set()  # a pole has no azimuth
    phi = np.degrees(far.directions.phi)
    return ChartData(
        tuple(Curve(f"θ = {np.degrees(theta[row]):.0f}°", phi, values[row]) for row in sorted(rows, reverse=True))
    )


def pattern_chart(far: FarField, ratio: Array) -> ChartData:
    """All of ``ratio`` (t, p)."""
    values = decibels(ratio)
    if not np.isfinite(values).all():
        return EMPTY
    theta, phi = np.meshgrid(np.degrees(far.directions.theta), np.degrees(far.directions.phi), indexing="ij")
    curve = Curve("Pattern", theta.reshape(-1), values.reshape(-1), across=phi.reshape(-1))
    return ChartData((curve,))
