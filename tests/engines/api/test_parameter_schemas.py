"""The schemas of parameters stay as they are however often kinds of them are asked for."""

from typing import Annotated, Literal

import pytest
from pydantic import Field, TypeAdapter

from engines.api.parameters import ParameterGroup, quantity


class Round(ParameterGroup):
    kind: Literal["round"] = "round"
    radius: float | None = quantity(1.0, "mm", "Radius")
    turns: list[int] = quantity([1], "", "Turns")


class Square(ParameterGroup):
    kind: Literal["square"] = "square"
    sides: tuple[float, float] = quantity((1.0, 2.0), "mm", "Sides")
    whole: bool = quantity(True, "", "Whole")


Shape = Annotated[Round | Square, Field(discriminator="kind")]


def depth(schema):
    """Of dicts and lists in each other."""
    if isinstance(schema, dict):
        return 1 + max(map(depth, schema.values()), default=0)
    return 1 + max(map(depth, schema), default=0) if isinstance(schema, (list, tuple)) else 0


def test_kinds_that_are_asked_for_again_and_again_are_read_alike():
    """Each time wrapped the numbers once more: after 900 edits of a body or grid there was a RecursionError."""
    assert (Round().radius, Square().whole) == (1.0, True)  # from now on their schemas are kept
    found = [TypeAdapter(Shape) for _ in range(400)]
    assert depth(found[-1].core_schema) == depth(found[0].core_schema) < 40
    for each in (found[0], found[-1]):
        assert each.validate_python({"kind": "round", "radius": None, "turns": [2]}).turns == [2]
        assert each.validate_python({"kind": "square", "sides": [1, 2.5]}).sides == (1.0, 2.5)
        for wrong in (
            {"kind": "round", "radius": True},
            {"kind": "round", "turns": ["2"]},
            {"kind": "square", "whole": 1},
        ):
            with pytest.raises(ValueError, match="give "):
                each.validate_python(wrong)
