"""The largest steps that a model's cell bears by each scheme: where it stays stable, and where it stays accurate.

One cell is stimulated and watched for a beat at steps doubling from 1 µs. Diffusion in a tissue bounds the step by
itself, and the upstroke of a wave is not that of a stimulated cell: these figures are one cell's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array
from engines.cardiac.compiler.convergence import is_stable
from engines.cardiac.compiler.model import CellModel, StepLimit
from engines.cardiac.compiler.schemes import SCHEMES, Scheme, step
from engines.cardiac.compiler.single import Pulse, run

STEPS = tuple(0.001 * 2**k for k in range(11))
"""1 µs to 1.024 ms [ms]."""
PULSE = Pulse(amplitude=52.0, start=0.0, duration=1.024)
"""A multiple of every step, so that all of them get the same stimulus."""
BEAT = 614.4
"""Time that is watched [ms]."""
ACTIVATION_ERROR, DURATION_ERROR = 0.1, 1.0
"""What counts as accurate: activation within 0.1 ms and the duration at 90 % within 1 ms of those at 1 µs by GRL2."""


def step_limits(model: CellModel, schemes: Sequence[Scheme] = SCHEMES, beat: float = BEAT) -> tuple[StepLimit, ...]:
    """The limits of each scheme, in its order; needs no file and no GPU. Compiles each scheme once."""
    every = round(STEPS[-1] / STEPS[0])
    finest, last = step(model, "GRL2"), round(beat / STEPS[-1])
    wanted, _ = run(finest, STEPS[0], last * every, 1, PULSE)
    exact = shape(wanted, STEPS[0])
    limits = []
    for scheme in schemes:
        compiled = step(model, scheme)
        stable = accurate = None
        good = True
        for k, dt in enumerate(STEPS):
            voltage, states = run(compiled, dt, last * every >> k, 1, PULSE)
            if not is_stable(voltage, wanted) or not np.all(np.isfinite(states)):
                break
            stable = dt
            good = good and _close(shape(voltage, dt), exact)
            accurate = dt if good else accurate
        limits.append(StepLimit(scheme, stable, accurate))
    return tuple(limits)


def shape(voltage: Array, dt: float) -> tuple[float, float]:
    """(activation, duration at 90 %) [ms] of one action potential from rest; NaN where there is none.

    Activation is the upward crossing of the middle between rest and peak; the duration runs from there to the downward
    crossing of nine tenths of the way from the peak to rest, both linear between samples.
    """
    rest, top = voltage[0], int(np.argmax(voltage))
    up = _crossing(voltage[: top + 1], 0.5 * (rest + voltage[top]))
    down = _crossing(-voltage[top:], -(voltage[top] - 0.9 * (voltage[top] - rest)))
    return up * dt, (top + down - up) * dt


def _crossing(values: Array, level: float) -> float:
    """Where the values first rise to a level, in samples; NaN if they do not."""
    above = np.flatnonzero(values >= level)
    if not len(above) or above[0] == 0:
        return float("nan")
    k = int(above[0])
    return k - 1 + float((level - values[k - 1]) / (values[k] - values[k - 1]))


def _close(found: tuple[float, float], wanted: tuple[float, float]) -> bool:
    return abs(found[0] - wanted[0]) <= ACTIVATION_ERROR and abs(found[1] - wanted[1]) <= DURATION_ERROR
