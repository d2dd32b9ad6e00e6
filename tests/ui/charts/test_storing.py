"""Curves of runs that are kept with the project: thinned, rounded, and the same curves when they come back."""

from datetime import datetime

import numpy as np
import pytest

from engines.api.charts import ChartData, Curve
from ui.charts.runs.runs import SessionRun
from ui.charts.runs.storing import restored, storable
from workbench.run.streams.traces import TraceBuffer

# Written out: what the sources have is held against these.
DIGITS = 7
POINTS = 800


def buffer(times, values):
    made = TraceBuffer()
    made.append(np.asarray(times, float), np.asarray(values, float))
    return made


def kept(series, own):
    run = SessionRun("a", datetime(2026, 1, 2, 3, 4, 5), {"step": 0.1}, 7.0, series, own, pinned=True)
    return restored(storable(run))


def test_what_comes_back_is_what_was_kept():
    gap = np.array([1.0, np.nan, 1 / 3])
    chart = ChartData((Curve("c", np.array([3.0, 2.0, 1.0]), gap), Curve("torn", np.arange(3.0), gap[:2])))
    run = kept({"mean": buffer([0.0, 1.0, 2.0], gap)}, {"chart": chart})
    assert (run.title, run.when, run.time, run.pinned, run.stored, run.named) == (
        "a", datetime(2026, 1, 2, 3, 4, 5), 7.0, True, True, True
    )  # fmt: skip
    np.testing.assert_allclose(run.series["mean"].values, gap, rtol=10.0 ** -(DIGITS - 1))
    (curve,) = run.own["chart"].curves
    assert curve.x.tolist() == [3.0, 2.0, 1.0]
    np.testing.assert_allclose(curve.y, gap, rtol=10.0 ** -(DIGITS - 1))


@pytest.mark.parametrize("forward", [True, False])
def test_long_curves_are_thinned_over_their_whole_length(forward):
    """A loop, whose x runs to and fro, loses every so many points; one over time is thinned as traces are."""
    count = 3 * POINTS + 1
    x = np.arange(count, dtype=float) if forward else np.abs(np.arange(count, dtype=float) - count // 2)
    (curve,) = kept({}, {"c": ChartData((Curve("c", x, 2 * x),))}).own["c"].curves
    assert POINTS / 2 <= len(curve.x) <= POINTS
    np.testing.assert_allclose(curve.y, 2 * curve.x, rtol=1e-3)
    assert np.ptp(curve.x) > 0.9 * np.ptp(x)
    (whole,) = kept({}, {"c": ChartData((Curve("c", x[:POINTS], x[:POINTS]),))}).own["c"].curves
    assert len(whole.x) == POINTS
