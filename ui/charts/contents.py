"""What stands in the charts: those of an engine, those made of its series, and their curves over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engines.api import Array, SeriesInfo, SimulationInfo
from engines.api.charts import ChartData, ChartInfo, Curve
from workbench.run.streams.traces import Branch, LeftCurve, TraceBuffer

NUMBERS = ("", "1")
"""Units of numbers that have none."""


def charts_of(info: SimulationInfo) -> tuple[ChartInfo, ...]:
    """The engine's charts; where it has none, its series: those of one unit together, numbers without one apart."""
    if info.charts:
        return info.charts
    groups: dict[str, list[SeriesInfo]] = {}
    for series in info.series:
        groups.setdefault(series.name if series.unit in NUMBERS else f"in {series.unit}", []).append(series)
    return tuple(
        ChartInfo(
            group[0].name,
            ", ".join(series.title for series in group),
            group[0].unit,
            series=tuple(series.name for series in group),
            comparable=True,
        )
        for group in groups.values()
    )


def over_time(chart: ChartInfo, buffers: Mapping[str, TraceBuffer], series: Sequence[SeriesInfo]) -> ChartData:
    """The curves of a chart over time as far as the run has come; the bands stand with the curves of their places."""
    titles = {one.name: one.title for one in series}
    known = {name: (buffer.times, buffer.values) for name, buffer in buffers.items() if len(buffer)}
    curves = []
    common = known[chart.series[0]][0] if chart.kind == "area" and chart.series[0] in known else None
    for place, name in enumerate((*chart.series, *chart.lines)):
        if name not in known:
            continue
        times, values = known[name]
        if common is not None:
            times, values = common, _at(common, times, values)
        low = high = None
        if place < len(chart.bands) and all(end in known for end in chart.bands[place]):
            low, high = (_at(times, *known[end]) for end in chart.bands[place])
        mean = known[chart.means[place]][1][-1] if place < len(chart.means) and chart.means[place] in known else None
        title = titles.get(name, name)
        curves.append(Curve(title, times, values, low=low, high=high, over=name in chart.lines, mean=mean))
    return ChartData(tuple(curves))


def left_over_time(chart: ChartInfo, left: Sequence[Branch], buffers: Mapping[str, TraceBuffer]) -> list[LeftCurve]:
    """The curves of a chart on branches that the run has left; none of stacked areas, which would hide each other."""
    names = [name for name in chart.series if name in buffers and len(buffers[name])]
    if chart.kind != "line":
        return []
    return [(names.index(name), *branch.series[name]) for branch in left for name in names if name in branch.series]


def _at(times: Array, own: Array, values: Array) -> Array:
    """A series at the times of another: buffers keep the extremes of each stretch, which lie at times of their own."""
    same = len(own) == len(times) and np.array_equal(own, times)
    return values if same else np.interp(times, own, values)
