"""Runs of a sweep side by side: the table, curves over each other, the files, and the command that writes them."""

from __future__ import annotations

import csv
import errno
import json

import h5py
import numpy as np
import pytest

from engines.api import Finding
from engines.api.charts import ChartData, ChartInfo, Curve
from engines.api.errors import ProblemError
from tests.workbench.fake_engine import FakeBackend, WaveEngine, WaveSimulation
from tests.workbench.sweep.plans import plan_of
from workbench.cli import main
from workbench.cli.runs.folder import LOCK, alone_in
from workbench.cli.sweep import _print
from workbench.project.document import open_document
from workbench.storage import locking
from workbench.storage.atomic import StorageError
from workbench.sweep import running
from workbench.sweep.files import write_sweep
from workbench.sweep.plan import KeptChart, kept_of
from workbench.sweep.readings import Reading
from workbench.sweep.table import (
    against,
    chart_of_runs,
    columns_of,
    curves_of,
    overlay,
    read_anew,
    table_of,
    table_to_show,
    value_of,
)
from workbench.sweep.workers import run_sweep


@pytest.fixture
def charted(document, monkeypatch):
    """A document whose runs have a chart of two curves: y = speed · x and its square."""

    def charts(self, problem, backend):
        real(self, problem, backend)
        self.charts = (ChartInfo("line", "Line / square", "V", x_title="x", x_unit="m"),)

    def chart(self, name):
        x = np.linspace(0, 1, 11)
        y = self.parameters.speed * x
        return ChartData((Curve("y", x, y), Curve("y/y", x, y**2)))

    real = WaveSimulation.__init__
    monkeypatch.setattr(WaveSimulation, "__init__", charts)
    monkeypatch.setattr(WaveSimulation, "chart", chart)
    return document


def test_a_row_says_which_of_its_values_lies_between_points_that_are_far_apart(charted):
    """Nobody was told that it is on a straight line there."""
    plan = plan_of(charted, ("speed", "1,3"), until=0.1, kept=(KeptChart("line", Reading("at", 0.55)),))
    header, lines = table_of(plan, list(run_sweep(plan, FakeBackend())))
    assert header[-1] == "trouble"
    told = "Line / square: y/y, value at 0.55 m, lies on a line between the points at 0.5 and 0.6 and may be off by {}"
    assert [line[-1] for line in lines] == [
        f"{told.format(off)} V: read it at one of these." for off in ("0.01", "0.09")
    ]
    at_a_point = read_anew(list(run_sweep(plan, FakeBackend())), (KeptChart("line", Reading("at", 0.5)),))
    assert [line[-1] for line in table_of(plan, at_a_point)[1]] == ["", ""]


def test_last_values_of_different_times_are_told(document):
    """Steps of 0.02 and 0.03 ms come to 0.1 and to 0.09 or 0.12 ms."""
    plan = plan_of(document, ("step", "0.02,0.03"), until=0.1)
    _, lines = table_of(plan, list(run_sweep(plan, FakeBackend())))
    first, last = sorted(float(str(line[2])) for line in lines)
    told = f"Steps of several lengths end from {first:.6g} to {last:.6g} ms, where last values are read: "
    assert [line[-1] for line in lines] == [f"{told}read the charts over time at {first:.6g}."] * 2
    alike = plan_of(document, ("step", "0.02,0.01"), until=0.1)
    assert [line[-1] for line in table_of(alike, list(run_sweep(alike, FakeBackend())))[1]] == ["", ""]


def test_curves_are_laid_over_each_other_and_columns_over_a_parameter(charted):
    plan = plan_of(charted, ("speed", "3,1"), ("tau", "1,2"), until=0.1, kept=(KeptChart("line", Reading("at", 0.5)),))
    rows = list(run_sweep(plan, FakeBackend()))
    assert [row.case[0] for row, _ in overlay(rows, "line", "y")] == [3, 3, 1, 1]
    columns = columns_of(rows)
    assert [column.heading for column in columns] == [
        "Line / square: y, value at 0.5 m [V]",
        "Line / square: y/y, value at 0.5 m [V]",
    ]
    assert value_of(rows[0], columns[1]) == pytest.approx(2.25)
    anew = read_anew(rows, (KeptChart("line", Reading("at", 1.0)), KeptChart("none", Reading("max"))))
    assert value_of(anew[0], columns_of(anew)[1]) == pytest.approx(9.0)
    assert [row.case for row in anew] == [row.case for row in rows]
    assert value_of(read_anew(rows, None)[0], columns[1]) == pytest.approx(2.25), "with nothing chosen as they were"
    info, data = against(plan, rows, columns[0])
    assert (info.x_title, info.x_unit, info.comparable) == ("Speed", "mm/ms", True)
    assert [curve.title for curve in data.curves] == ["Tau 1 ms", "Tau 2 ms"]
    np.testing.assert_allclose(data.curves[0].x, [1, 3])
    np.testing.assert_allclose(data.curves[0].y, [0.5, 1.5])


def test_cases_that_are_close_are_told_apart(charted):
    """Six digits, as ever, where they tell: 2 and 2.00000001 are two curves, in two columns."""
    plan = plan_of(charted, ("speed", "3, 1"), ("tau", "2, 2.00000001"), until=0.1)
    assert len({plan.told(case) for case in plan.cases()}) == len(plan)
    assert plan.told(plan.cases()[0]).startswith("Speed 3 mm/ms, Tau 2")
    rows = list(run_sweep(plan, FakeBackend()))
    _, data = against(plan, rows, columns_of(rows)[0])
    assert [curve.title for curve in data.curves] == ["Tau 2 ms", "Tau 2.00000001 ms"]
    found = chart_of_runs(plan, rows, columns_of(rows)[0].chart)
    assert found is not None
    titles = [curve.title for curve in found[1].curves]
    assert len(set(titles)) == len(titles)


def test_the_command_writes_table_curves_and_groups(charted, project, tmp_path, capsys):
    out = tmp_path / "out"
    given = ["--vary", "speed=1:2:3", "--chart", "line:where-max", "--chart", "mean_voltage", "--until", "0.2"]
    assert main(["sweep", str(project), *given, "--out", str(out)]) == 0
    told = capsys.readouterr()
    assert "Run 2 of 3: Speed 1.5 mm/ms: " in told.err
    assert told.out.splitlines()[0].split("  ")[0].strip() == "run"
    with (out / "sweep.csv").open() as file:
        lines = list(csv.reader(file))
    assert lines[0][1] == "speed [mm/ms]"
    assert [line[1] for line in lines[1:]] == ["1", "1.5", "2"]
    assert lines[0][4] == "Line / square: y, place of the maximum [m]"
    assert [line[4] for line in lines[1:]] == ["1", "1", "1"]
    with h5py.File(out / "sweep.h5") as file:
        assert sorted(file) == ["run_0001", "run_0002", "run_0003"]
        assert file["run_0002/parameters/speed"][()] == 1.5
        np.testing.assert_allclose(file["run_0003/charts/line/y∕y/y"], (2 * np.linspace(0, 1, 11)) ** 2)
        assert file["run_0003/charts/line/y/x"].attrs["unit"] == "m"
    assert (out / "charts" / "line.csv").read_text().splitlines()[1] == '"y, Speed 1 mm/ms",0,0'
    plan = plan_of(open_document(project), ("speed", "1"), until=0.1)
    rows = list(run_sweep(plan, FakeBackend()))
    for _ in range(2):  # into a folder of a folder that is not there yet, and over what is there
        assert write_sweep(plan, rows, tmp_path / "new" / "sweep")[-1] == "sweep.h5"


def test_the_command_lists_what_can_be_varied_and_refuses_in_a_sentence(project, tmp_path, capsys):
    assert main(["sweep", str(project)]) == 0
    assert "speed          1 mm/ms  (above 0)" in capsys.readouterr().out
    for given, said in (
        (["--vary", "sped=1:2:3"], "the nearest are speed"),
        (["--vary", "speed=0:2:3"], "'speed' cannot be 0: it must be above 0 mm/ms."),
        (["--vary", "speed=1:2:3000"], "3,000 runs: take fewer values, or add --yes"),
        (["--vary", "speed=1,2", "--chart", "line:most"], "'most' cannot be read"),
        (["--vary", "speed=1,2", "--chart", "line:max", "--chart", "line:min"], "'line' is named 2 times: one number"),
        (["--vary", "speed"], "no NAME=VALUES"),
    ):
        assert main(["sweep", str(project), *given, "--out", str(tmp_path / "none")]) == 2
        assert said in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("text", "name", "what"), [("content:u:last", "content:u", "last"), ("line:at=2", "line", "at")]
)
def test_a_reading_stands_behind_the_last_colon(text, name, what):
    """Series of typed equations are called 'content:u'."""
    (kept,) = kept_of([text])
    assert (kept.name, kept.reading.what) == (name, what)


def test_the_command_says_when_every_run_failed(project, tmp_path, capsys, monkeypatch):
    """And programs how the first one did."""

    def fails(self, problem, *_):
        raise ProblemError(f"Too hot at {problem.parameters.speed:g}: cool it.")

    monkeypatch.setattr(WaveEngine, "build", fails)
    assert main(["sweep", str(project), "--vary", "speed=1,2", "--out", str(tmp_path / "out"), "--json"]) == 3
    assert "Too hot at 1: cool it." in (tmp_path / "out" / "sweep.csv").read_text()
    assert json.loads(capsys.readouterr().out)["error"] == "Too hot at 1: cool it."


@pytest.mark.parametrize(
    ("at", "how", "code", "through", "said"),
    [
        (2, KeyboardInterrupt, 130, 1, "Interrupted: 1 of 3 runs are through."),
        (1, KeyboardInterrupt, 130, 0, "Interrupted before a run was through: nothing was saved."),
        (3, StorageError("The disk is full."), 3, 2, "The disk is full."),
        (1, StorageError("The disk is full."), 2, 0, "The disk is full."),
    ],
)
def test_a_sweep_that_is_cut_short_keeps_what_is_through(
    project, tmp_path, monkeypatch, capsys, at, how, code, through, said
):
    case = running.run_case

    def cut_short(plan, place, *others, **options):
        if place == at - 1:
            raise how
        return case(plan, place, *others, **options)

    monkeypatch.setattr(running, "run_case", cut_short)
    given = ["--vary", "speed=1,2,3", "--until", "0.1", "--workers", "1", "--out", str(tmp_path / "out"), "--json"]
    assert main(["sweep", str(project), *given]) == code
    assert json.loads(capsys.readouterr().out)["error"] == said
    table = tmp_path / "out" / "sweep.csv"
    assert (len(table.read_text().splitlines()) - 1 if table.exists() else 0) == through


def test_a_table_has_trouble_at_its_right_each_from_the_left_on(capsys):
    _print(["speed", "note", "trouble"], [[1.25, "", "It is long."], [10.0, "", "Short."]])
    assert capsys.readouterr().out.splitlines() == [
        "speed  note  trouble",
        " 1.25        It is long.",
        "   10        Short.",
    ]


@pytest.mark.parametrize(
    ("noticed", "errors", "own", "shared"),
    [
        (([], []), ("", ""), None, ""),
        ((["A."], ["A."]), ("", ""), None, "In all runs: A."),
        ((["A."], ["A.", "B."]), ("", ""), ["", "B."], "In all runs: A."),
        ((["A."], ["B."]), ("", ""), ["A.", "B."], ""),
        ((["B.", "A."], ["A.", "B."]), ("", ""), None, "In all runs: B. A."),
        ((["A."], []), ("", "It failed."), ["", "It failed."], "In all runs that did not fail: A."),
        (([], []), ("It failed.", "It failed."), ["It failed.", "It failed."], ""),
    ],
)
def test_what_all_runs_are_warned_of_is_told_once_below_and_is_whole_in_files(document, noticed, errors, own, shared):
    """Each row repeated it, and what was its own stood beyond what was seen."""
    plan = plan_of(document, ("speed", "1,3"))
    rows = [
        running.Row(place, (speed,), 0.5, error=error, noticed=tuple(told))
        for place, (speed, told, error) in enumerate(zip((1.0, 3.0), noticed, errors, strict=True))
    ]
    header, lines, below = table_to_show(plan, rows)
    assert below == shared
    assert "trouble" in header if own else "trouble" not in header, "a column has something in it"
    assert own is None or [line[-1] for line in lines] == own
    assert {len(line) for line in lines} == {len(header)}
    assert [line[-1] for line in table_of(plan, rows)[1]] == [
        error or " ".join(told) for error, told in zip(errors, noticed, strict=True)
    ]


def test_the_command_tells_what_all_runs_share_below_its_table(project, tmp_path, monkeypatch, capsys):
    own = {1.0: "A.", 3.0: "A. Too fast."}
    monkeypatch.setattr(
        WaveSimulation,
        "noticed",
        lambda self: tuple(map(Finding, own[self.parameters.speed].split(" ", 1))),
        raising=False,
    )
    given = ["--vary", "speed=1,3", "--until", "0.1", "--workers", "1", "--out", str(tmp_path / "out")]
    assert main(["sweep", str(project), *given]) == 0
    head, first, second, below, *_ = capsys.readouterr().out.splitlines()
    assert head.endswith("  trouble")
    assert second.endswith("  Too fast.")
    assert "A." not in first + second
    assert below == "In all runs: A."
    with (tmp_path / "out" / "sweep.csv").open(newline="") as file:
        assert [line["trouble"] for line in csv.DictReader(file)] == list(own.values())
    with h5py.File(tmp_path / "out" / "sweep.h5") as file:
        assert [file[f"run_{n:04d}/trouble"].asstr()[()] for n in (1, 2)] == list(own.values())
    assert main(["sweep", str(project), *given, "--json"]) == 0
    assert [line[-1] for line in json.loads(capsys.readouterr().out)["rows"]] == list(own.values())


def test_a_narrow_column_has_two_lines_of_what_the_wide_one_says():
    info = ChartInfo("c", "C", "V", x_title="t", x_unit="s")
    charts = ((info, ChartData((Curve("mean", np.arange(2.0), np.ones(2)),)), Reading("max")),)
    (column,) = columns_of([running.Row(0, (1.0,), charts=charts)])
    assert column.brief.splitlines() == ["mean", "maximum [V]"]
    assert column.heading == "C: mean, maximum [V]"


def test_what_has_no_column_is_said_in_the_table_and_on_the_command_line(charted, monkeypatch, tmp_path, capsys):
    def charts(self, problem, backend):
        real(self, problem, backend)
        self.charts = (ChartInfo("dots", "Spikes", "1", kind="raster"), ChartInfo("many", "Many", "V"))

    def chart(self, name):
        return ChartData(tuple(Curve(f"c{k}", np.arange(2.0), np.ones(2)) for k in range(13)))

    real = WaveSimulation.__init__
    monkeypatch.setattr(WaveSimulation, "__init__", charts)
    monkeypatch.setattr(WaveSimulation, "chart", chart)
    words = ["--vary", "speed=1", "--until", "0.1", "--workers", "1", "--out", str(tmp_path / "out")]
    assert main(["sweep", str(charted.path), "--chart", "dots:last", "--chart", "many", *words]) == 0
    told = capsys.readouterr().out
    assert "\nSpikes: no number is read of a raster, which is in the files.\n" in told
    assert "\nMany: the first 12 of 13 curves have a column; all of them are in the files.\n" in told
    assert main(["sweep", str(charted.path), *words, "--chart", "mean_voltage"]) == 0
    assert "in the files" not in capsys.readouterr().out


def test_what_is_read_where_no_curve_reaches_is_told(charted, tmp_path, capsys):
    """Its column was missing, or empty, without a word."""
    words = ["sweep", str(charted.path), "--vary", "speed=1,2", "--until", "0.1", "--workers", "1", "--out"]
    assert main([*words, str(tmp_path / "a"), "--chart", "line:at=7"]) == 0
    told = "y, value at 7 m: 2 of 2 curves do not reach there; read it from 0 to 1.\n"
    assert told in capsys.readouterr().out
    assert main([*words, str(tmp_path / "a"), "--chart", "line:at=0.5"]) == 0
    assert "reach" not in capsys.readouterr().out


def test_a_sweep_is_alone_in_its_folder(charted, tmp_path, capsys):
    """Two at once ended well, and the table of one and the charts of the other were there."""
    words = ["sweep", str(charted.path), "--vary", "speed=1,2", "--until", "0.1", "--workers", "1", "--out"]
    with alone_in(tmp_path / "a"):
        assert main([*words, str(tmp_path / "a")]) == 2
        assert "Another run writes into" in capsys.readouterr().err
    assert not (tmp_path / "a").exists()  # nothing was written
    assert main([*words, str(tmp_path / "a")]) == 0
    assert not (tmp_path / "a" / LOCK).exists()


def test_a_disk_without_locks_takes_results(tmp_path, monkeypatch):
    """As some disks of other machines are: another run was said to write there."""

    def refuse(handle):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(locking, "_lock", refuse)
    with alone_in(tmp_path / "a"):
        (tmp_path / "a" / "kept").touch()
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["kept"]


def test_tables_of_a_sweep_before_are_told(charted, tmp_path, capsys):
    words = ["sweep", str(charted.path), "--vary", "speed=1,2", "--until", "0.1", "--workers", "1", "--out"]
    assert main([*words, str(tmp_path / "a"), "--chart", "line", "--chart", "mean_voltage"]) == 0
    assert "of one before" not in capsys.readouterr().out
    assert main([*words, str(tmp_path / "a"), "--chart", "mean_voltage"]) == 0
    assert capsys.readouterr().out.endswith("Not of this sweep, but of one before: charts/line.csv.\n")


def test_what_a_chart_says_of_itself_stands_above_its_table_also_of_cases_that_were_kept(
    charted, monkeypatch, tmp_path
):
    x = np.arange(2.0)
    data = ChartData((Curve("y", x, x),), note="It has not settled.", part="one neuron in 8")
    monkeypatch.setattr(WaveSimulation, "chart", lambda self, name: data)
    words = ["--vary", "speed=1,2", "--until", "0.1", "--workers", "1", "--out", str(tmp_path)]
    for _ in range(2):
        assert main(["sweep", str(charted.path), "--chart", "line", *words]) == 0
        first = (tmp_path / "charts" / "line.csv").read_text().splitlines()[0]
        assert first == "# one neuron in 8. It has not settled."


def test_curves_of_a_chart_are_those_of_all_runs_that_have_it():
    info = ChartInfo("c", "C", "V", x_title="t", x_unit="s")

    def row(place, *titles):
        curves = tuple(Curve(title, np.arange(2.0), np.full(2, place)) for title in titles)
        return running.Row(place, (1.0 * place,), charts=((info, ChartData(curves), None),) if titles else ())

    rows = [row(0, "a", "b"), row(1), row(2, "b", "c")]
    assert curves_of(rows, "c") == ["a", "b", "c"]
    assert curves_of(rows, "d") == []
    assert [(one.place, curve.title, curve.y[0]) for one, curve in overlay(rows, "c", "b")] == [
        (0, "b", 0),
        (2, "b", 2),
    ]
    assert [one.place for one, _ in overlay(rows, "c", "c")] == [2]
