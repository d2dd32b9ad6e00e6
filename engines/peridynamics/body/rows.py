"""Flat notches that lie on a row of particles: they are placed half-way to the next row.

The particles of such a row are on neither side of the cut. It goes half of the distance of rows towards lower
coordinates, of the axis that it is most across of: whichever way it was drawn, and alike for all cuts of a row.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

import numpy as np

from engines.api import Array
from engines.peridynamics.body.cuts import TOUCH, FlatCut

STEEPEST = 4
"""Lattice spacings along an axis, at most, by which neighbouring rows are shifted: rows at other angles are so close
and so thin that none is told from the next."""

Flat = TypeVar("Flat", bound=FlatCut)


def way_between_rows(cut: FlatCut) -> Array | None:
    """(d,) in spacings: the way from the row on which ``cut`` lies to half-way between rows; None where it lies on
    none."""
    across = _whole(cut.normal)
    if across is None:
        return None
    place = float(cut.origin @ across)
    length = float(np.linalg.norm(across))
    if abs(place - round(place)) > TOUCH * length:
        return None
    return np.asarray(-0.5 * across / length**2)


def between_rows(cut: Flat) -> Flat:
    """``cut``, moved if it lies on a row."""
    way = way_between_rows(cut)
    return cut if way is None else replace(cut, origin=cut.origin + way)  # type: ignore[type-var]  # all are dataclasses


def _whole(normal: Array) -> Array | None:
    """The least whole numbers along ``normal``, the largest of them positive; None where there are none as small as
    ``STEEPEST``."""
    largest = int(np.argmax(np.abs(normal) > np.abs(normal).max() - TOUCH))
    ratios = [Fraction(float(part)).limit_denominator(STEEPEST) for part in normal / normal[largest]]
    if max(abs(float(ratio) - part) for ratio, part in zip(ratios, normal / normal[largest], strict=True)) > TOUCH:
        return None
    common = math.lcm(*(ratio.denominator for ratio in ratios))
    return np.array([float(ratio * common) for ratio in ratios])
