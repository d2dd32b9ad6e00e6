"""How an object stands: turned about its middle, repeated on a lattice."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from engines.api.parameters import ParameterGroup, quantity
from engines.fdtd.parameters.common import LENGTH, Place

MOST_COPIES = 20_000
Count = Annotated[int, Field(ge=1, le=MOST_COPIES)]
Site = tuple[int, int, int]


class Turn(ParameterGroup):
    """A rotation about an axis through the middle of an object."""

    angle: float = quantity(0.0, "°", "Counterclockwise where the axis points at you", ge=-360, le=360)
    axis: Place = quantity((0.0, 0.0, 1.0), "", "Direction of the axis, of any length")


class Lattice(ParameterGroup):
    """Copies of an object, counts × pitches; turned objects keep the lattice as it is."""

    counts: tuple[Count, Count, Count] = quantity((1, 1, 1), "1", "Copies along the three pitches")
    first: Place = quantity((1.0, 0.0, 0.0), LENGTH, "From one copy to the next", title="First pitch")
    second: Place = quantity((0.0, 1.0, 0.0), LENGTH, "From one copy to the next", title="Second pitch")
    third: Place = quantity((0.0, 0.0, 1.0), LENGTH, "From one copy to the next", title="Third pitch")
    omitted: list[Site] = quantity(
        [], "", "Sites that stay empty: a line of three numbers for each, from 0", title="Omitted sites", folded=True
    )


def turned() -> Turn:
    """The field of an object that may be turned."""
    field: Turn = quantity(Turn(), "", "Rotation about its middle", folded=True, advanced=True)
    return field


def repeated() -> Lattice:
    """The field of an object that may be repeated."""
    field: Lattice = quantity(Lattice(), "", "Copies on a lattice", folded=True, advanced=True)
    return field
