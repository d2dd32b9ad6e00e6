"""What somebody on the worker thread may ask of a run: to see the simulation at certain steps."""

from __future__ import annotations

from engines.api import Simulation, SimulationInfo
from engines.errors import WorkbenchError
from workbench.frames import RunState, Sample


class Observer:
    """Base of recorders and picture takers; all methods are called on the worker thread.

    What an observer raises ends the run (a full disk), so what may be missed must be caught inside.
    """

    def begin(self, simulation: Simulation, info: SimulationInfo) -> None:
        """The simulation is built. ``info.extra`` holds ``"device"`` (DeviceInfo) and ``"ceilings"`` (Ceilings)."""

    def next_step(self, after: int) -> int | None:
        """The first step greater than ``after`` at which :meth:`observe` must be called; None for never."""
        return None

    def observe(self, simulation: Simulation) -> None:
        """The simulation stands at the step that was asked for. Called at most once at a step."""

    def sampled(self, sample: Sample) -> None:
        """Called after each batch."""

    def restarted(self, simulation: Simulation) -> None:
        """The run went back to its initial state."""

    def finish(self, simulation: Simulation, state: RunState, error: WorkbenchError | None) -> None:
        """The run ended: FINISHED (reached ``until``), CLOSED (before that) or FAILED (``error`` says why).

        Called once, if :meth:`begin` was. After a failure the simulation may be unusable.
        """
