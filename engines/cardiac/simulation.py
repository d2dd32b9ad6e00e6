"""A heart on a device: Godunov splitting of diffusion and cell reaction (thesis, algorithm 1).

Each step diffuses the voltage from one array into the other, then lets every cell react in place there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from engines.api import Array, FieldInfo, FrontInfo, KernelTiming, NonFinite, Selection, Simulation
from engines.backend.base import Backend
from engines.cardiac.cells import Tt06Tissue
from engines.cardiac.cells.model import NOT_ACTIVATED
from engines.cardiac.cells.tt06 import ROWS
from engines.cardiac.compiler.tissue import CompiledTissue
from engines.cardiac.diffusion import Diffusion
from engines.cardiac.stimulus import Protocol
from engines.errors import ProblemError
from engines.geometry.mesh import TetMesh

SAMPLE_MILLISECONDS = 0.5
"""Spacing of probe samples: the upstroke of an action potential lasts about 1 ms."""

FRONT_MILLISECONDS = 2.0
"""How long the depolarisation front of a cell is drawn."""

FIELDS: tuple[FieldInfo, ...] = (
    FieldInfo("voltage", "Transmembrane voltage", "mV", "cell", (-90.0, 40.0), "voltage"),
    FieldInfo("calcium", "Intracellular calcium", "mM", "cell", (0.0, 0.001), "inferno"),
    FieldInfo(
        "activation", "Activation time", "ms", "cell", (0.0, 60.0), "viridis", summary=True, missing=NOT_ACTIVATED
    ),
)

_MISSING = {info.name: info.missing for info in FIELDS}


def check_step(step: float, stable_step: float) -> None:
    """Raises ProblemError if the time step [ms] is above the stable one."""
    if step > stable_step:
        limit = rounded_down(stable_step, digits=3)
        raise ProblemError(
            f"The time step of {step:g} ms is above the stable limit of this mesh and tissue: use at most {limit:g} ms."
        )


def rounded_down(value: float, digits: int) -> float:
    """The largest number of so many significant digits that is not above the positive ``value``."""
    places = digits - math.ceil(math.log10(value))
    return math.floor(value * 10.0**places) / 10.0**places


class CardiacSimulation(Simulation):
    """The monodomain equation on tetrahedra.

    ``order: (n_cells,) int32``: cell of the mesh that stands at each place on the device;
    ``stable_step`` [ms]: the largest stable time step at a conductivity scale of 1.
    """

    fields = FIELDS
    front = FrontInfo("activation", FRONT_MILLISECONDS)

    def __init__(
        self,
        backend: Backend,
        mesh: TetMesh,
        order: Array,
        diffusion: Diffusion,
        tissue: Tt06Tissue | CompiledTissue,
        protocol: Protocol,
        dt: float,
        stable_step: float,
    ) -> None:
        self.geometry = mesh
        self.dt = dt
        self.step = 0
        self.sample_steps = max(1, round(SAMPLE_MILLISECONDS / dt))
        self.traffic = (diffusion.traffic, tissue.traffic)
        self._backend = backend
        self._diffusion = diffusion
        self._tissue = tissue
        self._calcium_row = tissue.calcium_row if isinstance(tissue, CompiledTissue) else ROWS.index("Ca_i")
        if self._calcium_row is None:  # a model of few variables
            self.fields = tuple(info for info in FIELDS if info.name != "calcium")
        self._protocol = protocol
        self._order = order
        self._place = np.empty(len(order), np.int32)
        self._place[order] = np.arange(len(order), dtype=np.int32)
        self._stable_step = stable_step
        self._voltage, self._next = tissue.new_voltage(), tissue.new_voltage()

    def advance(self, steps: int) -> None:
        if steps < 1:
            return
        with self._backend.active():
            for _ in range(steps - 1):
                self._take_step(_untimed)
        # The last step of each call is timed and stands for the others: by then a GPU has work queued, so that the
        # time of launching does not stand between the kernel's two events.
        self._take_step(self._backend.timed)

    def _take_step(self, timed: Callable[[str], AbstractContextManager[Any]]) -> None:
        currents = self._protocol.currents(self.step)
        with timed("diffusion"):
            self._diffusion.step(self._voltage, self._next)
        with timed("reaction"):
            self._tissue.step(self._next, self._voltage, self.step, self.dt, currents)
        self._voltage, self._next = self._next, self._voltage
        self.step += 1

    def synchronize(self) -> None:
        self._backend.synchronize()

    def select(self, selection: Selection) -> Any:
        return self._backend.select(Selection(self._place[selection.elements], selection.offsets))

    def gather(self, name: str, handle: Any) -> Array:
        return self._backend.gather(self._values(name), handle, missing=_MISSING[name])

    def field(self, name: str) -> Array:
        ordered = np.empty(len(self._order), np.float32)
        ordered[self._order] = self._backend.to_host(self._values(name))[: len(self._order)]
        return ordered

    def set_control(self, name: str, value: Any) -> None:
        if name != "conductivity_scale":
            raise ProblemError(f"'{name}' cannot change during a run: reset, change it, and run again.")
        check_step(self.dt, self._stable_step / value)
        self._diffusion.dt = float(value) * self.dt

    def state(self) -> dict[str, Array]:
        to_host = self._backend.to_host
        return {
            "step": np.array(self.step),
            "voltage": to_host(self._voltage),
            "cells": to_host(self._tissue.states),
            "activation": to_host(self._tissue.activation),
        }

    def restore(self, state: Mapping[str, Array]) -> None:
        self.step = int(state["step"])
        with self._backend.active():
            for target, name in (
                (self._voltage, "voltage"),
                (self._tissue.states, "cells"),
                (self._tissue.activation, "activation"),
            ):
                target[:] = self._backend.array(state[name])

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return self._backend.drain_timings()

    def non_finite(self) -> NonFinite | None:
        place = self._backend.first_non_finite(self._voltage[: len(self._order)])
        if place is None:
            return None
        return NonFinite(
            "The voltage", int(self._order[place]), "use a smaller time step, or look at that cell's shape."
        )

    def close(self) -> None:
        del self._voltage, self._next, self._tissue, self._diffusion

    def _values(self, name: str) -> Any:
        if name == "voltage":
            return self._voltage
        if name == "calcium":
            return self._tissue.states[self._calcium_row]
        return self._tissue.activation


def _untimed(kernel: str) -> nullcontext[None]:
    return nullcontext()
