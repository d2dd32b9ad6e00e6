"""What of a problem stands in space, so that a window can draw it, list it and let a person place it by hand.

An engine that has such things answers :meth:`engines.api.Engine.placed`: groups of items, each with an outline in the
geometry's coordinates, handles, and a function that says what its parameters become when a handle is elsewhere. The
window knows nothing else of them; what it changes goes through its undo stack like an edit of the form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

Array = npt.NDArray[Any]
Position = tuple[float, float, float]
Path = tuple[str | int, ...]
"""Into the parameters: ``("objects", 2)``."""

MOVE = "move"
"""The name of the handle that moves an item as a whole."""


@dataclass(frozen=True)
class Handle:
    """A point that a person may drag. ``direction`` (a unit vector): it slides along that alone; None: any way.

    ``reference`` is the point of the item that comes to stand on the cells when the handle is dragged (the corner of a
    box whose middle is dragged); None: the handle itself.
    """

    name: str
    position: Position
    direction: Position | None = None
    reference: Position | None = None


@dataclass(frozen=True)
class Change:
    """The parameters of an item, changed, and what to say of them while they are dragged ("radius 0.5 µm")."""

    value: BaseModel
    said: str


@dataclass(frozen=True, eq=False)
class Faces:
    """The surface of a body: ``points (n, 3)`` in the geometry's coordinates and ``triangles (m, 3)`` of them, against
    the clock as seen from outside."""

    points: Array
    triangles: Array


@dataclass(frozen=True, eq=False)
class PlacedItem:
    """One thing at ``path`` in the parameters; ``detail`` says in a word what tells it apart ("glass").

    outline: polylines, each (n, 3), in the geometry's coordinates; none: it is only listed
    tint: items of the same tint are drawn in the same colour; None: in that of their group
    moved: the parameters at ``path`` with the handle of this name at this position; raises ProblemError
    renamed: all parameters with another name of this item wherever it stands; None where it has none
    colour: sRGB of what it is made of, instead of a tint's
    material: what it is made of, as a legend names it; empty: as its group is called
    faces: the surface of what is solid, found when it is drawn; None: there are lines alone
    """

    path: Path
    title: str
    detail: str = ""
    outline: tuple[Array, ...] = ()
    tint: int | None = None
    handles: tuple[Handle, ...] = ()
    moved: Callable[[str, Position], Change] | None = None
    renamed: Callable[[str], BaseModel] | None = None
    colour: tuple[int, int, int] | None = None
    material: str = ""
    faces: Callable[[], Faces | None] | None = None

    @property
    def bounds(self) -> tuple[Array, Array] | None:
        """Lowest and highest corner of the outline."""
        if not self.outline:
            return None
        points = np.concatenate(self.outline)
        return points.min(axis=0), points.max(axis=0)


@dataclass(frozen=True)
class NewItem:
    """What may be added to a group: ``make()`` gives one of class ``model`` that fits the problem as it is."""

    title: str
    model: type[BaseModel]
    make: Callable[[], BaseModel]


@dataclass(frozen=True, eq=False)
class PlacedGroup:
    """Items of one sort. ``path`` is that of their list, or of the parameters that they are made of; ``new`` is what
    may be added to the list."""

    title: str
    path: Path
    role: Literal["material", "object", "source", "monitor", "boundary"]
    items: tuple[PlacedItem, ...] = ()
    new: tuple[NewItem, ...] = ()


@dataclass(frozen=True, eq=False)
class Placement:
    """All that stands in space. ``snaps``: the coordinates along x, y, z that what is dragged comes to stand on; an
    axis of two has one cell, and nothing moves along it."""

    groups: tuple[PlacedGroup, ...]
    snaps: tuple[Array, Array, Array]

    def items(self) -> Iterator[tuple[PlacedGroup, PlacedItem]]:
        return ((group, item) for group in self.groups for item in group.items)

    def at(self, path: Path | None) -> PlacedItem | None:
        """The item at ``path``; None where there is none."""
        return next((item for _, item in self.items() if item.path == path), None)
