"""Columns of a measured table that a person may choose among: what is shown, what is guessed, what is not asked."""

from __future__ import annotations

import pytest

from engines.quantities import alike
from engines.tables.columns import Axis
from workbench.importing.choice import choice_of, column_in
from workbench.project.measured import read_curves

AXES = Axis("time", "s"), Axis("Terminal voltage", "V", ("voltage",))


def written(tmp_path, text: str):
    (tmp_path / "lab.csv").write_text(text)
    return tmp_path / "lab.csv"


@pytest.mark.parametrize(
    ("text", "heading", "guess", "units"),
    [
        ("Time [h],I [A],U [mV]\n0,1,4200\n1,1,4100\n", ("Time [h]", "I [A]", "U [mV]"), (0, 2), ("h", "mV")),
        ("Cycler 7\n\na;b;c\n1;2;3\n4;5;6\n", ("a", "b", "c"), (0, 1), ("s", "V")),
        ("0,1,2\n1,2,3\n", ("column 1", "column 2", "column 3"), (0, 1), ("s", "V")),
        ("t [s],U [V],Cell voltage [V]\n0,4,4\n1,4,4\n", ("t [s]", "U [V]", "Cell voltage [V]"), (0, 1), ("s", "V")),
        ("Time [s],T [°C]\n0,20\n1,21\n", ("Time [s]", "T [°C]"), (0, 1), ("s", "V")),
    ],
)
def test_what_is_guessed_of_several_columns(tmp_path, text, heading, guess, units):
    choice = choice_of(written(tmp_path, text), AXES)
    assert choice.heading == heading
    assert choice.guess == guess
    assert tuple(choice.unit(place, axis) for place, axis in zip(guess, AXES, strict=True)) == units


def test_per_cent_may_be_chosen_along_an_axis_of_parts(tmp_path):
    file, axis = tmp_path / "lab.csv", Axis("Transmission", "")
    file.write_text("wavelength [nm],R [%],T [%]\n600,58,42\n700,50,50\n")
    choice = choice_of(file, (Axis("Wavelength", "um"), axis), always=True)
    assert choice.units_for(axis) == ["%", "1"]
    assert choice.unit(2, axis) == "%"
    assert column_in(2, "%", axis).value(42) == pytest.approx(0.42)
    assert column_in(2, "1", axis).value(42) == 42
    assert len(choice.rows) == 2


def test_an_axis_whose_unit_nobody_knows_has_it_all_the_same(tmp_path):
    choice = choice_of(written(tmp_path, "a,b,c\n0,1,2\n1,2,3\n"), (AXES[0], Axis("Activity", "")))
    assert choice.unit(1, Axis("Activity", "furlong")) == "furlong"


@pytest.mark.parametrize(
    "text",
    [
        "t,U\n0,4\n1,4\n",
        "0 4\n1 4\n",
        "Voltage [mV],Time [h]\n4200,0\n4100,1\n",
        "curve,time [s],Terminal voltage [V]\n1 C,0,4.2\n1 C,1,4.1\n",
    ],
)
def test_nothing_is_asked_where_it_is_clear(tmp_path, text):
    assert choice_of(written(tmp_path, text), AXES) is None


def test_a_choice_is_read_in_its_units(tmp_path):
    path = written(tmp_path, "a,b,c\n9,4200,0\n9,4100,0.5\n9,4000,1\n")
    chosen = column_in(2, "h", AXES[0]), column_in(1, "mV", AXES[1])
    (found,) = read_curves(path, "voltage", AXES, chosen)
    assert found.x == [0, 1800, 3600]
    assert found.y == pytest.approx([4.2, 4.1, 4.0])


def test_units_to_choose_among_are_of_one_kind():
    assert alike("s")[-3:] == ["min", "h", "d"]
    assert alike("us") == alike("s")
    assert alike("A h") == ["mAh", "Ah"]
    assert alike("mol/m³") == ["mol/m³"]
    assert alike("C") == ["C"], "a charge"
    assert alike("") == []
