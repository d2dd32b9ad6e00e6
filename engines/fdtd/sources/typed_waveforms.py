"""Waveforms from formulas of the time, in the language of :mod:`engines.formulas.typed.definitions`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.fdtd.sources.waveform_files import REST
from engines.fdtd.sources.waveforms import FALL, Sampled
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import Node
from engines.formulas.typed.definitions import checked, function_of

NAME, TIME = "f", "t"
POINTS = 16_385
"""At which a formula is looked at: for its spectrum, and whether it is at rest at both ends."""
STEPS = (
    "width = 2.5", "f = exp(-(t - 4.5*width)**2/(2*width**2))", "f = sin(2*pi*t/3.3)*exp(-(t - 12)**2/18)",
    "f = sin(2*pi*(0.2*t + 0.01*t**2))*exp(-(t - 12)**2/18)", "f = where(t < 20, sin(pi*t/20)**2*sin(2*pi*t/3.3), 0)",
)  # fmt: skip
WHOLE = (
    ("A Gaussian", ("width = 2.5", "f = exp(-(t - 4.5*width)**2/(2*width**2))")),
    ("A chirp", ("width = 3", "y = (t - 4.5*width)/width", "f = exp(-y**2/2)*sin(2*pi*(0.3 + 0.02*t)*t)")),
    ("A burst of six periods", ("period = 3.3", "f = sin(pi*t/(6*period))**2*sin(2*pi*t/period)")),
)  # fmt: skip


def read(lines: Sequence[str]) -> Node:
    """Of the time. Raises ProblemError whose ``place`` is the line."""
    return function_of(lines, NAME, (TIME,), "waveform")


def check(lines: Sequence[str]) -> tuple[int, str] | None:
    return checked(read, lines)


@dataclass(frozen=True, eq=False)
class Formula(Sampled):
    """Exactly what is typed from 0 to its end, zero before and after; its spectrum is that of its samples."""

    program: Program

    def at(self, time: Array) -> Array:
        time = np.asarray(time, float)
        inside = (time >= self.times[0]) & (time <= self.times[-1])
        return np.where(inside, self.program({TIME: np.where(inside, time, self.times[0])})[0], 0.0)

    @property
    def highest_frequency(self) -> float:
        return self._crossing(slice(None, None, -1))

    @property
    def lowest_frequency(self) -> float:
        return self._crossing(slice(None))

    def _crossing(self, order: slice) -> float:
        """Where the spectrum, looked through in this order, comes to a tenth; between two of its lines."""
        frequencies, amplitude = (each[order] for each in self._spectrum)
        first = int(np.argmax(amplitude >= FALL * amplitude.max()))
        if first == 0:
            return float(frequencies[0])
        ends = slice(first - 1, first + 1)
        return float(np.interp(FALL * amplitude.max(), amplitude[ends], frequencies[ends]))


def typed_waveform(lines: Sequence[str], lasts: float, time_unit: str) -> Formula:
    """Raises ProblemError for what is no number, or is not at rest at both ends."""
    program, times = Program([read(lines)]), np.linspace(0.0, lasts, POINTS)
    values = np.array(np.broadcast_to(program({TIME: times})[0], times.shape), float)
    if not np.isfinite(values).all():
        at = times[int(np.argmin(np.isfinite(values)))]
        raise ProblemError(f"The waveform is no finite number at t = {at:.4g} {time_unit}: change its formula.")
    largest = np.abs(values).max()
    if largest == 0:
        raise ProblemError(f"The waveform is zero from 0 to {lasts:g} {time_unit}: change its formula, or its end.")
    for end, at, value in (("begins", 0.0, values[0]), ("ends", lasts, values[-1])):
        if abs(value) > REST * largest:
            raise ProblemError(
                f"The waveform {end} at {value:.3g}, at t = {at:g} {time_unit}: let it {end.rstrip('s')} at zero, by "
                "a window around it or another end, or its step would hold all frequencies."
            )
    found, between = Formula(times, values, program), 0.5 * (times[1:] + times[:-1])
    if not np.abs(found.at(between) - found._spline(between)).max() < REST * largest:
        raise ProblemError(
            f"The waveform changes within less than {lasts / POINTS:.2g} {time_unit}: let it end sooner, or smooth its "
            "steps."
        )
    return found
