"""What of a peridynamic problem stands in space: the body, holes, notches, loads, penetrators, gauges and where bonds
do not break.

A module enters the figures of its kinds (:func:`engines.peridynamics.placing.kinds.drawn`); :data:`LISTS` names the
fields of the parameters that hold such things.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel

from engines.api.figures import Figure, changed, kind_title, members
from engines.api.placing import Change, NewItem, Path, PlacedGroup, PlacedItem, Placement, Position
from engines.peridynamics.body.filling import frame_of
from engines.peridynamics.parameters import GroupRegion, Penetrator, PeridynamicParameters, SideRegion, Velocity
from engines.peridynamics.placing import bodies as bodies
from engines.peridynamics.placing import gauges as gauges
from engines.peridynamics.placing import notches as notches
from engines.peridynamics.placing import shapes as shapes
from engines.peridynamics.placing.kinds import KINDS, Space, figure_of, made
from engines.peridynamics.placing.regions import acting_figure
from engines.peridynamics.placing.rigid import new_penetrators


@dataclass(frozen=True)
class Listed:
    """A list of the parameters; its place is ``path``, and lists that the parameters do not have are left out."""

    title: str
    path: Path
    role: Literal["object", "source", "monitor"]
    tint: int | None = None


LISTS = (
    Listed("Holes", ("body", "holes"), "object"),
    Listed("Notches", ("notches",), "source"),
    Listed("Loads", ("loads",), "monitor"),
    Listed("Penetrators", ("penetrators",), "object", 1),
    Listed("Gauges", ("measuring", "gauges"), "monitor", 3),
    Listed("No failure", ("unbreakable",), "monitor", 2),
)


def placement_of(parameters: PeridynamicParameters) -> Placement:
    """Raises ProblemError for bodies that are none."""
    space = space_of(parameters)
    body = parameters.body
    whole = _item(("body",), kind_title(type(body)), body, figure_of(body, space), None)
    groups = [PlacedGroup("Body", ("body",), "boundary", (whole,))]
    for listed in LISTS:
        owner, field = _owner(parameters, listed.path)
        if field in type(owner).model_fields:
            items = tuple(
                _item((*listed.path, place), _title(place, each), each,
                      acting_figure(each, space), listed.tint)
                for place, each in enumerate(getattr(owner, field))
            )  # fmt: skip
            new = tuple(_new(space, type(owner).model_fields[field].annotation))
            groups.append(PlacedGroup(listed.title, listed.path, listed.role, items, new))
    frame = space.frame
    x, y, z = (frame.origin[axis] + frame.spacing * np.arange(frame.counts[axis] + 1) for axis in range(3))
    return Placement(tuple(groups), (x, y, z))


def _title(place: int, item: BaseModel) -> str:
    return getattr(item, "name", "") or f"{place + 1}  {kind_title(type(item))}"


def space_of(parameters: PeridynamicParameters) -> Space:
    """Raises ProblemError."""
    frame = frame_of(parameters)
    low, high = frame.corners
    if frame.dimensions == 2:
        low = np.array([low[0], low[1], high[2]])
    return Space(parameters, frame, low, high)


def _owner(parameters: PeridynamicParameters, path: Path) -> tuple[BaseModel, str]:
    owner: Any = parameters
    for name in path[:-1]:
        owner = getattr(owner, str(name))
    return owner, str(path[-1])


def _item(path: Path, title: str, item: BaseModel, figure: Figure, tint: int | None) -> PlacedItem:
    moved = None if figure.changes is None else partial(_moved, item, figure)
    return PlacedItem(
        path, title, figure.detail, figure.outline, tint, faces=figure.faces, handles=figure.handles, moved=moved
    )


def _moved(item: BaseModel, figure: Figure, handle: str, position: Position) -> Change:
    assert figure.changes is not None
    return changed(item, *figure.changes(handle, position))


def _new(space: Space, annotation: Any) -> Iterator[NewItem]:
    """Each kind that the list takes and a body on a lattice has room for; loads also as a support, which holds the
    bottom; penetrators by their forms."""
    found = members(annotation)
    if Penetrator in found:
        yield from new_penetrators(space)
        return
    for model in found:
        if model is not GroupRegion and not (space.flat and model in KINDS and KINDS[model].solid):
            yield NewItem(kind_title(model), model, partial(made, space, model))
    if Velocity in found:
        support = Velocity(name="Support", region=SideRegion(side="bottom"), x=0.0, y=0.0, z=0.0)
        yield NewItem("Support", Velocity, partial(support.model_copy, deep=True))
