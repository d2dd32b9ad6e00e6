"""The forecast of a whole protocol: what a run gives step by step, at any factor, within what a device can do."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Problem
from engines.battery.cells.forecast import POINTS, CellForecast
from engines.battery.engine import BatteryEngine
from engines.battery.parameters import BatteryParameters
from engines.battery.watch.bands import bands, means

ENGINE = BatteryEngine()
SPREAD = {"cells": 40, "distributions": [{"parameter": "negative_particle_radius", "spread": 0.1}]}
CYCLE = ["Discharge at 1C until 2.5 V", "Rest for 10 minutes", "Charge at 1C until 4.2 V", "Hold at 4.2 V until C/20"]


def problem(**changes) -> Problem:
    return Problem(BatteryParameters(**changes))


def followed(backend, given: Problem, factor: float, times) -> dict[str, np.ndarray]:
    """What a run shows at these times [s]."""
    run = ENGINE.build(given, backend)
    run.set_control("current_factor", factor)
    seen = []
    for time in times:
        run.advance(round(time / run.dt) - run.step)
        seen.append(run.observe())
    return {name: np.array([each[name] for each in seen]) for name in seen[0]}


@pytest.mark.parametrize(("model", "thermal"), [("SPM", "isothermal"), ("SPMe", "lumped")])
@pytest.mark.parametrize("factor", [0.7, 1.6])
def test_a_forecast_is_the_run_step_by_step(backend, model, thermal, factor):
    """Same kernels, same steps: 2e-6 is float32 of 4 V; a mean over cells in float64 or float32 differs as much."""
    given = problem(model=model, thermal=thermal, ensemble=SPREAD, numerics={"step": 20.0}, protocol=CYCLE)
    forecast = CellForecast(given, backend, cells=40, most_steps=4 * POINTS)
    solved = forecast.solve({"current_factor": factor})
    assert list(solved) == [info.name for info in forecast.charts]
    voltage, current = solved["voltage"].curves[0], solved["current"].curves[0]
    before_any_ended = voltage.x <= 5000
    assert before_any_ended.sum() > 60
    run = followed(backend, given, factor, voltage.x[before_any_ended])
    assert voltage.y[before_any_ended] == pytest.approx(run["voltage"], rel=1e-6)
    assert voltage.low[before_any_ended][1:] == pytest.approx(run["voltage_p05"][1:], rel=1e-6)
    assert voltage.high[before_any_ended][1:] == pytest.approx(run["voltage_p95"][1:], rel=1e-6)
    amperes = current.x <= 5000
    assert current.y[amperes] == pytest.approx(run["current"][1:], rel=1e-5, abs=1e-5)
    if thermal == "lumped":
        warm = solved["temperature"].curves[0]
        assert warm.y[amperes] == pytest.approx(run["temperature"][1:], abs=2e-4)  # float32 of 25 K above the reference


def test_a_second_solution_knows_nothing_of_the_first(backend):
    forecast = CellForecast(problem(ensemble=SPREAD), backend, cells=40, most_steps=1000)
    first = forecast.solve({"current_factor": 1.0})["voltage"].curves[0]
    forecast.solve({"current_factor": 3.0})
    again = forecast.solve({"current_factor": 1.0})["voltage"].curves[0]
    assert (first.x == again.x).all()
    assert (first.y == again.y).all()


def test_the_end_of_one_cell_is_the_located_one(backend):
    """3567.6953 s is that of the series (test_cells); 0.01 s: float32 of an hour in seconds and its cut-off."""
    for step in (5.0, 40.0):
        curve = CellForecast(problem(numerics={"step": step}), backend, most_steps=2000).solve({})["voltage"].curves[0]
        assert curve.title == "Forecast"
        assert curve.x[-1] == pytest.approx(3567.6953, abs=0.02)
        assert (np.diff(curve.x) > 0).all()
        assert curve.low is None


def test_few_steps_still_reach_the_end(backend):
    """Steps four times as long: constant currents are exact at any step, the end of a cut-off is met a step late."""
    fine = CellForecast(problem(), backend, most_steps=2000).solve({})["voltage"].curves[0]
    coarse = CellForecast(problem(), backend, most_steps=200).solve({})["voltage"].curves[0]
    assert len(coarse.x) < len(fine.x) + POINTS
    assert coarse.x[-1] == pytest.approx(fine.x[-1], abs=0.02)
    inner = coarse.x[1:-2]
    assert np.interp(inner, fine.x[1:], fine.y[1:]) == pytest.approx(coarse.y[1:-2], abs=2e-3)  # of interpolating


def test_of_many_cycles_the_beginning_is_shown(backend):
    curve = CellForecast(problem(protocol=CYCLE, cycles=1000), backend, most_steps=500).solve({})["voltage"].curves[0]
    hours = curve.x[-1] / 3600
    assert 1 < hours < 100
    assert curve.title == f"Forecast, the first {hours:.3g} h"
    assert len(curve.x) <= POINTS + 2


def test_a_slow_device_shows_a_sample_and_says_so(backend):
    given = problem(ensemble={**SPREAD, "cells": 5000})
    forecast = CellForecast(given, backend, cells=60, most_steps=256)
    assert forecast.charts[0].title == "Terminal voltage, forecast of 60 of 5,000 cells"
    assert ("voltage_p05", "voltage_p95") in forecast.charts[0].bands
    assert forecast.solve({})["voltage"].curves[0].title == "Forecast of 60 cells"


def test_a_current_that_no_cell_carries_ends_at_once(backend):
    given = problem(protocol=["Discharge at 50C until 2.5 V"], current_factor=2.0)
    curve = CellForecast(given, backend, most_steps=500).solve({})["voltage"].curves[0]
    assert len(curve.x) <= 3
    sentences = [finding.message for finding in ENGINE.estimate(given, backend).findings]
    assert any("cannot carry 500 A" in sentence for sentence in sentences)


def test_bands_and_means_of_rows_with_and_without_gaps(backend):
    """The rows that are whole are taken at once on the CPU; 1e-6 is float32."""
    rng = np.random.default_rng(3)
    values = rng.normal(3.7, 0.1, (6, 64)).astype(np.float32)
    values[1, ::3], values[4] = np.nan, np.nan
    found = bands(backend, backend.array(values), 60)
    for row, k in zip(values[:, :60], range(6), strict=True):
        numbers = row[~np.isnan(row)].astype(float)
        assert found.count[k] == len(numbers)
        if len(numbers):
            assert found.mean[k] == pytest.approx(numbers.mean(), rel=1e-6)
            got = [found.low[k], found.middle[k], found.high[k]]
            assert got == pytest.approx(np.percentile(numbers, (5, 50, 95)), rel=1e-12)
    assert means(backend, backend.array(values), 60) == pytest.approx(found.mean, rel=1e-6, nan_ok=True)


def test_a_factor_changes_nothing_of_what_is_drawn(backend):
    """The same object: a view draws another one anew, which would hold up the drag of the factor."""
    geometry = ENGINE.geometry_of(problem(ensemble=SPREAD))
    assert ENGINE.geometry_of(problem(ensemble=SPREAD, current_factor=2.0)) is geometry
    assert ENGINE.geometry_of(problem(ensemble={**SPREAD, "seed": 1})) is not geometry
