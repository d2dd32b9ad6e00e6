"""What a form needs to know of each field of a pydantic model: kind, unit, bounds, help."""

from __future__ import annotations

import types
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import MaxLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from engines.api.parameters import Among, Lines
from workbench.words.bounds import Bounds, bounds_of


class Kind(StrEnum):
    """How a field is edited."""

    NUMBER = "number"
    INTEGER = "integer"
    CHOICE = "choice"
    FLAG = "flag"
    TEXT = "text"
    FILE = "file"
    ROW = "row"
    GROUP = "group"
    LIST = "list"
    UNION = "union"


LONG_TEXT = 1000
"""Letters that a text may have, from which on it is written in several rows."""


@dataclass(frozen=True)
class FieldSpec:
    """One field: ``items`` are the parts of a row, ``item`` the element of a list, ``variants`` tag → model.

    ``file`` is the kind of file that a FILE names; ``lines`` is there where a LIST is written as one text; ``labels``
    are what a CHOICE shows for its values and a UNION for its kinds. ``among``: the names of which a TEXT is one.
    ``owner``: the class whose field it is.
    ``long``: a TEXT of up to so many letters that it is written in several rows. ``folded``: its section begins
    closed. ``when`` and ``unless``: the values of other fields for which it is and is not shown
    (:func:`engines.api.parameters.matters`); none: always.
    """

    key: str
    title: str
    kind: Kind
    help: str = ""
    unit: str = ""
    live: bool = False
    advanced: bool = False
    optional: bool = False
    bounds: Bounds = field(default_factory=Bounds)
    choices: tuple[Any, ...] = ()
    items: tuple[FieldSpec, ...] = ()
    item: FieldSpec | None = None
    model: type[BaseModel] | None = None
    variants: dict[str, type[BaseModel]] = field(default_factory=dict)
    discriminator: str = ""
    file: str = ""
    lines: Lines | None = None
    labels: dict[str, str] = field(default_factory=dict)
    among: Among | None = None
    owner: type[BaseModel] | None = None
    long: bool = False
    folded: bool = False
    when: dict[str, list[Any]] = field(default_factory=dict)
    unless: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def composite(self) -> bool:
        """Whether it is shown as a section of its own rather than in one line."""
        return self.kind in (Kind.GROUP, Kind.LIST, Kind.UNION)


def fields_of(model: type[BaseModel]) -> tuple[FieldSpec, ...]:
    """The fields of a model in their order of declaration. Raises TypeError for a type no editor exists for."""
    return tuple(replace(_spec(key, info), owner=model) for key, info in model.model_fields.items())


def titled(key: str) -> str:
    """``"conductivity_scale"`` as people read it."""
    text = key.replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def default_value(spec: FieldSpec) -> Any:
    """A plain value to start with where the model gives none (a required region name in a new list item)."""
    if spec.optional:
        return None
    match spec.kind:
        case Kind.NUMBER | Kind.INTEGER:
            limits = spec.bounds
            low = limits.ge if limits.ge is not None else limits.gt
            high = limits.le if limits.le is not None else limits.lt
            tried = [0, *([low + 1, low] if low is not None else []), *([high - 1, high] if high is not None else [])]
            middle = [(low + high) / 2] if low is not None and high is not None else []
            return next((value for value in (*tried, *middle) if limits.admits(value)), 1)
        case Kind.CHOICE:
            return spec.choices[0]
        case Kind.FLAG:
            return False
        case Kind.TEXT | Kind.FILE:
            return ""
        case Kind.ROW:
            return [default_value(part) for part in spec.items]
        case Kind.LIST:
            return []
        case Kind.GROUP:
            assert spec.model is not None
            return default_values(spec.model)
        case Kind.UNION:
            return default_values(next(iter(spec.variants.values())))


def default_values(model: type[BaseModel]) -> dict[str, Any]:
    """All fields of a new ``model`` as plain values, required ones with a place-holder."""
    values: dict[str, Any] = {}
    for spec in fields_of(model):
        info = model.model_fields[spec.key]
        values[spec.key] = (
            default_value(spec) if info.is_required() else plain(info.get_default(call_default_factory=True))
        )
    return _with_discriminators(model, values)


def plain(value: Any) -> Any:
    """``value`` made of dicts, lists and scalars only, which can be compared, copied and written as JSON."""
    if isinstance(value, BaseModel):
        return {key: plain(getattr(value, key)) for key in type(value).model_fields}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def _with_discriminators(model: type[BaseModel], values: dict[str, Any]) -> dict[str, Any]:
    for key, info in model.model_fields.items():
        if get_origin(info.annotation) is Literal and len(get_args(info.annotation)) == 1:
            values[key] = get_args(info.annotation)[0]
    return values


def _spec(key: str, info: FieldInfo) -> FieldSpec:
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    common: dict[str, Any] = {
        "key": key,
        "title": info.title or titled(key),
        "help": info.description or "",
        "unit": "" if extra.get("unit") == "1" else str(extra.get("unit") or ""),
        "live": bool(extra.get("live")),
        "advanced": bool(extra.get("advanced")),
        "file": str(extra.get("file") or ""),
        "folded": bool(extra.get("folded")),
    }
    for condition in ("when", "unless"):
        told = extra.get(condition)
        if isinstance(told, dict):
            common[condition] = {name: list(values) for name, values in told.items() if isinstance(values, list)}
    labels = extra.get("labels")
    if isinstance(labels, dict):
        common["labels"] = {value: str(text) for value, text in labels.items()}
    discriminator = info.discriminator if isinstance(info.discriminator, str) else ""
    return _typed(info.annotation, list(info.metadata), discriminator, common)


def _typed(annotation: Any, metadata: list[Any], discriminator: str, common: dict[str, Any]) -> FieldSpec:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        for item in arguments[1:]:
            if isinstance(item, FieldInfo):
                discriminator = item.discriminator if isinstance(item.discriminator, str) else discriminator
                metadata = [*metadata, *item.metadata]
            else:
                metadata = [*metadata, item]
        return _typed(arguments[0], metadata, discriminator, common)
    if origin in (Union, types.UnionType):
        members = [member for member in arguments if member is not type(None)]
        if len(members) < len(arguments):
            common = {**common, "optional": True}
        if len(members) == 1:
            return _typed(members[0], metadata, discriminator, common)
        return _union(members, discriminator, common)
    if origin is Literal:
        return FieldSpec(kind=Kind.CHOICE, choices=arguments, **common)
    if origin is tuple:
        named = [f"{common['title']} {axis}" for axis in "xyz"] if len(arguments) == 3 else None
        parts = tuple(
            _typed(
                part, metadata, "", {**common, "key": str(place), "title": named[place] if named else common["title"]}
            )
            for place, part in enumerate(arguments)
        )
        return FieldSpec(kind=Kind.ROW, items=parts, **common)
    if origin is list:
        passed_on = {key: common[key] for key in ("live", "file")}
        item = _typed(arguments[0], [], "", {"key": "", "title": _singular(common["title"]), **passed_on})
        lines = next((each for each in metadata if isinstance(each, Lines)), None)
        return FieldSpec(kind=Kind.LIST, item=item, lines=lines, **common)
    if isinstance(annotation, type):
        if issubclass(annotation, BaseModel) and not common.get("optional"):
            return FieldSpec(kind=Kind.GROUP, model=annotation, **common)
        for base, kind in ((bool, Kind.FLAG), (int, Kind.INTEGER), (float, Kind.NUMBER), (str, Kind.TEXT)):
            if issubclass(annotation, base):
                kind = Kind.FILE if kind is Kind.TEXT and common.get("file") else kind
                long = kind is Kind.TEXT and _most_letters(metadata) >= LONG_TEXT
                among = next((each for each in metadata if isinstance(each, Among)), None)
                return FieldSpec(kind=kind, bounds=bounds_of(metadata), long=long, among=among, **common)
    raise TypeError(f"There is no editor for the field '{common['key']}' of type {annotation!r}.")


def _union(members: list[Any], discriminator: str, common: dict[str, Any]) -> FieldSpec:
    if not discriminator:
        raise TypeError(f"The field '{common['key']}' is a union without a discriminator.")
    variants = {get_args(member.model_fields[discriminator].annotation)[0]: member for member in members}
    return FieldSpec(kind=Kind.UNION, variants=variants, discriminator=discriminator, **common)


def _most_letters(metadata: list[Any]) -> int:
    return max((each.max_length for each in metadata if isinstance(each, MaxLen)), default=0)


def _singular(title: str) -> str:
    """Stimuli → Stimulus, Regions → Region, Notches → Notch: what one item of a list is called."""
    if title.endswith("uli"):
        return title[:-1] + "us"
    if title.endswith("ies"):
        return title[:-3] + "y"
    if title.endswith("ches"):
        return title[:-2]
    return title[:-1] if title.endswith("s") else title
