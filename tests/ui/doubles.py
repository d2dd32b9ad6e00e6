"""Doubles of what stands behind the window: an engine with a known answer, a device, a house."""

from __future__ import annotations

import threading
import time as clock
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

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
    Preset,
    SeriesInfo,
    Simulation,
)
from engines.api.charts import Fact, Inspection
from engines.api.device import Backend, Ceilings, DeviceInfo
from engines.api.errors import MeshError, ProblemError
from engines.cardiac.parameters import CardiacParameters, RegionSetting, Stimulus
from engines.geometry.meshes.mesh import TetMesh
from tests.ui.lab.doubles import FakeLab
from workbench.project.autosave import Recovery
from workbench.project.boundary import NOTHING, OutsideFiles
from workbench.project.document import Document, save_document
from workbench.project.parameter_files import named_files
from workbench.project.project import Project
from workbench.run.runner import Runner
from workbench.storage.overtaken import Overtaken
from workbench.storage.recent import RecentFile
from workbench.sweep.workers import run_sweep

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


class FakeServices(FakeLab):
    """Opens slabs by name; remembers what was asked of it."""

    place = None

    def disconnect(self):
        pass

    def __init__(self, presets=(), engines=()):
        super().__init__()
        self.engine = WaveEngine()
        self._engines = [self.engine, *engines]
        self._presets = list(presets) or [
            Preset("slab", "Slab", "A wave crosses a slab of tissue.", Path("slab")),
            Preset("cube", "Cube", "A wave in a cube.", Path("cube")),
        ]
        self.aside = []
        self.saved, self.autosaved, self.remembered, self.runners = [], [], [], []
        self.left, self.kept, self.forgotten = [], {}, []
        self.pictures = {}
        self.open_threads = []
        self.permissions = []
        self.delay = 0.0

    def presets(self):
        return self._presets

    def left_out(self):
        return ()

    def engines(self):
        return self._engines

    def new(self, engine):
        project = Project(title=engine.title, summary=engine.summary, engine=engine.id)
        return Document(project, engine, engine.default_parameters(None))

    def devices(self):
        return [("auto", "Automatic"), ("cpu", "A device for tests")]

    def recent(self):
        return list(self.remembered)

    def remember(self, path, title, picture=None):
        self.remembered.insert(0, RecentFile(str(path), title))
        if picture is not None:
            self.pictures[str(path)] = picture

    def document(self, title="Slab", shape=(20, 8, 4)):
        geometry = slab(shape)
        project = Project(title=title, engine="wave")
        return Document(project, self.engine, self.engine.default_parameters(geometry), geometry)

    def open(self, path, permission=NOTHING):
        self.open_threads.append(threading.current_thread().name)
        clock.sleep(self.delay)
        if Path(path).suffix == ".bad":
            raise MeshError(f"'{Path(path).name}' holds no tetrahedra: save the volume mesh.")
        self.permissions.append(permission)
        if Path(path).suffix == ".outside" and not permission.files | permission.left_out:
            mesh = Path(path).stem == "mesh"
            raise OutsideFiles(f"'{path}'", (Path("/private/cat.png"), Path("/private/heart.vtu")), needed=mesh)
        document = self.document(Path(path).stem)
        return replace(document, path=Path(path))

    def open_mesh(self, mesh, length_unit, fibres, permission=NOTHING, engine=None):
        return self.document(mesh.stem)

    def open_preset(self, preset):
        return self.document(preset.title)

    def save(self, document, path, over=False):
        if Path(path).name == "full.zip":
            raise ProblemError("The disk is full: free some room, then save again.")
        if Path(path).name == "taken.zip" and not over:
            raise Overtaken("Somebody else has saved there since.")
        document.path = Path(path)
        if named_files(document.parameters):
            save_document(document)
        self.saved.append((document, Path(path)))

    def estimate(self, document):
        return document.engine.estimate(document.problem, FakeBackend())

    def forecast(self, document):
        return document.engine.forecast(document.problem, FakeBackend())

    def run_tool(self, document, tool, parameters, progress):
        return tool.run(document.problem, parameters, FakeBackend(), progress)

    def run_sweep(self, plan, progress, keep):
        for row in run_sweep(plan, FakeBackend(), progress):
            keep(row)

    def start(self, document, autostart, state=None):
        runner = Runner(
            FakeBackend,
            lambda backend, progress: document.engine.build(document.problem, backend, progress),
            time_unit=document.time_unit,
            until=document.project.run.until,
            pace=document.project.run.pace,
            autostart=autostart,
            resume_from=state,
            checkpoints=20,
        )
        self.runners.append(runner)
        return runner

    def locate(self, geometry, position):
        return int(geometry.nearest([position])[0])

    def autosave(self, document, picture=None):
        self.autosaved.append(document)

    def set_aside(self, document, picture=None):
        self.aside.append(document)
        self.left.append(Recovery(Path(f"/left/{len(self.aside)}"), document.project.title, 0.0, None))
        self.kept[self.left[-1]] = document

    def forget_autosave(self, document):
        self.forgotten.append(document)

    def unsaved(self):
        return list(reversed(self.left))

    def recover(self, recovery, permission=NOTHING):
        return self.kept[recovery]

    def adopt(self, recovery):
        self.left.remove(recovery)

    def discard(self, recovery):
        self.left.remove(recovery)

    def keep_curves(self, runner, document, curves):
        pass

    def earlier_curves(self, runner):
        return {}

    def export_snapshot(self, path, picture, document, runner=None, curves=()):
        Path(path).write_bytes(np.asarray(picture).tobytes())

    def export_results(self, directory, document, runner):
        field = runner.post(lambda simulation: simulation.field("voltage")).result(10)
        np.save(Path(directory) / "voltage.npy", field)

    def export_mesh(self, path, document):
        Path(path).write_text(f"{document.geometry.n_cells} cells\n")

    def export_parameters(self, path, document):
        Path(path).write_text(document.engine.parameter_file.text(document.problem))

    def export_timing_log(self, path, document, runner):
        Path(path).write_text("{}\n")


def keep_aside(window):
    """The answer to the question about unsaved changes."""
    next(button for button in window.leaving.question.buttons() if button.text() == "Keep aside").click()
