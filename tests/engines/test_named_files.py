"""What is kept of parameters is known by the files that they name, too: a file changed under its path counts as new."""

from __future__ import annotations

from engines.api.parameters import ParameterGroup, quantity
from engines.named_files import named_versions


class Part(ParameterGroup):
    table: str = quantity("", "", "A table", file="table")


class Whole(ParameterGroup):
    part: Part = Part()
    pictures: list[str] = quantity([], "", "Pictures", file="picture")


def test_a_file_that_holds_something_else_has_another_version(tmp_path):
    table, picture = tmp_path / "a.csv", tmp_path / "b.png"
    table.write_text("1")
    whole = Whole(part=Part(table=str(table)), pictures=["", str(picture)])
    first = named_versions(whole)
    assert first == named_versions(whole)
    assert [bool(version) for version in first] == [True, False]  # the picture is not there
    table.write_text("12")
    second = named_versions(whole)
    picture.write_text("1")
    assert len({first, second, named_versions(whole)}) == 3
    assert named_versions(Whole()) == ()
