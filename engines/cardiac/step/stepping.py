"""Steps of a tissue: Godunov splitting of diffusion and cell reaction (thesis, algorithm 1)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from engines.api import Array, KernelTraffic
from engines.api.device import Backend
from engines.backend.twins import pick
from engines.cardiac.cells.tissue import Tissue
from engines.cardiac.diffusion.forward_euler import Diffusion
from engines.cardiac.multirate.groups import Groups
from engines.cardiac.step.graphs import StepGraphs, StepTimes
from engines.cardiac.stimulus.protocol import Protocol

TIMED_SECONDS = 0.05
"""Steps are timed by kernel this often [s]: those of a small mesh would wait for the launches of it."""


class Stepper:
    """Each step diffuses the voltage from one array into the other, then cells react in place there.

    ``voltage: (n_padded + ghosts,)`` [mV] on the device is the one of the moment; it changes its place with every step.
    diffusion_substeps, reaction_substeps: how many parts of equal length diffusion and reaction make of a step.
    groups: those that are due react, if given; else all cells.
    """

    def __init__(
        self,
        backend: Backend,
        diffusion: Diffusion,
        tissue: Tissue,
        protocol: Protocol,
        dt: float,
        diffusion_substeps: int = 1,
        reaction_substeps: int = 1,
        groups: Groups | None = None,
    ) -> None:
        self.dt = dt

        def new_voltage() -> Any:
            at_rest = tissue.new_voltage()
            if diffusion.ghosts == 0:
                return at_rest
            with backend.active():
                longer = backend.array(np.zeros(len(at_rest) + diffusion.ghosts, tissue.dtype))
                longer[: len(at_rest)] = at_rest
            return longer

        self.voltage, self._next = new_voltage(), new_voltage()
        # Diffusion in parts needs a third array: the voltage at the start of the step tells when a cell is activated.
        self._between = new_voltage() if diffusion_substeps > 1 else None
        self._backend, self._diffusion, self._tissue, self._protocol = backend, diffusion, tissue, protocol
        self._diffusion_substeps, self._reaction_substeps, self._groups = diffusion_substeps, reaction_substeps, groups
        self._graphs: StepGraphs | None = None
        if diffusion.alone and pick(backend, cpu=False, cuda=True):
            period = 1 if groups is None else groups.slow_steps
            self._graphs = StepGraphs(backend, tissue.dtype, dt, reaction_substeps, period)  # type: ignore[arg-type]  # a GPU's
        self._loaded, self._timed_at = False, -math.inf
        self.set_conductivity_scale(1.0)

    @property
    def traffic(self) -> tuple[KernelTraffic, ...]:
        reaction = times(self._tissue.traffic, self._reaction_substeps)
        if self._groups is not None:
            reaction = self._groups.traffic(reaction)
        return times(self._diffusion.traffic, self._diffusion_substeps), reaction

    def set_conductivity_scale(self, scale: float) -> None:
        """Factor on all conductivities from the next step on."""
        self.conductivity_scale = scale
        self._diffusion.dt = scale * self.dt / self._diffusion_substeps

    def advance(self, step: int, steps: int) -> None:
        """Take ``steps`` steps (at least one), the first from time ``step * dt``."""
        now = time.perf_counter()
        timed = self._graphs is None or steps == 1 or now - self._timed_at >= TIMED_SECONDS
        end = step + steps - timed
        with self._backend.active():
            while step < end:
                step += self._take_some(step, end - step)
        if timed:
            # The last step of a call stands for the others: by then a GPU has work queued, so that the time of
            # launching does not stand between the kernel's two events.
            self._take(step, self._protocol.currents(step), self._backend.timed)
            self._loaded, self._timed_at = True, now

    def look(self) -> None:
        """See how many cells react now, for ``traffic``; waits for the device."""
        if self._groups is not None:
            self._groups.share = self._groups.due_now() / self._groups.n_groups

    def state(self) -> dict[str, Array]:
        """What a step depends on besides the voltage and the tissue."""
        scale = {"conductivity_scale": np.array(self.conductivity_scale)}
        return scale if self._groups is None else {**scale, **self._groups.state()}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Take a state back, inside ``backend.active``; one of before states knew their scale leaves it as it is."""
        self.set_conductivity_scale(float(state.get("conductivity_scale", self.conductivity_scale)))
        if self._groups is not None:
            self._groups.restore(state)

    def _take_some(self, step: int, most: int) -> int:
        """Take a graph of steps, or one; returns how many, ``most`` at most."""
        currents = self._protocol.currents(step)
        # The very first step is launched by itself, so that every kernel is loaded before it is captured.
        if self._graphs is not None and self._loaded:
            size = self._graphs.size(min(most, self._protocol.steady(step)))
            if size > 1:
                self._launch_graph(self._graphs, step, size, currents)
                return size
        self._take(step, currents, _untimed)
        self._loaded = True
        return 1

    def _launch_graph(self, graphs: StepGraphs, step: int, size: int, currents: Array | None) -> None:
        self._tissue.set_currents(currents)
        # Where voltages and counts are after it, whether it was captured now or before.
        arrays = (self.voltage, self._next) if size % 2 == 0 else (self._next, self.voltage)
        parity = 0 if self._groups is None else (self._groups.parity + size) % 2
        graphs.launch(
            self._captured_with(currents), step, size, lambda moment: self._take(0, currents, _untimed, moment)
        )
        self.voltage, self._next = arrays
        if self._groups is not None:
            self._groups.parity = parity

    def _captured_with(self, currents: Array | None) -> tuple[object, ...]:
        """All that launches of a step are made with, but for its time."""
        on = () if currents is None else tuple(currents != 0.0)
        tissue, parity = self._tissue, 0 if self._groups is None else self._groups.parity
        arrays = (self.voltage, tissue.states, tissue.activation, tissue.stimulus_mask)
        return *map(_address, arrays), self._diffusion.dt, on, parity

    def _take(
        self,
        step: int,
        currents: Array | None,
        timed: Callable[[str], AbstractContextManager[Any]],
        moment: StepTimes | None = None,
    ) -> None:
        with timed("diffusion"):
            self._diffuse()
        with timed("reaction"):
            self._react(step, currents, moment)
        self.voltage, self._next = self._next, self.voltage

    def _diffuse(self) -> None:
        source = self.voltage
        for left in reversed(range(self._diffusion_substeps)):
            target = self._between if left % 2 else self._next  # the last one ends in ``_next``
            self._diffusion.step(source, target)
            source = target

    def _react(self, step: int, currents: Array | None, moment: StepTimes | None) -> None:
        if self._groups is not None:
            self._groups.plan(self._next, self.voltage, step, currents, moment)
        substeps = self._reaction_substeps
        before = self.voltage
        for part in range(substeps):
            self._tissue.step(
                self._next, before, substeps * step + part, self.dt / substeps, currents,
                moment=None if moment is None else moment.part(part), groups=self._groups,
            )  # fmt: skip
            before = self._next


def times(traffic: KernelTraffic, launches: int) -> KernelTraffic:
    """What so many launches move."""
    return replace(
        traffic,
        bytes_read=launches * traffic.bytes_read,
        bytes_written=launches * traffic.bytes_written,
        flops=launches * traffic.flops,
    )


def _address(array: Any) -> int:
    """CuPy takes microseconds to describe what an array's interface is."""
    pointer = getattr(array.data, "ptr", None)
    return int(array.__array_interface__["data"][0] if pointer is None else pointer)


def _untimed(kernel: str) -> nullcontext[None]:
    return nullcontext()
