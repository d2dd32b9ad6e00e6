"""A heart on a device: its steps, what watchers read from it, and what may change while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from engines.api import Array, Dab, Finding, FrontInfo, KernelTiming, Markers, NonFinite, Problem, Selection, Simulation
from engines.api.abilities import Underneath
from engines.api.charts import ChartData, Inspection
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.tools import ToolResult
from engines.backend.fields.beyond import wrong_in
from engines.cardiac.cells.tissue import Tissue
from engines.cardiac.step.brushes import Brushes
from engines.cardiac.step.fields import FIELDS, FRONT_MILLISECONDS
from engines.cardiac.step.limits import check_step
from engines.cardiac.step.stepping import Stepper
from engines.cardiac.tissue.kept_scar import TITLE, kept_scar
from engines.cardiac.tissue.places import Places
from engines.cardiac.watch.conduction import between
from engines.cardiac.watch.maps import ACTIVATION, LATEST_ACTIVATION
from engines.cardiac.watch.watcher import Snapshot, TissueWatcher
from engines.cardiac.watch.watchers import sample_steps
from engines.geometry.meshes.mesh import TetMesh
from engines.watching import Watchers


class CardiacSimulation(Simulation):
    """The monodomain equation on tetrahedra.

    ``places``: what stands where on the device; ``diffusion_substeps``: the parts that diffusion takes a step
    in, to which its stable step applies; ``working_step`` [ms]: what to try where this one fails.
    """

    keeps = TITLE

    def __init__(
        self,
        backend: Backend,
        mesh: TetMesh,
        places: Places,
        stepper: Stepper,
        tissue: Tissue,
        diffusion_substeps: int,
        brushes: Brushes,
        watchers: Watchers[TissueWatcher],
        working_step: float,
    ) -> None:
        self.geometry = mesh
        self.dt = stepper.dt
        self.step = 0
        self.sample_steps = sample_steps(self.dt)
        self._watchers = watchers
        own = tuple(info for info in FIELDS if info.name != "calcium" or tissue.calcium_row is not None)
        self.fields = own + watchers.fields + brushes.fields
        self.brushes = brushes.infos
        # Of every beat where one is recorded, else of the first.
        latest = next((info.name for info in watchers.fields if info.name == LATEST_ACTIVATION), ACTIVATION)
        self.front = FrontInfo(latest, FRONT_MILLISECONDS, "voltage", tissue.threshold)
        self.series, self.charts = watchers.series, watchers.charts
        self._marking = next((watcher for watcher in watchers if watcher.marked is not None), None)
        self.marked = None if self._marking is None else self._marking.marked
        self.traffic = stepper.traffic
        self._infos = {info.name: info for info in self.fields}
        self._backend, self._stepper, self._tissue, self._touched = backend, stepper, tissue, brushes
        self._places, self._n_sites = places, len(places)
        self._diffusion_substeps, self._working_step = diffusion_substeps, working_step
        self._look()

    @property
    def _stable_step(self) -> float:
        """[ms], of diffusion at a conductivity scale of 1 as the tissue is painted now."""
        return self._touched.stable_step * self._diffusion_substeps

    def advance(self, steps: int) -> None:
        end = self.step + steps
        while self.step < end:
            goal = self._watchers.next_look(self.step, end)
            self._stepper.advance(self.step, goal - self.step)
            self.step = goal
            self._look()

    def _look(self) -> None:
        """Let the watchers see the voltage whose turn it is; all of them see the one at the start."""
        looking = self._watchers.due(self.step)
        if looking:
            with self._backend.active():
                for watcher in looking:
                    watcher.look(self._moment())

    def _moment(self) -> Snapshot:
        return Snapshot(self.time, self._stepper.voltage, self._stepper.conductivity_scale)

    def _look_now(self, *watchers: TissueWatcher) -> None:
        """What is told of these is of now, also between two looks, and no later look is another for it."""
        self._look_between(watcher for watcher in watchers if self.step % watcher.every)

    def _look_between(self, watchers: Iterable[TissueWatcher]) -> None:
        with self._backend.active():
            for watcher in watchers:
                watcher.look_between(self._moment())

    def synchronize(self) -> None:
        self._backend.synchronize()

    def select(self, selection: Selection) -> Any:
        return self._places.select(selection)

    def gather(self, name: str, handle: Any) -> Array:
        return self.gather_later(name, handle)()

    def gather_later(self, name: str, handle: Any) -> Callable[[], Array]:
        values = self._touched.veiled(name, self._values(name))
        return self._places.gather_later(self._infos[name], values, handle)

    def field(self, name: str) -> Array:
        return self._places.whole(self._infos[name], self._values(name))

    def on_device(self, name: str) -> Any | None:
        return self._places.on_device(self._values(name))

    def set_control(self, name: str, value: Any) -> None:
        if name != "conductivity_scale":
            raise ProblemError(f"'{name}' cannot change during a run: reset, change it, and run again.")
        check_step(self.dt, self._stable_step / value, self._touched.painted_limit)
        self._stepper.set_conductivity_scale(float(value))

    def paint(self, dab: Dab) -> str | None:
        return self._touched.paint(dab, self.step)

    def underneath(self, dab: Dab, first: bool) -> Underneath | None:
        return self._touched.underneath(dab, first, self.step)

    def put_back(self, under: Underneath) -> None:
        self._touched.put_back(under)

    def kept(self, problem: Problem) -> ToolResult | None:
        return kept_scar(problem, self.geometry, self._touched.left())

    def measure(self, first: int, second: int) -> Inspection:
        return between(self, first, second)

    def observe(self) -> Mapping[str, float]:
        return self.observe_later()()

    def observe_later(self) -> Callable[[], Mapping[str, float]]:
        self._look_now(*self._watchers)
        return self._watchers.observe_later()

    def noticed(self) -> Sequence[Finding]:
        return self._watchers.noticed()

    def markers(self) -> Markers | None:
        if self._marking is None:
            return None
        self._look_now(self._marking)
        return self._marking.markers()

    def chart(self, name: str) -> ChartData:
        return self._watchers.chart(name)

    def state(self) -> dict[str, Array]:
        to_host = self._backend.to_host
        state = {
            "step": np.array(self.step),
            **{name: to_host(values) for name, values in self._of_cells().items()},
            **self._stepper.state(),
        }
        state.update(self._touched.state(self.step))
        for watcher in self._watchers:
            state.update(watcher.state())
        return state

    def _of_cells(self) -> dict[str, Any]:
        """What is kept of each cell, on the device, without the padding behind the cells."""
        n = self._n_sites
        return {
            "voltage": self._stepper.voltage[:n],
            "cells": self._tissue.states[:, :n],
        }

    def restore(self, state: Mapping[str, Array]) -> None:
        self._touched.restore(state)  # first, for it may refuse
        self.step, self.beyond = int(state["step"]), None
        with self._backend.active():
            for name, target in self._of_cells().items():
                target[:] = self._backend.array(np.ascontiguousarray(state[name][..., : self._n_sites]))
            self._stepper.restore(state)
            for watcher in self._watchers:
                watcher.restore(state)
        self._look_between(self._watchers)

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        self._stepper.look()
        self.traffic = self._stepper.traffic
        return self._backend.drain_timings()

    def non_finite(self) -> NonFinite | None:
        voltage = self._stepper.voltage[: self._n_sites]
        advice = f"use a time step of {self._working_step:g} ms, or look at that cell's shape and region."
        return wrong_in(self, self._backend, "The voltage", voltage, advice, element=self._places.cell)

    def close(self) -> None:
        del self._stepper, self._tissue, self._touched, self._watchers, self._marking

    def _values(self, name: str) -> Any:
        if name == "voltage":
            return self._stepper.voltage
        if name == "calcium":
            return self._tissue.states[self._tissue.calcium_row]
        if name in {info.name for info in self._touched.fields}:
            return self._touched.values(name)
        watcher = self._watchers.of_field(name)
        if watcher is None:
            raise KeyError(name)
        self._look_now(watcher)
        return watcher.values(name)
