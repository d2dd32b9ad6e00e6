"""A run as a part of a project, thinned to what a chart can show, and back."""

from __future__ import annotations

from datetime import datetime

import numpy as np

from engines.api import Array
from engines.api.charts import ChartData, Curve
from ui.charts.runs.runs import SessionRun
from workbench.project.project import StoredCurve, StoredRun
from workbench.run.streams.traces import TraceBuffer

POINTS = 800
"""Of a curve: its extremes are among them."""
DIGITS = 7


def storable(run: SessionRun) -> StoredRun:
    series = {name: _stored("", buffer.times, buffer.values) for name, buffer in run.series.items()}
    charts = {
        name: [_stored(curve.title, curve.x, curve.y) for curve in data.curves if len(curve.x) == len(curve.y)]
        for name, data in run.own.items()
    }
    return StoredRun(
        title=run.title,
        when=run.when.isoformat(timespec="seconds"),
        time=run.time,
        parameters=run.parameters,
        pinned=run.pinned,
        series=series,
        charts=charts,
        said=list(run.said),
    )


def restored(stored: StoredRun) -> SessionRun:
    series = {}
    for name, curve in stored.series.items():
        series[name] = TraceBuffer()
        series[name].append(np.array(curve.x), _values(curve))
    own = {
        name: ChartData(tuple(Curve(curve.title, np.array(curve.x), _values(curve)) for curve in curves))
        for name, curves in stored.charts.items()
    }
    return SessionRun(
        stored.title,
        datetime.fromisoformat(stored.when),
        stored.parameters,
        stored.time,
        series,
        own,
        pinned=stored.pinned,
        stored=True,
        named=True,
        said=tuple(stored.said),
    )


def _stored(title: str, x: Array, y: Array) -> StoredCurve:
    if len(x) > POINTS:
        if (np.diff(x) > 0).all():
            thin = TraceBuffer(POINTS)
            thin.append(np.asarray(x, float), np.asarray(y, float))
            x, y = thin.times, thin.values
        else:
            every = -(-len(x) // POINTS)
            x, y = x[::every], y[::every]
    return StoredCurve(title=title, x=[_rounded(v) for v in x], y=[_rounded(v) if np.isfinite(v) else None for v in y])


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _values(curve: StoredCurve) -> Array:
    return np.array([np.nan if value is None else value for value in curve.y], float)
