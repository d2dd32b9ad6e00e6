"""Forces and displacements of the loads, and gauges: sums over their own particles, made on the device."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from engines.api import Array, SeriesInfo
from engines.api.charts import ChartInfo
from engines.api.errors import ProblemError
from engines.api.placing import Path
from engines.peridynamics.body.bonded import Filled, chosen
from engines.peridynamics.loading.loads import ACCELERATION, VELOCITY, Loads
from engines.peridynamics.parameters import Gauge, Gravity, Held, Point
from engines.peridynamics.parameters.gauges import MeanGauge, Opening
from engines.peridynamics.watch.moment import Moment
from engines.peridynamics.watch.totals.totals import ListSums, Read, sums_over
from engines.watching import Watcher

AXES = "xyz"
FARTHEST = 1.5
"""Spacings that a gauge's point may be away from the nearest particle."""


@dataclass(frozen=True, eq=False)
class Acting:
    """A load along one axis. particles: (m,) those that it acts on; name: of its series, behind what they tell."""

    load: int
    axis: int
    held: bool
    particles: Array
    name: str
    title: str


@dataclass(frozen=True, eq=False)
class Mean:
    """A gauge: the mean displacement of ``particles`` less that of ``less`` (if any) along an axis."""

    name: str
    axis: int
    particles: Array
    less: Array


def acting_on(loads: Loads) -> tuple[Acting, ...]:
    """Each load along each axis along which it holds or pushes particles."""
    found = []
    for number, load in enumerate(loads.loads):
        pushed = loads.acceleration(number)
        title = load.name or f"Load {number + 1}"
        for axis in range(loads.dimensions):
            holds = isinstance(load, Held) and (load.x, load.y, load.z)[axis] is not None
            if not holds and not pushed[axis]:
                continue
            if len(particles := loads.reached[number]):
                name = f"{number + 1}_{AXES[axis]}"
                found.append(Acting(number, axis, holds, particles, name, f"{title} along {AXES[axis]}"))
    return tuple(found)


def names_of_loads(loads: Loads) -> set[str]:
    """Of their series."""
    return {f"{what}_{each.name}" for each in acting_on(loads) for what in ("force", "displacement")}


def gauges_on(body: Filled, gauges: list[Gauge], taken: Collection[str] = ()) -> tuple[Mean, ...]:
    """``taken``: names that other series have. Raises ProblemError for a gauge beside the body or a name twice."""
    found: list[Mean] = []
    for number, gauge in enumerate(gauges):
        axis, place = AXES.index(gauge.axis), ("measuring", "gauges", number)
        if axis >= body.dimensions:
            raise ProblemError(f"Gauge '{gauge.name}' looks along z in a plate: choose x or y.", (*place, "axis"))
        if any(gauge.name == other.name for other in found):
            raise ProblemError(
                f"Two gauges are called '{gauge.name}': give one of them another name.", (*place, "name")
            )
        if gauge.name in taken:
            raise ProblemError(
                f"A gauge cannot be called '{gauge.name}', for another curve is: give it another name.",
                (*place, "name"),
            )
        less = np.zeros(0, np.int64)
        if isinstance(gauge, Opening):
            particles = _nearest(body, gauge.second, gauge.name, (*place, "second"))
            less = _nearest(body, gauge.first, gauge.name, (*place, "first"))
        elif isinstance(gauge, MeanGauge):
            particles = np.flatnonzero(chosen(gauge.region, body, (*place, "region")))
        else:
            particles = _nearest(body, gauge.point, gauge.name, (*place, "point"))
        found.append(Mean(gauge.name, axis, particles, less))
    return tuple(found)


def _nearest(body: Filled, point: Point, name: str, place: Path) -> Array:
    """All particles that are equally near, so that a gauge in the middle of a symmetric body is symmetric."""
    d = body.dimensions
    distances = np.linalg.norm(body.centers[:, :d] - np.array(point[:d]), axis=1)
    nearest = distances.min()
    if nearest > FARTHEST * body.spacing:
        raise ProblemError(
            f"A point of gauge '{name}' is {nearest:.3g} mm beside the body: move it to a particle.", place
        )
    return np.flatnonzero(distances <= nearest + 1e-6 * body.spacing)


class Gauges(Watcher[Moment]):
    """Reads loads and gauges of a simulation: one copy of a few numbers from the device each time."""

    def __init__(self, solver: Read, loads: Loads, gauges: tuple[Mean, ...]) -> None:
        self.loads, self.gauges = loads, gauges
        self.acting = acting_on(loads)
        self.series, self.charts = self._series(), self._charts()
        self._solver = solver
        self._read: Mapping[str, float] = {}
        self.sums: list[tuple[bool, int, Array]] = []
        """(of forces, not displacements; axis; places) of what is read"""

        def add(of_forces: bool, axis: int, particles: Array) -> None:
            places = solver.body.places[solver.own.among(particles)]
            self.sums.append((of_forces, axis, np.asarray(places, np.int32)))

        for each in self.acting:
            add(False, each.axis, each.particles)
            if each.held:
                add(True, each.axis, each.particles)
        for gauge in gauges:
            add(False, gauge.axis, gauge.particles)
            if len(gauge.less):
                add(False, gauge.axis, gauge.less)
        self._masses, self._pushes, self._on_held = self._weighed(loads)

    def _weighed(self, loads: Loads) -> tuple[dict[str, float], dict[str, float], dict[str, list[tuple[int, float]]]]:
        """By names: the mass of each load that holds; the force of each that pushes, when all of it is there; and what
        loads, by their numbers, push those with that each holds."""
        mass, part = (self._of_each(values) for values in (self._solver.mass, self._solver.volume))
        held, pushing = ([each for each in self.acting if each.held is holds] for holds in (True, False))
        pairs = [(one, other) for one in held for other in pushing if one.axis == other.axis]
        both = [np.intersect1d(one.particles, other.particles, assume_unique=True) for one, other in pairs]
        pushed = [*zip(pushing, (each.particles for each in pushing), strict=True),
                  *zip((other for _, other in pairs), both, strict=True)]  # fmt: skip
        weights = [(mass, each.particles) for each in held]
        weights += [(mass if isinstance(loads.loads[load.load], Gravity) else part, some) for load, some in pushed]
        own = self._solver.own
        sums = own.total(np.array([values[own.among(some)].sum() for values, some in weights], float)).tolist()
        masses, forces = (
            sums[: len(held)],
            [
                loads.acceleration(load.load)[load.axis] * each
                for (load, _), each in zip(pushed, sums[len(held) :], strict=True)
            ],
        )
        on_held: dict[str, list[tuple[int, float]]] = {each.name: [] for each in held}
        for (one, other), force in zip(pairs, forces[len(pushing) :], strict=True):
            on_held[one.name].append((other.load, force))
        return (
            dict(zip((each.name for each in held), masses, strict=True)),
            dict(zip((each.name for each in pushing), forces, strict=False)),
            on_held,
        )

    def _of_each(self, values: Any) -> Array:
        """(n,) of each particle, from one number or (size) on the device."""
        places, backend = self._solver.body.places, self._solver.backend
        return (
            np.broadcast_to(np.float64(values), len(places)) if not np.ndim(values) else backend.to_host(values)[places]
        )

    def _series(self) -> tuple[SeriesInfo, ...]:
        """Forces in N and displacements in µm, those of the loads first."""
        forces = [SeriesInfo(f"force_{each.name}", f"Force of {each.title}", "N") for each in self.acting]
        moved = [SeriesInfo(f"displacement_{each.name}", f"Displacement of {each.title}", "um") for each in self.acting]
        return (*forces, *moved, *(SeriesInfo(gauge.name, gauge.name, "um") for gauge in self.gauges))

    def _charts(self) -> tuple[ChartInfo, ...]:
        """Over time."""
        found = []
        if self.acting:
            names = tuple(f"force_{each.name}" for each in self.acting)
            found.append(ChartInfo("forces", "Forces of the loads", "N", series=names, comparable=True))
        if self.gauges:
            names = tuple(gauge.name for gauge in self.gauges)
            found.append(ChartInfo("gauges", "Gauges", "um", series=names, comparable=True, y_title="Displacement"))
        return tuple(found)

    def look(self, moment: Moment) -> None:
        read = self._solver.own.total(self._found.read()).tolist()
        self._read = self.told(read, moment.now, moment.before, moment.load_time)
        moment.read.update(self._read)

    def observe(self) -> Mapping[str, float]:
        return self._read

    @cached_property
    def _found(self) -> ListSums:
        axes = [axis + 3 * of_forces for of_forces, axis, _ in self.sums]
        return sums_over(self._solver, axes, [places for _, _, places in self.sums])

    def told(self, read: Iterable[float], now: Array, before: Array | None, time: float) -> Mapping[str, float]:
        """The series, of what each of ``sums`` came to.

        now, before: as :class:`Moment` has them; what is held is accelerated by the difference. time [s] of what
        pushes.
        """
        scales, sums = self._solver.body.scales, iter(read)
        forces, moved = {}, {}
        for each in self.acting:
            count = len(each.particles)
            moved[f"displacement_{each.name}"] = next(sums) / count * scales.length * 1e6
            if each.held:
                kind = int(self.loads.kind[each.particles[0]])
                faster = now[kind, VELOCITY, each.axis]
                if before is not None:
                    faster = faster - before[kind, VELOCITY, each.axis]
                pushed = sum(force * self._share(load, time) for load, force in self._on_held[each.name])
                force = self._masses[each.name] * faster - next(sums) - pushed
            else:
                force = self._pushes[each.name] * self._share(each.load, time)
            forces[f"force_{each.name}"] = float(force * scales.force)
        means = {}
        for gauge in self.gauges:
            mean = next(sums) / len(gauge.particles)
            if len(gauge.less):
                mean -= next(sums) / len(gauge.less)
            means[gauge.name] = mean * scales.length * 1e6
        return {**forces, **moved, **means}

    def _share(self, load: int, time: float) -> float:
        return float(self.loads.share(load, np.array(time)))

    def first_work(self, now: Array, decay: float) -> float:
        """What the first half step of velocity Verlet counts too much of the work of sudden loads.

        Its kick is half of one, and so is the way: the force works for a quarter of ½ g², but the kernels take the
        whole force. ``now``: (kinds, 4, d) at the beginning.
        """
        kick = 0.25 * (1 + (1 + 3 * decay) / (3 + decay))
        each = ((now[:, 1] == 0) * now[:, ACCELERATION] ** 2).sum(axis=1)
        mass, part = (self._of_each(values) for values in (self._solver.mass, self._solver.volume))
        own = self._solver.own
        of_kinds = own.total(np.bincount(own.part_of(self.loads.kind), part**2 / mass, minlength=len(each)))
        return float(0.25 * kick * (of_kinds * each).sum())
