"""How long a protocol will take, from the charge that there is to move, and how often a run of it is looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from engines.battery.parameter_sets import ParameterSet
from engines.battery.protocol.instructions import Instruction, Kind

HOLD_SECONDS = 3600.0
"""The guess for a held voltage whose end is a current."""
DRIVES = (Kind.DRIVE, Kind.POWER_DRIVE)
SAMPLES = 1000
"""Of a whole run, at least: a curve of this many points has no corners on a screen."""
SAMPLES_OF_A_STEP = 20
"""Of the shortest step of a protocol."""
MOST_SAMPLES = 10_000
"""Of a run with many cycles: a sample takes some 1 ms, and as long as a hundred steps of few cells."""


def guessed_seconds(
    instructions: Sequence[Instruction], cell: ParameterSet, dt: float, factor: float
) -> Iterator[tuple[Instruction, float]]:
    """Each instruction with how long it will last [s], as if the voltage said nothing; the cell starts full."""
    p = cell.values()
    capacity, middle = 3600 * p["nominal_capacity"], (p["lower_cutoff"] + p["upper_cutoff"]) / 2
    left = capacity  # [A s]
    for step in instructions:
        time = step.steps * dt
        if step.kind in (Kind.CURRENT, Kind.POWER) and step.value:
            current = factor * step.value / (1.0 if step.kind == Kind.CURRENT else middle)
            time = min(time, (left if current > 0 else capacity - left) / abs(current))
            left -= current * time
        elif step.kind == Kind.VOLTAGE:
            time = min(time, HOLD_SECONDS)
        yield step, time


def sample_steps(instructions: Sequence[Instruction], cell: ParameterSet, dt: float, factor: float) -> int:
    """Time steps of ``dt`` [s] between two samples that show a run of these instructions as it is."""
    total, shortest = 0.0, math.inf
    for step, time in guessed_seconds(instructions, cell, dt, factor):
        total += time
        if step.kind in DRIVES:
            shortest = dt
        elif time > 0:
            shortest = min(shortest, time)
    return max(1, round(max(total / MOST_SAMPLES, min(total / SAMPLES, shortest / SAMPLES_OF_A_STEP)) / dt))
