"""Double of what stands behind the window: a house."""

from __future__ import annotations

import threading
import time as clock
from dataclasses import replace
from pathlib import Path

import numpy as np

from engines.api import Preset
from engines.api.errors import MeshError, ProblemError
from tests.ui.lab.doubles import FakeLab
from tests.ui.wave import FakeBackend, WaveEngine, slab
from workbench.project.autosave import Recovery
from workbench.project.boundary import NOTHING, OutsideFiles
from workbench.project.document import Document, save_document
from workbench.project.parameter_files import named_files
from workbench.project.project import Project
from workbench.remote.messages import Seen
from workbench.run.runner import Runner
from workbench.storage.overtaken import Overtaken
from workbench.storage.recent import RecentFile
from workbench.sweep.workers import run_sweep


class FakeServices(FakeLab):
    """Opens slabs by name; remembers what was asked of it."""

    place, beside = None, Seen()

    def disconnect(self):
        pass

    def seen_beside(self):
        return self.beside

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

    def start(self, document, autostart, state=None, curves=(), on_the_way=()):
        self.earlier = dict(curves)
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
        self.autosaved.clear()  # of this session, however often it has kept what is given up

    def unsaved(self):
        return list(reversed(self.left))

    def recover(self, recovery, permission=NOTHING):
        return self.kept[recovery]

    def adopt(self, recovery):
        self.left.remove(recovery)

    def discard(self, recovery):
        self.left.remove(recovery)

    unkept_told = ""

    def unkept(self, runner, time):
        return self.unkept_told

    def keep_curves(self, runner, document, curves):
        pass

    def earlier_curves(self, runner):
        earlier, self.earlier = self.earlier, {}
        return earlier

    def export_snapshot(self, path, picture, document, runner=None, curves=()):
        Path(path).write_bytes(np.asarray(picture).tobytes())

    def export_results(self, directory, document, runner, info, curves=()):
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
