"""When the flux is on: runs of steps with the same flux, and what has flowed so far."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from engines.api import Array

ROUNDING = 1e-9
"""In steps: where a pulse ends so near to the end of a step, it ends with it."""


@dataclass(frozen=True)
class Timetable:
    """``on`` seconds of flux, ``off`` seconds without, again and again; ``off`` 0: always on."""

    on: float
    off: float

    def fitting_step(self, longest: float) -> float:
        """The longest step [s] up to ``longest`` that goes into both times, if they have a common measure of at least a
        hundredth of ``on``; otherwise ``longest``."""
        if self.off == 0:
            return longest
        ratio = Fraction(self.off / self.on).limit_denominator(100)
        if not math.isclose(float(ratio) * self.on, self.off, rel_tol=1e-12):
            return longest
        return self.on / (ratio.denominator * max(1, math.ceil(self.on / (ratio.denominator * longest) - ROUNDING)))

    def runs(self, step: int, steps: int, dt: float) -> Iterator[tuple[int, float]]:
        """(number of steps, share of their time in which the flux is on), from ``step`` on.

        A step in which a pulse begins or ends has the mean of its flux, so what flows is right whatever the step.
        """
        end = step + steps
        if self.off == 0:
            yield steps, 1.0
            return
        on, period = self.on / dt, (self.on + self.off) / dt
        while step < end:
            place = (step + ROUNDING) % period
            change = on if place < on else period
            whole = min(math.floor(change - place + 2 * ROUNDING), end - step)
            if whole > 0:
                yield whole, float(place < on)
            else:
                whole = 1
                yield 1, self._flown(step + 1, on, period) - self._flown(step, on, period)
            step += whole

    @staticmethod
    def _flown(step: float, on: float, period: float) -> float:
        """Steps' worth of flux up to ``step``."""
        cycles = math.floor(step / period)
        return cycles * on + min(step - cycles * period, on)


@dataclass
class History:
    """What has flowed: (seconds, factor on the flux) one after the other; runs with the same factor are one."""

    runs: list[tuple[float, float]] = field(default_factory=list)

    def add(self, seconds: float, factor: float) -> None:
        if self.runs and self.runs[-1][1] == factor:
            self.runs[-1] = (self.runs[-1][0] + seconds, factor)
        else:
            self.runs.append((seconds, factor))

    @property
    def net(self) -> float:
        """∫ factor dt [s]."""
        return math.fsum(seconds * factor for seconds, factor in self.runs)

    @property
    def total(self) -> float:
        """∫ |factor| dt [s]."""
        return math.fsum(seconds * abs(factor) for seconds, factor in self.runs)

    def as_array(self) -> Array:
        """(k, 2) float64."""
        return np.array(self.runs, float).reshape(-1, 2)

    @classmethod
    def of(cls, array: Array) -> History:
        return cls([(float(seconds), float(factor)) for seconds, factor in array])
