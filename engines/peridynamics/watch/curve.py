"""Load and displacement: the force of a load or a penetrator over its own way or over a gauge, and the experiments
behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array, Finding, SeriesInfo
from engines.api.abilities import Axes
from engines.api.charts import ChartData, ChartInfo, Curve
from engines.api.errors import ProblemError, placed_at
from engines.peridynamics.contact.rigid import Rigid
from engines.peridynamics.contact.shapes import PLANE
from engines.peridynamics.loading.loads import Loads
from engines.peridynamics.parameters import Displacement, Force, Gravity, Held, Load, Stress, Velocity
from engines.peridynamics.parameters.contact import Driven, Fixed, Free, Shifted
from engines.peridynamics.parameters.gauges import LoadCurve
from engines.peridynamics.watch.gauges import AXES, Mean
from engines.peridynamics.watch.moment import Moment
from engines.tables.files import read_table
from engines.watching import Watcher

CHART = "load_displacement"
BAND, BAND_UNITS = ("x", "lowest force", "highest force"), ("um", "N", "N")


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


@dataclass(frozen=True)
class Acting:
    """What the curve is of: the series of its force [N] and of its way, which begins at ``start`` and is in
    ``per_um`` of them; ``sign`` takes both to the direction in which it acts. fixed: it does not move; telling: its
    force over its own way says more of the body than of the load; given: its force is what its history says."""

    force: str
    way: str
    sign: int
    force_sign: int
    start: float = 0.0
    per_um: float = 1.0
    fixed: bool = False
    telling: bool = True
    given: bool = False


def of_load(loads: Loads, number: int) -> Acting:
    """Of load ``number``, from 1."""
    load = loads.loads[number - 1]
    axis, sign = direction(load, loads.dimensions)
    name = f"{number}_{AXES[axis]}"
    held = isinstance(load, Held)
    return Acting(f"force_{name}", f"displacement_{name}", sign, sign, telling=held, given=not held)


def of_penetrator(rigid: Rigid, number: int, middle: Array, dimensions: int) -> Acting:
    """Of penetrator ``number``, from 1: it acts the way it moves most, and a support towards the ``middle`` [mm] of the
    body; what it does to the body is the opposite of the force on it."""
    motion, solid = rigid.motions[number - 1], rigid.solids[number - 1]
    match motion:
        case Driven() | Free():
            way = np.array(motion.velocity, float)
        case Shifted():
            way = np.array(motion.displacement, float)
        case _:
            way = np.zeros(3)
    if not way[:dimensions].any():
        way = middle - solid.center if solid.kind != PLANE else solid.axis
    axis = int(np.argmax(np.abs(way[:dimensions])))
    sign = -1 if way[axis] < 0 else 1
    start = float(rigid.places[number - 1, axis] * rigid.spacing * 1e3 + rigid.origin[axis])
    name = f"penetrator_{number}_{{}}_{AXES[axis]}"
    return Acting(
        name.format("force"), name.format("place"), sign, -sign, start, 1e-3, isinstance(motion, Fixed),
        not isinstance(motion, Free),
    )  # fmt: skip


def acting(loads: Loads, rigid: Rigid | None, middle: Array, wanted: LoadCurve) -> Acting | None:
    """What ``wanted`` names; where it names nothing, the first load or else penetrator that moves or pushes, or else
    the first load. None where there is nothing of it. Raises ProblemError for what does not exist."""
    bodies = len(rigid.motions) if rigid else 0
    for title, field, number, count in (
        ("load", "load", wanted.load, len(loads.loads)),
        ("penetrator", "penetrator", wanted.penetrator, bodies),
    ):
        if number > count:
            raise ProblemError(
                f"The curve of load and displacement is that of {title} {number}, and there are {count}: choose one of "
                "them, or 0.",
                ("measuring", "curve", field),
            )
    if wanted.load and not wanted.penetrator:
        return of_load(loads, wanted.load)
    number = wanted.penetrator
    if not number:
        pushing = next((place for place, load in enumerate(loads.loads, 1) if any(_values(load))), 0)
        moving = (
            place for place, motion in enumerate(rigid.motions if rigid else (), 1) if not isinstance(motion, Fixed)
        )
        number = 0 if pushing else next(moving, 0)
        if not number:
            return of_load(loads, pushing or 1) if loads.loads else None
    assert rigid is not None
    return of_penetrator(rigid, number, middle, loads.dimensions)


GONE, NOTHING, FEWEST = 0.1, 1e-4, 20
"""Of its peak: with less, in the mean of a tenth of the points or of the later half of those since the peak (halves of
a body swing for long, a softening one lets go late), a load has gone; what is 0; points that tell that. A peak in the
first of so many parts is that of a start at full speed, which says nothing of the body."""


class LoadDisplacement(Watcher[Moment]):
    """``points`` (x [µm], force [N]) are collected as they are observed; the largest force is the peak. Looks after
    gauges and contact.

    Forces and the own way of what acts count in the direction in which it acts; a gauge counts as it reads.
    """

    series = (SeriesInfo("peak", "Peak load", "N"), SeriesInfo("peak_at", "Displacement at the peak load", "um"))

    def __init__(self, acting: Acting, gauges: Sequence[Mean], wanted: LoadCurve) -> None:
        """Raises ProblemError for a gauge that does not exist, a support without one, or a band that cannot be read."""
        names = [gauge.name for gauge in gauges]
        known = f"the gauges are {', '.join(map(repr, names))}" if names else "add one, or leave this empty"
        if wanted.over and wanted.over not in names:
            raise ProblemError(
                f"There is no gauge '{wanted.over}' to draw the load over: {known}.", ("measuring", "curve", "over")
            )
        if acting.fixed and not wanted.over:
            raise ProblemError(
                f"Penetrator {wanted.penetrator} does not move: name the gauge that its force is drawn over, or choose "
                "one that moves.",
                ("measuring", "curve", "over"),
            )
        self._acting, self._over = acting, wanted.over
        with placed_at("measuring", "curve", "band"):
            self._band = read_table(wanted.band, "experimental band", BAND, BAND_UNITS) if wanted.band else None
        self.telling = acting.telling or bool(wanted.over)
        """Whether it is worth looking at first."""
        over = wanted.over or "Displacement"
        self.charts = (
            ChartInfo(
                CHART, "Load and displacement", "N", x_title=over, x_unit="um", comparable=True, y_title="Load"
            ),
        )  # fmt: skip
        self.points: list[tuple[float, float]] = [(0.0, 0.0)]
        self.followed = -1
        """The step up to which points have been collected."""

    def look(self, moment: Moment) -> None:
        """Once a step, however often it is asked."""
        if moment.step > self.followed:
            self.seen(moment.read)
            self.followed = moment.step

    def seen(self, values: Mapping[str, float]) -> None:
        """The series of the gauges and of contact at one moment."""
        acting = self._acting
        if acting.force in values:
            x = values[self._over] if self._over else acting.sign * (values[acting.way] - acting.start) / acting.per_um
            self.points.append((x, acting.force_sign * values[acting.force]))

    @property
    def peak(self) -> tuple[float, float]:
        """(force [N], x [µm])"""
        x, force = max(self.points, key=lambda point: point[1])
        return force, x

    def observe(self) -> Mapping[str, float]:
        force, x = self.peak
        return {"peak": force, "peak_at": x}

    def noticed(self) -> Sequence[Finding]:
        """Whether the load has gone after its peak by what became of the body: of the last points, over which waves
        average out."""
        if self._acting.given:
            return ()
        (force, x), forces = self.peak, np.array(self.points)[:, 1]
        since = len(forces) - 1 - int(forces.argmax())
        at_the_jerk = len(forces) - 1 - since < len(forces) / FEWEST
        tenth = max(5, len(forces) // 10)
        last = min(abs(forces[-part:].mean()) for part in (tenth, max(tenth, since // 2)))
        if len(self.points) < FEWEST or at_the_jerk or last > GONE * force:
            return ()
        left = 100 * last / force if last > NOTHING * force else 0.0
        text = (
            f"The load came to its peak of {in_full(force)} N at {in_full(x)} µm and has fallen to "
            f"{left:.1g} % of that: the body has failed, or nothing touches it any more."
        )
        return (Finding(text, "info", ("measuring", "curve")),)

    def chart(self, name: str) -> ChartData:
        if name != CHART:
            return super().chart(name)
        x, force = np.array(self.points).T
        curves = [Curve("Calculated", x, force, told=len(x) - 1)]
        if self._band is not None:
            at, low, high = self._band.T
            told = int(np.abs(at - x[-1]).argmin()) if at.min() <= x[-1] <= at.max() else None
            curves.append(Curve("Experiments", at, (low + high) / 2, low=low, high=high, told=told))
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

    def axes(self) -> Mapping[str, Axes]:
        along: Axes = {"x": f"{CHART}/x"}
        return {f"{CHART}/x": along, f"{CHART}/force": along}


def in_full(value: float) -> str:
    """To four digits, and without a power of ten: 15610."""
    return f"{float(f'{value:.4g}'):.15g}"
