"""Drive cycles: files of all kinds, the row that is wrong, the charge that is kept, and a cell that follows a power."""

import re
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.battery.engine import BatteryEngine
from engines.battery.parameters import BatteryParameters, DriveCycle, Numerics
from engines.battery.protocol.drive_cycles import drive_cycle, read_drive_cycle
from engines.battery.protocol.plan import cycle_of


def written(tmp_path, text, name="cycle.csv"):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "kind", "times", "values"),
    [
        ("0,1\n1,2\n", "current", [0, 1], [1, 2]),
        ("\ufefftime [s],current [A]\n0,1\n1,-2.5\n", "current", [0, 1], [1, -2.5]),
        ("# Time [s], Current [A]\n# made by hand\n0 1\n1 2\n", "current", [0, 1], [1, 2]),
        ("Time (min);Power (kW)\n0;0,5\n2;-1,5\n", "power", [0, 120], [500, -1500]),
        ("t\tI [mA]\n0\t100\n10\t1e3\n\n", "current", [0, 10], [0.1, 1]),
        ("time power\n0 3\n1 4\n", "power", [0, 1], [3, 4]),
        ('"time","current"\n0,1\n1,1\n', "current", [0, 1], [1, 1]),
    ],
)
def test_tables_as_people_write_them(tmp_path, text, kind, times, values):
    got = read_drive_cycle(written(tmp_path, text))
    assert (got.kind, list(got.times), list(got.values)) == (kind, times, values)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("time,current\n0,1\n1,\n2,3\n", "Row 3 of the drive cycle 'cycle.csv' has a gap: a number should stand there"),
        ("0,1\n1,off\n", "Row 2 of the drive cycle 'cycle.csv' has 'off'"),
        ("0,1\n1,nan\n", "Row 2 of the drive cycle 'cycle.csv' has 'nan'"),
        ("time,current\n\n0,1\n1,1\n1,2\n", "The time in row 5 of the drive cycle 'cycle.csv' is not after the row"),
        ("0,1,2\n1,1,2\n", "Row 1 of the drive cycle 'cycle.csv' has 3 columns"),
        ("time [d],current\n0,1\n", "is in 'd': use one of s, sec"),
        ("time,current [kA]\n0,1\n", "is in 'kA': use one of A, mA, W, mW, kW"),
        ("speed,current\n0,1\n", "The first column of the drive cycle 'cycle.csv' is 'speed'"),
        ("time,speed\n0,1\n", "is 'speed': it should be a current or a power"),
        ("time,current\n", "at least two rows"),
        ("", "at least two rows"),
    ],
)
def test_a_table_that_is_none_names_its_row(tmp_path, text, sentence):
    with pytest.raises(ProblemError) as caught:
        read_drive_cycle(written(tmp_path, text))
    assert sentence in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(ProblemError, match="cannot be read"):
        read_drive_cycle(tmp_path / "gone.csv")
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(ProblemError, match="is no text"):
        read_drive_cycle(binary)


@given(st.lists(st.tuples(st.floats(0.01, 50), st.floats(-100, 100)), min_size=2, max_size=30), st.floats(0.05, 100))
def test_no_charge_is_lost_at_any_step(rows, dt):
    """1e-9: rounding of float64 in sums of 30 products up to 100 A × 50 s."""
    times, values = np.cumsum([width for width, _ in rows]), np.array([value for _, value in rows])
    got = drive_cycle(times, values, dt)
    assert got.sum() * dt == pytest.approx(np.trapezoid(values, times), rel=1e-9, abs=1e-6)


def test_a_changed_file_is_read_again(tmp_path):
    path = written(tmp_path, "0,1\n1,2\n")
    assert list(read_drive_cycle(path).values) == [1, 2]
    written(tmp_path, "0,1\n1,2\n2,30\n")
    assert list(read_drive_cycle(path).values) == [1, 2, 30]


def test_a_cell_follows_a_power(backend, tmp_path):
    """Power is voltage times current to the secant's tolerance, 1e-7 of the current, in float32: 1e-5."""
    path = written(tmp_path, "time [s],power [W]\n0,10\n20,10\n20.001,-5\n40,-5\n")
    problem = Problem(
        BatteryParameters(
            protocol=["Discharge at 1C for 10 minutes", "Run drive cycle"],
            drive_cycle=DriveCycle(file=str(path)),
            numerics=Numerics(step=5.0),
            current_factor=2.0,
        )
    )
    run = BatteryEngine().build(problem, backend)
    run.advance(122)
    seen = run.observe()
    assert seen["voltage"] * seen["current"] == pytest.approx(20.0, rel=1e-5)
    run.advance(4)
    seen = run.observe()
    assert seen["voltage"] * seen["current"] == pytest.approx(-10.0, rel=1e-5)


def test_a_cycle_that_no_cell_carries(tmp_path, backend):
    path = written(tmp_path, "0,1\n1,6000\n")
    problem = Problem(BatteryParameters(protocol=["Run drive cycle"], drive_cycle=DriveCycle(file=str(path))))
    with pytest.raises(ProblemError, match=r"Line 1 .*: no cell carries the 6000 A"):
        BatteryEngine().estimate(problem, backend)


LIMIT = "where the voltage comes to a limit of the cell (2.5 or 4.2 V), a drive cycle ends, too."


def ended(backend, cycle, *protocol, **given):
    """What a run of this protocol says at its end."""
    drive = DriveCycle(times=list(cycle), currents=list(cycle.values()))
    parameters = BatteryParameters.model_validate({"protocol": protocol, "drive_cycle": drive, **given})
    run = BatteryEngine().build(Problem(parameters), backend)
    while not run.finished:
        run.advance(run.sample_steps)
    return run.ending


MODELS = pytest.mark.parametrize(
    "given",
    [
        {},
        {"model": "SPMe"},
        {"model": "MPM", "sizes": {"particles": 4}},
        {"model": "pack", "pack": {"arrangement": {"cells_x": 1, "voxels_x": 2, "voxels_y": 4, "voxels_z": 4}}},
    ],
)


@MODELS
def test_a_timed_step_that_a_limit_of_the_voltage_cuts_short_is_told(backend, given):
    """Where all steps have a time, and no limit of their own."""

    def told(*protocol):
        parameters = BatteryParameters.model_validate({"protocol": protocol, "numerics": {"step": 10.0}, **given})
        run = BatteryEngine().build(Problem(parameters), backend)
        while not run.finished:
            run.advance(run.sample_steps)
        return run.ending

    found = told("Discharge at 2 A for 10 minutes", "Charge at 1 A for 20 minutes", "Rest for 5 minutes")
    assert found.endswith(
        f" s, before the 2100 s of the protocol: {LIMIT.replace('drive cycle', 'step of the protocol')}"
    )
    for protocol in (
        ["Discharge at 2 A for 10 minutes", "Rest for 5 minutes"],
        ["Discharge at 2 A for 10 minutes", "Charge at 1 A for 20 minutes or until 4.1 V"],
        ["Discharge at 2 A for 10 minutes", "Charge at 1 A until 4.2 V"],
    ):
        assert "before" not in told(*protocol), protocol


@MODELS
def test_a_cycle_that_a_limit_of_the_voltage_cuts_short_is_told(backend, given):
    """Wherever it stands in the protocol; and one that was driven to its end is not."""
    given = {"numerics": {"step": 10.0}, **given}
    long, short = {0.0: 5.0, 10_000.0: 5.0}, {0.0: 5.0, 100.0: 5.0}
    found = ended(backend, long, "Run drive cycle", **given)
    assert " is through its protocol after 3" in found
    assert found.endswith(f" s, before the 10000 s of the protocol: {LIMIT}")
    found = ended(backend, long, "Run drive cycle", "Rest for 10 minutes", **given)
    assert found.endswith(f" s, before the 10600 s of the protocol: {LIMIT}")
    found = ended(backend, long, "Charge at C/2 until 4.15 V", "Run drive cycle", **given)
    assert found.endswith(f" s, before the end of the drive cycle: {LIMIT}")
    assert "before" not in ended(backend, short, "Run drive cycle", "Rest for 10 minutes", **given)
    assert "before" not in ended(backend, short, "Charge at C/2 until 4.15 V", "Run drive cycle", **given)


def test_of_many_cells_it_is_said_how_many_a_limit_has_stopped(backend):
    spread = {"cells": 9, "distributions": [{"parameter": "negative_active_fraction", "spread": 0.05}]}
    cycle = {0.0: 5.0, 3500.0: 5.0}
    found = ended(backend, cycle, "Run drive cycle", ensemble=spread, numerics={"step": 10.0})
    assert re.search(r"^All 9 cells .* the last of them after 3500 s, [1-8] of them before the 3500 s of", found), found


def test_a_line_that_drives_a_cycle_for_longer_than_it_lasts_is_told_before_the_run(backend):
    def told(*protocol):
        drive = DriveCycle(times=[0, 100], currents=[1, 3])
        problem = Problem(BatteryParameters(protocol=list(protocol), drive_cycle=drive))
        return [each for each in BatteryEngine().estimate(problem, backend).findings if "driven once" in each.message]

    (found,) = told("Run drive cycle for 50 seconds", "Run drive cycle for 500 seconds")
    assert found.message.startswith("'Run drive cycle for 500 seconds' ends after 100 s")
    assert found.place == ("protocol",)
    assert not told("Run drive cycle for 50 seconds", "Rest for 500 seconds", "Run drive cycle for 100 seconds")


@pytest.mark.parametrize("name", ["city_current.csv", "motorway_power.csv"])
def test_the_cycles_that_come_along_are_driven_to_their_end(name, backend):
    """The LG M50 of Chen2020 stays within its voltages, so that every step is taken."""
    path = files("sample_data") / "drive_cycles" / name
    cycle = read_drive_cycle(path)
    run = BatteryEngine().build(
        Problem(
            BatteryParameters(
                protocol=["Discharge at C/2 for 30 minutes", "Run drive cycle"],
                drive_cycle=DriveCycle(file=str(path)),
                numerics=Numerics(step=1.0),
            )
        ),
        backend,
    )
    length = int(cycle.times[-1])
    run.advance(1800 + length - 1)
    assert run.observe()["running"] == 1
    run.advance(1)
    assert run.observe()["running"] == 0
    assert 2.5 < run.observe()["voltage"] < 4.2


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("Time [h],Voltage [V],Current [A]\n0,4.2,1.5\n0.5,4.1,2.5\n", "current", [1.5, 2.5]),
        ("<I>/mA;Ewe/V;time/min\n1500;4,2;0\n2500;4,1;30\n", "current", [1.5, 2.5]),
        ('"Step","Test_Time(s)","Current(A)"\n1,0,1.5\n1,1800,2.5\n', "current", [1.5, 2.5]),
        (
            "Cycler 7\nCell: LG, no. 3\n\nTime,Current,Temperature\ns,mA,°C\n0,1500,20\n1800,2500,21\n",
            "current",
            [1.5, 2.5],
        ),
        ("current [A],time [h]\n1.5,0\n2.5,0.5\n", "current", [1.5, 2.5]),
        ("t;U [V];P [kW]\n0;3,5;1,5\n1800;3,4;2,5\n", "power", [1500, 2500]),
    ],
)
def test_columns_by_their_headings_in_any_order_and_unit(tmp_path, text, kind, values):
    got = read_drive_cycle(written(tmp_path, text))
    assert got.kind == kind
    np.testing.assert_allclose(got.times, [0, 1800])
    np.testing.assert_allclose(got.values, values)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("time,voltage,speed\n0,4,1\n1,4,1\n", "'cycle.csv' has no column for 'Current [A]'"),
        ("time,Cell current [A],Load current [A]\n0,4,1\n1,4,1\n", "more than one column for 'Current [A]'"),
        ("time,voltage,current\n0,4,1\n1,4,off\n", "Row 3 of the drive cycle 'cycle.csv' has 'off': a number"),
        ("time,voltage,current\n0,4,1\n0,4,1\n", "The time in row 3 of the drive cycle 'cycle.csv' is not after"),
    ],
)
def test_columns_that_are_not_found(tmp_path, text, sentence):
    with pytest.raises(ProblemError) as caught:
        read_drive_cycle(written(tmp_path, text))
    assert sentence in str(caught.value)


def test_columns_that_are_named_by_number_and_unit(tmp_path):
    """Of a cycler's own table: quoted names, thousands, a column that looks like the current and is another."""
    path = tmp_path / "cycler.csv"
    path.write_text('"Step","Elapsed, total","I ref [A]","I","P"\n1,0,9,"1,500",10\n1,0.5,9,-500,20\n2,1,9,250,30\n')
    cycle = read_drive_cycle(path, "2 [h]", "4 [mA]")
    np.testing.assert_allclose(cycle.times, [0, 1800, 3600])
    np.testing.assert_allclose(cycle.values, [1.5, -0.5, 0.25])
    assert cycle.kind == "current"
    power = read_drive_cycle(path, "2 [min]", "5 [kW]")
    np.testing.assert_allclose(power.times, [0, 30, 60])
    np.testing.assert_allclose(power.values, [1e4, 2e4, 3e4])
    assert power.kind == "power"
    given = DriveCycle(file=str(path), time_column="2 [h]", value_column="4 [mA]", charge_positive=True)
    np.testing.assert_allclose(cycle_of(BatteryParameters(drive_cycle=given)).values, [-1.5, 0.5, -0.25])


@pytest.mark.parametrize(
    ("time", "value", "field", "words"),
    [
        ("2", "4 [A]", "time_column", "write it as 1 [s]"),
        ("2 [V]", "4 [A]", "time_column", "write it as 1 [s]"),
        ("1 [s]", "", "value_column", "write it as 1 [A] or 1 [W]"),
        ("1 [s]", "9 [A]", "value_column", "has 2 columns: choose one of them"),
        ("0 [s]", "2 [A]", "time_column", "has 2 columns: choose one of them"),
    ],
)
def test_a_column_that_cannot_be_is_told_at_its_field(tmp_path, time, value, field, words):
    path = tmp_path / "cycle.csv"
    path.write_text("0,1\n1,2\n")
    with pytest.raises(ProblemError, match=re.escape(words)) as told:
        read_drive_cycle(path, time, value)
    assert told.value.place == ("drive_cycle", field)


@pytest.mark.parametrize("model", ["SPM", "MPM", "pack"])
def test_a_cycle_that_no_line_runs_is_told(tmp_path, backend, model):
    """At the file, with the edit that has it run and the one that takes it away; either is enough."""
    path = written(tmp_path, "time [s],current [A]\n0,1\n60,2\n")
    cycle = DriveCycle(file=str(path))

    def said(**values):
        problem = Problem(BatteryParameters(model=model, **values))
        return [each for each in BatteryEngine().estimate(problem, backend).findings if "not used" in each.message]

    (found,) = said(drive_cycle=cycle)
    assert (found.severity, found.place) == ("warning", ("drive_cycle", "file"))
    assert found.remedy.changes == {("protocol",): ["Run drive cycle"]}
    assert found.alternative.changes == {("drive_cycle", "file"): ""}
    assert not said(drive_cycle=cycle, protocol=["Discharge at 1C for 1 minute", "run drive cycle for 1 minute"])
    assert not said()
    (found,) = said(drive_cycle=DriveCycle(times=[0, 60], currents=[1, 2]))
    assert found.place == ("drive_cycle", "times")
    assert not said(drive_cycle=DriveCycle(**{at[1]: value for at, value in found.alternative.changes.items()}))
