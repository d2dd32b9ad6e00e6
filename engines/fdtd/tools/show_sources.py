"""What sources do, before a run."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel

from engines.api import Problem, Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.parameters import ParameterGroup
from engines.api.tools import Tool, ToolResult
from engines.fdtd.grid.yee import FREQUENCY_UNITS, PER_UNIT, TIME_UNITS
from engines.fdtd.parameters import FdtdParameters
from engines.fdtd.setup.sources import waveform_of
from engines.fdtd.watch.source_charts import SourceCharts, titled


class NoSettings(ParameterGroup):
    """Nothing to set."""


class ShowSources(Tool):
    """The charts of :class:`SourceCharts`, and where each spectrum ends."""

    id: ClassVar[str] = "sources"
    title: ClassVar[str] = "Show the sources"
    summary: ClassVar[str] = "What each source does over time, and its spectrum"
    Parameters: ClassVar[type[BaseModel]] = NoSettings

    def run(
        self, problem: Problem, parameters: BaseModel, backend: Backend, progress: Progress = no_progress
    ) -> ToolResult:
        assert isinstance(problem.parameters, FdtdParameters)
        if not problem.parameters.sources:
            raise ProblemError("There is no source to show: add one.")
        drawn = SourceCharts(problem.parameters)
        length = problem.parameters.grid.length_unit
        courses = (
            (title, waveform_of(each.signal, TIME_UNITS[length])) for title, each in titled(problem.parameters.sources)
        )
        tops = [
            f"{title} up to {PER_UNIT * course.highest_frequency:.4g} {FREQUENCY_UNITS[length]}"
            for title, course in courses
        ]
        message = "Spectra, to a tenth of their largest: " + ", ".join(tops) + "."
        return ToolResult(message, charts=tuple((info, drawn.chart(info.name)) for info in drawn.charts))
