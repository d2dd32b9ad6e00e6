"""Measured data: what is read, what is refused and how, and the difference from a curve."""

import re

import numpy as np
import pytest

from engines.api.charts import ChartData, ChartInfo, Curve
from engines.api.errors import ProblemError
from engines.tables.columns import Axis
from workbench.export.chart_tables import chart_table
from workbench.export.tables import rows_as_text
from workbench.project import measured as module
from workbench.project.measured import difference, read_curves
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
    found = read_curves(file, "voltage")[0]
    assert list(zip(found.x, found.y, strict=True)) == POINTS
    assert (found.chart, found.title) == ("voltage", "lab")


def test_a_heading_of_an_old_spreadsheet(tmp_path):
    file = tmp_path / "lab.csv"
    file.write_bytes("t;T [°C]\n0;25,0\n1;26,5\n".encode("latin-1"))
    assert read_curves(file, "temperature")[0].y == [25.0, 26.5]


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
        ("t;U\n1.000;2,5\n2.000;3,5\n", "'1.000' may be a thousand times as much"),
        ("t\tU\n999\t2.5\n1,000\t2.6\n", "'1,000' may be a thousand times as much"),
        ('"t","U"\n"0,500","3,700"\n"1,500","3,650"\n', "'1,500' may be a thousand times less"),
        ('"t","U"\n"0","3,700"\n"10","3,650"\n', "'3,700' may be 3.700 or 3700: write one of these, without a comma"),
        ('"t","U"\n"1.000","3,700"\n"2.000","3,650"\n', "'3,700' may be 3.700 or 3700"),
        ('t,U,I\n0,"-3,700",1\n1,,2\n', "'-3,700' may be -3.700 or -3700"),
        ("t,U\n0,1_0\n1,2\n", "'1_0' is not a number"),
        ("t,U\n0,1\n" + "1," * 200_000, "a row a line"),
    ],
)
def test_a_bad_file_is_told_in_one_sentence_with_row_and_column(tmp_path, text, sentence):
    file = tmp_path / "lab.csv"
    file.write_text(text)
    with pytest.raises(ProblemError) as caught:
        read_curves(file, "voltage")[0]
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "row",
    ['0.5,"3,700"\n1.5,"3,650"\n', '0.5,"3,700.0"\n1.5,"3,650.0"\n', '0.5,"3,700"\n1.5,"3650"\n'],
)
def test_thousands_beside_a_decimal_point_are_read(tmp_path, row):
    file = tmp_path / "lab.csv"
    file.write_text(row)
    assert read_curves(file, "voltage")[0].y == [3700.0, 3650.0]


def test_what_is_no_text_or_not_there(tmp_path):
    (tmp_path / "lab.xlsx").write_bytes(b"PK\x03\x04\0\0")
    with pytest.raises(ProblemError, match="is no text"):
        read_curves(tmp_path / "lab.xlsx", "voltage")[0]
    with pytest.raises(ProblemError, match="cannot be read"):
        read_curves(tmp_path / "none.csv", "voltage")[0]


def test_a_long_file_is_thinned(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_POINTS", 100)
    file = tmp_path / "lab.csv"
    file.write_text("".join(f"{k},1\n" for k in range(1001)))
    found = read_curves(file, "voltage")[0]
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
    assert module.Difference(4.2e-3, 3540.0).text("V", "h", 3600.0) == "RMSE 4.2 mV over 0.983 h"
    assert text(0.02, "1", 5.0, "1") == "RMSE 0.02 over 5"


def test_a_project_keeps_measured_data(tmp_path):
    file = tmp_path / "lab.csv"
    file.write_text("0,1\n1,2\n")
    project = Project(engine="wave", measured=[read_curves(file, "voltage")[0]])
    again = Project.model_validate_json(project.model_dump_json())
    assert again.measured == project.measured


VOLTAGE = (Axis("time", "s"), Axis("Terminal voltage", "V", ("voltage",)))


@pytest.mark.parametrize(
    "text",
    [
        "Time [h],Voltage [mV]\n0,4200\n0.5,4100\n1,3500\n",
        "Time [s],Voltage [V],Current [A]\n0,4.2,1\n1800,4.1,1\n3600,3.5,1\n",
        "t,U,I\n0,4.2,1\n1800,4.1,1\n3600,3.5,\n",
        "I / A;U / V;t / min\n1;4,2;0\n1;4,1;30\n1;3,5;60\n",
        "Time [h] Voltage [V]\n0 4.2\n0.5 4.1\n1 3.5\n",
        '"Cell, no. 3","Voltage, terminal (V)","Time (s)"\n"a, b",4.2,0\n"a, b",4.1,1800\nb,3.5,3600\n',
        "Voltage,Time\n4.2,0\n4.1,1800\n3.5,3600\n",
        "time/s,Ewe/V,<I>/mA\n0,4.2,1\n1800,4.1,1\n3600,3.5,1\n",
        "current_A,time_h,voltage_V\n1,0,4.2\n1,0.5,4.1\n1,1,3.5\n",
        "Cycler 7\nCell: LG, no. 3\n\nTime,Voltage\nmin,mV\n0,4200\n30,4100\n60,3500\n",
        'Time [s],Voltage [V]\n0,"4,2"\n"1,800","4,1"\n"3,600","3,5"\n',
        "curve,Time [min],Terminal voltage [V]\n1 C,0,4.2\n1 C,15,\n1 C,30,4.1\n1 C,60,3.5\n",
    ],
)
def test_columns_are_found_by_their_headings_and_in_their_units(tmp_path, text):
    file = tmp_path / "lab.csv"
    file.write_text(text)
    (found,) = read_curves(file, "voltage", VOLTAGE)
    np.testing.assert_allclose(found.x, [0, 1800, 3600])
    np.testing.assert_allclose(found.y, [4.2, 4.1, 3.5])
    assert found.title == "lab"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Time [s],Temperature [°C]\n0,20\n1,21\n", "Column 2 of 'lab.csv' is in a unit of another kind"),
        (
            "Time [s],Voltage [foo]\n0,20\n1,21\n",
            "Column 2 of 'lab.csv' is in 'foo', which is no known unit: write µV or",
        ),
        (
            "Time [foo],U [V],I [A]\n0,20,1\n1,21,2\n",
            "Column 1 of 'lab.csv' is in 'foo', which is no known unit: write fs",
        ),
        ("Time [H],U [V],I [A]\n0,20,1\n1,21,2\n", "Column 1 of 'lab.csv' is in 'H', which is no known unit: write fs"),
        ("Time [D],U [V]\n0,20\n1,21\n", "Column 1 of 'lab.csv' is in 'D', which is no known unit: write fs"),
        ("Time [ds],U [V]\n0,20\n1,21\n", "Column 1 of 'lab.csv' is in 'ds', which is no known unit: write fs"),
        (
            "Time [°C],U [V],I [A]\n0,20,1\n1,21,2\n",
            "Column 1 of 'lab.csv' is in a unit of another kind than 'time [s]'",
        ),
        ("a,b,c\n0,20,1\n1,21,2\n", "no column for 'time [s]'"),
        ("t,U [V],Cell voltage [V]\n0,4,4\n1,4,4\n", "more than one column for 'Terminal voltage [V]'"),
        ("t,U,I\n0,4.2\n1,4.1,1,7\n", "row 3 has 4 columns"),
        ("t,I,U\n0,4.2\n1,4.1\n", "row 2, column 3: there is no number"),
    ],
)
def test_columns_that_are_not_found_are_said_with_what_was_looked_for(tmp_path, text, sentence):
    file = tmp_path / "lab.csv"
    file.write_text(text)
    with pytest.raises(ProblemError, match=re.escape(sentence)):
        read_curves(file, "voltage", VOLTAGE)


@pytest.mark.parametrize(
    ("text", "y"),
    [
        ("curve,Wavelength [µm],Transmission [dB]\nthrough,1,0\nthrough,2,-10\n", [1, 0.1]),
        ("curve,Wavelength [µm],Transmission\nthrough,1,0.5\nthrough,2,0.25\n", [0.5, 0.25]),
        ("1,0\n2,-10\n", [1, 0.1]),  # as the axis shows it
        ("l,T\n1,0\n2,-10\n", [1, 0.1]),
        ("T (dB),Wavelength (nm)\n0,1000\n-10,2000\n", [1, 0.1]),
        ("Wavelength [µm],T [%],Transmission [%]\n1,0,50\n2,0,25\n", [0.5, 0.25]),
    ],
)
def test_over_an_axis_of_decibels_tables_are_in_them_or_in_what_they_are_of(tmp_path, text, y):
    file = tmp_path / "lab.csv"
    file.write_text(text)
    axes = Axis("Wavelength", "um"), Axis("Transmission", "1", decibels=10)
    (found,) = read_curves(file, "transmission", axes)
    np.testing.assert_allclose(found.x, [1, 2])
    np.testing.assert_allclose(found.y, y)


@pytest.mark.parametrize("unit", ["C", "degC", "°C", "Celsius", "oC", "K"])
def test_a_temperature_is_in_degrees_however_they_are_written(tmp_path, unit):
    file = tmp_path / "lab.csv"
    file.write_text(f"Time [s],T_cell [{unit}],Charge [C]\n0,300,1\n1,310,2\n")
    (found,) = read_curves(file, "temperature", (Axis("time", "s"), Axis("Cell temperature", "°C")))
    np.testing.assert_allclose(found.y, np.array([300, 310]) - (273.15 if unit == "K" else 0))
    (found,) = read_curves(file, "charge", (Axis("time", "s"), Axis("Charge", "mC")))
    np.testing.assert_allclose(found.y, [1000, 2000])


@pytest.mark.parametrize(
    ("heading", "sentence"),
    [
        ("Transmission [dB]", "or let the chart show decibels"),
        ("Transmission ÷ largest", "save it of the chart undivided"),
    ],
)
def test_tables_of_decibels_and_quotients_say_what_to_change(tmp_path, heading, sentence):
    file = tmp_path / "lab.csv"
    file.write_text(f"curve,Wavelength [µm],{heading}\nthrough,1,0\nthrough,2,-10\n")
    with pytest.raises(ProblemError, match=sentence):
        read_curves(file, "transmission", (Axis("Wavelength", "um"), Axis("Transmission", "1")))


def test_a_temperature_in_kelvin_stands_over_one_in_degrees(tmp_path):
    file = tmp_path / "lab.csv"
    file.write_text("time [h],T [K]\n0,298.15\n1,308.15\n")
    found = read_curves(file, "temperature", (Axis("time", "s"), Axis("Temperature", "°C")))[0]
    np.testing.assert_allclose(found.y, [25, 35])


def test_per_cent_over_an_axis_of_parts_are_hundredths(tmp_path):
    """Reflections are measured in per cent, and their charts have no unit."""
    file = tmp_path / "lab.csv"
    axes = Axis("Wavelength", "um"), Axis("Transmission", "")
    for unit, values in (("%", [0.42, 0.5]), ("1", [42, 50]), ("mV", [42, 50])):
        file.write_text(f"wavelength [nm],T [{unit}]\n600,42\n700,50\n")
        np.testing.assert_allclose(read_curves(file, "balance", axes)[0].y, values)


def test_the_table_of_a_chart_reads_back_curve_by_curve(tmp_path):
    """Of three curves with gaps and a band, whose titles hold commas and quotes."""
    info = ChartInfo("voltage", 'Voltage, mean, "5–95 %"', "V", ("a", "b"), comparable=True)
    x = np.array([0.0, 0.1, 1e6])
    curves = (
        Curve('cell "A", left', x, np.array([4.2, np.nan, 3.0]), low=x, high=x + 1),
        Curve("B", x + 1, np.array([1.0, 2.0, 3.0])),
    )
    header, rows = chart_table(info, ChartData(curves), "time", "s")
    (tmp_path / "kept.csv").write_text(rows_as_text([header, *rows]))
    first, second = read_curves(tmp_path / "kept.csv", "voltage", (Axis("time", "s"), Axis(info.title, "V")))
    assert (first.x, first.y) == ([0.0, 1e6], [4.2, 3.0])
    assert (second.x, second.y) == ([1.0, 1.1, 1000001.0], [1.0, 2.0, 3.0])
    assert [first.title, second.title] == ['kept: cell "A", left', "kept: B"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["through,1,", "through,2,"], "'kept.csv' has no points: keep those of a few curves."),
        ([f"c{n},1,2" for n in range(module.MOST_CURVES + 1)], f"has more than {module.MOST_CURVES} curves: "),
    ],
)
def test_a_table_of_none_or_of_too_many_curves_is_refused(tmp_path, rows, said):
    (tmp_path / "kept.csv").write_text("\n".join(["curve,time [s],Voltage [V]", *rows]) + "\n")
    with pytest.raises(ProblemError, match=said):
        read_curves(tmp_path / "kept.csv", "voltage", (Axis("time", "s"), Axis("Voltage", "V")))
