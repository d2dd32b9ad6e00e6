"""Probes and lines that stand where there is nothing to be measured."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engines.api import Array, Finding
from engines.api.errors import ProblemError
from engines.geometry.base import Geometry
from engines.geometry.line_cut import line_cut
from workbench.project.document import Document
from workbench.project.project import Line

NEAR = 2.0
"""Radii of a mesh's cell about its centre that a point between it and its neighbours may be away."""
SLACK = 1e-3
"""Of the largest side of a box, by which a point on its surface may seem to be beyond it."""


def probes_outside(document: Document) -> tuple[Finding, ...]:
    """Of each probe that is beyond the geometry, as after an edit that makes it smaller: it follows the nearest element
    all the same. Nothing where there is no geometry yet."""
    if not document.project.probes:
        return ()
    try:
        return tuple(_outside(document, document.geometry))
    except ProblemError:  # which is told where it belongs
        return ()


def lines_outside(document: Document) -> tuple[Finding, ...]:
    """Of each line that meets nothing of the geometry, whichever field it is of."""
    if not document.project.lines:
        return ()
    try:
        geometry = document.geometry
    except ProblemError:  # which is told where it belongs
        return ()
    found = []
    for line in document.project.lines if geometry.n_cells else ():
        try:
            line_cut(geometry, line.start, line.end, mixed=False)
        except ProblemError as error:
            found.append(line_finding(line, error))
    return tuple(found)


def line_finding(line: Line, error: ProblemError) -> Finding:
    """Why there are no values along it."""
    return Finding(
        f"Nothing is written of the line '{line.name}' of '{line.field}': place it anew or remove it. {error}"
    )


def _outside(document: Document, geometry: Geometry) -> Iterator[Finding]:
    if not geometry.n_cells:
        return
    for probe in document.project.probes:
        place = np.asarray(probe.position, float)
        element = geometry.nearest(place[None])
        if not _is_beyond(geometry, place, element):
            continue
        centre = geometry.centers(element)[0]
        unit, away = geometry.length_unit, float(np.linalg.norm(centre - place))
        yield Finding(
            f"The probe '{probe.name}' at {_told(place)} {unit} is outside: its curve is that of the nearest element, "
            f"at {_told(centre)} {unit}, {away:.3g} {unit} away. Place it anew or remove it.",
            distorts=True,
        )


def _is_beyond(geometry: Geometry, place: Array, element: Array) -> bool:
    """Out of the box around all elements along an axis that they have, or, in a mesh, away from the nearest cell."""
    low, high = (np.asarray(corner, float) for corner in geometry.bounds)
    extent = high - low
    slack = SLACK * float(extent.max())
    if bool(np.any(((place < low - slack) | (place > high + slack)) & (extent > 0))):
        return True
    points, cells = getattr(geometry, "points", None), getattr(geometry, "cells", None)
    if points is None or cells is None:
        return False
    corners, centre = points[cells[element[0]]], geometry.centers(element)[0]
    reach = float(np.linalg.norm(corners - centre, axis=1).max())
    return float(np.linalg.norm(place - centre)) > NEAR * reach + slack


def _told(place: Array) -> str:
    return f"({', '.join(f'{value:.4g}' for value in place)})"
