"""The same body many times, with materials, laws or loads of its own each time: what calibration needs.

On a GPU bodies that differ in nothing else run at once (``lattice/small/``), all others one after the other; so does
the CPU.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engines.api import Array, Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.backend.twins import pick
from engines.peridynamics.lattice.solver import Discretised
from engines.peridynamics.parameters import PeridynamicParameters
from engines.peridynamics.setup.base import MEMORY_SHARE, Setup
from engines.peridynamics.setup.bonds import BondSetup
from engines.peridynamics.setup.theory import setup_of
from engines.peridynamics.watch.curve import CHART
from engines.peridynamics.watch.gauges import acting_on

MOST_SAMPLES, LEAST_SAMPLES, STEPS_BETWEEN = 400, 50, 4
"""Points of a curve through time; so many steps are between two of them, where there are more than a few."""

NO_CURVE = (
    "Without a load there is no curve of load and displacement: add one, or something rigid that moves into the body."
)


@dataclass(frozen=True, eq=False)
class Outcome:
    """x: (n,) [µm] (a gauge, or the displacement of the load) and force: (n,) [N], from the unloaded body on; not
    finite from where a run has become unstable on."""

    x: Array
    force: Array

    @property
    def peak(self) -> tuple[float, float]:
        """(force [N], x [µm])"""
        at = int(np.nanargmax(self.force))
        return float(self.force[at]), float(self.x[at])


def varied(parameters: PeridynamicParameters, values: Mapping[str, float]) -> PeridynamicParameters:
    """A copy with other numbers at these dotted places (``material.law.strength``, ``loads.0.x``). Raises ProblemError
    for a place that is not there."""
    tree = parameters.model_dump(mode="json")
    for name, value in values.items():
        *owners, last = name.split(".")
        found = tree
        try:
            for key in owners:
                found = found[int(key)] if isinstance(found, list) else found[key]
            place = int(last) if isinstance(found, list) else last
            if isinstance(found[place], bool) or not isinstance(found[place], (int, float)):
                raise ValueError
        except (KeyError, IndexError, ValueError, TypeError):
            raise ProblemError(f"There is no number '{name}' among the parameters: name one that is there.") from None
        found[place] = value
    return PeridynamicParameters.model_validate(tree)


class Batch:
    """``cases`` of a problem on one device, for one :meth:`run`. Raises ProblemError for what cannot be calculated."""

    def __init__(self, cases: Sequence[PeridynamicParameters], backend: Backend) -> None:
        if not cases:
            raise ProblemError("There is nothing to calculate: give one case at least.")
        self.backend = backend
        self._setups = [setup_of(case, backend) for case in cases]
        if any(setup.curve is None for setup in self._setups):
            raise ProblemError(NO_CURVE, ("loads",))
        self._ran = False

    def run(self, until: float | None = None, progress: Progress = no_progress) -> list[Outcome]:
        """The curve of each case, up to ``until`` [µs], or through all load steps where loading is slow. Raises
        ProblemError where that end is missing, and RuntimeError the second time."""
        if self._ran:
            raise RuntimeError("a batch runs once, for its curves are full then: make another")
        slow = [setup.parameters.numerics.quasi_static for setup in self._setups]
        if until is None and not all(slow):
            raise ProblemError("Nothing says how far to run: give the end of the runs [us].")
        self._ran = True
        steps = [_steps(setup, until or 0.0) for setup in self._setups]
        samples = min(MOST_SAMPLES, max(min(steps) // STEPS_BETWEEN, min(LEAST_SAMPLES, *steps)))
        bounds = [_bounds(each, samples) for each in steps]
        found: dict[int, Outcome] = {}
        for group in self._groups():
            setups = [self._setups[number] for number in group]

            def told(message: str, part: float, done: int = len(found), share: int = len(group)) -> None:
                progress(message, (done + part * share) / len(self._setups))

            run = self._together if len(group) > 1 else _alone
            outcomes = run(setups, [bounds[number] for number in group], told)
            found.update(zip(group, outcomes, strict=True))
        return [found[number] for number in range(len(self._setups))]

    def _groups(self) -> list[list[int]]:
        """Numbers of the cases that run at once."""
        each = [[number] for number in range(len(self._setups))]
        if pick(self.backend, cpu=True, cuda=False) or len(each) == 1:
            return each
        from engines.peridynamics.lattice.small.bodies import alike

        bodies: list[tuple[object, Discretised, list[int]]] = []
        groups = []
        for number, setup in enumerate(self._setups):
            if not isinstance(setup, BondSetup) or _acts_between(setup):
                groups.append([number])
                continue
            body, slow = setup.discretised(), setup.parameters.numerics.quasi_static
            key = setup.precision, slow, _read_of(setup)
            for other_key, other, group in bodies:
                if other_key == key and self._has_room(len(group) + 1, setup) and alike(other, body):
                    group.append(number)
                    break
            else:
                group = [number]
                bodies.append((key, body, group))
                groups.append(group)
        return groups

    def _has_room(self, bodies: int, setup: Setup) -> bool:
        available = self.backend.info.memory_bytes
        return not available or bodies * setup.memory <= MEMORY_SHARE * available

    def _together(self, setups: Sequence[Setup], samples: Sequence[Array], progress: Progress) -> list[Outcome]:
        from engines.peridynamics.step.together import Together, through_rest, through_time

        of_bonds = [setup for setup in setups if isinstance(setup, BondSetup)]
        bodies = Together(of_bonds, [setup.discretised() for setup in of_bonds])
        if of_bonds[0].parameters.numerics.quasi_static:
            through_rest(bodies, progress)
        else:
            through_time(bodies, np.stack(samples), progress)
        return [_outcome(np.array(curve.points)) for curve in bodies.curves]


def _acts_between(setup: Setup) -> bool:
    """Whether something acts between steps, or the body flies at the start."""
    parameters = setup.parameters
    return bool(parameters.penetrators) or parameters.contact.kind != "none" or setup.velocities is not None


def _read_of(setup: Setup) -> object:
    """What is summed over which particles."""
    forces = [(each.load, each.axis, each.held, each.particles.tobytes()) for each in acting_on(setup.loads)]
    return forces, [(each.axis, each.particles.tobytes(), each.less.tobytes()) for each in setup.gauges]


def _steps(setup: Setup, until: float) -> int:
    return max(1, round(until * 1e-6 / setup.step))


def _bounds(steps: int, samples: int) -> Array:
    """(samples + 1,) steps from 0 on."""
    return np.asarray(np.rint(np.linspace(0, steps, samples + 1)), np.int64)


def _alone(setups: Sequence[Setup], samples: Sequence[Array], progress: Progress) -> list[Outcome]:
    (setup,), (bounds,) = setups, samples
    simulation = setup.build(lambda: None)
    try:
        if setup.parameters.numerics.quasi_static:
            load_steps = setup.parameters.numerics.relaxation.load_steps
            while not simulation.finished:
                simulation.advance(1000)
                progress("one body at a time", simulation.observe()["load_step"] / load_steps)
        else:
            for first, last in pairwise(bounds):
                progress("one body at a time", float(first / bounds[-1]))
                simulation.advance(int(last - first))
                simulation.observe()
        found = simulation.results()
        return [_outcome(np.stack([found[f"{CHART}/x [um]"], found[f"{CHART}/force [N]"]], axis=1))]
    finally:
        simulation.close()


def _outcome(points: Array) -> Outcome:
    return Outcome(points[:, 0].copy(), points[:, 1].copy())
