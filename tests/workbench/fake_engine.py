"""A small engine for the tests: a plane wave that runs along x through a block of tetrahedra.

Its method is as simple as can be checked by hand: at step n the drive of a cell is 1 once ``speed · t`` has passed
its centroid, and the voltage follows ``v += dt (v_peak·drive − v)/tau`` from −80 mV. ``trouble`` makes it misbehave.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Literal

import numpy as np

from engines.api import (
    Engine,
    Estimate,
    FieldInfo,
    FrontInfo,
    KernelTiming,
    KernelTraffic,
    NonFinite,
    Problem,
    Selection,
    SeriesInfo,
    Simulation,
    no_progress,
)
from engines.api.device import Backend, Ceilings, DeviceInfo
from engines.api.errors import DeviceError, ProblemError
from engines.api.parameters import ParameterGroup, quantity
from engines.geometry.meshes.mesh import TetMesh

CORNERS = np.array([[0, 1, 3, 7], [0, 1, 7, 5], [0, 5, 7, 4], [0, 3, 2, 7], [0, 4, 7, 6], [0, 2, 6, 7]])
REST, PEAK = -80.0, 20.0


def block(nx: int = 6, ny: int = 3, nz: int = 2, spacing: float = 1.0) -> TetMesh:
    """A box of nx × ny × nz cubes of ``spacing`` mm, six tetrahedra each."""
    grid = np.stack(np.meshgrid(*(np.arange(n + 1) for n in (nx, ny, nz)), indexing="ij"), -1)
    points = grid.reshape(-1, 3) * spacing
    number = np.arange(len(points)).reshape(nx + 1, ny + 1, nz + 1)
    corner = [number[i : nx + i, j : ny + j, k : nz + k].ravel() for k in (0, 1) for j in (0, 1) for i in (0, 1)]
    cells = np.stack(corner, 1)[:, CORNERS].reshape(-1, 4)
    a, b, c, d = (points[cells[:, k]] for k in range(4))
    inverted = np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a)) < 0
    cells[inverted] = cells[inverted][:, [0, 1, 3, 2]]
    return TetMesh(points.astype(float), cells.astype(np.int32), np.zeros(len(cells), np.int32), {0: "tissue"})


class WaveParameters(ParameterGroup):
    """Parameters of the wave."""

    step: float = quantity(0.02, "ms", "Time step", gt=0, le=1)
    speed: float = quantity(1.0, "mm/ms", "Speed of the wave", gt=0)
    tau: float = quantity(0.5, "ms", "Time constant", gt=0)
    end: float | None = quantity(None, "ms", "Time at which the wave comes to an end of its own", gt=0)
    cannot_begin: bool = quantity(False, "", "The first step finds that the wave is at its end")
    delay: float = quantity(0.0, "s", "Wall time that a step takes", ge=0)
    build_seconds: float = quantity(0.0, "s", "Wall time that building takes", ge=0)
    trouble: Literal["", "nan", "device", "surprise", "build", "mute build"] = quantity("", "", "What goes wrong")
    trouble_step: int = quantity(50, "1", "The step at which it does", ge=0)


class FakeBackend(Backend):
    """NumPy, and a memory of whether it was closed."""

    id = "cpu"

    def __init__(self) -> None:
        self.closed = False

    @property
    def info(self) -> DeviceInfo:
        return DeviceInfo("NumPy on paper", "cpu", 2**30, 1, "none", {"numpy": np.__version__})

    def ceilings(self) -> Ceilings:
        return Ceilings(1e10, 1.2e10)

    def array(self, host: Any) -> Any:
        return np.array(host)

    def empty(self, shape: Any, dtype: Any) -> Any:
        return np.empty(shape, dtype)

    def to_host(self, device: Any) -> Any:
        return np.array(device)

    def select(self, selection: Selection) -> Any:
        return selection

    def gather(self, values: Any, handle: Any, missing: float | None = None) -> Any:
        picked = values[handle.elements]
        if handle.offsets is not None:
            counts = np.diff(handle.offsets)
            picked = np.add.reduceat(picked, handle.offsets[:-1]) / counts
        return picked.astype(np.float32)

    def first_non_finite(self, values: Any) -> int | None:
        bad = ~np.isfinite(values)
        return int(bad.argmax()) if bad.any() else None

    def synchronize(self) -> None: ...

    def timed(self, kernel: str, launches: int = 1) -> Any:
        return nullcontext()

    def active(self) -> Any:
        return nullcontext()

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        return ()

    def close(self) -> None:
        self.closed = True


class WaveSimulation(Simulation):
    """See the module."""

    def __init__(self, problem: Problem, backend: Backend) -> None:
        self.parameters = problem.parameters
        self.geometry, self.backend = problem.geometry, backend
        self.dt, self.step, self.sample_steps = problem.parameters.step, 0, 5
        self.fields = (
            FieldInfo("voltage", "Transmembrane voltage", "mV", "cell", (REST, PEAK)),
            FieldInfo("activation_time", "Activation time", "ms", "cell", (0, 60), summary=True, missing=-1.0),
        )
        self.series = (SeriesInfo("mean_voltage", "Mean voltage", "mV"),)
        n = self.geometry.n_cells
        self.traffic = (KernelTraffic("follow", 8 * n, 4 * n, 3 * n),)
        self.front = FrontInfo("activation_time", 2.0)
        self.closed = self._tried = False
        self._launches, self._seconds = 0, 0.0
        self._x = self.geometry.centroids[:, 0]
        self._values = {"voltage": np.full(n, REST), "activation_time": np.full(n, -1.0)}

    def advance(self, steps: int) -> None:
        p = self.parameters
        started = time.perf_counter()
        self._tried = True
        if p.cannot_begin:
            return
        v, activation = self._values["voltage"], self._values["activation_time"]
        for _ in range(steps):
            if p.delay:
                time.sleep(p.delay)
            reached = self._x <= p.speed * self.time
            before = v.copy()
            v += self.dt / p.tau * (np.where(reached, PEAK, REST) - v)
            self.step += 1
            activation[(before < 0) & (v >= 0) & (activation < 0)] = self.time
            if self.step == p.trouble_step:
                self._misbehave(p.trouble, v)
        self._launches += steps
        self._seconds += time.perf_counter() - started

    def _misbehave(self, trouble: str, v: Any) -> None:
        if trouble == "nan":
            v[7] = np.nan
        elif trouble == "device":
            raise DeviceError("The device went away: restart the driver and resume from the checkpoint.")
        elif trouble == "surprise":
            raise ZeroDivisionError("nobody thought of this")

    def synchronize(self) -> None: ...

    @property
    def finished(self) -> bool:
        end = self.parameters.end
        if self.parameters.cannot_begin:
            return self._tried
        return end is not None and self.time >= end - self.dt / 2

    @property
    def ending(self) -> str:
        return "The wave is through." if self.finished else ""

    def select(self, selection: Selection) -> Any:
        return self.backend.select(selection)

    def gather(self, name: str, handle: Any) -> Any:
        return self.backend.gather(self._values[name], handle)

    def field(self, name: str) -> Any:
        return self._values[name].astype(np.float32)

    def observe(self) -> Mapping[str, float]:
        return {"mean_voltage": float(self._values["voltage"].mean())}

    def set_control(self, name: str, value: Any) -> None:
        if name not in type(self.parameters).model_fields:
            raise ProblemError(f"There is no control '{name}'.")
        self.parameters = self.parameters.model_copy(update={name: value})

    def state(self) -> dict[str, Any]:
        return {name: values.copy() for name, values in self._values.items()} | {"step": np.array(self.step)}

    def restore(self, state: Mapping[str, Any]) -> None:
        for name, values in self._values.items():
            values[:] = state[name]
        self.step = int(state["step"])

    def drain_timings(self) -> tuple[KernelTiming, ...]:
        timing = KernelTiming("follow", self._launches, self._seconds)
        self._launches, self._seconds = 0, 0.0
        return (timing,) if timing.launches else ()

    def non_finite(self) -> NonFinite | None:
        bad = self.backend.first_non_finite(self._values["voltage"])
        return None if bad is None else NonFinite("voltage", bad, "use a smaller step")

    def close(self) -> None:
        self.closed = True


class WaveEngine(Engine):
    id = "wave"
    title = "Wave"
    summary = "A plane wave along x"
    time_unit = "ms"
    Parameters = WaveParameters
    geometry_type = TetMesh

    def default_parameters(self, geometry: Any) -> WaveParameters:
        return WaveParameters()

    def ends(self, problem: Problem) -> bool:
        return problem.parameters.end is not None

    def estimate(self, problem: Problem, backend: Backend) -> Estimate:
        n = problem.geometry.n_cells
        return Estimate(16 * n, 12 * n, problem.parameters.step, None, None)

    def build(self, problem: Problem, backend: Backend, progress: Any = no_progress) -> WaveSimulation:
        p = problem.parameters
        if p.trouble == "build":
            raise ProblemError("The wave cannot be built: choose another trouble.")
        parts = 1 if p.trouble == "mute build" else 20
        for part in range(parts):
            time.sleep(p.build_seconds / parts)
            if p.trouble != "mute build":
                progress("Computing face weights", part / parts)
        return WaveSimulation(problem, backend)
