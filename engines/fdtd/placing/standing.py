"""Figures of objects that are turned or repeated."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
from pydantic import BaseModel

from engines.api import Array
from engines.api.figures import Figure
from engines.api.placing import MOVE
from engines.fdtd.media.solids.solids import lattice_shifts, solids_of
from engines.fdtd.parameters import Lattice, Turn
from engines.geometry.lines import box_lines
from engines.geometry.solids.solid import rotation_matrix

MOST_OUTLINED = 1000
"""Copies that are outlined each: outlines are made anew with each move of the pointer while something is dragged."""


def standing(figure: Figure, item: BaseModel) -> Figure:
    """``figure`` as the object stands: turned, with its copies, or where these are many a box around all of them.

    What is turned is moved as a whole; its sizes are in the form, for their handles would not lie along the axes.
    Raises ProblemError.
    """
    turn, copies = getattr(item, "turn", None), getattr(item, "copies", None)
    if not figure.outline:
        return figure
    if isinstance(turn, Turn) and turn.angle:
        figure = _turned(figure, item, turn)
    if isinstance(copies, Lattice) and any(count > 1 for count in copies.counts):
        several = _each if math.prod(copies.counts) <= MOST_OUTLINED else _around_all
        figure = replace(figure, outline=(*figure.outline, *several(figure.outline, copies)))
    return figure


def _turned(figure: Figure, item: BaseModel, turn: Turn) -> Figure:
    alone = item.model_copy(update={"turn": Turn(), "copies": Lattice()})
    low, high = next(solids_of(alone)).bounds()  # type: ignore[arg-type]  # only objects are turned
    middle = 0.5 * (low + high)
    rotation = rotation_matrix(turn.axis, turn.angle)
    outline = tuple((line - middle) @ rotation.T + middle for line in figure.outline)
    return replace(
        figure, outline=outline, handles=tuple(handle for handle in figure.handles if handle.name == MOVE)
    )  # fmt: skip


def _each(outline: tuple[Array, ...], copies: Lattice) -> tuple[Array, ...]:
    """The outlines of all copies. Raises ProblemError."""
    return tuple(line + shift for shift in lattice_shifts(copies) for line in outline)


def _around_all(outline: tuple[Array, ...], copies: Lattice) -> tuple[Array, ...]:
    """The box of all sites, also of those that are omitted."""
    points = np.concatenate(outline)
    pitches = np.array([copies.first, copies.second, copies.third])
    corners = itertools.product(*((0, count - 1) for count in copies.counts))
    shifts = np.array(list(corners)) @ pitches
    return box_lines(points.min(axis=0) + shifts.min(axis=0), points.max(axis=0) + shifts.max(axis=0))
