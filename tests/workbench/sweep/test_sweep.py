"""Sweeps without a window: what can be varied, which cases there are, the runs."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated

import h5py
import numpy as np
import pytest
from pydantic import Field

import workbench as wb
from engines.api import Estimate, Finding, SeriesInfo, registry
from engines.api.charts import ChartInfo, Curve
from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup, quantity
from engines.backend import open_backend
from tests.workbench.fake_engine import FakeBackend, WaveEngine, WaveSimulation
from tests.workbench.sweep.plans import plan_of
from workbench import WorkbenchWarning
from workbench.cli import main
from workbench.project.document import new_document, open_document, save_document
from workbench.project.presets import open_named
from workbench.sweep import running, task
from workbench.sweep.files import write_sweep
from workbench.sweep.kept import KeptCases
from workbench.sweep.numbers import number_called, numbers_of
from workbench.sweep.outlook import outlook
from workbench.sweep.plan import KeptChart, SweepPlan, Variation, values_of
from workbench.sweep.readings import Mean, Reading, reading_of
from workbench.sweep.running import charts_to_keep, first_kept, first_reading
from workbench.sweep.table import table_of
from workbench.sweep.workers import run_sweep

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


class Named(ParameterGroup):
    name: str = quantity("D", "", "What lines call it")
    value: float = quantity(1.0, "", "Its value")
    low: float | None = quantity(None, "", "Lowest value", title="Slider from")


class Typed(ParameterGroup):
    numbers: list[Named] = quantity([Named(), Named(name="r", low=0.5)], "", "Numbers")


def test_lines_name_the_numbers_that_a_person_has_named_and_tell_others_of_one_title_apart(document):
    found = {one.name: one for one in numbers_of(Typed())}
    d, r, low = (found[f"numbers.{name}"] for name in ("0.value", "1.value", "1.low"))
    assert [one.brief for one in (d, r, low)] == ["D", "r", "Slider from"]
    assert d.titles[-1] == "Value"

    def told(*numbers):
        return SweepPlan(document, tuple(Variation(one, (1.0,)) for one in numbers)).told((1.0,) * len(numbers))

    assert told(d, r) == "D 1, r 1"
    assert told(low, low) == "Numbers › 2 r › Slider from 1, Numbers › 2 r › Slider from 1"  # refused by check()
    other = replace(low, titles=("Numbers", "1 D", "Slider from"))
    assert told(other, low) == "1 D › Slider from 1, 2 r › Slider from 1"


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
    assert reading_of("mean").of(info, curve) == pytest.approx((3.0 * 1 + 3.5 * 2) / 3)  # of lines, over time
    assert reading_of("mean").of(info, Curve("one", np.array([2.0, 2.0]), np.array([1.0, 4.0]))) == 2.5
    for text in ("most", "at=x", "max=2", "mean=1"):
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
    for name, count in (("MOST_SAMPLES", 8), ("GATHERED", 4), ("CLOSE_STEPS", 2)):
        monkeypatch.setattr(running, name, count)
    (row,) = run_sweep(plan_of(document, ("speed", "1"), until=3.0), FakeBackend())
    curve = row.chart("mean_voltage")[1].curves[0]
    assert len(curve.x) <= 8 + 4 + 2 + 1 < 3.0 / 0.02 / 5
    assert curve.x[-1] == pytest.approx(3.0)
    assert (np.diff(curve.x) > 0).all()


@pytest.mark.parametrize("most", [8, 4096])
def test_what_is_read_of_a_long_series_is_that_of_all_its_samples(document, monkeypatch, most):
    """One sample in 50 stands out: of every second one, say, nothing was left of it."""
    values = np.where(np.arange(151) % 50 == 29, 7.0, np.linspace(0, 1, 151))
    monkeypatch.setattr(running, "MOST_SAMPLES", most)
    monkeypatch.setattr(running, "GATHERED", 16)
    monkeypatch.setattr(WaveSimulation, "observe", lambda self: {"mean_voltage": float(values[self.step])})
    build = WaveEngine.build

    def each_sampled(*given):
        simulation = build(*given)
        simulation.sample_steps = 1
        return simulation

    monkeypatch.setattr(WaveEngine, "build", each_sampled)
    (row,) = run_sweep(plan_of(document, ("speed", "1"), until=3.0), FakeBackend())
    info, data, _ = row.chart("mean_voltage")
    (curve,) = data.curves
    assert (len(curve.x) < 100) == (most == 8)
    assert [Reading(what).of(info, curve) for what in ("max", "min", "last")] == [7.0, 0.0, 1.0]
    assert Reading("mean").of(info, curve) == pytest.approx(np.trapezoid(values) / 150, rel=1e-12)
    assert Reading("where max").of(info, curve) == pytest.approx(29 * 0.02)


def test_means_go_on_over_points_that_are_no_numbers():
    x, y = np.array([0.0, 1.0, 2.0, 4.0, 5.0]), np.array([np.nan, 2.0, np.nan, 6.0, np.nan])
    whole = Mean().then(x, y)
    assert (whole.value, whole.count) == (4.0, 5)
    parts = Mean()
    for place in range(5):
        parts = parts.then(x[place : place + 1], y[place : place + 1])
    assert parts == whole


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


def test_a_variation_keeps_what_else_the_problem_has(document):
    plan = SweepPlan(document, (Variation(number_called(document.parameters, "tau"), (2.0,)),), 1.0)
    assert plan.parameters((2.0,)) == document.parameters.model_copy(update={"tau": 2.0})


def test_a_worker_takes_the_plan_of_its_own_version_alone(monkeypatch):
    monkeypatch.setattr(task, "__version__", "1.2.3")
    assert task.same_version("plan", "1.2.3") == "plan"
    with pytest.raises(ProblemError, match=r"workers have Workbench 1\.2\.3, and the sweep is of 1\.2\.4: "):
        task.same_version("plan", "1.2.4")


def test_rates_over_bins_are_read_as_their_mean_and_once():
    """The newest bin of some ms is noise; the chart of several populations and the series of each are the same."""
    rates = ChartInfo("rates", "Mean rate", "Hz", series=("a", "b"), binned=True)
    voltage = ChartInfo("voltage", "Voltage", "V", series=("voltage",))
    infos = charts_to_keep((rates, voltage), tuple(SeriesInfo(n, n, "Hz") for n in ("a", "b", "voltage", "other")))
    assert [info.name for info in infos] == ["rates", "voltage", "a", "b", "other"]
    assert [info.name for info in first_kept(infos)] == ["rates", "voltage", "other"]
    assert [first_reading(info).what for info in first_kept(infos)] == ["mean", "last", "last"]


def test_bins_are_of_the_time_up_to_them():
    """Nothing is counted at the beginning, and the last bin counts as any other."""
    bins = ChartInfo("rates", "Mean rate", "Hz", series=("a",), binned=True)
    curve = Curve("a", np.array([0.0, 5.0, 10.0, 20.0]), np.array([0.0, 4.0, 8.0, 6.0]))
    assert Reading("mean").of(bins, curve) == 6.0
    assert Reading("mean").of(bins, replace(curve, mean=5.5)) == 5.5, "which is known better"


@pytest.mark.parametrize("until", [200.0, 1000.0])
def test_the_mean_rate_of_one_neuron_is_its_spikes_over_the_time(until):
    """Also where its rate is over a window that is not full at the beginning and cut at the end."""
    neuron = {"kind": "lif", "resting_voltage": -40.0, "refractory_time": 2.0}
    start = {"kind": "uniform", "lowest": -60.0, "highest": -60.0}
    population = {"name": "A", "number": 1, "neuron": neuron, "start": start}
    document = new_document(registry.engine("spiking"))
    document.parameters = type(document.parameters).model_validate({"populations": [population], "connections": []})
    plan = plan_of(document, ("populations.0.neuron.resting_voltage", "-40"), until=until)
    header, (line,) = table_of(plan, list(run_sweep(plan, open_backend("cpu"))))
    (column,) = [place for place, title in enumerate(header) if "mean [Hz]" in title]
    period = 2.0 + 20.0 * np.log(2.0)
    assert line[column] == pytest.approx(int(until / period) * 1e3 / until, rel=1e-9)


def test_what_makes_the_numbers_of_a_case_wrong_stands_in_its_row(document, tmp_path, monkeypatch, capsys):
    """What is known of it before its run, and what the run itself notices; whatever the number was in the project when
    it was run."""
    known = {0.5: [], 1.0: ["Steps are too long."], 2.0: []}
    late = {0.5: [], 1.0: [Finding("R + T is 3."), Finding("For your interest.", "info")], 2.0: []}
    estimate = WaveEngine.estimate

    def estimated(self, problem, backend):
        told = tuple(map(Finding, known[problem.parameters.speed]))
        return replace(estimate(self, problem, backend), findings=told)

    monkeypatch.setattr(WaveEngine, "estimate", estimated)
    monkeypatch.setattr(WaveSimulation, "noticed", lambda self: tuple(late[self.parameters.speed]), raising=False)
    for speed in (1.0, 1.0, 2.0):
        document.parameters = document.parameters.model_copy(update={"speed": speed})
        plan = plan_of(document, ("speed", "0.5,1"))
        rows = list(run_sweep(plan, FakeBackend(), kept=KeptCases(tmp_path, plan)))
        header, lines = table_of(plan, rows)
        told = [line[header.index("trouble")] for line in lines]
        assert told == ["", "Steps are too long. R + T is 3."]
    write_sweep(plan, rows, tmp_path)
    with h5py.File(tmp_path / "sweep.h5") as file:
        assert "trouble" not in file["run_0001"]
        assert file["run_0002/trouble"].asstr()[()] == "Steps are too long. R + T is 3."
    project = save_document(document, tmp_path / "p")
    with pytest.warns(WorkbenchWarning) as warned:
        list(wb.sweep(project, {"speed": [0.5, 1.0]}, until=0.5, out=tmp_path / "cases"))
    told = [str(each.message) for each in warned]
    assert told == ["Speed 1 mm/ms: Steps are too long.", "Speed 1 mm/ms: R + T is 3."]


def test_what_decides_of_files_alone_can_be_varied_too(tmp_path):
    """It ended with an unexpected KeyError."""
    document = open_named("small_slab")
    plan = plan_of(document, ("recording.fields.interval", "1,2"), until=0.1)
    rows = list(run_sweep(plan, open_backend("cpu"), kept=KeptCases(tmp_path, plan)))
    assert [row.error for row in rows] == ["", ""]
    assert len(list((tmp_path / "cases").iterdir())) == 2


def test_a_command_whose_cases_failed_in_part_says_so(project, tmp_path, capsys):
    given = ["sweep", str(project), "--vary", "trouble_step=1,9000", "--until", "0.5", "--out", str(tmp_path / "out")]
    document = open_document(project)
    document.parameters = document.parameters.model_copy(update={"trouble": "nan"})
    save_document(document, project)
    assert main([*given, "--json"]) == 3
    answer = json.loads(capsys.readouterr().out)
    assert answer["error"] == "1 of 2 runs failed."
    assert len(answer["rows"]) == 2


def test_a_sweep_of_neurons_reads_what_they_fire():
    """An f-I curve: 1 / (t_ref + τ ln((E − reset) / (E − threshold))) of LIF neurons that begin anywhere."""
    neuron = {
        "kind": "lif", "membrane_time": 20.0, "threshold": -50.0, "reset": -60.0, "refractory_time": 5.0,
        "time_course": "exponential", "excitatory_time": 5.0, "inhibitory_time": 10.0,
    }  # fmt: skip
    document = open_named("cuba_4000")
    given = document.parameters.model_dump(mode="json")
    given |= {"populations": [given["populations"][0] | {"number": 300, "neuron": neuron}], "connections": []}
    document.parameters = type(document.parameters).model_validate(given)
    plan = plan_of(document, ("populations.0.neuron.resting_voltage", "-49,-45,-41"), until=1000.0)
    header, lines = table_of(plan, list(run_sweep(plan, open_backend("cpu"))))
    (column,) = [place for place, title in enumerate(header) if "mean [Hz]" in title]
    for line in lines:
        driven = float(str(line[1]))
        right = 1e3 / (5.0 + 20.0 * np.log((driven + 60) / (driven + 50)))
        assert float(str(line[column])) == pytest.approx(right, rel=0.05)
