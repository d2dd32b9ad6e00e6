"""Conduction velocity after a rest: a strand of the tissue, S1 from one end, and S2 after one interval after another.

The strand's cells begin where S1's train has brought a cell alone. The state of the whole strand after S1 is kept at
each coupling interval, and S2 is sent into each, from the longest on until it no longer comes through.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from engines.api import Array, Problem, Progress, Selection, Simulation, no_progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.cardiac.cells.tt06_tissue import NOT_ACTIVATED
from engines.cardiac.engine import CardiacEngine
from engines.cardiac.parameters import CardiacParameters
from engines.cardiac.parameters.recording import Recording
from engines.cardiac.tools.cell_restitution import LATE, REPOLARISED
from engines.cardiac.tools.strand import BETWEEN, Strand

LOOK = 0.5
"""Time between two looks at the voltage [ms]: the interval is known to 0.01 ms then, for repolarisation is slow."""
SLOWEST = 0.2
"""A front slower than this share of S1's velocity is not waited for."""
EXPECTED = 0.3
"""m/s: S1 is waited for as if it were at least this fast, times :data:`SLOWEST`."""


@dataclass(frozen=True)
class Velocities:
    """``interval, velocity: (n,)``: diastolic interval in the middle of the strand [ms] and velocity [m/s], ascending.

    ``coupling: (n,)`` [ms], at the end that is stimulated; ``blocked`` [ms], the longest at which S2 did not come
    through, or left later than S1 by :data:`LATE`, NaN if it always did; ``rested``: S1's velocity [m/s].
    """

    interval: Array
    velocity: Array
    coupling: Array
    blocked: float
    rested: float


def velocities(
    strand: Strand, start: tuple[Array, Array], couplings: Array, backend: Backend, progress: Progress = no_progress
) -> Velocities:
    """``start``: voltage ``(1,)`` and rows ``(rows,)`` of a cell before the last beat of S1, as stored; ``couplings:
    (n,)`` [ms] ascending. Raises ProblemError (the step is not stable, S1 does not come through)."""
    simulation = CardiacEngine().build(_problem(strand), backend, lambda *_: progress("Building a strand", 0.0))
    try:
        return _Measurement(simulation, strand).velocities(start, couplings, progress)
    finally:
        simulation.close()


def _problem(strand: Strand) -> Problem:
    parameters = strand.problem.parameters
    assert isinstance(parameters, CardiacParameters)
    recording = Recording(maps=False, ecg="off")
    return replace(strand.problem, parameters=parameters.model_copy(update={"recording": recording}))


class _Measurement:
    """A strand whose only pulse begins at step 0: a state that is put there gets it anew."""

    def __init__(self, simulation: Simulation, strand: Strand) -> None:
        self.simulation = simulation
        mesh = strand.mesh
        self.length = float(mesh.bounds[1][0])
        self.x = mesh.centroids[:, 0]
        self.looked_at = (self.x > BETWEEN[0] * self.length) & (self.x < BETWEEN[1] * self.length)
        middle = mesh.nearest(np.mean(mesh.bounds, axis=0))
        self.middle = simulation.select(Selection(middle.astype(np.int32)))
        self.steps = max(1, round(LOOK / simulation.dt))

    def velocities(self, start: tuple[Array, Array], couplings: Array, progress: Progress) -> Velocities:
        simulation = self.simulation
        begun = dict(simulation.state())
        begun["voltage"] = np.full_like(begun["voltage"], start[0][0])
        begun["cells"] = np.repeat(start[1][:, None], begun["cells"].shape[1], axis=1).astype(begun["cells"].dtype)
        rested, arrived = self._sent(begun, math.inf)
        if rested <= 0:
            raise ProblemError("S1 does not come through a strand of this tissue: look at its conductivities.")
        prompt = arrived - 0.5 * self.length / rested + LATE
        before, repolarised = self._waited(begun, couplings, progress)
        found, blocked = list[tuple[float, float, float]](), math.nan
        for k in reversed(range(len(couplings))):
            progress(f"S2 after {couplings[k]:.0f} ms in a strand", 0.5 + 0.5 * (1.0 - (k + 1) / len(couplings)))
            velocity, arrived = self._sent(before[k], rested)
            if velocity <= 0 or arrived - 0.5 * self.length / velocity > prompt:
                blocked = float(couplings[k])
                break
            found.append((couplings[k] + arrived - repolarised, velocity, couplings[k]))
        columns = np.array(found[::-1]).reshape(-1, 3).T
        return Velocities(columns[0], columns[1], columns[2], blocked, rested)

    def _sent(self, state: dict[str, Array], rested: float) -> tuple[float, float]:
        """Velocity [m/s] of a pulse into ``state`` and when it is in the middle [ms]; zeros where it does not come
        through. ``rested`` [m/s] says how long to wait."""
        simulation = self.simulation
        simulation.restore(_fresh(state))
        longest = self.length / (SLOWEST * min(rested, EXPECTED)) + 10.0
        while simulation.time < longest:
            simulation.advance(self.steps)
            activation = simulation.field("activation")[self.looked_at]
            if (activation != np.float32(NOT_ACTIVATED)).all():
                slowness, at_origin = np.polyfit(self.x[self.looked_at], activation.astype(float), 1)
                velocity = float(1.0 / slowness) if slowness > 0 else 0.0
                return velocity, float(at_origin + slowness * 0.5 * self.length)
        return 0.0, 0.0

    def _waited(
        self, state: dict[str, Array], couplings: Array, progress: Progress
    ) -> tuple[list[dict[str, Array]], float]:
        """The strand's states at each of ``couplings`` after S1, and when its middle is repolarised [ms]."""
        simulation = self.simulation
        simulation.restore(_fresh(state))
        states: list[dict[str, Array]] = []
        times, voltage = [0.0], [self._voltage()]
        for coupling in couplings:
            progress("S1 in a strand", 0.5 * simulation.time / float(couplings[-1]))
            goal = round(coupling / simulation.dt)
            while simulation.step < goal:
                simulation.advance(min(self.steps, goal - simulation.step))
                times.append(simulation.time)
                voltage.append(self._voltage())
            states.append(dict(simulation.state()))
        top = int(np.argmax(voltage))
        level = voltage[top] - REPOLARISED * (voltage[top] - voltage[0])
        below = np.flatnonzero(np.array(voltage[top:]) < level)
        if not len(below):
            raise ProblemError("S1 does not end in a strand within the longest interval: make that one longer.")
        k = top + int(below[0])
        share = (level - voltage[k - 1]) / (voltage[k] - voltage[k - 1])
        return states, times[k - 1] + share * (times[k] - times[k - 1])

    def _voltage(self) -> float:
        return float(self.simulation.gather("voltage", self.middle)[0])


def _fresh(state: dict[str, Array]) -> dict[str, Array]:
    """The same cells at time 0, none of them activated yet."""
    return state | {"step": np.array(0), "activation": np.full_like(state["activation"], NOT_ACTIVATED)}
