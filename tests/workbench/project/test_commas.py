"""Tables whose commas leave a doubt: how they were read is said, in the window, on the command line and in Python."""

from __future__ import annotations

import pytest

import workbench as wb
from engines.api.parameters import ParameterGroup, quantity
from engines.api.tools import Tool, ToolResult
from tests.workbench.fake_engine import WaveEngine
from workbench.cli import main
from workbench.project.reading.commas import commas_told

READ = "'3,700' in 'table.csv' is read as 3.7, and its column alike: beside semicolons and tabs a comma is decimal."
TABLES = ("t;U\n0;3,700\n10;3,650\n", "t\tU\n0\t3,700\n10\t3,650\n", '"t";"U"\n"0";"3,700"\n"10";""\n')


@pytest.mark.parametrize("text", TABLES)
def test_a_column_of_three_digits_behind_commas_is_told(tmp_path, text):
    (tmp_path / "table.csv").write_text(text)
    told = commas_told(tmp_path / "table.csv")
    assert told.startswith(READ)
    assert told.endswith("If 3700 is meant, write the numbers without commas.")


@pytest.mark.parametrize(
    "text",
    [
        "t;U\n0,500;3,700\n1,500;3,650\n",  # 0,500 is no thousand
        "t;U\n0;3,700\n10;3,65\n",
        "t;U\n0;3.700\n10;3.650\n",
        "t;U\n0;3,7004\n10;3,6502\n",
        "t,U\n0,3700\n10,3650\n",
        "t;U\n",
        "",
    ],
)
def test_others_leave_no_doubt(tmp_path, text):
    (tmp_path / "table.csv").write_text(text)
    assert commas_told(tmp_path / "table.csv") == ""
    assert commas_told(tmp_path / "none.csv") == ""


def test_of_a_file_that_changes_what_it_says_now_is_told(tmp_path):
    (tmp_path / "table.csv").write_text(TABLES[0])
    assert commas_told(tmp_path / "table.csv")
    (tmp_path / "table.csv").write_text("t;U\n0;3.7\n10;3.65\n")
    assert commas_told(tmp_path / "table.csv") == ""


def test_a_table_that_a_project_names_is_a_finding(tmp_path, capsys):
    table = tmp_path / "table.csv"
    table.write_text("time;value\n0;3,700\n1;3,650\n2;3,600\n")
    project = wb.open("brazilian_disc").set({"loads.0.history": {"kind": "file", "path": str(table)}})
    (found,) = [one for one in project.findings if "is read as" in one.message]
    assert found.message.startswith(READ)
    assert found.place[:3] == ("loads", 0, "history")
    place = tmp_path / "project"
    project.save(place)
    command = ["run", str(place), "--until", "0.1", "--device", "cpu", "--no-pictures", "--out", str(tmp_path / "out")]
    assert main(command) == 0
    assert capsys.readouterr().err.count("is read as 3.7") == 1


class Given(ParameterGroup):
    measured: str = quantity("", "", "What was measured", file="table")


class Fit(Tool):
    """As those that are fitted to a table."""

    id, title, summary, Parameters = "fit", "Fit", "Fits.", Given

    def defaults(self, problem):
        return Given()

    def run(self, problem, parameters, backend, progress):
        return ToolResult("It fits.")


def test_a_table_that_a_tool_is_given_is_told_in_its_answer(project, tmp_path, monkeypatch, capsys):
    (tmp_path / "table.csv").write_text(TABLES[0])
    monkeypatch.setattr(WaveEngine, "tools", lambda self: (Fit(),))
    command = ["tool", str(project), "fit", "--device", "cpu", "--set"]
    assert main([*command, f"measured={tmp_path / 'table.csv'}"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert f"It fits. {READ}" in told
