"""What the steps of a run leave of loads that come and go faster than these."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.peridynamics.loading.histories import MICRO, share, share_integral
from engines.peridynamics.loading.loads import Loads
from engines.peridynamics.parameters import Load, Velocity
from engines.peridynamics.parameters.loading.histories import FromFile, HalfSine, Sine, TypedHistory
from engines.quantities import percent

TOLD = 0.01
"""Of the impulse of a load: what steps leave out, or add, that is told."""
MOST, CYCLES = 100_000, 2
"""Steps that are looked at; cycles of a sine among them, for all are alike."""
FEWEST, LONGEST = 200, 2500.0
"""Of formulas, whose integral takes the longer the more time it is over: steps, and time [µs] where that is more."""
SHORTER = 1.25
"""Between two steps that are tried."""


def sampled_too_seldom(loads: Loads, half_step: bool) -> Iterator[Finding]:
    """Of histories that have an end or a period, and of the beginning of formulas. Steps on which a load comes on and
    stays are as sudden as one may wish. half_step: whether the first step is the half one of velocity Verlet."""
    first = 0.5 if half_step else 1.0
    for number, load in enumerate(loads.loads):
        off = _off(load, loads.dt, loads.tables[number], first)
        if off <= TOLD:
            continue
        shorter = _enough(load, loads.dt, loads.tables[number], first)
        told = (
            f"Load {number + 1} comes and goes so fast that steps of {loads.dt / MICRO:.3g} µs "
            f"{'miss it' if off > 0.95 else f'put what it gives the body off by {percent(off)}'}."
        )
        if shorter is None:
            told += " Make its history slower."
        remedy = None if shorter is None else Remedy(f"Use steps of {shorter:g} µs", {("numerics", "step"): shorter})
        yield Finding(told, place=("loads", number, "history"), remedy=remedy, distorts=True)


def _off(load: Load, dt: float, table: Array | None, first: float) -> float:
    """The largest error of the load's impulse on the way, of a pulse after it, over the largest impulse; of a
    prescribed displacement that of its integral. first: the part of a step that the first push lasts."""
    ends = _ends(load, dt, table)
    if ends is None or isinstance(load, Velocity):  # whose path is exact at each step
        return 0.0
    if isinstance(load.history, Sine) and ends < 2 * CYCLES * dt:  # what is seen of it has another period
        return 1.0
    times = dt * np.arange(min(int(np.ceil(ends / dt)), MOST) + 2)
    exact = share_integral(load.history, times + dt / 2, table)
    shares = share(load.history, times, table)
    sums = dt * (np.cumsum(shares) - (1 - first) * shares[0])  # of velocities, which stand half a step later
    between = share_integral(load.history, np.linspace(0.0, times[-1], 1024), table)
    largest = max(np.abs(exact).max(), np.abs(between).max())
    off = np.abs(sums - exact)
    return float((off[-1] if isinstance(load.history, HalfSine) else off.max()) / largest) if largest > 0 else 0.0


def _ends(load: Load, dt: float, table: Array | None) -> float | None:
    """When the course of a load is over, or repeats itself [s]; None: it comes on and stays."""
    match load.history:
        case HalfSine(duration=duration):
            return duration * MICRO
        case Sine(period=period):
            return CYCLES * period * MICRO
        case FromFile() if table is not None:
            return float(table[-1, 0]) * MICRO
        case TypedHistory():
            return min(max(FEWEST * dt, LONGEST * MICRO), MOST * dt)
        case _:
            return None


def _enough(load: Load, dt: float, table: Array | None, first: float) -> float | None:
    """A step [µs] that is short enough, of two digits; None where none of a hundredth of this is."""
    step = dt
    while step > dt / 100:
        step /= SHORTER
        rounded = float(f"{step / MICRO:.2g}")
        if rounded * MICRO < dt and _off(load, rounded * MICRO, table, first) <= TOLD:
            return rounded
    return None
