"""A wave that crosses a slab: an engine with a known answer, and a device that it runs on."""

from __future__ import annotations

import time as clock
from contextlib import contextmanager

import numpy as np

from engines.api import (
    Engine,
    Estimate,
    FieldInfo,
    Finding,
    FrontInfo,
    KernelTiming,
    KernelTraffic,
    PaintInfo,
    SeriesInfo,
    Simulation,
)
from engines.api.charts import Fact, Inspection
from engines.api.device import Backend, Ceilings, DeviceInfo
from engines.api.errors import ProblemError
from engines.cardiac.parameters import CardiacParameters, RegionSetting, Stimulus
from engines.geometry.meshes.mesh import TetMesh

STABLE_STEP = 0.1
SPEED = 0.5  # mm/ms
BRUSHES = (
    PaintInfo("touch", "Touch", "mA", 5.0, 0.1, stroke=False, erasable=False, amount_title="Current"),
    PaintInfo("scar", "Scar", "1", 0.0, 0.05, bounds=(0.0, 1.0), hint="It turns grey."),
)


def slab(shape: tuple[int, int, int] = (20, 8, 4), spacing: float = 1.0) -> TetMesh:
    """A box of cubes, six tetrahedra each (Kuhn), two regions halved along x."""
    nx, ny, nz = shape
    grid = np.stack(np.meshgrid(*(np.arange(n + 1) for n in shape), indexing="ij"), -1).reshape(-1, 3)
    points = grid * spacing
    base = np.stack(np.meshgrid(*(np.arange(n) for n in shape), indexing="ij"), -1).reshape(-1, 3)
    strides = np.array([(ny + 1) * (nz + 1), nz + 1, 1])
    cells = []
    for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)):
        corner = [base @ strides]
        for axis in order:
            corner.append(corner[-1] + strides[axis])
        tets = np.stack(corner, 1)
        even = order in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        cells.append(tets if even else tets[:, [0, 1, 3, 2]])
    cells = np.concatenate(cells).astype(np.int32)
    regions = (points[cells].mean(1)[:, 0] > nx * spacing / 2).astype(np.int32)
    return TetMesh(points.astype(float), cells, regions, {0: "left", 1: "right"})


class FakeBackend(Backend):
    """A device whose ceiling is 10 GB/s."""

    id = "cpu"

    @property
    def info(self):
        return DeviceInfo("A device for tests", "cpu", 2**30, 1, "", {})

    def ceilings(self):
        return Ceilings(copy=10e9, triad=11e9)

    def array(self, host):
        return np.array(host)

    def empty(self, shape, dtype):
        return np.empty(shape, dtype)

    def to_host(self, device):
        return device

    def select(self, selection):
        return selection

    def gather(self, values, handle, missing=None):
        taken = values[handle.elements].astype(np.float32)
        if handle.offsets is None:
            return taken
        counts = np.diff(handle.offsets)
        return (np.add.reduceat(taken, handle.offsets[:-1]) / counts).astype(np.float32)

    def first_non_finite(self, values):
        return None

    def synchronize(self):
        pass

    @contextmanager
    def active(self):
        yield

    @contextmanager
    def timed(self, kernel, launches=1):
        yield

    def drain_timings(self):
        return ()

    def close(self):
        pass


class Stepped(Simulation):
    """Has its step alone for a state."""

    def advance(self, steps):
        self.step += steps

    def synchronize(self):
        pass

    def select(self, selection):
        return selection

    def set_control(self, name, value):
        pass

    def state(self):
        return {"step": np.array(self.step)}

    def restore(self, state):
        self.step = int(state["step"])

    def non_finite(self):
        return None

    def close(self):
        pass


class Wave(Stepped):
    """A plane wave along x: V(x, t) is a spike that passes x at t = x / SPEED."""

    def __init__(self, geometry, dt, backend):
        self.geometry = geometry
        self.dt = dt
        self.step = 0
        self.fields = (
            FieldInfo("voltage", "Transmembrane voltage", "mV", "cell", (-85.0, 40.0), "voltage"),
            FieldInfo("activation", "Activation time", "ms", "cell", (0.0, 40.0), summary=True, missing=-1.0),
        )
        self.series = (SeriesInfo("mean", "Mean voltage", "mV"),)
        n = geometry.n_cells
        self.traffic = (
            KernelTraffic("reaction", 80 * n, 80 * n, 400 * n),
            KernelTraffic("diffusion", 100 * n, 8 * n, 40 * n),
        )
        self.front = FrontInfo("activation", 3.0)
        self.sample_steps = 5
        self.controls = []
        self.brushes = BRUSHES
        self.dabs = []
        self._backend = backend
        self._arrival = geometry.centroids[:, 0] / SPEED
        self._launches = 0

    def _values(self, name):
        if name == "activation":
            return np.where(self._arrival <= self.time, self._arrival, -1.0)
        late = self.time - self._arrival
        return np.where(
            late < 0,
            -85.0,
            35.0 * np.exp(-np.maximum(late, 0) / 60.0) - 85.0 * (1 - np.exp(-np.maximum(late, 0) / 60.0)),
        )

    def advance(self, steps):
        clock.sleep(2e-5 * steps)
        self.step += steps
        self._launches += steps

    def select(self, selection):
        return self._backend.select(selection)

    def gather(self, name, handle):
        return self._backend.gather(self._values(name), handle)

    def field(self, name):
        return self._values(name)

    def observe(self):
        return {"mean": float(self._values("voltage").mean())}

    def paint(self, dab):
        self.dabs.append(dab)
        return f"Touched at {dab.position[0]:.1f} mm." if dab.brush == "touch" else None

    def measure(self, first, second):
        way = float(np.linalg.norm(np.diff(self.geometry.centroids[[first, second]], axis=0)))
        return Inspection("Between two points", (Fact("Distance", way, "mm"), Fact("Time", self.time, "ms")))

    def set_control(self, name, value):
        self.controls.append((name, value))

    def drain_timings(self):
        launches, self._launches = self._launches, 0
        return tuple(KernelTiming(t.kernel, launches, launches * 1e-5) for t in self.traffic) if launches else ()


class WaveEngine(Engine):
    """Takes the real cardiac parameters; refuses a step above STABLE_STEP."""

    id = "wave"
    title = "Plane wave"
    summary = "A spike that crosses a slab"
    time_unit = "ms"
    Parameters = CardiacParameters
    geometry_type = TetMesh

    def default_parameters(self, geometry):
        names = [RegionSetting(region=name) for name in geometry.region_names.values()]
        return CardiacParameters(regions=names, stimuli=[Stimulus()])

    def estimate(self, problem, backend):
        step = problem.parameters.numerics.step
        return Estimate(
            2 * 10**6,
            268 * problem.geometry.n_cells,
            step,
            STABLE_STEP,
            2e-5 / step,
            ("beat", 1000.0),
            (Finding("Three cells are flat.", "warning"),),
        )

    def build(self, problem, backend, progress=lambda *_: None):
        progress("Computing face weights", 0.5)
        step = problem.parameters.numerics.step
        if step > STABLE_STEP:
            raise ProblemError(f"The step {step:g} ms is above the stable {STABLE_STEP:g} ms: set it to that or less.")
        return Wave(problem.geometry, step, backend)
