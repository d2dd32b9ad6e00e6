"""Values along the lines of a project: charts of a moment that a simulation knows nothing of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, Finding, Simulation
from engines.api.charts import EMPTY, ChartData, ChartInfo, Curve
from engines.api.errors import ProblemError, nearest_told
from engines.api.simulation.contract import gathered
from engines.geometry.line_cut import LineCut, line_through
from workbench.project.probing import line_finding
from workbench.project.project import Line

PREFIX = "line_"
"""What the names of their charts begin with."""


def line_charts(lines: Sequence[Line], fields: Sequence[FieldInfo], length_unit: str) -> tuple[ChartInfo, ...]:
    """A chart for each line whose field there is."""
    infos = {info.name: info for info in fields}
    return tuple(
        ChartInfo(
            PREFIX + line.name,
            f"{infos[line.field].title}, {line.name}",
            infos[line.field].unit,
            x_title="Distance",
            x_unit=length_unit,
            comparable=True,
            y_title=infos[line.field].title,
        )
        for line in lines
        if line.field in infos
    )


def along(simulation: Simulation, info: FieldInfo, cut: LineCut, handle: Any = None) -> Array:
    """(m,) float64 of the field at the points of ``cut`` now; NaN where there is none, or no value yet. ``handle``: its
    selection, where it is on the device already."""
    handle = simulation.select(cut.selection) if handle is None else handle
    values = gathered(simulation, info.name, handle, len(cut.selection))
    return cut.values(values if info.missing is None else np.where(values == info.missing, np.nan, values))


class LinesSource:
    """Values along lines, of one simulation; what a line needs is worked out when it is first asked for."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], tuple[FieldInfo, LineCut, Any] | None] = {}

    def charts(self, simulation: Simulation, lines: Sequence[Line]) -> dict[str, ChartData]:
        """By name of the chart; empty where a line meets nothing."""
        return {PREFIX + line.name: self._data(simulation, line) for line in lines}

    def _data(self, simulation: Simulation, line: Line) -> ChartData:
        key = (line.field, line.start, line.end)
        if key not in self._known:
            self._known[key] = _met(simulation, line)
        met = self._known[key]
        if met is None:
            return EMPTY
        info, cut, handle = met
        return ChartData((Curve(info.title, cut.distance, along(simulation, info, cut, handle)),))


def _met(simulation: Simulation, line: Line) -> tuple[FieldInfo, LineCut, Any] | None:
    info = next((info for info in simulation.fields if info.name == line.field), None)
    if info is None:
        return None
    try:
        cut = line_through(simulation.geometry, info, line.start, line.end)
    except ProblemError:
        return None
    return info, cut, simulation.select(cut.selection)


def line_results(simulation: Simulation, lines: Sequence[Line]) -> tuple[tuple[ChartInfo, ChartData], ...]:
    """The charts of all lines at this moment, for export; none of those that :func:`missed_lines` tells of."""
    source, geometry = LinesSource(), simulation.geometry
    infos = line_charts(lines, simulation.fields, getattr(geometry, "length_unit", ""))
    data = source.charts(simulation, lines)
    return tuple((info, data[info.name]) for info in infos if data[info.name].curves)


def missed_lines(simulation: Simulation, lines: Sequence[Line]) -> tuple[Finding, ...]:
    """Of each line of a field that this simulation does not have, or that meets nothing: no values are written of
    it."""
    infos, found = {info.name: info for info in simulation.fields}, []
    for line in lines:
        if line.field not in infos:
            found.append(
                Finding(
                    f"The line '{line.name}' is of a field '{line.field}' that this run does not have"
                    f"{nearest_told(line.field, infos)}: nothing is written of it. Name another field or remove it."
                )
            )
            continue
        try:
            line_through(simulation.geometry, infos[line.field], line.start, line.end)
        except ProblemError as error:
            found.append(line_finding(line, error))
    return tuple(found)
