"""What a source does over time, as functions of the time in float64."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import numpy as np
import scipy

from engines.api import Array

Shape = Literal["pulse", "gaussian", "continuous", "derivative", "ricker"]
FALL = 0.1
"""The top of a pulse's spectrum is where its amplitude has fallen to this part of the largest."""
DERIVATIVE_TOP = 2.7638
"""Root of ``y e^{(1 − y²)/2} = FALL``: the top of a differentiated Gaussian's spectrum over its peak."""
RICKER_TOP = 2.2113
"""Root of ``y² e^{1 − y²} = FALL``: the same of a Ricker wavelet."""
DERIVATIVE_FOOT, RICKER_FOOT = 0.060765, 0.195503
"""The other roots: where these spectra begin."""
WIDEST_BAND = 100.0
"""Highest over lowest frequency of what is driven: below, there is next to no power."""


class TimeCourse(Protocol):
    """What a source may follow: a :class:`Waveform`, or a user's :class:`Sampled`."""

    def __hash__(self) -> int:
        """What is worked out of it may be kept."""

    def at(self, time: Array) -> Array:
        """Its values at times (n,), float64."""

    def quadrature(self, time: Array) -> Array:
        """The same a quarter of the carrier's period later in phase: sine for cosine."""

    @property
    def carrier(self) -> float:
        """Its frequency [1/time unit], 0 without a carrier."""

    @property
    def highest_frequency(self) -> float:
        """Where the spectrum has fallen to a tenth; the carrier of a continuous wave."""

    @property
    def lowest_frequency(self) -> float:
        """Where the spectrum has risen to a tenth, 0 where it begins with more; the carrier of a continuous wave."""

    @property
    def lasts(self) -> float:
        """When it has come to its end or, if it goes on, is worth looking at [time unit]."""

    @property
    def steady(self) -> bool:
        """Whether it goes on for ever."""


@dataclass(frozen=True)
class Waveform:
    """Of amplitude 1.

    frequency: of the carrier [1/time unit], or where the spectrum of a derivative or Ricker wavelet has its peak
    width: σ_t of the Gaussian [time unit], or in which a continuous wave rises; delay: until the Gaussian's middle
    """

    shape: Shape
    frequency: float
    width: float
    delay: float

    def at(self, time: Array) -> Array:
        """Its values at times (n,), float64."""
        time = np.asarray(time, float)
        if self.shape == "continuous":
            return np.asarray(np.sin(2 * np.pi * self.frequency * time) * self._rise(time))
        y = (time - self.delay) / self.width
        bell = np.exp(-0.5 * y**2)
        if self.shape == "pulse":
            return np.asarray(bell * np.sin(2 * np.pi * self.frequency * (time - self.delay)))
        if self.shape == "derivative":
            return np.asarray(-y * np.exp(0.5) * bell)
        return np.asarray(bell * (1 - y**2) if self.shape == "ricker" else bell)

    def quadrature(self, time: Array) -> Array:
        """−cos for sin, under the same envelope: ``Re(profile · e^{iωt})`` needs both."""
        time = np.asarray(time, float)
        if self.shape == "continuous":
            return np.asarray(-np.cos(2 * np.pi * self.frequency * time) * self._rise(time))
        tau = time - self.delay
        return np.asarray(-np.exp(-0.5 * (tau / self.width) ** 2) * np.cos(2 * np.pi * self.frequency * tau))

    def _rise(self, time: Array) -> Array:
        return np.asarray(np.sin(0.5 * np.pi * np.clip(time / self.width, 0.0, 1.0)) ** 2)

    @property
    def carrier(self) -> float:
        return self.frequency if self.shape in ("pulse", "continuous") else 0.0

    @property
    def highest_frequency(self) -> float:
        """Where the spectrum has fallen to a tenth; the carrier of a continuous wave."""
        if self.shape == "continuous":
            return self.frequency
        if self.shape == "derivative":
            return DERIVATIVE_TOP * self.frequency
        if self.shape == "ricker":
            return RICKER_TOP * self.frequency
        return self._spread + (self.frequency if self.shape == "pulse" else 0.0)

    @property
    def lowest_frequency(self) -> float:
        if self.shape == "continuous":
            return self.frequency
        if self.shape == "derivative":
            return DERIVATIVE_FOOT * self.frequency
        if self.shape == "ricker":
            return RICKER_FOOT * self.frequency
        return max(0.0, self.frequency - self._spread) if self.shape == "pulse" else 0.0

    @property
    def _spread(self) -> float:
        """From the middle of a Gaussian spectrum to a tenth of it."""
        return math.sqrt(-2 * math.log(FALL)) / (2 * math.pi * self.width)

    @property
    def steady(self) -> bool:
        return self.shape == "continuous"

    @property
    def lasts(self) -> float:
        return self.width + 5 / self.frequency if self.shape == "continuous" else 2 * self.delay


@dataclass(frozen=True, eq=False)
class Sampled:
    """A user's waveform: cubic through its points, zero before and after them.

    times: (n,) ascending [time unit]; values: (n,)
    """

    times: Array
    values: Array

    def at(self, time: Array) -> Array:
        return self._inside(self._spline, time)

    def quadrature(self, time: Array) -> Array:
        return self._inside(self._turned, time)

    def _inside(self, spline: scipy.interpolate.CubicSpline, time: Array) -> Array:
        time = np.asarray(time, float)
        inside = (time >= self.times[0]) & (time <= self.times[-1])
        return np.where(inside, spline(np.clip(time, self.times[0], self.times[-1])), 0.0)

    @cached_property
    def _spline(self) -> scipy.interpolate.CubicSpline:
        return scipy.interpolate.CubicSpline(self.times, self.values)

    @cached_property
    def _even(self) -> tuple[Array, Array]:
        """Evenly spaced times and values, as close as the closest of the points (at most 2¹⁶)."""
        span = float(self.times[-1] - self.times[0])
        count = int(min(span / np.diff(self.times).min() + 1.5, 65_536))
        times = np.linspace(self.times[0], self.times[-1], max(count, 16))
        return times, self._spline(times)

    @cached_property
    def _turned(self) -> scipy.interpolate.CubicSpline:
        from scipy.signal import hilbert  # with it come all of scipy's statistics, which every start would load

        times, values = self._even
        padded = np.concatenate([np.zeros_like(values), values, np.zeros_like(values)])
        # the imaginary part of the analytic signal of sin is −cos
        return scipy.interpolate.CubicSpline(times, hilbert(padded).imag[len(values) : 2 * len(values)])

    @cached_property
    def _spectrum(self) -> tuple[Array, Array]:
        times, values = self._even
        size = max(8 * len(values), 1 << 16)
        return np.fft.rfftfreq(size, times[1] - times[0]), np.abs(np.fft.rfft(values, size))

    @property
    def carrier(self) -> float:
        """Where its spectrum has its peak; 0 where it begins with more than half of that."""
        frequencies, amplitude = self._spectrum
        return 0.0 if amplitude[0] > 0.5 * amplitude.max() else float(frequencies[amplitude.argmax()])

    @property
    def highest_frequency(self) -> float:
        frequencies, amplitude = self._spectrum
        return float(frequencies[np.flatnonzero(amplitude >= FALL * amplitude.max())[-1]])

    @property
    def lowest_frequency(self) -> float:
        frequencies, amplitude = self._spectrum
        return float(frequencies[np.flatnonzero(amplitude >= FALL * amplitude.max())[0]])

    @property
    def steady(self) -> bool:
        return False

    @property
    def lasts(self) -> float:
        return float(self.times[-1])


@dataclass(frozen=True)
class Ahead:
    """Another time course ahead by ``advance`` [time unit], or its quadrature: what drives a part of a source."""

    waveform: TimeCourse
    advance: float
    turned: bool = False

    def at(self, time: Array) -> Array:
        time = np.asarray(time) + self.advance
        return self.waveform.quadrature(time) if self.turned else self.waveform.at(time)


def band_of(waveforms: Sequence[TimeCourse]) -> tuple[float, float] | None:
    """The lowest and the highest frequency that they drive, at most a factor of ``WIDEST_BAND`` apart; None without
    any."""
    if not waveforms:
        return None
    highest = max(waveform.highest_frequency for waveform in waveforms)
    return max(min(waveform.lowest_frequency for waveform in waveforms), highest / WIDEST_BAND), highest
