"""Sweeps without a window: what can be varied, which cases there are, the runs, the table, the files, the command."""

from __future__ import annotations

import csv
import json
from typing import Annotated

import h5py
import numpy as np
import pytest
from pydantic import Field

from engines.api import Estimate
from engines.api.charts import ChartData, ChartInfo, Curve
from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup, quantity
from tests.workbench.fake_engine import FakeBackend, WaveEngine, WaveSimulation
from workbench.cli import main
from workbench.cli.sweep import _print
from workbench.project.document import open_document
from workbench.storage.atomic import StorageError
from workbench.sweep import running, task
from workbench.sweep.files import write_sweep
from workbench.sweep.numbers import number_called, numbers_of
from workbench.sweep.outlook import outlook
from workbench.sweep.plan import KeptChart, SweepPlan, Variation, values_of, variation
from workbench.sweep.readings import Reading, reading_of
from workbench.sweep.table import against, chart_of_runs, columns_of, curves_of, overlay, read_anew, table_of, value_of
from workbench.sweep.workers import run_sweep


@pytest.fixture
def document(project):
    return open_document(project)


def plan_of(document, *varied, until=0.5, kept=None):
    return SweepPlan(document, tuple(variation(document, name, text) for name, text in varied), until, kept)


# ---- what is varied ----------------------------------------------------------------------------------------------


def test_numbers_have_names_titles_units_and_bounds(document):
    found = {number.name: number for number in numbers_of(document.parameters)}
    assert "end" not in found, "it has no value"
    assert "cannot_begin" not in found, "a switch is no number"
    step = found["step"]
    assert (step.title, step.value, step.unit, step.integer) == ("Step", 0.02, "ms", False)
    assert step.bounds.sentence() == "above 0, at most 1"
    assert found["trouble_step"].integer


def test_numbers_in_lists_tuples_and_unions_are_found():
    from engines.fdtd.parameters import FdtdParameters, Sphere

    found = {one.name: one for one in numbers_of(FdtdParameters(objects=[Sphere()]))}
    assert found["objects.0.radius"].title == "Objects › 1 sphere › Radius"
    assert found["objects.0.center.1"].titles[-1] == "Center y"
    assert found["objects.0.radius"].bounds.sentence() == "above 0"
    assert found["objects.0.radius"].unit == found["grid.size_x"].unit == "µm", "as another field says"
    assert not found["grid.at_z"].matters, "the grid has three dimensions"
    with pytest.raises(ProblemError, match=r"Nothing depends on 'grid\.at_z'"):
        number_called(FdtdParameters(objects=[Sphere()]), "grid.at_z")


def test_numbers_of_a_list_that_may_be_missing_have_its_bounds():
    class Group(ParameterGroup):
        maybe: list[Annotated[float, Field(gt=0)]] | None = quantity([1.0, 2.0], "m", "Maybe")
        counts: Annotated[tuple[int, ...], Field(min_length=1)] = quantity((3, 4), "1", "Counts")
        pair: tuple[int, float] | str = quantity((5, 6.0), "1", "Pair")
        either: float | str = quantity("none", "1", "Either")
        names: list[str] = quantity(["a"], "", "Names")

    found = {one.name: one for one in numbers_of(Group())}
    assert {name: one.integer for name, one in found.items()} == {
        "maybe.0": False, "maybe.1": False, "counts.0": True, "counts.1": True, "pair.0": True, "pair.1": False,
    }  # fmt: skip
    assert found["maybe.1"].bounds.sentence() == "above 0"
    assert [one.titles[-1] for one in found.values()] == ["1", "2", "Counts 1", "Counts 2", "Pair 1", "Pair 2"]
    assert numbers_of(Group(maybe=None))[0].name == "counts.0"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sped", "There is no number 'sped' among the parameters; the nearest are speed"),
        ("trouble", "'trouble' is no number but '': a sweep varies numbers"),
        ("end", "'end' is no number but None"),
    ],
)
def test_a_name_that_is_no_number_gets_a_sentence_with_the_nearest(document, name, said):
    with pytest.raises(ProblemError) as caught:
        number_called(document.parameters, name)
    assert said in str(caught.value)


def test_the_nearest_numbers_are_each_named_once():
    from engines.fdtd.parameters import FdtdParameters, Sphere

    for name in ("objects.radius", "of.quite.another.way.to.call.what.is.a.radius"):
        with pytest.raises(ProblemError) as caught:
            number_called(FdtdParameters(objects=[Sphere()]), name)
        assert str(caught.value).count("objects.0.radius") == 1
    assert ".radius" in str(caught.value)
    assert "grid" not in str(caught.value), "what ends otherwise, and looks otherwise"


def test_values_are_ranges_factors_or_lists():
    assert values_of("0.2:0.4:3") == (0.2, 0.3, 0.4)
    assert values_of("1:100:3:log") == (1.0, 10.0, 100.0)
    assert values_of("1, 5; 2") == (1, 5, 2)
    assert values_of("1:4:6", integer=True) == (1, 2, 3, 4), "rounded, each once"
    for text in ("a:b:3", "1:2", "1:2:3:4", "1:2:x", "one", "nan", "1:2:0", "-1:1:3:log", "1:2:1000000"):
        with pytest.raises(ProblemError):
            values_of(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1,000", "'1,000' may be one number or several: write 1000, or '; ' between"),
        ("500, 1,000", "'1,000' may be one number or several: write 1000,"),
        ("1,234,050", "write 1234050,"),
        ("1,000:2,000:5", "write 1000,"),
        ("0,05", "'0,05' may be one number or several: write 0.05,"),
        ("0,5; 1,5", "write 0.5,"),
        ("0,05,0,1", "write points for decimals,"),
    ],
)
def test_commas_that_may_stand_within_numbers_are_asked_about(text, wanted):
    """1,000 was a list of 1 and 0, 0,05 one of 0 and 5."""
    with pytest.raises(ProblemError) as caught:
        values_of(text)
    assert wanted in str(caught.value)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("420,840,1680", (420, 840, 1680)),
        ("0.2,0.05,0.3", (0.2, 0.05, 0.3)),
        ("1,0.05", (1, 0.05)),
        ("0,1,2", (0, 1, 2)),
        ("1, 000; 2", (1, 0, 2)),
    ],
)
def test_commas_between_numbers_part_them(text, values):
    assert values_of(text) == values


@pytest.mark.parametrize(
    ("varied", "changes", "said"),
    [
        ([("step", "0.1:2:3")], {}, "'step' cannot be 1.05: it must be above 0, at most 1 ms."),
        ([("trouble_step", "1.5,2")], {}, "'trouble_step' takes whole numbers: 1.5 is none."),
        ([("speed", "1,1")], {}, "'speed' has the same value twice"),
        ([("speed", " , ")], {}, "'speed' has no values"),
        ([("speed", "1,2"), ("speed", "3,4")], {}, "'speed' is varied twice"),
        ([("speed", "1,2"), ("tau", "1,2"), ("delay", "0,1")], {}, "one or two numbers, not 3"),
        ([], {}, "Nothing is varied"),
        ([("speed", "1,2")], {"kept": ()}, "Nothing is kept of the runs"),
        ([("speed", "1,2")], {"until": None}, "Nothing says how far to run: give the end of each run [ms]."),
        ([("speed", "1:2:1000"), ("tau", "1:2:1000")], {}, "1,000,000 runs are too many"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused_in_a_sentence(document, varied, changes, said):
    with pytest.raises(ProblemError) as caught:
        plan_of(document, *varied, **changes).check()
    assert said in str(caught.value)


def test_readings_of_a_curve():
    info = ChartInfo("c", "C", "V", x_title="t", x_unit="s")
    curve = Curve("c", np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 5.0, np.nan, 2.0]))
    texts = ("max", "min", "where-max", "where-min", "last", "at=0.5", "at=4")
    values = [reading_of(text).of(info, curve) for text in texts]
    np.testing.assert_array_equal(values, [5.0, 1.0, 1.0, 0.0, 2.0, 3.0, np.nan])
    bars = ChartInfo("b", "B", "1", kind="bar", x_unit="s")
    assert Reading("where max").of(bars, Curve("b", np.array([0.0, 2.0, 4.0]), np.array([1.0, 3.0]))) == 3.0
    assert np.isnan(Reading().of(info, Curve("none", np.zeros(0), np.zeros(0))))
    for text in ("most", "at=x", "max=2"):
        with pytest.raises(ProblemError):
            reading_of(text)


@pytest.mark.parametrize(
    ("y", "at", "off"),
    [
        ([1, 1, 0, 0], 1.5, 0.5),  # a jump, somewhere between
        ([0, 1, 4, 9], 1.5, 1.0),  # a parabola, of which the line is 0.25 off
        ([0, 1, 4, 9], 0.5, 0.5),
        ([0, 1, 4, 9], 2.5, 0.5),
        ([0, 1, 4, 9], 2.0, None),  # a point
        ([0, 1, 2, 3], 1.5, None),
        ([5, 5, 5, 5.001], 2.5, None),
        ([0, 1, 4, 9], 3.5, None),  # no value at all
        ([0, 1], 0.5, 1.0),
        ([0, np.nan, 4, 9], 1.0, 1.5),
    ],
)
def test_a_value_between_points_that_are_far_apart_says_by_how_much_it_may_be_off(y, at, off):
    info, curve = ChartInfo("c", "C", "V"), Curve("c", np.arange(len(y), dtype=float), np.array(y, float))
    found = Reading("at", at).between(info, curve)
    assert (None if found is None else found.off) == off
    assert Reading("last").between(info, curve) is None


# ---- runs --------------------------------------------------------------------------------------------------------


def test_each_case_runs_to_its_end_with_its_own_numbers(document):
    """Each simulation is closed before the next is built; the wave's mean voltage is what one run of it gives."""
    there, most = [], []
    build = WaveEngine.build

    class Counting(WaveEngine):
        def build(self, problem, backend, progress=lambda *_: None):
            made = build(self, problem, backend, progress)
            most.append(sum(not one.closed for one in there))
            there.append(made)
            return made

    document.engine = Counting()
    plan = plan_of(document, ("speed", "1,4"), ("tau", "0.5,1"))
    rows = list(run_sweep(plan, FakeBackend()))
    assert [row.case for row in rows] == [(1, 0.5), (1, 1), (4, 0.5), (4, 1)]
    assert most == [0, 0, 0, 0]
    assert all(one.closed for one in there)
    for row in rows:
        alone = build(WaveEngine(), plan.problem(row.case), FakeBackend())
        alone.advance(25)
        info, data, reading = row.chart("mean_voltage")
        assert (info.unit, reading.what, row.time, row.steps) == ("mV", "last", 0.5, 25)
        assert data.curves[0].y[-1] == alone.observe()["mean_voltage"]
        assert data.curves[0].x[-1] == 0.5
        np.testing.assert_allclose(data.curves[0].x[:3], [0, 0.1, 0.2])


def test_a_run_that_fails_is_a_row_with_its_sentence_and_the_next_begins(document):
    document.parameters = document.parameters.model_copy(update={"trouble": "nan"})
    rows = list(run_sweep(plan_of(document, ("trouble_step", "10,1000")), FakeBackend()))
    assert "is no longer a number at element" in rows[0].error
    assert not rows[1].error
    header, lines = table_of(plan_of(document, ("trouble_step", "10,1000")), rows)
    assert header[-1] == "trouble"
    assert np.isnan(lines[0][-2])
    assert lines[1][-2] < 0
    document.parameters = document.parameters.model_copy(update={"trouble": "build"})
    failed = list(run_sweep(plan_of(document, ("trouble_step", "0,1")), FakeBackend()))
    assert all(row.error and not row.charts and row.steps == 0 for row in failed)


def test_a_problem_that_ends_by_itself_needs_no_end(document, monkeypatch):
    monkeypatch.setattr(WaveEngine, "ends", lambda self, problem: True)
    document.parameters = document.parameters.model_copy(update={"end": 0.2})
    rows = list(run_sweep(plan_of(document, ("end", "0.2,0.4"), until=None), FakeBackend()))
    assert [row.time for row in rows] == pytest.approx([0.2, 0.4])


def test_who_ends_it_gets_the_rows_until_then_and_the_device_is_free(document):
    class Enough(Exception):
        pass

    simulations, told = [], []
    plan = plan_of(document, ("speed", "1,2,3"))

    class Watched(WaveEngine):
        def build(self, problem, backend, progress=lambda *_: None):
            simulations.append(super().build(problem, backend, progress))
            return simulations[-1]

    document.engine = Watched()

    def progress(message, fraction):
        told.append((message, fraction))
        if fraction > 0.5:
            raise Enough

    runs = run_sweep(plan, FakeBackend(), progress)
    assert next(runs).case == (1,)
    with pytest.raises(Enough):
        next(runs)
    assert all(one.closed for one in simulations)
    assert told[0] == ("Run 1 of 3: Speed 1 mm/ms", 0.0)


def test_a_chart_that_is_not_there_ends_the_sweep_with_the_names(document):
    with pytest.raises(ProblemError, match="no chart 'mean' in these runs; there are: mean_voltage"):
        list(run_sweep(plan_of(document, ("speed", "1,2"), kept=(KeptChart("mean"),)), FakeBackend()))


def test_long_series_are_thinned_and_keep_their_last_value(document, monkeypatch):
    monkeypatch.setattr(running, "MOST_SAMPLES", 8)
    (row,) = run_sweep(plan_of(document, ("speed", "1"), until=3.0), FakeBackend())
    curve = row.chart("mean_voltage")[1].curves[0]
    assert len(curve.x) <= 9
    assert curve.x[-1] == pytest.approx(3.0)
    assert (np.diff(curve.x) > 0).all()


def test_the_outlook_adds_up_estimates_and_counts_refusals(document):
    plan = plan_of(document, ("speed", "1:2:50"), until=2.0)

    def estimate(each):
        return Estimate(int(1000 * each.parameters.speed), 1, 0.1, None, each.parameters.speed)

    own = outlook(plan, estimate)
    assert (own.runs, own.memory_bytes, own.refused) == (50, 2000, 0)
    assert own.seconds == pytest.approx(50 * 1.5 * 2.0, rel=0.01), "the mean speed; nine cases stand for all"

    def refuses(each):
        raise ProblemError(f"Speed {each.parameters.speed:g} is too much.")

    assert outlook(plan, refuses).refusal == "Speed 1 is too much."


# ---- side by side ------------------------------------------------------------------------------------------------


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
        (["--vary", "speed"], "no NAME=VALUES"),
    ):
        assert main(["sweep", str(project), *given, "--out", str(tmp_path / "none")]) == 2
        assert said in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


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


def test_a_variation_keeps_what_else_the_problem_has(document):
    plan = SweepPlan(document, (Variation(number_called(document.parameters, "tau"), (2.0,)),), 1.0)
    assert plan.parameters((2.0,)) == document.parameters.model_copy(update={"tau": 2.0})


def test_a_worker_takes_the_plan_of_its_own_version_alone(monkeypatch):
    monkeypatch.setattr(task, "__version__", "1.2.3")
    assert task.same_version("plan", "1.2.3") == "plan"
    with pytest.raises(ProblemError, match=r"workers have Workbench 1\.2\.3, and the sweep is of 1\.2\.4: "):
        task.same_version("plan", "1.2.4")


@pytest.mark.parametrize(
    ("trouble", "shown"),
    [
        ("", ["speed  note", " 1.25", "   10"]),
        ("It failed.", ["speed  note     trouble", " 1.25", "   10        It failed."]),
    ],
)
def test_a_table_has_trouble_where_there_is_any(capsys, trouble, shown):
    _print(["speed", "note", "trouble"], [[1.25, "", ""], [10.0, "", trouble]])
    assert capsys.readouterr().out.splitlines() == shown


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
