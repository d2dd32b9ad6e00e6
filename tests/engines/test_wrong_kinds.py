"""A truth for a number, a text for either, a number for a truth or a text: refused in every field of every variant."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import numpy as np
import pytest
from pydantic import BaseModel, Field, ValidationError

from engines.api import registry
from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup, quantity
from workbench.project.reading.parsing import validated

WRONG: dict[type, tuple[Any, ...]] = {
    bool: (0, 1, 1.0, "true", "no"),
    int: (True, False, "1", "5.0", np.bool_(True)),
    float: (True, False, "1", "1e-3", np.bool_(True)),
    str: (True, 1, 2.5),
}
WRAPPED = {list: lambda each, n: [each] * n, tuple: lambda each, n: (each,) * n, dict: lambda each, n: {"a": each}}


def groups_of(annotation: Any, known: set[type[BaseModel]]) -> None:
    """All models that this annotation leads to."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel) and annotation not in known:
        known.add(annotation)
        for field in annotation.model_fields.values():
            groups_of(field.annotation, known)
    for part in get_args(annotation):
        groups_of(part, known)


def members_of(annotation: Any) -> list[Any]:
    """Those of a union, without ``None``."""
    if get_origin(annotation) is Annotated:
        return members_of(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return [each for one in get_args(annotation) for each in members_of(one)]
    return [] if annotation is type(None) else [annotation]


def kinds_of(members: list[Any]) -> set[type]:
    values = [type(value) for each in members if get_origin(each) is Literal for value in get_args(each)]
    return {*values, *(each for each in members if each in WRONG)}


def wrong_for(annotation: Any) -> Iterator[Any]:
    """Values of another kind than any that this annotation allows, each as deep in lists as it would stand there."""
    members = members_of(annotation)
    kinds = kinds_of(members)
    for kind in kinds:
        for value in WRONG[kind]:
            fits = kinds & ({int, float} if type(value) in (int, float) else {type(value)})
            if not fits:
                yield value
    for each in members:
        if get_origin(each) in WRAPPED and not kinds:
            parts = [part for part in get_args(each) if part is not Ellipsis]
            for value in wrong_for(parts[-1]):
                yield WRAPPED[get_origin(each)](value, len(parts) if get_origin(each) is tuple else 1)


def refused(group: type[BaseModel], name: str, value: Any) -> bool:
    try:
        group.model_validate({name: value})
    except ValidationError as error:
        return any(each["loc"][0] == name for each in error.errors())
    return False


@pytest.mark.parametrize("engine", sorted(registry.engines()))
def test_no_field_takes_a_value_of_another_kind(engine):
    groups: set[type[BaseModel]] = set()
    groups_of(registry.engine(engine).Parameters, groups)
    for tool in registry.engine(engine).tools():
        groups_of(tool.Parameters, groups)
    assert all(issubclass(group, ParameterGroup) for group in groups)
    tried = [
        (group, name, value)
        for group in groups
        for name, field in group.model_fields.items()
        for value in wrong_for(field.annotation)
    ]
    taken = [f"{group.__name__}.{name} = {value!r}" for group, name, value in tried if not refused(group, name, value)]
    assert not taken
    assert len(tried) > 400


class Small(ParameterGroup):
    count: int = 1
    size: float | None = 1.0
    shown: bool = False
    ends: tuple[float, float] = (0.0, 1.0)
    rows: list[list[float]] = Field(default_factory=list)
    rates: dict[str, float] = Field(default_factory=dict)
    either: float | Literal["all"] = 1.0
    voltage: float = quantity(1.0, "V", "A voltage")
    spans: list[tuple[float, float]] = quantity([], "µm", "From, to")
    share: float | None = quantity(None, "1", "A share")
    length: float = quantity(1.0, "{length_unit}", "In a unit that another field says")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"count": True}, "count: give a number instead of true"),
        ({"size": "1"}, "size: give a number instead of the text '1'"),
        ({"shown": 0}, "shown: give true or false instead of 0"),
        ({"shown": "no"}, "shown: give true or false instead of the text 'no'"),
        ({"ends": [0, False]}, "ends.1: give a number instead of false"),
        ({"rows": [[1, 2], [3, "4"]]}, "rows.1.1: give a number instead of the text '4'"),
        ({"rates": {"a": "5"}}, "rates.a: give a number instead of the text '5'"),
        ({"either": "1"}, "either.float: give a number instead of the text '1'"),
        ({"voltage": "5 mV"}, "voltage: give 0.005 (V) instead of the text '5 mV'"),
        ({"voltage": "1.5e3µV"}, "voltage: give 0.0015 (V) instead of the text '1.5e3µV'"),
        ({"voltage": "12 s"}, "voltage: give a number in V instead of the text '12 s'"),
        ({"voltage": "12 S/m"}, "voltage: give a number in V instead of the text '12 S/m'"),
        ({"voltage": "1x"}, "voltage: give a number instead of the text '1x'"),
        ({"voltage": "fast"}, "voltage: give a number instead of the text 'fast'"),
        ({"spans": [[0, "2 mm"]]}, "spans.0.1: give 2000 (µm) instead of the text '2 mm'"),
        ({"share": "5 %"}, "share: give 0.05 instead of the text '5 %'"),
        ({"length": "5 mm"}, "length: give a number instead of the text '5 mm'"),
    ],
)
def test_the_sentence_names_the_place_and_what_to_give(values, sentence):
    with pytest.raises(ProblemError) as told:
        validated(Small, values, "it")
    assert str(told.value).startswith(f"it has a wrong value at {sentence}")
    with pytest.raises(ValidationError):
        setattr(Small(), *values.popitem())


def test_whole_numbers_and_numpy_s_stand_for_others():
    given = Small(count=5.0, size=2, ends=[1, 2], rows=((1, np.float32(2)),))
    assert (given.count, given.size, given.ends, given.rows) == (5, 2.0, (1.0, 2.0), [[1.0, 2.0]])
    assert type(given.count) is int
    found = Small(count=np.int64(3), size=np.float64(2.5), shown=np.bool_(True), either=np.int32(4))
    assert (found.count, found.size, found.shown, found.either) == (3, 2.5, True, 4.0)
