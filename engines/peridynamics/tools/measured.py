"""What was measured, and how far a calculated curve is from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError, placed_at
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.step.batch import Outcome
from engines.peridynamics.watch.curve import BAND
from engines.table_files import read_table


@dataclass(frozen=True, eq=False)
class Measured:
    """force: (n,) [N] at x: (n,) [µm], or one force, the peak, with ``x`` None."""

    force: Array
    x: Array | None

    def residuals(self, outcome: Outcome | None) -> Array:
        """(n,) over the largest measured force; NaN where there is no outcome, or none of numbers.

        A curve that goes back is taken as its envelope in x; beyond its ends it stays as it is there.
        """
        if outcome is None or not (np.isfinite(outcome.x).all() and np.isfinite(outcome.force).all()):
            return np.full(len(self.force), np.nan)
        largest = np.abs(self.force).max()
        if self.x is None:
            return np.asarray((outcome.peak[0] - self.force) / largest)
        return np.asarray((np.interp(self.x, *envelope(outcome)) - self.force) / largest)


def envelope(outcome: Outcome) -> tuple[Array, Array]:
    """x, increasing, and force: without what came when x had been farther from 0 already on the side to which it goes
    (a gauge may become shorter); the last of those at one x."""
    backwards = outcome.x.max() < -outcome.x.min()
    way = -outcome.x if backwards else outcome.x
    kept = way >= np.maximum.accumulate(way)
    way, force = way[kept], outcome.force[kept]
    last = np.append(way[1:] > way[:-1], True)
    return (-way[last][::-1], force[last][::-1]) if backwards else (way[last], force[last])


def measured_curve(path: str, parameters: PeridynamicParameters) -> Measured:
    """Of a file of x [µm] and force [N]; no path: the middle of the problem's experiments. Raises ProblemError."""
    if path:
        with placed_at("measured"):
            x, force = read_table(path, "measured curve", ("x", "force")).T
        return Measured(_forces(force), x)
    band = parameters.measuring.curve.band
    if not band:
        raise ProblemError(
            "There is nothing to compare with: choose a file of x [um] and force [N], or give the problem experiments.",
            ("measured",),
        )
    x, low, high = read_table(band, "experimental band", BAND).T
    return Measured(_forces((low + high) / 2), x)


def _forces(force: Array) -> Array:
    if not np.abs(force).max() > 0:
        raise ProblemError("All measured forces are zero: choose another file.", ("measured",))
    return force
