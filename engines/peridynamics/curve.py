"""Load and displacement: a load's force over its displacement or over a gauge, and the experiments behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engines.api import Array, SeriesInfo
from engines.charts import ChartData, ChartInfo, Curve
from engines.errors import ProblemError, placed_at
from engines.peridynamics.instruments import AXES, Mean
from engines.peridynamics.loads import Loads
from engines.peridynamics.parameters import Displacement, Force, Gravity, Held, Load, Stress, Velocity
from engines.peridynamics.parameters.measuring import LoadCurve
from engines.peridynamics.tables import read_table

CHART = "load_displacement"
BAND = ("x", "lowest force", "highest force")


def direction(load: Load, dimensions: int) -> tuple[int, int]:
    """Axis along which a load acts most, and ±1 for the way; a support acts along its first held axis."""
    values = _values(load)
    sizes = [-1.0 if value is None else abs(value) for value in values[:dimensions]]
    axis = int(np.argmax(sizes))
    return axis, -1 if (values[axis] or 0.0) < 0 else 1


def _values(load: Load) -> tuple[float | None, ...]:
    match load:
        case Stress():
            return load.stress
        case Force():
            return load.force
        case Gravity():
            return load.acceleration
        case Velocity() | Displacement():
            return load.x, load.y, load.z


def _first(loads: Sequence[Load]) -> int:
    """Number, from 1, of the first load that is no mere support."""
    return next((number for number, load in enumerate(loads, 1) if any(_values(load))), 1)


class LoadDisplacement:
    """``points`` (x [µm], force [N]) are collected as they are observed; the largest force is the peak.

    Forces and the load's own displacement count in the direction in which it acts; a gauge counts as it reads.
    """

    series = (
        SeriesInfo("peak", "Peak load", "N"),
        SeriesInfo("peak_at", "Displacement at the peak load", "um"),
    )

    def __init__(self, loads: Loads, gauges: Sequence[Mean], wanted: LoadCurve) -> None:
        """Raises ProblemError for a load or a gauge that does not exist, or a band that cannot be read."""
        number = wanted.load or _first(loads.loads)
        if number > len(loads.loads):
            raise ProblemError(
                f"The curve of load and displacement is that of load {wanted.load}, and there are {len(loads.loads)}: "
                "choose one of them.",
                ("measuring", "curve", "load"),
            )
        names = [gauge.name for gauge in gauges]
        if wanted.over and wanted.over not in names:
            known = f"the gauges are {', '.join(map(repr, names))}" if names else "add one, or leave this empty"
            raise ProblemError(
                f"There is no gauge '{wanted.over}' to draw the load over: {known}.",
                ("measuring", "curve", "over"),
            )
        axis, self._sign = direction(loads.loads[number - 1], loads.dimensions)
        name = f"{number}_{AXES[axis]}"
        self._force, self._x = f"force_{name}", wanted.over or f"displacement_{name}"
        self._x_sign = 1 if wanted.over else self._sign
        with placed_at("measuring", "curve", "band"):
            self._band = read_table(wanted.band, "experimental band", BAND) if wanted.band else None
        self.pushes = not isinstance(loads.loads[number - 1], Held) and not wanted.over
        """Whether it is of a given force over its own displacement, which tells little."""
        self._axis, self._over = wanted.over or "Displacement", wanted.over
        self.points: list[tuple[float, float]] = [(0.0, 0.0)]

    @property
    def info(self) -> ChartInfo:
        return ChartInfo(CHART, "Load and displacement", "N", x_title=self._axis, x_unit="um", comparable=True)

    def seen(self, values: Mapping[str, float]) -> None:
        """The series of the instruments at one moment."""
        if self._force in values:
            self.points.append((self._x_sign * values[self._x], self._sign * values[self._force]))

    @property
    def peak(self) -> tuple[float, float]:
        """(force [N], x [µm])"""
        x, force = max(self.points, key=lambda point: point[1])
        return force, x

    def observed(self) -> Mapping[str, float]:
        """``series``."""
        force, x = self.peak
        return {"peak": force, "peak_at": x}

    @property
    def chart(self) -> ChartData:
        x, force = np.array(self.points).T
        curves = [Curve("Calculated", x, force, told=len(x) - 1)]
        if self._band is not None:
            at, low, high = self._band.T
            curves.append(Curve("Experiments", at, (low + high) / 2, low=low, high=high))
        return ChartData(tuple(curves))

    def results(self) -> Mapping[str, Array]:
        """The curve and its peak."""
        x, force = np.array(self.points).T
        peak, at = self.peak
        return {
            f"{CHART}/x [um]": x,
            f"{CHART}/force [N]": force,
            "peak/force [N]": np.array(peak),
            "peak/x [um]": np.array(at),
        }
