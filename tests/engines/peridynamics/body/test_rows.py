"""Notches on a row of particles: where they are taken to be, how they end, and that it is said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from engines.api import Problem
from engines.peridynamics.body.bonded import bonded, filled
from engines.peridynamics.engine import PeridynamicsEngine
from tests.engines.peridynamics.body.test_shapes import BLOCK, PLATE, parameters

ENGINE = PeridynamicsEngine()


def held(body, *notches) -> np.ndarray:
    """(m, 2, d) the ends of all bonds that hold, in their order."""
    given = parameters(body, notches=list(notches))
    filling = filled(given)
    made = bonded(given, filling)
    found = []
    for bit, offset in enumerate(made.family.offsets):
        holds = made.words[bit // 32, made.places] >> np.uint32(bit % 32) & 1
        first = filling.centers[holds == 1]
        found.append(np.stack([first, first + offset[: first.shape[1]] * filling.spacing], axis=1))
    return np.unique(np.round(np.concatenate(found) * 4).astype(int), axis=0)


def mirrored(bonds: np.ndarray, width: float) -> np.ndarray:
    turned = bonds.copy()
    turned[..., 0] = round(4 * width) - turned[..., 0]
    return np.unique(turned, axis=0)


def test_notches_drawn_inwards_from_both_sides_are_mirror_images():
    """Both on the row y = 6.5 of a plate 12 mm wide, from the edge to beneath a particle and to between two."""
    for end in (4.5, 4.0, 4.2):
        bonds = held(PLATE, {"start": (0, 6.5), "end": (end, 6.5)}, {"start": (12, 6.5), "end": (12 - end, 6.5)})
        assert (bonds == mirrored(bonds, 12)).all()


def test_a_notch_on_a_row_ends_as_one_between_rows():
    """The same bonds at its tip, whichever way it was drawn."""
    between = held(PLATE, {"start": (-1, 6.0), "end": (5.0, 6.0)})
    assert len(between) < len(held(PLATE))
    for ends in (((-1, 6.5), (5.0, 6.5)), ((5.0, 6.5), (-1, 6.5))):
        on_row = held(PLATE, {"start": ends[0], "end": ends[1]})
        assert on_row.shape == between.shape
        assert (on_row == between).all()


ON_ROWS: Mapping[str, tuple[Any, dict]] = {
    "segment": (PLATE, {"start": (-1, 6.5), "end": (5, 6.5)}),
    "diagonal": (PLATE, {"start": (1.5, 1.5), "end": (6, 6)}),
    "line": (PLATE, {"kind": "plane", "point": (3.5, 0, 0), "normal": (1, 0, 0)}),
    "upright": (BLOCK, {"start": (-1, 3.5), "end": (4, 3.5)}),
    "parallelogram": (BLOCK, {"kind": "parallelogram", "corner": (0, 0, 3.5), "first": (4, 0, 0), "second": (0, 4, 0)}),
    "penny": (BLOCK, {"kind": "penny", "center": (4, 4, 3.5), "normal": (0, 0, 1), "radius": 2}),
}


@pytest.mark.parametrize("name", ON_ROWS)
def test_a_notch_on_a_row_is_told_and_drawn_between_rows(cpu, name):
    """The remedy cuts the same bonds, and takes the finding away."""
    body, notch = ON_ROWS[name]

    def findings(given):
        problem = Problem(parameters(body, notches=[given]))
        return [each for each in ENGINE.estimate(problem, cpu).findings if "on a row of particles" in each.message]

    (finding,) = findings(notch)
    assert finding.place == ("notches", 0)
    moved = {**notch, **{place[-1]: value for place, value in finding.remedy.changes.items()}}
    assert moved != notch
    assert not findings(moved)
    assert (held(body, moved) == held(body, notch)).all()


@pytest.mark.parametrize(
    "notch",
    [{"start": (-1, 6), "end": (5, 6)}, {"start": (0, 6.5), "end": (9, 8.1)}, {"start": (0, 6.4), "end": (9, 6.4)}],
)
def test_other_notches_are_left_where_they_are(cpu, notch):
    problem = Problem(parameters(PLATE, notches=[notch]))
    assert not [each for each in ENGINE.estimate(problem, cpu).findings if "on a row" in each.message]
