"""What sources do over time, and their spectra, as charts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api.charts import ChartData, ChartInfo, Curve
from engines.fdtd.grid.yee import FREQUENCY_UNITS, PER_UNIT, TIME_UNITS
from engines.fdtd.parameters import FdtdParameters, Source
from engines.fdtd.setup.sources import waveform_of
from engines.fdtd.sources.waveforms import TimeCourse

POINTS = 1000
TIME, SPECTRUM = "source over time", "source spectrum"


class SourceCharts:
    """Two charts of the sources of a problem, each source by its largest value; drawn once."""

    def __init__(self, parameters: FdtdParameters) -> None:
        unit = parameters.grid.length_unit
        self.charts: tuple[ChartInfo, ...] = ()
        self._data: dict[str, ChartData] = {}
        if not parameters.sources:
            return
        courses = [
            (title, waveform_of(source.signal, TIME_UNITS[unit])) for title, source in titled(parameters.sources)
        ]
        self.charts = (
            ChartInfo(
                TIME, "Source over time", "1", x_title="Time", x_unit=TIME_UNITS[unit], y_title="Part of the amplitude"
            ),
            ChartInfo(
                SPECTRUM,
                "Source spectrum",
                "1",
                x_title="Frequency",
                x_unit=FREQUENCY_UNITS[unit],
                y_title="Part of the largest",
            ),
        )
        end = max(course.lasts for _, course in courses)
        top = 1.5 * max(course.highest_frequency for _, course in courses)
        time = np.linspace(0.0, end, max(POINTS, int(12 * end * top)))
        self._data[TIME] = ChartData(tuple(Curve(title, time, course.at(time)) for title, course in courses))
        self._data[SPECTRUM] = ChartData(tuple(_spectrum(title, course, top) for title, course in courses))

    def chart(self, name: str) -> ChartData:
        return self._data[name]


def titled(sources: Sequence[Source]) -> list[tuple[str, Source]]:
    return [(f"{number} {source.kind}", source) for number, source in enumerate(sources, 1)]


def _spectrum(title: str, course: TimeCourse, top: float) -> Curve:
    """Amplitude by its largest; of a course that goes on, as far as it is looked at."""
    step = 1 / (8 * top)
    count = int(course.lasts / step) + 2
    size = max(8 * count, 4 * POINTS)
    amplitude = np.abs(np.fft.rfft(course.at(np.arange(count) * step), size))
    frequency = np.fft.rfftfreq(size, step)
    shown = frequency <= top
    amplitude, frequency = amplitude[shown], frequency[shown]
    return Curve(title, PER_UNIT * frequency, amplitude / max(float(amplitude.max()), 1e-300))
