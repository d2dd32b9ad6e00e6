"""Resonances as a chart: a bar for each mode, as high as its amplitude, with frequency and Q in the legend."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api.charts import ChartData, ChartInfo, Curve
from engines.fdtd.monitors.ringing.resonances import Resonance

MOST_SHOWN = 8
LEAST_SHOWN = 1e-3
"""A bar that is this part of the highest cannot be seen; what is weaker than that stands among the results."""
MOST_IN_FULL = 1_000_000
LEAST_KNOWN = 0.5
"""Of Q: with a larger error it is told what Q is above, by two errors of the decay."""
BARS = 120
"""A bar is this part of the band wide."""


def resonance_info(name: str, frequency_unit: str, unit: str) -> ChartInfo:
    """unit: of the trace."""
    return ChartInfo(
        name, "Resonances", unit, kind="bar", x_title="Frequency", x_unit=frequency_unit, y_title="Amplitude"
    )


def resonance_chart(found: Sequence[Resonance], band: tuple[float, float], scale: float = 1.0) -> ChartData:
    """The strongest of ``found``, ascending; band: where they were sought; scale: shown frequencies over theirs."""
    least = LEAST_SHOWN * max((mode.amplitude for mode in found), default=0.0)
    seen = [mode for mode in found if mode.amplitude >= least]
    strongest = sorted(seen, key=lambda mode: -mode.amplitude)[:MOST_SHOWN]
    half = 0.5 * scale * (band[1] - band[0]) / BARS
    curves = []
    for mode in sorted(strongest, key=lambda mode: mode.frequency):
        middle = scale * mode.frequency
        title = f"{_digits(middle, scale * mode.error)}, Q {_quality(mode)}"
        curves.append(Curve(title, np.array([middle - half, middle + half]), np.array([mode.amplitude])))
    return ChartData(tuple(curves))


def _digits(value: float, error: float) -> str:
    """As many digits as are known, at most eight."""
    known = 8 if error <= 0 else int(np.clip(np.floor(np.log10(abs(value) / error)) + 1, 2, 8))
    return f"{value:#.{known}g}".rstrip(".")


def _one_digit(value: float) -> str:
    """Not rounded up."""
    decade = 10 ** int(np.log10(value))
    least = int(value / decade) * decade
    return f"{least:,}" if least < MOST_IN_FULL else f"{least:.0e}"


def _quality(mode: Resonance) -> str:
    if mode.decay <= 0 or mode.quality_error > LEAST_KNOWN * mode.quality:
        turning = np.pi * mode.frequency
        fastest = max(mode.decay, 0.0) + 2 * mode.quality_error * mode.decay**2 / turning
        least = turning / max(fastest, 1e-300)
        return f"above {_one_digit(least)}" if least >= 1 else "not known yet"
    return f"{float(_digits(mode.quality, mode.quality_error)):,.10g}"
