"""Parameters that carry their unit, bounds and help: the form in the window is made from these."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, field_validator
from pydantic.config import JsonDict

from engines.quantities import depends, number_for

RECORDING = "recording"
"""The group of an engine's parameters that says what of a run is written: no number of the run depends on it."""
SMALLEST, LARGEST = 1e-30, 1e30
"""Magnitudes of numbers other than 0: beyond any measured in any unit here, and a third power is a finite one still."""


_CONTROLS = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""What XML or UTF-8 has no form for, and what a terminal carries out."""


def without_controls(value: Any) -> Any:
    """Texts, those in a list too, with spaces for what is no letter: names stand in files that others read."""
    if isinstance(value, str):
        return _CONTROLS.sub(" ", value)
    if isinstance(value, (tuple, list)) and any(isinstance(each, str) and _CONTROLS.search(each) for each in value):
        return type(value)(without_controls(each) for each in value)
    return value


def _as_number(given: Any, unit: str = "") -> Any:
    if isinstance(given, (str, bytes)) or _is_truth(given):
        wanted = number_for(given, unit) if isinstance(given, str) else ""
        raise _misread(wanted or "a number", given)
    return given


def _as_truth(given: Any) -> Any:
    if not _is_truth(given):
        raise _misread("true or false", given)
    return given


def _is_truth(given: Any) -> bool:
    return isinstance(given, bool) or type(given).__name__ in ("bool", "bool_")  # NumPy's, which is imported later


def _misread(wanted: str, given: Any) -> ValueError:
    told = f"the text '{given[:40]}'" if isinstance(given, str) else str(given)[:40].lower()
    return ValueError(f"give {wanted} instead of {told}")


def _as_given(schema: Any, unit: str) -> Any:
    """The schema of a field with what stands for numbers (in ``unit``) and truths looked at before it is read, in lists
    and groups of values too; a group of parameters does that for itself."""
    if (looked_at := _LOOKED_AT.get(schema["type"])) is not None:
        check = partial(looked_at, unit=unit) if looked_at is _as_number else looked_at
        return {"type": "function-before", "function": {"type": "no-info", "function": check}, "schema": schema}
    if schema["type"] == "model" or _is_looked_at(schema):
        return schema
    parts = {key: _as_given(schema[key], unit) for key in ("schema", "values_schema") if key in schema}
    if "items_schema" in schema:
        items = schema["items_schema"]
        parts["items_schema"] = (
            [_as_given(each, unit) for each in items] if isinstance(items, list) else _as_given(items, unit)
        )
    if schema["type"] == "union":
        members = schema["choices"]  # with the names that places of errors have anyway
        parts["choices"] = [
            (_as_given(each, unit), each["type"]) if each["type"] in _LOOKED_AT else _as_given(each, unit)
            for each in members
        ]
    return {**schema, **parts}


def _is_looked_at(schema: Any) -> bool:
    """Schemas of groups are kept, and given again to whoever asks for a kind of groups."""
    function = schema["function"]["function"] if schema["type"] == "function-before" else None
    return getattr(function, "func", function) in (_as_number, _as_truth)


_LOOKED_AT = {"int": _as_number, "float": _as_number, "bool": _as_truth}


class ParameterGroup(BaseModel):
    """Base of all parameter models: unknown names, NaN, infinity and numbers that no unit needs are refused, texts have
    no control characters, assignments are validated. Neither a text nor ``true``, which pydantic reads as 1, stands for
    a number, nor a number or a text for a truth; 5.0 may stand for 5, and NumPy's for Python's."""

    # A model's schema is made when it first validates: a tenth of what a start took.
    model_config = ConfigDict(extra="forbid", validate_assignment=True, allow_inf_nan=False, defer_build=True)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> Any:
        schema = handler(source)
        fields: Any = schema
        while fields["type"] != "model-fields":
            fields = fields["schema"]
        for name, field in fields["fields"].items():
            info = cls.model_fields.get(name)
            extra = info.json_schema_extra if info is not None else None
            unit = str(extra.get("unit") or "") if isinstance(extra, dict) else ""
            field["schema"] = _as_given(field["schema"], unit)
        return schema

    @field_validator("*")
    @classmethod
    def _no_number_beyond_physics(cls, value: Any) -> Any:
        for number in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(number, (int, float)) and number and not SMALLEST <= abs(number) <= LARGEST:
                raise ValueError(f"numbers other than 0 lie between {SMALLEST:g} and {LARGEST:g}")
        return without_controls(value)


@dataclass(frozen=True)
class Lines:
    """Annotates a list of texts that are the lines of a small language: ``Annotated[list[str], Lines(check)]``.

    The form edits them as one text. ``check`` gives the first line (from 0) that is not understood and a sentence, or
    None; ``steps`` are lines to offer, ``whole`` (title, lines) texts to begin with. ``beside``: fields beside this one
    whose values ``check`` is given after the lines, each if the form has it. ``printed``: what they say as HTML of
    few marks, drawn below them. ``library``: (title, values of this field and of those beside it) to begin with.
    ``offered``: given what ``check`` is, what a button below its sentence says and the values of fields beside this one
    that it sets, or None.
    """

    check: Callable[..., tuple[int, str] | None]
    steps: tuple[str, ...] = ()
    whole: tuple[tuple[str, tuple[str, ...]], ...] = ()
    beside: tuple[str, ...] = ()
    printed: Callable[[Sequence[str]], str] | None = None
    library: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    offered: Callable[..., tuple[str, Mapping[str, Any]] | None] | None = None


class Among:
    """Annotates a text that is the name of something: ``Annotated[str, Among("materials.name")]``; a list in the form.

    ``places``: where these names stand, as fields are named in ``when`` of :func:`quantity`, of one kind of an item in
    brackets (``monitors[plane].name``); a word without a dot is a kind of names that the engine or the geometry knows
    ("region", :meth:`engines.api.engine.Engine.suggestions`). ``words``: names that there always are, and what a person
    reads for them. ``typed``: others may be right, too. ``long``: what is read takes a line of its own.
    """

    def __init__(
        self, *places: str, words: Mapping[str, str] | None = None, typed: bool = False, long: bool = False
    ) -> None:
        self.places, self.words, self.typed, self.long = places, words or {}, typed, long


BOUNDS = frozenset(
    ("gt", "ge", "lt", "le", "multiple_of", "min_length", "max_length", "pattern", "discriminator", "exclude")
)
"""What pydantic knows of a field beside what :func:`quantity` says: it takes any other name without a word."""


def quantity(
    default: Any,
    unit: str,
    help: str,
    *,
    title: str | None = None,
    live: bool = False,
    advanced: bool = False,
    folded: bool = False,
    when: Mapping[str, Sequence[Any]] | None = None,
    unless: Mapping[str, Sequence[Any]] | None = None,
    file: str = "",
    labels: Mapping[str, str] | None = None,
    finer: Literal["", "smaller", "larger"] = "",
    **bounds: Any,
) -> Any:
    """A pydantic field with a unit.

    ``unit`` is written as people read it (``"mS/cm"``, ``"1"`` for a pure number, ``""`` for none); braces in it name
    a field that holds a unit, as ``when`` does (``"A·{grid.length_unit}"``), and of several the first holds whose
    fields are so (``"THz if given=frequency | {grid.length_unit}"``), and none if no such is;
    ``populations[name=target].neuron.kind`` is that of the item whose name the field ``target`` says, or of them all;
    ``help`` is one line; ``bounds`` are pydantic's ``gt, ge, lt, le``, ``min_length`` and so on.
    ``live`` marks what may change while the simulation runs; ``advanced`` what the form folds away, and ``folded`` a
    group or list whose section begins closed.
    ``when`` says for which values of other fields this one matters: ``{"model": ("MPM",)}``; several fields must all
    agree. ``unless`` says for which values of others, all of them, it does not: ``{"sources.rate": (0.0,)}``. A field
    is named as it stands beside this one or beside a group around it; dots lead into a group (``"grid.kind"``) or to
    every item of a list, one of which is enough for ``when`` while ``unless`` is said of all;
    values of typed lines are what one of them begins with (``"eps ="``). The form hides what does
    not matter (:func:`matters`); its value is kept, and nothing may depend on it.
    ``file`` says what kind of file a text names (``"picture"``): such files are chosen, not typed, travel with the
    project, and reach the engine by absolute path. ``labels`` are what a person reads for the values of a choice or
    for the kinds of a union. ``finer``: the solution converges as this number gets "smaller" (a step, a spacing) or
    "larger" (cells), those of a group together.
    The form reads these from ``field.json_schema_extra``.
    """
    unknown = set(bounds) - BOUNDS
    if unknown:
        raise TypeError(f"{', '.join(sorted(unknown))}: none of the bounds {', '.join(sorted(BOUNDS))}")
    extra: JsonDict = {"unit": unit, "live": live, "advanced": advanced}
    if folded:
        extra["folded"] = True
    if when:
        extra["when"] = {name: list(values) for name, values in when.items()}
    if unless:
        extra["unless"] = {name: list(values) for name, values in unless.items()}
    if file:
        extra["file"] = file
    if labels:
        extra["labels"] = dict(labels)
    if finer:
        extra["finer"] = finer
    field: dict[str, Any] = {"title": title, "description": help, "json_schema_extra": extra, **bounds}
    if default is ...:
        return Field(**field)
    if isinstance(default, (list, dict, BaseModel)):
        return Field(default_factory=lambda: deepcopy(default), **field)
    return Field(default=default, **field)


NAMED = re.compile(r"\{([\w.]+)\}")
CALLED = re.compile(r"([\w.]+)\[(\w+)=([\w.]+)\]\.([\w.]+)")
MICRO = re.compile(r"\bum\b")
Around = Sequence[Mapping[str, Any] | BaseModel]
"""A group's values and those of the groups around it, the innermost first."""


Conditions = Mapping[str, Sequence[Any]]
"""Values by the names of fields, as ``when`` and ``unless`` of :func:`quantity` give them."""


def matters(when: Conditions, unless: Conditions, around: Around) -> bool:
    """Whether a field with these conditions (:func:`quantity`) matters among these values; a name that is nowhere in
    them does not speak against it."""
    met = all(any(_in(values, each) for each in _values_of(name, around) or values) for name, values in when.items())
    return met and not (unless and all(_all_in(values, _values_of(name, around)) for name, values in unless.items()))


def _all_in(values: Sequence[Any], found: Sequence[Any]) -> bool:
    return bool(found) and all(_in(values, value) for value in found)


def _in(values: Sequence[Any], found: Any) -> bool:
    if isinstance(found, list):  # typed lines
        begins = tuple(str(value).replace(" ", "") for value in values)
        return any(str(line).replace(" ", "").startswith(begins) for line in found)
    return found in values


def title_and_unit(parameters: BaseModel, name: str, *, whole: bool = False) -> tuple[str, str]:
    """What the form calls the number with this dotted name, ``Law › Strength``, and its unit, empty where it has none:
    without its outermost group, if it is in several; ``whole``: with it."""
    titles: list[str] = []
    unit, value = "", parameters
    for key in name.split("."):
        if isinstance(value, (list, tuple)):
            titles.append(str(int(key) + 1))
            value = value[int(key)]
            continue
        info = type(value).model_fields[key]
        titles.append(info.title or key.replace("_", " ").capitalize())
        extra = info.json_schema_extra
        unit = str(extra.get("unit") or "") if isinstance(extra, dict) else ""
        value = getattr(value, key)
    return " › ".join(titles if whole else titles[1:] or titles), "" if unit == "1" else unit


def unit_among(unit: str, around: Around) -> str:
    """``unit`` with the values of the fields that its braces name; nothing where there is no such field. Of
    alternatives the first whose fields are so."""
    if not depends(unit):
        return unit
    unit = next((text for text, when in alternatives(unit) if all(_is_so(each, around) for each in when)), "")
    values = [next(iter(_values_of(name, around)), None) for name in NAMED.findall(unit)]
    if None in values:
        return ""
    found = NAMED.sub("{}", unit).format(*values)
    return MICRO.sub("µm", found)


def alternatives(unit: str) -> list[tuple[str, list[str]]]:
    """(unit, conditions as ``given=frequency``) of a unit that hangs on other fields."""
    parts = (part.partition(" if ") for part in unit.split(" | "))
    return [(text, conditions.split(" and ") if conditions else []) for text, _, conditions in parts]


def units_of(unit: str) -> list[str]:
    """Those that it may be, whatever they hang on."""
    return list(dict.fromkeys(text for text, _ in alternatives(unit)))


def _is_so(condition: str, around: Around) -> bool:
    name, _, value = condition.rpartition("=")
    found = _values_of(name, around)
    return bool(found) and all(each == value for each in found)


def _values_of(name: str, around: Around) -> list[Any]:
    """What a name leads to in the innermost group that has it; nothing if none has. With ``items[name=target].number``
    to that of the item whose name the field ``target`` says, or of all where it names none of them."""
    if (called := CALLED.fullmatch(name)) is not None:
        items, key, given, rest = called.groups()
        listed = [item for group in _values_of(items, around) for item in group]
        wanted = [item for item in listed if list(_reached(item, [key])) == _values_of(given, around)]
        return [value for item in wanted or listed for value in _values_of(rest, [item])]
    for group in around:
        try:
            return list(_reached(group, name.split(".")))
        except (AttributeError, KeyError, TypeError):
            continue
    return []


def _reached(value: Any, keys: Sequence[str]) -> Iterator[Any]:
    if not keys:
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _reached(item, keys)
    else:
        yield from _reached(getattr(value, keys[0]) if isinstance(value, BaseModel) else value[keys[0]], keys[1:])


def names_among(places: Sequence[str], around: Around) -> list[str]:
    """The names at these places (:class:`Among`) among these values, but that of the innermost group itself."""
    found: list[str] = []
    for place in places:
        path, _, key = place.rpartition(".")
        path, _, kind = path.removesuffix("]").partition("[")
        for items in _values_of(path, around) if path else ():
            others = (item for item in items if item is not around[0])
            values = (item.model_dump() if isinstance(item, BaseModel) else item for item in others)
            found += [str(value[key]) for value in values if value.get(key) and kind in ("", value.get("kind"))]
    return found
