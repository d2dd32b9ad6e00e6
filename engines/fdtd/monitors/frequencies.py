"""Which frequencies a spectrum has, and how few samples are enough for them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.fdtd.grid.yee import FREQUENCY_UNITS, PER_UNIT, SPEED_OF_LIGHT
from engines.fdtd.parameters import Frequencies
from engines.fdtd.sources.waveforms import TimeCourse

CONTENT = 1e-5
"""Of the largest amplitude in a source's spectrum: what lies below cannot be told from the rounding of a field."""
SPAN_SAMPLES = 1 << 15
MOST_SAMPLES = 1 << 24
"""Of a source's spectrum: some seconds of work and 128 MB."""
INTERVALS = tuple(sorted({1, 2, 3} | {2**n * m for n in range(1, 12) for m in (1, 3)}))
"""Steps between samples are one of these, so that those of several monitors fall together."""


def frequencies_of(setting: Frequencies, name: str) -> Array:
    """(count,) float64 [1/time unit], in the order in which they are given. Raises ProblemError."""
    if setting.choice == "range":
        given = np.linspace(setting.first, setting.last, setting.count)
    else:
        given = np.array(setting.values, float)
        if not given.size or given.min() <= 0:
            raise ProblemError(f"Monitor '{name}' needs at least one frequency, and all of them above 0.")
    return SPEED_OF_LIGHT / given if setting.given == "wavelength" else given / PER_UNIT


def abscissa(setting: Frequencies, frequencies: Array, unit: str) -> tuple[str, str, Array]:
    """(title, unit, values) of the frequencies as they were given."""
    if setting.given == "wavelength":
        return "Wavelength", unit.replace("um", "µm"), SPEED_OF_LIGHT / frequencies
    return "Frequency", FREQUENCY_UNITS[unit], PER_UNIT * frequencies


def highest_content(waveforms: Sequence[TimeCourse], dt: float) -> float:
    """The frequency [1/time unit] above which all spectra are below ``CONTENT`` of their largest amplitude.

    Of a continuous wave, whose spectrum has no end but its rise, four times the carrier.
    """
    found = 0.0
    for waveform in waveforms:
        if waveform.steady:
            found = max(found, 4.0 * waveform.highest_frequency)
            continue
        end = over_at(waveform)
        step = max(dt, end / SPAN_SAMPLES)
        values = waveform.at(np.arange(0.0, end, step))
        # a taper at the ends: a Gaussian that begins at 4e-5 of its middle is not a step of that height
        spectrum = np.abs(np.fft.rfft(values * np.hanning(len(values)), 4 * len(values)))
        above = np.nonzero(spectrum > CONTENT * spectrum.max())[0]
        found = max(found, above[-1] / (4 * len(values) * step))
    return found


def over_at(waveform: TimeCourse) -> float:
    """When a source has nothing left to give [time unit]; infinite for a continuous wave."""
    return math.inf if waveform.steady else waveform.lasts


def interval(highest: float, content: float, dt: float) -> int:
    """Steps between samples: a field without anything above ``content``, sampled ``f_s`` times per unit of time, has
    its first image at ``f_s − content``, which must lie above the highest frequency that is wanted."""
    most = 1.0 / (dt * (highest + max(content, highest)))
    return max([each for each in INTERVALS if each <= most], default=1)


def source_spectrum(
    waveforms: Sequence[TimeCourse], frequencies: Array, dt: float, steps: int, every: int = 1
) -> Array:
    """(waveforms, count) complex: ``Σ w(t) e^{iωt} Δt`` over the samples at ``every, 2 every, … ≤ steps``.

    Raises ProblemError where there are too many.
    """
    if steps // every > MOST_SAMPLES:
        raise ProblemError(
            f"The sources last {steps:,} steps, too many for a spectrum: raise their frequencies, or shorten them."
        )
    times = np.arange(every, steps + 1, every) * dt
    found = np.zeros((len(waveforms), len(frequencies)), complex)
    for first in range(0, len(times), 4096):
        part = times[first : first + 4096]
        turn = np.exp(2j * np.pi * part[:, None] * frequencies)
        for n, waveform in enumerate(waveforms):
            found[n] += waveform.at(part) @ turn
    return found * (every * dt)
