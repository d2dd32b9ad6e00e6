"""The numbers among a problem's parameters, wherever they stand: what a sweep may vary."""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from engines.api.errors import ProblemError
from engines.api.parameters import matters, unit_among
from engines.named_files import Place
from workbench.words.bounds import Bounds, bounds_of

NEAREST = 4
"""Names that are offered for one that is not there."""
DEEPER = " › "
"""Between the titles of groups and what stands in them."""
UNNAMED = ("kind", "name")
"""Fields that tell the items of a list apart."""


@dataclass(frozen=True)
class NumberParameter:
    """A number that a person may set, ``value`` at present.

    ``titles`` are those of the groups around it and its own, as the form shows them; ``matters`` is False where the
    form hides it, because nothing depends on it as the other parameters are; ``finer`` is what its engine says of it
    (:func:`engines.api.parameters.quantity`); ``called``: the name of the item whose value it is, as typed lines have
    it.
    """

    place: Place
    titles: tuple[str, ...]
    value: float
    unit: str = ""
    help: str = ""
    integer: bool = False
    bounds: Bounds = field(default_factory=Bounds)
    matters: bool = True
    finer: str = ""
    called: str = ""

    @property
    def brief(self) -> str:
        """What it is called in a line: ``Radius``, or ``D`` where a person gave it that name."""
        return self.called or self.titles[-1]

    @property
    def counts(self) -> bool:
        """Whether it is finer where it is larger."""
        return self.integer if not self.finer else self.finer == "larger"

    @property
    def name(self) -> str:
        """``objects.0.radius``"""
        return ".".join(str(key) for key in self.place)

    @property
    def title(self) -> str:
        """``Objects › 1 sphere › Radius``"""
        return DEEPER.join(self.titles)


def numbers_of(parameters: BaseModel) -> list[NumberParameter]:
    """All numbers in the order of the form, those that do not matter at present too."""
    return list(_walk(parameters, type(parameters), _Here(), ()))


def number_called(parameters: BaseModel, name: str) -> NumberParameter:
    """The number with this dotted name. Raises ProblemError that says what there is instead."""
    numbers = {number.name: number for number in numbers_of(parameters)}
    found = numbers.get(name)
    if found is None:
        raise ProblemError(_not_there(parameters, name, [one.name for one in numbers.values() if one.matters]))
    if not found.matters:
        raise ProblemError(f"Nothing depends on '{name}' as the other parameters are: vary another, or change those.")
    return found


def _not_there(parameters: BaseModel, name: str, known: Sequence[str]) -> str:
    last = name.rpartition(".")[2]
    near = get_close_matches(name, known, NEAREST, 0.5)
    near += [one for one in known if one.rpartition(".")[2] == last and one not in near]
    if not near:  # a group: what stands in it
        near = [one for one in known if one.startswith(f"{name}.")]
    told = f"; the nearest are {', '.join(near[:NEAREST])}" if near else ""
    value: Any = parameters
    for key in name.split("."):
        try:
            value = value[int(key)] if isinstance(value, (list, tuple)) else getattr(value, key)
        except (AttributeError, IndexError, ValueError):
            return f"There is no number '{name}' among the parameters{told or ': see the project file for the names'}."
    what = "a group" if isinstance(value, BaseModel) else "a list" if isinstance(value, (list, tuple)) else repr(value)
    return f"'{name}' is no number but {what}: a sweep varies numbers{told}."


@dataclass(frozen=True)
class _Here:
    """Where the walk is, and what the field that it is in says."""

    place: Place = ()
    titles: tuple[str, ...] = ()
    unit: str = ""
    help: str = ""
    matters: bool = True
    finer: str = ""
    called: str = ""

    def at(self, key: str | int, title: str = "", **changes: Any) -> _Here:
        titles = (*self.titles, title) if title else self.titles
        return replace(self, place=(*self.place, key), titles=titles, **changes)


def _walk(value: Any, annotation: Any, here: _Here, around: tuple[BaseModel, ...]) -> Iterator[NumberParameter]:
    if isinstance(value, BaseModel):
        for key, info in type(value).model_fields.items():
            yield from _walk(getattr(value, key), _whole(info), _into(here, key, info, value, around), (value, *around))
    elif isinstance(value, list):
        inner = _arguments(annotation)[:1] or (Any,)
        for place, item in enumerate(value):
            yield from _walk(item, inner[0], here.at(place, f"{place + 1}{_called(item)}"), around)
    elif isinstance(value, tuple):
        parts = _arguments(annotation)
        axes = "xyz" if len(value) == 3 else ("1", "2", "3", "4")
        for place, item in enumerate(value):
            part = parts[place] if place < len(parts) and parts[place] is not ... else parts[0] if parts else Any
            title = axes[place] if place < len(axes) else str(place + 1)
            named = replace(here, titles=(*here.titles[:-1], f"{here.titles[-1]} {title}"))
            yield from _walk(item, part, named.at(place), around)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        kind, limits = _number(annotation)
        if kind is not None:
            yield NumberParameter(
                here.place, here.titles, value, here.unit, here.help, kind is int, limits, here.matters, here.finer,
                here.called,
            )  # fmt: skip


def _into(here: _Here, key: str, info: FieldInfo, group: BaseModel, around: tuple[BaseModel, ...]) -> _Here:
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    when: Any = extra.get("when") or {}
    unless: Any = extra.get("unless") or {}
    counts = here.matters and matters(when, unless, (group, *around))
    unit = unit_among(str(extra.get("unit") or ""), (group, *around))
    title = info.title or key.replace("_", " ").capitalize()
    unit = "" if unit == "1" else unit
    finer = str(extra.get("finer") or "")
    called = str(getattr(group, "name", "")) if key == "value" else ""
    return here.at(key, title, unit=unit, help=info.description or "", matters=counts, finer=finer, called=called)


def _called(item: Any) -> str:
    """What tells an item of a list from the others, after its number."""
    for name in reversed(UNNAMED):
        text = getattr(item, name, None) if isinstance(item, BaseModel) else None
        if isinstance(text, str) and text:
            return f" {text}"
    return ""


def _whole(info: FieldInfo) -> Any:
    return Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation


def _arguments(annotation: Any) -> tuple[Any, ...]:
    """Those of the list or tuple that an annotation means."""
    if get_origin(annotation) is Annotated:
        return _arguments(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        held = [_arguments(one) for one in get_args(annotation) if get_origin(one) in (list, tuple, Annotated)]
        return held[0] if held else ()
    return get_args(annotation)


def _number(annotation: Any) -> tuple[type | None, Bounds]:
    """(int or float, limits) of what an annotation allows; None for what is a number by chance (a choice of some)."""
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        kind, limits = _number(inner)
        for item in metadata:
            metadata = [*metadata, *getattr(item, "metadata", ())]  # a Field inside of Annotated holds them itself
        own = bounds_of(metadata)
        return kind, limits if own == Bounds() else own
    if get_origin(annotation) in (Union, types.UnionType):
        found = [_number(one) for one in get_args(annotation) if one is not type(None)]
        return next((one for one in found if one[0] is not None), (None, Bounds()))
    if isinstance(annotation, type) and not issubclass(annotation, bool):
        for kind in (int, float):
            if issubclass(annotation, kind):
                return kind, Bounds()
    return None, Bounds()
