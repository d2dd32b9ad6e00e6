"""Whether answers settle as a number is made finer: order and limit of what is known, and what is said where there is
none."""

import csv
import json
import math

import numpy as np
import pytest

from engines.api.errors import ProblemError
from engines.fdtd.engine import FdtdEngine
from engines.fdtd.parameters import FdtdParameters
from engines.fdtd.parameters.grid import GridSetting
from tests.workbench.fake_engine import FakeBackend, WaveEngine
from workbench.cli import main
from workbench.project.document import new_document, open_document
from workbench.sweep.convergence import _order, convergence, convergences, refined
from workbench.sweep.kept import KeptCases
from workbench.sweep.plan import KeptChart, SweepPlan, variation
from workbench.sweep.readings import Reading
from workbench.sweep.running import Row, run_in_a_row
from workbench.sweep.table import table_of
from workbench.sweep.workers import run_sweep
from workbench.words.numbers import figure

H = np.array([0.4, 0.2, 0.1, 0.05])


@pytest.mark.parametrize("order", [1.0, 2.0, 4.0])
@pytest.mark.parametrize("spacings", [H[:3], H, np.array([0.3, 0.2, 0.11])])
def test_a_power_law_has_its_order_and_its_limit(order, spacings):
    found = convergence(spacings, 3.0 - 7.0 * spacings**order)
    assert found.order == pytest.approx(order, rel=1e-6)
    assert found.limit == pytest.approx(3.0, rel=1e-6)
    assert found.doubt == pytest.approx(1.25 * 7.0 * spacings.min() ** order, rel=1e-5), "of what is missing"
    assert found.good
    assert f"Order {order:.2f}: " in found.told


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1.0, 2.0, 3.0], "Does not converge"),
        ([1.0, 2.0, 4.0], "Does not converge"),
        ([1.0, 2.0, 1.6], "swing, less and less, by 1 m among the three finest"),
        ([1.0, 2.0, 0.9], "swing, and no less than before"),
        ([1.0, 2.0, 2.001], "the observed order is 10, more than a method has"),
        ([1.0, 1.1, 1.19], "the observed order is 0.15, hardly any"),
        ([1.0, 2.0, math.nan], "2 values tell no order"),
        ([1.0, math.nan, math.nan], "1 value tells no order"),
        ([math.nan] * 3, "No run has a number here where it is read"),
        ([1.0, 2.0, 2.0], "no more than rounding does"),
        ([2.0, 2.0, 2.0], "do not change"),
        ([1.0, 1.0, 2.0], "swing, and no less"),
        ([0.0, 0.0, 0.0], "do not change"),
    ],
)
def test_what_does_not_converge_has_a_sentence_and_no_limit(values, said):
    found = convergence(H[:3], values, "m")
    assert said in found.told
    assert math.isnan(found.limit)
    assert math.isnan(found.doubt)


def test_an_order_that_has_not_settled_is_told_with_its_limit():
    found = convergence(H, 1.0 + H**2 + 60 * H**5)
    assert math.isfinite(found.limit)
    assert not found.good
    assert "the order has not settled: of the runs before it was" in found.told


def test_cells_of_all_axes_get_finer_together_and_one_cell_stays_one():
    document = new_document(FdtdEngine())
    document.parameters = FdtdParameters(grid=GridSetting(cells_x=40, cells_y=20, cells_z=1))
    plan = SweepPlan(document, (refined(document, "", ""),), 1.0)
    assert plan.cases() == [(20,), (40,), (80,)]
    grids = [plan.parameters(case).grid for case in plan.cases()]
    assert [(grid.cells_x, grid.cells_y, grid.cells_z) for grid in grids] == [(20, 10, 1), (40, 20, 1), (80, 40, 1)]
    rows = [Row(place, case, 1.0, 1, 0.1) for place, case in enumerate(plan.cases())]
    header, lines = table_of(plan, rows)
    assert header[1:4] == ["grid.cells_x", "grid.cells_y", "grid.cells_z"]
    assert [line[1:4] for line in lines] == [[20, 10, 1], [40, 20, 1], [80, 40, 1]], "all that differs is seen"
    assert plan.variations[0].spacing(40) == 1 / 40
    with pytest.raises(ProblemError, match="makes one number finer: vary no other"):
        SweepPlan(document, (*plan.variations, variation(document, "grid.size_x", "1,2")), 1.0).check()


@pytest.fixture
def document(project):
    return open_document(project)


def test_last_values_are_compared_at_one_time(document):
    """v' = (v_peak − v)/τ by Euler's method from the time at which the wave has passed: of first order. The ends of
    the runs differ by parts of a step, which would be told as another order."""
    plan = SweepPlan(document, (refined(document, "step", "0.13,0.07,0.04"),), 3.0)
    rows = list(run_in_a_row(plan, FakeBackend()))
    assert len({row.time for row in rows}) > 1
    found = {column.curve: one for column, one in convergences(plan, rows)}
    end = f"Read at {figure(min(row.time for row in rows), 5)} {document.time_unit}, where the first of the runs ends."
    assert all(one.told.endswith(end) for one in found.values()), "the table has the last ones"
    assert {column.read for column, _ in convergences(plan, rows)} == {f"value at {min(row.time for row in rows):g}"}


@pytest.mark.parametrize("sample_steps", [7, 1000])
def test_samples_far_apart_do_not_take_a_curve_as_straight_up_to_its_end(document, monkeypatch, sample_steps):
    plan = SweepPlan(document, (refined(document, "step", "0.13,0.07,0.04"),), 3.0)
    close = [one.finest for _, one in convergences(plan, list(run_in_a_row(plan, FakeBackend())))]
    build = WaveEngine.build

    def far_apart(*given):
        simulation = build(*given)
        simulation.sample_steps = sample_steps
        return simulation

    monkeypatch.setattr(WaveEngine, "build", far_apart)
    far = [one.finest for _, one in convergences(plan, list(run_in_a_row(plan, FakeBackend())))]
    assert close
    assert far == pytest.approx(close, rel=1e-12)


def test_an_order_is_the_same_whatever_an_ordinary_sweep_has_left_in_the_folder(document, tmp_path):
    """Whose runs were not looked at as closely at their ends."""
    study = SweepPlan(document, (refined(document, "step", "0.13,0.07,0.04"),), 3.0)
    plain = SweepPlan(document, (variation(document, "step", "0.13,0.07,0.04"),), 3.0)
    for plan in (plain, study):
        rows = list(run_sweep(plan, FakeBackend(), kept=KeptCases(tmp_path, plan)))
    fresh = list(run_in_a_row(study, FakeBackend()))
    assert [one.told for _, one in convergences(study, rows)] == [one.told for _, one in convergences(study, fresh)]


def test_what_is_no_last_value_is_read_where_it_is(document):
    kept = (KeptChart("mean_voltage", Reading("max")),)
    plan = SweepPlan(document, (refined(document, "step", "0.13,0.07,0.04"),), 3.0, kept)
    ((column, one),) = convergences(plan, list(run_in_a_row(plan, FakeBackend())))
    assert (column.chart, column.read) == ("mean_voltage", Reading("max").title(""))
    assert "where the first of the runs ends" not in one.told


def test_the_command_tells_orders_and_writes_them(project, tmp_path, capsys):
    out = tmp_path / "out"
    given = ["sweep", str(project), "--converge", "step=0.04,0.02,0.01", "--until", "0.5", "--out", str(out), "--json"]
    assert main(given) == 0
    answer = json.loads(capsys.readouterr().out)
    assert all(one["told"] for one in answer["convergence"])
    with (out / "convergence.csv").open() as file:
        head, *lines = csv.reader(file)
    assert head[-1] == "told"
    assert [line[-1] for line in lines] == [one["told"] for one in answer["convergence"]]
    assert main(["sweep", str(project), "--converge", "--until", "0.5", "--out", str(out)]) == 2
    assert "Say what is to be made finer" in capsys.readouterr().err


@pytest.mark.parametrize("order", [0.0011, 0.9, 2.0, 19.9])
def test_orders_from_a_thousandth_to_twenty_are_found(order):
    h = np.array([1.0, 2.0, 4.0])
    assert _order(h, 2.0**order) == pytest.approx(order)
    assert _order(h, 2.0**0.0009) is None
