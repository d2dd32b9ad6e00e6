"""Measured data: what is read, what is refused and how, and the difference from a curve."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api.errors import ProblemError
from workbench.project import measured as module
from workbench.project.measured import difference, read_measured
from workbench.project.project import Project

POINTS = [(0.0, 4.2), (10.5, 4.1), (1e3, -3.5)]


@pytest.mark.parametrize(
    "text",
    [
        "0,4.2\n10.5,4.1\n1e3,-3.5\n",
        "time [s],voltage [V]\r\n0,4.2\r\n10.5,4.1\r\n1e3,-3.5\r\n",
        "Zeit;Spannung\n0;4,2\n10,5;4,1\n1e3;-3,5\n",
        "0;4.2\n10.5;4.1\n1000;-3.5",
        "t\tU\n0\t4,2\n10,5\t4,1\n1000\t-3,5\n",
        "# from the lab\n\n0 4.2\n10.5   4.1\n1000 -3.5\n",
        '"t","U"\n"0","4.2"\n"10.5","4.1"\n"1000","-3.5"\n',
        "t,U,\n0,4.2,\n10.5,4.1,\n1000,-3.5,\n",
        "\ufefft,U\n0,4.2\n10.5,4.1\n1000,-3.5\n",
    ],
)
def test_separators_headings_and_decimal_commas(tmp_path, text):
    file = tmp_path / "lab.csv"
    file.write_bytes(text.encode())
    found = read_measured(file, "voltage")
    assert list(zip(found.x, found.y, strict=True)) == POINTS
    assert (found.chart, found.title) == ("voltage", "lab")


def test_a_heading_of_an_old_spreadsheet(tmp_path):
    file = tmp_path / "lab.csv"
    file.write_bytes("t;T [°C]\n0;25,0\n1;26,5\n".encode("latin-1"))
    assert read_measured(file, "temperature").y == [25.0, 26.5]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("t,U\n0,1\n1,oops\n", "'lab.csv', row 3, column 2: 'oops' is not a number"),
        ("0,1\n\nabc,2\n", "'lab.csv', row 3, column 1: 'abc' is not a number"),
        ("0,1\n1,\n2,3\n", "'lab.csv', row 2, column 2: there is no number"),
        ("0,1\n1,nan\n", "row 2, column 2: 'nan' is not a number"),
        ("0,1\n1,2,3\n", "row 2 has 3 columns: keep two, x and y"),
        ("0,1,2\n1,2,3\n", "row 1 has 3 columns"),
        ("1\n2\n", "row 1 has one column"),
        ("t,U\n0,1\n", "fewer than two rows"),
        ("", "is empty"),
    ],
)
def test_a_bad_file_is_told_in_one_sentence_with_row_and_column(tmp_path, text, sentence):
    file = tmp_path / "lab.csv"
    file.write_text(text)
    with pytest.raises(ProblemError) as caught:
        read_measured(file, "voltage")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_text_or_not_there(tmp_path):
    (tmp_path / "lab.xlsx").write_bytes(b"PK\x03\x04\0\0")
    with pytest.raises(ProblemError, match="is no text"):
        read_measured(tmp_path / "lab.xlsx", "voltage")
    with pytest.raises(ProblemError, match="cannot be read"):
        read_measured(tmp_path / "none.csv", "voltage")


def test_a_long_file_is_thinned(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_POINTS", 100)
    file = tmp_path / "lab.csv"
    file.write_text("".join(f"{k},1\n" for k in range(1001)))
    found = read_measured(file, "voltage")
    assert found.x == [float(k) for k in range(0, 1001, 11)]


def test_the_difference_is_that_of_the_common_range():
    """y = 2x at 0, 1, 2, …; measured 3 mV beside it at half steps, and far off where nothing was computed."""
    x = np.arange(0, 3413.0)
    at = np.array([-5.0, 0.0, 0.5, 1.5, 3412.0, 4000.0])
    y = 2 * at + np.array([100, 3e-3, -3e-3, 3e-3, -3e-3, 100])
    found = difference(at, y, x, 2 * x)
    assert found is not None
    assert found.rmse == pytest.approx(3e-3, rel=1e-9)  # rounding of 2x ≤ 7000 in float64: 1e-12
    assert found.text("V", "s") == "RMSE 3 mV over 3\u202f412 s"
    assert difference(np.array([-1.0]), np.array([0.0]), x, 2 * x) is None


def test_units_of_a_difference():
    def text(rmse, unit, span, x_unit):
        return module.Difference(rmse, span).text(unit, x_unit)

    assert text(4.2e-3, "V", 12.0, "s") == "RMSE 4.2 mV over 12 s"
    assert text(0.5, "V", 12.0, "s") == "RMSE 0.5 V over 12 s"
    assert text(2e-5, "A", 1.0, "h") == "RMSE 20 µA over 1 h"
    assert text(0.02, "°C", 99.5, "s") == "RMSE 0.02 °C over 99.5 s"
    assert text(0.02, "1", 5.0, "1") == "RMSE 0.02 over 5"


def test_a_project_keeps_measured_data(tmp_path):
    file = tmp_path / "lab.csv"
    file.write_text("0,1\n1,2\n")
    project = Project(engine="wave", measured=[read_measured(file, "voltage")])
    again = Project.model_validate_json(project.model_dump_json())
    assert again.measured == project.measured
