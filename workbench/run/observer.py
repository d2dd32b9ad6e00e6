"""What somebody on the worker thread may ask of a run: to see the simulation at certain steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engines.api import Simulation, SimulationInfo
from engines.api.errors import WorkbenchError
from workbench.run.frames import RunState, Sample


class Observer:
    """Base of recorders and picture takers; all methods are called on the worker thread.

    What an observer raises ends the run (a full disk), so what may be missed must be caught inside.
    """

    wants_profiles = False
    """Whether samples are to hold fields of many components at the probes too (the shells of a particle)."""

    def check(self, simulation: Simulation) -> None:
        """Look at a simulation that was just built, before anything begins or is written.

        Raises ProblemError where it has not what is asked for.
        """

    def begin(self, simulation: Simulation, info: SimulationInfo) -> None:
        """The simulation is built. ``info`` says on which device, and what its memory can deliver."""

    def next_step(self, after: int) -> int | None:
        """The first step greater than ``after`` at which :meth:`observe` must be called; None for never."""
        return None

    def observe(self, simulation: Simulation) -> None:
        """The simulation stands at the step that was asked for. Called at most once at a step."""

    def sampled(self, sample: Sample) -> None:
        """Called after each batch."""

    def changed(self, name: str, value: Any) -> None:
        """A live parameter, "numerics.step", has this value from now on."""

    def followed(self, probes: Sequence[tuple[str, int]]) -> None:
        """These (label, element) are followed from now on: told as the run begins, too."""

    def restarted(self, simulation: Simulation) -> None:
        """The run went back to its initial state."""

    def rewound(self, simulation: Simulation) -> None:
        """The run went back to a state on its way (or forth again); it may go on from there as another branch."""

    def finish(self, simulation: Simulation, state: RunState, error: WorkbenchError | None) -> None:
        """The run ended: FINISHED (reached ``until``), CLOSED (before that) or FAILED (``error`` says why).

        Called once, if :meth:`begin` was. After a failure the simulation may be unusable.
        """


class Audience:
    """The observers of one run, told what happens. A class of the worker thread."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = list(observers)
        self._begun: list[Observer] = []
        self._shown_step: int | None = None

    @property
    def wants_profiles(self) -> bool:
        return any(observer.wants_profiles for observer in self._observers)

    def check(self, simulation: Simulation) -> None:
        for observer in self._observers:
            observer.check(simulation)

    def begin(self, simulation: Simulation, info: SimulationInfo) -> None:
        for observer in self._observers:
            self._begun.append(observer)
            observer.begin(simulation, info)

    def wishes(self, step: int) -> list[int]:
        """The next steps after ``step`` that somebody wants to see."""
        asked = [observer.next_step(step) for observer in self._observers]
        return [wish for wish in asked if wish is not None and wish > step]

    def show(self, simulation: Simulation) -> None:
        """Call those who wanted to see this step, once."""
        if self._shown_step == simulation.step:
            return
        self._shown_step = simulation.step
        for observer in self._observers:
            if observer.next_step(simulation.step - 1) == simulation.step:
                observer.observe(simulation)

    def sampled(self, sample: Sample) -> None:
        for observer in self._observers:
            observer.sampled(sample)

    def changed(self, name: str, value: Any) -> None:
        for observer in self._observers:
            observer.changed(name, value)

    def followed(self, probes: Sequence[tuple[str, int]]) -> None:
        for observer in self._observers:
            observer.followed(probes)

    def restarted(self, simulation: Simulation) -> None:
        self._shown_step = None
        for observer in self._observers:
            observer.restarted(simulation)

    def rewound(self, simulation: Simulation) -> None:
        self._shown_step = None
        for observer in self._observers:
            observer.rewound(simulation)

    def dismiss(self, finish: Callable[[Observer], None]) -> None:
        """Have ``finish`` end each observer that began."""
        begun, self._begun = self._begun, []
        for observer in begun:
            finish(observer)
