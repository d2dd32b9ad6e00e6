"""The runs of a sweep side by side: a table, curves of one chart laid over each other, a column over a parameter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engines.api.charts import ChartData, ChartInfo, Curve
from workbench.export.chart_tables import titled
from workbench.sweep.plan import KeptChart, SweepPlan
from workbench.sweep.readings import SURE, TITLES
from workbench.sweep.running import Row
from workbench.words.numbers import figure
from workbench.words.units import headed, unit_text

MOST_CURVES = 12
"""Curves of one chart that get a column each."""
TROUBLE = "trouble"
"""What the last column is called: sentences."""
LINES = ("line", "area", "polar")
"""Kinds of charts whose curves can be laid over those of other runs."""


@dataclass(frozen=True)
class Column:
    """What is read of one curve of one chart in each run."""

    chart: str
    curve: str
    title: str
    unit: str
    read: str = ""
    """What is read of the curve, in words."""

    @property
    def brief(self) -> str:
        """Two lines for a narrow column, whose tip says the rest."""
        return f"{self.curve}\n{headed(self.read, self.unit)}"

    @property
    def heading(self) -> str:
        return titled(self.title, self.unit)


def columns_of(rows: Sequence[Row]) -> list[Column]:
    """A column for each curve that some run has, in the order of the charts."""
    found: dict[tuple[str, str], Column] = {}
    for row in rows:
        for info, data, reading in row.charts:
            if info.kind == "raster":  # no number says anything of its dots
                continue
            for curve in data.curves[:MOST_CURVES]:
                unit = info.x_unit if reading.of_abscissa else info.unit
                name = curve.title if info.series or curve.title == info.title else f"{info.title}: {curve.title}"
                read = reading.title(info.x_unit)
                column = Column(info.name, curve.title, f"{name}, {read}", unit, read)
                found.setdefault((info.name, curve.title), column)
    return list(found.values())


def unread(rows: Sequence[Row]) -> list[str]:
    """A sentence for each chart some curves of which have no column, or no value where they are read."""
    found = []
    for info in charts_of(rows):
        most = max(len(chart[1].curves) for row in rows if (chart := row.chart(info.name)) is not None)
        if info.kind == "raster":
            found.append(f"{info.title}: no number is read of a raster, which is in the files.")
        elif most > MOST_CURVES:
            found.append(
                f"{info.title}: the first {MOST_CURVES} of {most:,} curves have a column; all of them are in the files."
            )
    return found + beyond(rows)


def beyond(rows: Sequence[Row]) -> list[str]:
    """A sentence for each column that is read where curves do not reach."""
    found = []
    for column in columns_of(rows):
        ends = [chart[2].ends(chart[0], curve) for row in rows if (chart := row.chart(column.chart)) is not None
                for curve in chart[1].curves if curve.title == column.curve]  # fmt: skip
        known = [each for each in ends if each is not None]
        missed = sum(math.isnan(value_of(row, column)) for row in rows if not row.error)
        if known and missed:
            low, high = max(each[0] for each in known), min(each[1] for each in known)
            where = f"read it from {figure(low, 5)} to {figure(high, 5)}" if low <= high else "read it elsewhere"
            found.append(f"{column.title}: {missed:,} of {len(rows):,} curves do not reach there; {where}.")
    return found


def value_of(row: Row, column: Column) -> float:
    """NaN where the run has no such curve."""
    found = row.chart(column.chart)
    for curve in () if found is None else found[1].curves:
        if found is not None and curve.title == column.curve:
            return found[2].of(found[0], curve)
    return float("nan")


def doubts_of(row: Row, columns: Sequence[Column]) -> list[str]:
    """Sentences on what is read between points of a curve that are far apart."""
    told = []
    for column in columns:
        found = row.chart(column.chart)
        for curve in () if found is None else found[1].curves:
            if found is not None and curve.title == column.curve and (between := found[2].between(found[0], curve)):
                off = f"{figure(between.off, 2)} {unit_text(column.unit)}".rstrip()
                told.append(
                    f"{column.title}, lies on a line between the points at {figure(between.first, 5)} and "
                    f"{figure(between.last, 5)} and may be off by {off}: read it at one of these."
                )
    return told


def apart(plan: SweepPlan, rows: Sequence[Row], columns: Sequence[Column]) -> dict[int, str]:
    """A sentence for each run, by its place, whose last values are of another time than those of the others: steps of
    several lengths come to several ends. Runs that end by themselves have ends of their own."""
    if plan.until is None or all(column.read != TITLES["last"] for column in columns):
        return {}
    there = {row.place: row.time for row in rows if row.steps and abs(row.time - plan.until) <= row.time / row.steps}
    if not there or max(there.values()) - min(there.values()) <= SURE * plan.until:
        return {}
    first, unit = min(there.values()), plan.document.time_unit
    told = f"Steps of several lengths end from {first:.6g} to {max(there.values()):.6g} {unit}, where last values are"
    return dict.fromkeys(there, f"{told} read: read the charts over time at {first:.6g}.")


def table_of(plan: SweepPlan, rows: Sequence[Row]) -> tuple[list[str], list[list[object]]]:
    """(header, a line for each run): parameters, where it ended, wall time, what is read of each curve, and trouble."""
    return _table(plan, rows, troubles(plan, rows))


def table_to_show(plan: SweepPlan, rows: Sequence[Row]) -> tuple[list[str], list[list[object]], str]:
    """As :func:`table_of`, of trouble what is each run's own; last what is the same for all that did not fail, to stand
    below. Without the column where no run has any."""
    found = troubles(plan, rows)
    through = [found[row.place] for row in rows if not row.error]
    common = [each for each in through[0] if all(each in told for told in through)] if through else []
    own = {place: [each for each in told if each not in common] for place, told in found.items()}
    header, lines = _table(plan, rows, own)
    if not any(own.values()):
        header, lines = header[:-1], [line[:-1] for line in lines]
    runs = "all runs" if len(through) == len(rows) else "all runs that did not fail"
    return header, lines, f"In {runs}: {' '.join(common)}" if common else ""


def troubles(plan: SweepPlan, rows: Sequence[Row]) -> dict[int, list[str]]:
    """For each run, by its place, why it failed, or else what makes its numbers wrong: sentences."""
    columns = columns_of(rows)
    ends = apart(plan, rows, columns)
    found = {row.place: (*row.noticed, *doubts_of(row, columns), ends.get(row.place, "")) for row in rows}
    return {row.place: [row.error] if row.error else list(filter(None, found[row.place])) for row in rows}


def _table(
    plan: SweepPlan, rows: Sequence[Row], trouble: Mapping[int, Sequence[str]]
) -> tuple[list[str], list[list[object]]]:
    columns = columns_of(rows)
    header = [
        "run",
        *(titled(one.name, one.unit) for one in plan.numbers),
        titled("end", plan.document.time_unit),
        "wall time [s]",
        *(column.heading for column in columns),
        TROUBLE,
    ]
    lines: list[list[object]] = []
    for row in rows:
        values = [value_of(row, column) for column in columns]
        told = " ".join(trouble[row.place])
        lines.append([row.place + 1, *plan.values(row.case), row.time, row.seconds, *values, told])
    return header, lines


def charts_of(rows: Sequence[Row]) -> list[ChartInfo]:
    """The charts of all runs, each once."""
    found: dict[str, ChartInfo] = {}
    for row in rows:
        for info, _, _ in row.charts:
            found.setdefault(info.name, info)
    return list(found.values())


def curves_of(rows: Sequence[Row], chart: str) -> list[str]:
    """The titles of the curves of a chart in all runs."""
    found: dict[str, None] = {}
    for row in rows:
        kept = row.chart(chart)
        if kept is not None:
            found.update(dict.fromkeys(curve.title for curve in kept[1].curves))
    return list(found)


def overlay(rows: Sequence[Row], chart: str, curve: str) -> list[tuple[Row, Curve]]:
    """One curve of a chart in each run that has it."""
    kept = [(row, row.chart(chart)) for row in rows]
    return [
        (row, next(one for one in found[1].curves if one.title == curve))
        for row, found in kept
        if found is not None and any(one.title == curve for one in found[1].curves)
    ]


def chart_of_runs(plan: SweepPlan, rows: Sequence[Row], chart: str) -> tuple[ChartInfo, ChartData] | None:
    """A chart with the curves of all runs, each called by its case; None where no run has it."""
    info = next((one for one in charts_of(rows) if one.name == chart), None)
    if info is None:
        return None
    curves, said = [], dict[str, None]()
    for row in rows:
        found = row.chart(chart)
        said |= {} if found is None else dict.fromkeys(filter(None, (found[1].part, found[1].note)))
        for curve in () if found is None else found[1].curves:
            title = f"{curve.title}, {plan.told(row.case)}"
            curves.append(Curve(title, curve.x, curve.y, curve.shade, curve.low, curve.high, across=curve.across))
    return info, ChartData(tuple(curves), note=". ".join(said))


def against(plan: SweepPlan, rows: Sequence[Row], column: Column) -> tuple[ChartInfo, ChartData]:
    """A column over the first parameter; where two are varied, a curve for each value of the second."""
    first = plan.variations[0].number
    info = ChartInfo("sweep", column.title, column.unit, x_title=first.brief, x_unit=first.unit or "1", comparable=True)
    groups: dict[float | None, list[tuple[float, float]]] = {}
    for row in rows:
        if not row.error:
            second = row.case[1] if len(row.case) > 1 else None
            groups.setdefault(second, []).append((row.case[0], value_of(row, column)))
    curves = []
    for second, points in groups.items():
        x, y = np.array(sorted(points), float).T
        title = column.title if second is None else plan.variations[1].told(second)
        curves.append(Curve(title, x, y))
    return info, ChartData(tuple(curves))


def read_anew(rows: Sequence[Row], kept: Sequence[KeptChart] | None) -> list[Row]:
    """The same runs, with what ``kept`` says read of their charts."""
    readings = {one.name: one.reading for one in kept or ()}
    found = []
    for row in rows:
        charts = tuple((info, data, readings.get(info.name) or reading) for info, data, reading in row.charts)
        found.append(replace(row, charts=charts))
    return found
