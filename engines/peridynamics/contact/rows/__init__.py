"""What the kernels of contact know by number, declared once for both twins: places in a shape, in a state, in the news.

Kernels on the CPU take the names from here, those on a GPU from ``rows.cuh``, which
``python -m engines.peridynamics.contact.rows`` writes.
"""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path

from engines.backend.compile.headers import header

HEADER = Path(__file__).with_name("rows.cuh")
NOWHERE = 1e15
"""Where a place of the lattice stands that no particle is at."""
MARGIN = 0.5
"""Spacings that speeds may grow by until particles in reach are looked for again."""
STICK = 0.5
"""Stiffness of the spring along the surface by which a particle sticks, in its mass over the square of a step."""
SHAPE, STATE, NEWS = 12, 20, 5
"""Numbers of each."""


class ShapeRow(IntEnum):
    """Of a penetrator's solid: (bodies, SHAPE)."""

    KIND = 0
    AXIS = 1  # (3)
    SIZES = 4  # (3)
    STIFFNESS = 7
    FRICTION = 8
    RATIO = 9  # a particle's mass over its own; 0: its motion is given


class StateRow(IntEnum):
    """Of a penetrator that moves: (bodies, STATE)."""

    PLACE = 0  # (3), as the next two and SEEN…
    VELOCITY = 3
    FORCE = 6  # on the body itself
    POTENTIAL = 9  # in the springs of contact
    WORK = 10  # that it has done, of which
    PENDING = 11  # belongs to the half step to come
    SLID = 12  # what friction has taken
    SEEN = 13  # place and velocity of the step that is told
    SEEN_VELOCITY = 16
    LATER = 19  # of SLID, what comes with the next step


class News(IntEnum):
    """What the search for neighbours tells: (NEWS,) int32."""

    MEMBERS = 0  # particles that take part
    MOVED = 1  # whether one has gone far since
    CROWD = 2  # neighbours of a particle, where these are too many; else 0
    STALE = 3  # whether lists are made now
    TOTAL = 4  # members being counted


def text() -> str:
    """The text of ``rows.cuh``."""
    numbers = {"NOWHERE": NOWHERE, "MARGIN": MARGIN, "STICK": STICK, "SHAPE": SHAPE, "STATE": STATE}
    return header("contact/rows", "engines.peridynamics.contact.rows", numbers, ShapeRow, StateRow, News, real="double")
