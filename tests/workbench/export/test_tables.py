"""Tables that others open: names of a stranger's probes are no formulas there, and come back as they were."""

import csv

import pytest

from engines.tables.text import guarded, text_table, unguarded
from workbench.export.tables import rows_as_text, write_table

FORMULAS = ("=cmd|'/c calc'!A0", "+1+1", "@SUM(A1)", "-2+3", "  =1+1", "a;=1+1", "=1;-2;@x")
OTHERS = ("-x side", "front", "'quoted'", "-0.5", "+1", "1e-3", "a = b", "−1 V", 'say "no"', "x, y")


@pytest.mark.parametrize("name", FORMULAS)
def test_no_cell_begins_as_a_formula(name):
    """With semicolons between cells, too, as a spreadsheet has it where commas are decimal."""
    (cell,) = next(csv.reader([rows_as_text([[name]])]))
    assert not any(part.strip().startswith(("=", "+", "-", "@")) for part in cell.split(";"))
    assert unguarded(cell) == name


@pytest.mark.parametrize("name", OTHERS)
def test_names_come_back(name):
    assert unguarded(guarded(name)) == name
    assert guarded(name) == name or name == "-x side"


def test_numbers_stay_as_they_are():
    assert rows_as_text([[-0.5, -3, "-0.5", None, float("nan")]]) == "-0.5,-3,-0.5,,\n"


def test_a_name_of_several_lines_does_not_break_the_table(tmp_path):
    """The run that wrote it could not be gone on with: its second line was taken for a row."""
    path = tmp_path / "traces.csv"
    write_table(path, ["time [s]", "=two\r\nlines: V [mV]"], [[0.0, 1.0], [1.0, 2.0]])
    assert len(path.read_text().splitlines()) == 3
    assert text_table(path.read_text()).heading == ("time [s]", "=two  lines: V [mV]")
