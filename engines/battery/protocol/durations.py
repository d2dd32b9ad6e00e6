"""How long a protocol will take, from the charge that there is to move, and how often a run of it is looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engines.api import Array
from engines.battery.parameter_sets import ParameterSet
from engines.battery.protocol.instructions import LONGEST, NEVER, Instruction, Kind

HOLD_SECONDS = 3600.0
"""The guess for a held voltage whose end is a current."""
DRIVES = (Kind.DRIVE, Kind.POWER_DRIVE)
SAMPLES = 1000
"""Of a whole run, at least: a curve of this many points has no corners on a screen."""
SAMPLES_OF_A_STEP = 20
"""Of the shortest step of a protocol."""
MOST_SAMPLES = 10_000
"""Of a run with many cycles: a sample takes some 1 ms, and as long as a hundred steps of few cells."""

AT_LIMIT = 1e-3
"""[V] within which a voltage is at a limit that has ended a drive cycle."""


@dataclass(frozen=True)
class Drives:
    """What is known beforehand of a protocol with drive cycles, or of steps that last a time: the time [s] that its
    steps last together, infinite where that is not said of one, the limits [V] that may end its last step, if that is
    a drive cycle, and those that end any (``what``) too soon."""

    seconds: float
    step: float
    last: tuple[float, float] | None
    limits: tuple[float, float]
    what: str = "a drive cycle"

    def told_of(self, ended: Array, lowest: Array, highest: Array) -> str:
        """What is said of those that ended then [s], at these voltages of their cells, before all of a cycle was
        driven."""
        early = ended < self.seconds - max(self.step / 2, 1e-6 * self.seconds)
        if math.isinf(self.seconds):
            low, high = (math.nan, math.nan) if self.last is None else self.last
            early = (lowest <= low + AT_LIMIT) | (highest >= high - AT_LIMIT)
        if not early.any():
            return ""
        end = "the end of the drive cycle" if math.isinf(self.seconds) else f"the {self.seconds:.6g} s of the protocol"
        who = "" if len(early) == 1 else f"{int(early.sum()):,} of them "
        low, high = self.limits
        return (
            f", {who}before {end}: where the voltage comes to a limit of the cell ({low:g} or {high:g} V), {self.what} "
            "ends, too"
        )


NO_DRIVES = Drives(math.inf, 0.0, None, (math.nan, math.nan))


def drives_of(instructions: Sequence[Instruction], dt: float, cell: ParameterSet) -> Drives:
    """Of a protocol, with or without."""
    drive = next((each for each in instructions if each.kind in DRIVES), None)
    known = all(each.steps < LONGEST for each in instructions)
    seconds = dt * sum(each.steps for each in instructions) if known else math.inf
    if drive is None:
        p = cell.values()
        low, high = p["lower_cutoff"], p["upper_cutoff"]
        own = all(
            each.lowest in (-NEVER, low) and each.highest in (NEVER, high) and each.least_current < 0
            for each in instructions
        )
        return Drives(seconds, dt, None, (low, high), "a step of the protocol") if known and own else NO_DRIVES
    last = instructions[-1]
    return Drives(
        seconds,
        dt,
        (last.lowest, last.highest) if last.kind in DRIVES else None,
        (drive.lowest, drive.highest),
    )


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
