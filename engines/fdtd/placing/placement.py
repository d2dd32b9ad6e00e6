"""What of a Maxwell problem stands in space: materials by name, objects, sources, ports, monitors, absorbing layers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal, cast

import numpy as np
from pydantic import BaseModel

from engines.api.errors import ProblemError
from engines.api.figures import Figure, changed, kind_title, members
from engines.api.placing import Change, NewItem, PlacedGroup, PlacedItem, Placement, Position
from engines.fdtd.parameters import FdtdParameters
from engines.fdtd.parameters.objects import Object
from engines.fdtd.placing import drawn_out as drawn_out
from engines.fdtd.placing import monitors as monitors
from engines.fdtd.placing import objects as objects
from engines.fdtd.placing import round_bodies as round_bodies
from engines.fdtd.placing import sources as sources
from engines.fdtd.placing.kinds import KINDS, Space
from engines.fdtd.placing.standing import standing
from engines.fdtd.placing.surfaces import colour_of, faces_of
from engines.fdtd.placing.tuning import tuned
from engines.fdtd.setup.grid import make_faces, make_yee
from engines.geometry.lines import box_lines

Role = Literal["material", "object", "source", "monitor", "boundary"]
LISTS: tuple[tuple[str, str, Role], ...] = (
    ("Materials", "materials", "material"),
    ("Objects", "objects", "object"),
    ("Sources", "sources", "source"),
    ("Ports", "ports", "source"),
    ("Monitors", "monitors", "monitor"),
)
"""Title, field of the parameters (where there is such a one), role."""


def placement_of(parameters: FdtdParameters) -> Placement:
    """Raises ProblemError for grids that are none."""
    space = space_of(parameters)
    tints = {material.name: number for number, material in enumerate(parameters.materials)}
    groups = []
    for title, field, role in LISTS:
        if field in type(parameters).model_fields:
            items = tuple(
                _item(space, field, place, each, tints) for place, each in enumerate(getattr(parameters, field))
            )
            groups.append(PlacedGroup(title, (field,), role, items, tuple(_new(space, field))))
    groups.append(PlacedGroup("Absorbing layers", ("faces",), "boundary", _layers(space)))
    yee = space.yee
    return Placement(tuple(groups), (yee.nodes(0), yee.nodes(1), yee.nodes(2)))


def space_of(parameters: FdtdParameters) -> Space:
    """Raises ProblemError."""
    yee = make_yee(parameters.grid)
    faces = make_faces(parameters.faces, yee)
    nodes = [yee.nodes(axis) for axis in range(3)]
    for axis, (low, high) in enumerate(faces):
        if low.layer + high.layer > yee.counts[axis]:
            raise ProblemError(
                f"The absorbing layers along {'xyz'[axis]} leave no cell between them: make them thinner."
            )
    inner_low = np.array([nodes[axis][low.layer] for axis, (low, _) in enumerate(faces)])
    inner_high = np.array([nodes[axis][-1 - high.layer] for axis, (_, high) in enumerate(faces)])
    first, last = (np.array([each[end] for each in nodes]) for end in (0, -1))
    return Space(parameters, yee, first, last, inner_low, inner_high)


def _item(space: Space, field: str, place: int, item: BaseModel, tints: dict[str, int]) -> PlacedItem:
    figure = _figure(space, item)
    name = getattr(item, "name", "")
    of = name if field == "materials" else getattr(item, "material", "")
    return PlacedItem(
        (field, place),
        name or f"{place + 1}  {kind_title(type(item))}",
        figure.detail,
        tuple(np.clip(line, space.low, space.high) for line in figure.outline)
        if field == "objects"
        else figure.outline,
        tints.get(of),
        figure.handles,
        None if figure.changes is None else partial(_moved, item, figure),
        partial(_renamed, space.parameters, field, place) if name else None,
        colour=colour_of(next((each for each in space.parameters.materials if each.name == of), None)),
        material=of,
        faces=partial(faces_of, cast(Object, item), space) if field == "objects" and figure.outline else None,
    )


def _figure(space: Space, item: BaseModel) -> Figure:
    """Nothing of what cannot be drawn (a file that is not there): the estimate says what is wrong with it."""
    kind = KINDS.get(type(item))
    try:
        return Figure(()) if kind is None else standing(kind.figure(item, space), item)
    except ProblemError:
        return Figure(())


def _moved(item: BaseModel, figure: Figure, handle: str, position: Position) -> Change:
    assert figure.changes is not None
    return changed(item, *figure.changes(handle, position))


def _renamed(parameters: FdtdParameters, field: str, place: int, name: str) -> BaseModel:
    """With all that is of a material following its name. Raises ProblemError."""
    values = parameters.model_dump()
    old = values[field][place]["name"]
    if not name.strip():
        raise ProblemError("A name is not empty.")
    if name != old and any(each["name"] == name for each in values[field]):
        raise ProblemError(f"'{name}' is there already: choose another name.")
    values[field][place]["name"] = name
    if field == "materials":
        _follow(values, old, name)
    return FdtdParameters.model_validate(values)


def _follow(values: Any, old: str, new: str) -> None:
    """Every ``material`` in a tree of values that is ``old`` becomes ``new``."""
    for key, value in list(values.items() if isinstance(values, dict) else enumerate(values)):
        if key == "material" and value == old:
            values[key] = new
        elif isinstance(value, (dict, list, tuple)) and not isinstance(value, tuple):
            _follow(value, old, new)


def _new(space: Space, field: str) -> Iterator[NewItem]:
    """Each kind that the list takes; those without an entry begin with their defaults."""
    for model in members(FdtdParameters.model_fields[field].annotation):
        yield NewItem(kind_title(model), model, partial(_made, space, field, model))


def _made(space: Space, field: str, model: type[BaseModel]) -> BaseModel:
    entry = KINDS.get(model)
    made = tuned(space, model.model_validate({} if entry is None else dict(entry.fresh(space))))
    if "name" in model.model_fields:
        taken = {each.name for each in getattr(space.parameters, field)}
        stem, number = made.name, 1  # type: ignore[attr-defined]  # has one
        while made.name in taken:  # type: ignore[attr-defined]  # has one
            number += 1
            made = made.model_copy(update={"name": f"{stem}{number}"})
    return made


def _layers(space: Space) -> tuple[PlacedItem, ...]:
    """What the absorbing layers leave, where there are any."""
    if (space.inner_low == space.low).all() and (space.inner_high == space.high).all():
        return ()
    cells = f"{space.parameters.faces.layer} cells"
    return (PlacedItem(("faces", "layer"), "Where they begin", cells, box_lines(space.inner_low, space.inner_high)),)
