"""What a form says of a value that cannot be: one sentence, at the field that it is of."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field, field_validator

from ui.forms.validation import below, validated


class Round(BaseModel):
    kind: Literal["round"] = "round"
    radius: Annotated[float, Field(gt=0)] = 1


class Square(BaseModel):
    kind: Literal["square"] = "square"
    side: Annotated[float, Field(ge=2)] = 2


class Whole(BaseModel):
    above: Annotated[float, Field(gt=2)] = 5
    least: Annotated[int, Field(ge=3)] = 5
    under: Annotated[float, Field(lt=2.5)] = 0
    most: Annotated[float, Field(le=0.125)] = 0
    finite: Annotated[float, Field(allow_inf_nan=False)] = 0
    name: Annotated[str, Field(min_length=1)] = "a"
    one: Annotated[list[int], Field(min_length=1)] = [1]
    two: Annotated[list[int], Field(min_length=2, max_length=3)] = [1, 2]
    checked: int = 0
    shape: Annotated[Round | Square, Field(discriminator="kind")] = Round()
    shapes: list[Annotated[Round | Square, Field(discriminator="kind")]] = []

    @field_validator("checked")
    @classmethod
    def _is_even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("odd numbers have no half.")
        return value


@pytest.mark.parametrize(
    ("values", "path", "sentence"),
    [
        ({"above": 2}, ("above",), "Must be above 2."),
        ({"least": 2}, ("least",), "Must be at least 3."),
        ({"under": 2.5}, ("under",), "Must be below 2.5."),
        ({"most": 1}, ("most",), "Must be at most 0.125."),
        ({"finite": float("inf")}, ("finite",), "Must be a finite number."),
        ({"name": ""}, ("name",), "Must not be empty."),
        ({"one": []}, ("one",), "Needs at least 1 entry."),
        ({"two": [1]}, ("two",), "Needs at least 2 entries."),
        ({"two": [1, 2, 3, 4]}, ("two",), "May have at most 3 entries."),
        ({"two": [1, "x"]}, ("two", 1), "Input should be a valid integer, unable to parse string as an integer."),
        ({"checked": 3}, ("checked",), "Odd numbers have no half."),
        ({"shape": {"kind": "square", "side": 1}}, ("shape", "side"), "Must be at least 2."),
        ({"shapes": [{"kind": "round"}, {"kind": "round", "radius": 0}]}, ("shapes", 1, "radius"), "Must be above 0."),
    ],
)
def test_each_wrong_value_has_a_sentence_at_its_place(values, path, sentence):
    assert validated(Whole, values) == (None, {path: sentence})
    assert below({path: sentence, (): "whole", ("other", 1): "no"}, path[0]) == {path[1:]: sentence}


def test_what_can_be_has_none():
    assert validated(Whole, {"above": 3, "checked": 4}) == (Whole(above=3, checked=4), {})
