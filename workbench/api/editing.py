"""Parameters by the names that sweeps and the command line use (``objects.0.high.0``): read, and written together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from pydantic import BaseModel

from engines.api.errors import ProblemError
from engines.named_files import Place
from workbench.api.names import unknown
from workbench.project.parameter_files import value_at, with_values
from workbench.project.reading.parsing import validated
from workbench.sweep.numbers import numbers_of


def names_of(parameters: BaseModel) -> list[str]:
    """Every value that can be set, by dotted name, in the order of the form."""
    return [".".join(str(key) for key in place) for place, _ in _leaves(parameters.model_dump(mode="json"), ())]


def value_called(parameters: BaseModel, name: str) -> Any:
    """What stands there, as plain values: a number, a text, or a whole group or list. Raises UnknownNameError."""
    values = parameters.model_dump(mode="json")
    return value_at(values, _place(values, parameters, name))


def is_live(parameters: BaseModel, name: str) -> bool:
    """Whether it, or a group that it is in, may change during a run; ``name`` is one that there is."""
    here: Any = parameters
    for key in str(name).split("."):
        if isinstance(here, BaseModel):
            extra = type(here).model_fields[key].json_schema_extra
            if isinstance(extra, dict) and extra.get("live"):
                return True
        here = getattr(here, key) if isinstance(here, BaseModel) else here[int(key)]
    return False


def edited(parameters: BaseModel, changes: Mapping[str, Any]) -> BaseModel:
    """Parameters with these values, all validated together. Raises ProblemError, for a wrong name UnknownNameError."""
    if not changes:
        return parameters
    values = before = parameters.model_dump(mode="json")
    for name, value in changes.items():
        values = with_values(values, {_place(values, parameters, name): _plain(value)})
    told = ", ".join(f"{name} = {value!r}" for name, value in changes.items())
    try:
        return validated(type(parameters), values, f"set({told if len(told) < 200 else f'{len(changes)} values'})")
    except ProblemError as error:
        for name, value in changes.items():
            sentence = _written_otherwise(before, _place(values, parameters, name), name, _plain(value))
            if sentence and (len(changes) == 1 or not _may_be(parameters, {name: value})):
                raise ProblemError(sentence, error.place) from error
        raise


def _may_be(parameters: BaseModel, changes: Mapping[str, Any]) -> bool:
    try:
        edited(parameters, changes)
    except ProblemError:
        return False
    return True


def _written_otherwise(values: Any, place: Place, name: str, value: Any) -> str:
    """How a change is to be written that is none by its form, of values that were valid; empty where it may be one."""
    try:
        old = value_at(values, place)
    except LookupError:
        return ""
    group = name.rpartition(".")[0]
    if place[-1] == "kind" and isinstance(value, str) and value != old and group:
        whole = json.dumps({"kind": value}, ensure_ascii=False)
        return f"'{name}' is not set by itself, for each kind has values of its own: set its group, {group}={whole}."
    if isinstance(old, list) and isinstance(value, str):
        return f"'{name}' is a list: write {name}={json.dumps([value], ensure_ascii=False)}."
    if isinstance(old, dict) and "kind" in old and isinstance(value, dict) and "kind" not in value:
        usual = json.dumps({"kind": old["kind"]}, ensure_ascii=False)
        return f"'{name}' is of a kind, which is to be said: write {name}={usual}, or another kind."
    return ""


def idle(parameters: BaseModel, names: Mapping[str, Any]) -> list[str]:
    """Those of ``names`` that are numbers which nothing depends on as the other parameters are."""
    return [number.name for number in numbers_of(parameters) if number.name in names and not number.matters]


def _place(values: Any, parameters: BaseModel, name: str) -> Place:
    """Where a dotted name leads to among plain values."""
    place: list[str | int] = []
    here = values
    for key in str(name).split("."):
        if isinstance(here, list) and key.isdecimal() and int(key) < len(here):
            place.append(int(key))
        elif isinstance(here, dict) and key in here:
            place.append(key)
        else:
            group = ".".join(str(one) for one in place)
            inside = [f"{group}.{one}" if group else one for one in _keys(here)]
            raise unknown("parameter", name, names_of(parameters), inside or [group])
        here = here[place[-1]]
    return tuple(place)


def _keys(here: Any) -> list[str]:
    """What stands directly in a group or a list."""
    return [
        str(key) for key in (range(len(here)) if isinstance(here, list) else here if isinstance(here, dict) else ())
    ]


def _leaves(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, (*place, key))
    elif isinstance(value, list) and value and any(isinstance(item, (dict, list, int, float)) for item in value):
        for index, item in enumerate(value):
            yield from _leaves(item, (*place, index))
    else:
        yield place, value


def _plain(value: Any) -> Any:
    """As it would stand in a project file: NumPy's numbers and arrays, tuples, paths and models as plain values."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)
