"""How fast diffusion that is implicit smooths what a start has in it: a first step that is longer follows it not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.quantities import rounded_down
from engines.stencil.setup.limits import STEP

FOLLOWED = 0.5
"""λΔt up to which the first step (backward Euler's) is within a tenth of e^{-λΔt}."""
MOST = 0.6
"""Of the square of the heights: so much of it has to be smoothed at λ. Edges alone are not what a run is read for."""


def smoothing_rate(at: Callable[[Array], Array], places: Array, spacing: Sequence[float], diffusivity: Array) -> float:
    """λ [1/s] of −D ∇²u = λ (u − ū): that of :data:`MOST` of the heights is no larger; 0 of what is even.

    at: u (n,) at places (n, 3) [mm]; places: cells, beside which the next ones along each axis are looked at;
    diffusivity: (n,) [mm²/s]
    """
    here = at(places)
    heights, curved = here - here.mean(), np.zeros(len(here))
    for axis, h in enumerate(spacing):
        aside = np.zeros(3)
        aside[axis] = h
        curved += (at(places + aside) - 2 * here + at(places - aside)) / h**2
    weights = heights**2
    if not weights.sum() > 1e-20 * (here**2).sum():
        return 0.0
    rates = np.divide(-diffusivity * curved, heights, out=np.zeros(len(here)), where=weights > 0)
    order = np.argsort(rates)
    passed = np.cumsum(weights[order]) / weights.sum()
    return max(0.0, float(rates[order][np.searchsorted(passed, MOST)]))


def told_of_smoothing(rates: Mapping[str, float], dt: float) -> Iterator[Finding]:
    """rates: by field [1/s]; dt: the step [s]. Of the one that is smoothed fastest."""
    name, rate = max(rates.items(), key=lambda each: each[1], default=("", 0.0))
    if not rate * dt > FOLLOWED * (1 + 1e-3):
        return
    shorter = rounded_down(FOLLOWED / rate, 2)
    yield Finding(
        f"What '{name}' begins with is smoothed out at {rate:.3g}/s, which steps of {dt:.3g} s do not follow: its "
        f"heights are wrong at first. Steps of at most {shorter:g} s follow it.",
        "warning", STEP, Remedy(f"Take {shorter:g} s", {STEP: shorter}), distorts=True,
    )  # fmt: skip
