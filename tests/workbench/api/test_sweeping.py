"""Sweeps from a script: each case a run, its curves kept, what fails told."""

from __future__ import annotations

import numpy as np
import pytest

import workbench as wb


def test_each_case_is_a_run_of_its_own(project):
    ends = []
    cases = []
    for case in wb.sweep(project, {"speed": np.array([1.0, 2.0]), "tau": [0.5, 0.25]}, until=1.0):
        ends.append(float(case.run.field("voltage").mean()))
        cases.append(case)
    assert [tuple(case.values.values()) for case in cases] == [(1.0, 0.5), (1.0, 0.25), (2.0, 0.5), (2.0, 0.25)]
    kept = [case.run.curves["mean_voltage"].values[-1] for case in cases]
    assert kept == pytest.approx(ends)
    with wb.open(project).set({"speed": 2.0, "tau": 0.25}).run(until=1.0) as alone:
        assert alone.field("voltage").mean() == pytest.approx(ends[-1])
    with pytest.raises(wb.ProblemError, match="This run is closed"):
        cases[0].run.field("voltage")


def test_wrong_names_and_values_are_said_before_anything_runs(project):
    with pytest.raises(wb.ProblemError, match="no number 'sped' among the parameters; the nearest are speed"):
        wb.sweep(project, {"sped": [1.0]})
    with pytest.raises(wb.ProblemError, match="'speed' cannot be -1"):
        wb.sweep(project, {"speed": [-1.0]})


@pytest.mark.parametrize("values", [[[1.0, 2.0], [3.0]], [[1.0], 2.0], [[1.0, 2.0]], [1.0, None], [np.ones(2), 3.0]])
def test_values_in_lists_of_lists_are_said_to_be_none(project, values):
    with pytest.raises(wb.ProblemError, match="Each value of 'speed' is a number, not "):
        wb.sweep(project, {"speed": values})


def test_values_stay_as_whole_as_they_are(project):
    cases = wb.sweep(project, {"trouble_step": [np.int64(10), np.ones(1, int), 1000]}, until=0.1)
    assert [list(map(repr, case.values.values())) for case in cases] == [["10"], ["1"], ["1000"]]


def test_a_case_that_fails_is_warned_of_and_the_next_begins(project):
    wave = wb.open(project).set("trouble", "nan")
    with pytest.warns(wb.WorkbenchWarning, match="There is no run with Trouble step 10"):
        found = list(wb.sweep(wave, {"trouble_step": [10, 1000]}, until=1.0))
    assert isinstance(found[0].error, wb.InstabilityError)
    with pytest.raises(wb.InstabilityError):
        _ = found[0].run
    assert found[1].run.time == 1.0


def test_ctrl_c_ends_the_sweep_after_its_case(project):
    def interrupt(text: str, part: float) -> None:
        if part > 0.5:
            raise KeyboardInterrupt

    with pytest.warns(wb.WorkbenchWarning, match="interrupted"):
        cases = list(wb.sweep(project, {"speed": [1.0, 2.0, 3.0]}, until=1.0, progress=interrupt))
    assert [case.run.interrupted for case in cases] == [False, True]
