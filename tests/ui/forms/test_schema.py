"""What a form knows of a model: titles of parts and items, and values to begin with."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from ui.forms.schema import Kind, default_value, fields_of


class Small(BaseModel):
    kind: Literal["small"] = "small"
    side: float


class Large(BaseModel):
    kind: Literal["large"] = "large"
    on: bool


class Begun(BaseModel):
    """A model none of whose fields has a value to begin with."""

    number: float
    chosen: Literal["b", "a"]
    flag: bool
    text: str
    row: tuple[float, float]
    several: list[float]
    group: Large
    either: Annotated[Small | Large, Field(discriminator="kind")]
    perhaps: float | None


class Parts(BaseModel):
    center: tuple[float, float, float] = (0, 0, 0)
    extent: tuple[float, float] = (0, 1)
    notches: list[float] = []
    bodies: list[float] = []
    stimuli: list[float] = []
    regions: list[float] = []
    data: list[float] = []
    tables: Annotated[list[str], Field(json_schema_extra={"file": "CSV (*.csv)", "live": True})] = []
    free: float = 1
    above: Annotated[float, Field(gt=2)] = 5
    from_three: Annotated[int, Field(ge=3)] = 5
    narrow: Annotated[float, Field(gt=2, le=2.5)] = 2.4
    open: Annotated[float, Field(gt=2, lt=2.5)] = 2.4
    below: Annotated[float, Field(lt=0, ge=-3)] = -1
    under: Annotated[float, Field(lt=-7)] = -8


@pytest.fixture(scope="module")
def specs():
    return {spec.key: spec for spec in fields_of(Parts)}


def test_parts_of_a_place_are_called_by_their_axes_and_others_as_the_whole(specs):
    assert [part.title for part in specs["center"].items] == ["Center x", "Center y", "Center z"]
    assert [part.title for part in specs["extent"].items] == ["Extent", "Extent"]


def test_an_item_of_a_list_is_called_in_the_singular(specs):
    titles = {"notches": "Notch", "bodies": "Body", "stimuli": "Stimulus", "regions": "Region", "data": "Data"}
    assert {key: specs[key].item.title for key in titles} == titles


def test_an_item_of_a_list_is_a_file_or_live_where_the_list_is(specs):
    items = [specs[key].item for key in ("tables", "data")]
    assert [(item.kind, item.live) for item in items] == [(Kind.FILE, True), (Kind.NUMBER, False)]
    assert items[0].file == "CSV (*.csv)"


def test_a_number_without_a_value_begins_within_its_bounds(specs):
    begins = {"free": 0, "above": 3, "from_three": 4, "narrow": 2.5, "open": 2.25, "below": -2, "under": -8}
    assert {key: default_value(specs[key]) for key in begins} == begins


def test_each_kind_of_value_has_one_to_begin_with():
    specs = {spec.key: spec for spec in fields_of(Begun)}
    begins = {
        "number": 0,
        "chosen": "b",
        "flag": False,
        "text": "",
        "row": [0, 0],
        "several": [],
        "group": {"kind": "large", "on": False},
        "either": {"kind": "small", "side": 0},
        "perhaps": None,
    }
    assert {key: default_value(spec) for key, spec in specs.items()} == begins
    composite = {key for key, spec in specs.items() if spec.composite}
    assert composite == {"several", "group", "either"}
