"""Files that parameters name are found wherever an engine puts them, and set there."""

from __future__ import annotations

from engines.api.parameters import ParameterGroup, quantity
from engines.named_files import file_parameters
from workbench.project.parameter_files import missing_files, with_values


class Part(ParameterGroup):
    table: str = quantity("", "", "A table", title="Table", file="table")
    note: str = quantity("", "", "No file")


class Whole(ParameterGroup):
    part: Part
    parts: list[Part]
    pictures: list[str] = quantity([], "", "Pictures", file="picture")
    by_name: dict[str, str] = quantity({}, "", "Of each material", title="Materials", file="material")
    kinds: dict[str, Part]
    words: dict[str, str]


def test_files_of_groups_lists_and_names_are_found(tmp_path):
    (tmp_path / "there.csv").touch()
    there = str(tmp_path / "there.csv")
    whole = Whole(
        part=Part(table=there, note="a.csv"), parts=[Part(), Part(table="b.csv")], pictures=["c.png", ""],
        by_name={"ice": "d.json"}, kinds={"rock": Part(table="e.csv")}, words={"f": "f.csv"},
    )  # fmt: skip
    found = {".".join(map(str, each.place)): each.path for each in file_parameters(whole)}
    named = {
        "part.table": there, "parts.1.table": "b.csv", "pictures.0": "c.png", "by_name.ice": "d.json",
        "kinds.rock.table": "e.csv",
    }  # fmt: skip
    assert found == named | {"parts.0.table": "", "pictures.1": ""}
    assert [each.path for each in missing_files(whole)] == [path for path in named.values() if path != there]
    (material,) = (each for each in file_parameters(whole) if each.place == ("by_name", "ice"))
    assert (material.kind, material.title) == ("material", "Materials")
    places = [each.place for each in file_parameters(whole)]
    moved = Whole.model_validate(with_values(whole.model_dump(mode="json"), dict.fromkeys(places, "x")))
    assert [each.path for each in file_parameters(moved)] == ["x"] * len(places)
    assert (moved.part.note, moved.words) == ("a.csv", {"f": "f.csv"})
