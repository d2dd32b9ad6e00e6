"""Figures: how one item that stands in space is drawn and dragged, for engines that answer
:meth:`engines.api.Engine.placed`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ValidationError

from engines.api.errors import ProblemError
from engines.api.placing import MOVE, Change, Faces, Handle, Position

Array = npt.NDArray[Any]
Fields = tuple[Mapping[str, Any], str]
"""The fields that change, and what to say of them."""
Changes = Callable[[str, Position], Fields]
"""Of (handle, position); raises ProblemError."""
CAPITAL = re.compile(r"([A-Z])")


@dataclass(frozen=True, eq=False)
class Figure:
    """An outline, handles, and the function that says what the item's parameters become when a handle is elsewhere.

    ``detail``: a word that tells it apart; ``faces``: the surface of what is solid.
    """

    outline: tuple[Array, ...]
    handles: tuple[Handle, ...] = ()
    changes: Changes | None = None
    detail: str = ""
    faces: Callable[[], Faces | None] | None = None


def mover(center: Position | Array, reference: Position | Array | None = None) -> Handle:
    """The handle that moves a whole figure."""
    return Handle(MOVE, triple(center), reference=None if reference is None else triple(reference))


def slider(name: str, position: Position | Array, axis: int, sign: int = 1) -> Handle:
    """A handle that moves along an axis alone."""
    return Handle(name, triple(position), triple(sign * np.eye(3)[axis]))


def triple(values: Position | Array) -> Position:
    """To twelve digits: 0.1 + 0.2 of a sum of cells is 0.3 in a form."""
    x, y, z = (number(value) for value in values)
    return x, y, z


def number(value: float) -> float:
    """To twelve digits."""
    return float(f"{float(value):.12g}")


def changed(item: BaseModel, fields: Mapping[str, Any], said: str) -> Change:
    """``item`` with some fields changed, validated. Raises ProblemError."""
    try:
        return Change(type(item).model_validate({**item.model_dump(), **fields}), said)
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        raise ProblemError(f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}.") from error


def kind_title(model: type[BaseModel]) -> str:
    """What a member of a union is called: its ``kind``; another class by the words of its name."""
    kind = model.model_fields.get("kind")
    words = CAPITAL.sub(r" \1", model.__name__).strip().lower()
    name = words if kind is None else str(get_args(kind.annotation)[0])
    return name[:1].upper() + name[1:]


def members(annotation: Any) -> list[type[BaseModel]]:
    """The models that a field of this type may hold: a list's, a union's."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in members(part)]
