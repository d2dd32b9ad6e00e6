"""The real services of the window: files, runs and estimates of the ``workbench`` package."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Literal
from weakref import ReferenceType, WeakKeyDictionary, ref

from pydantic import BaseModel

from engines.api import Array, Engine, Estimate, Finding, Preset, Progress, SimulationInfo, registry
from engines.api.charts import Forecast
from engines.api.device import Backend
from engines.api.errors import ProblemError, WorkbenchError
from engines.api.lab import LabTable, Study
from engines.api.tools import Tool, ToolResult
from ui.session import snapshots
from ui.session.keeping import middle_of_file
from ui.session.services import NO_CURVES
from ui.widgets.background import lane_of
from workbench.bench.lab_run import LabRun
from workbench.bench.record_files import KeptRecord, kept_records, read_record, write_json
from workbench.bench.records import LabRecord, device_text
from workbench.export.meshes import export_mesh
from workbench.export.png import encode_png, save_snapshot
from workbench.export.results import export_results
from workbench.export.streams.over_time import SERIES, series_text
from workbench.project import presets as all_presets
from workbench.project.autosave import Autosave, Recovery, discard, recover, recoveries
from workbench.project.boundary import NOTHING, Permission
from workbench.project.document import (
    Document,
    default_engine,
    export_parameters,
    new_document,
    open_document,
    save_document,
)
from workbench.project.findings import Estimator
from workbench.project.tooling import carried_out
from workbench.remote.connection import Connection, Place, seen_beside
from workbench.remote.messages import OnTheWay, Seen
from workbench.remote.runner import STAYS_THERE, AnyRunner, RemoteRunner
from workbench.run import session
from workbench.run.runner import Runner
from workbench.run.states.history import MOST
from workbench.run.states.memory import (
    RunMemory,
    missing_curves,
    remembered_curves,
    remembered_failure,
    remembered_state,
    set_later,
)
from workbench.run.states.taken import TakeResults, TakeSnapshot
from workbench.run.streams.curves import Curves
from workbench.run.streams.traces import CAPACITY
from workbench.run.timing_log import TimingObserver, export_timing
from workbench.storage.paths import state_dir
from workbench.storage.recent import RecentFile, RecentFiles
from workbench.sweep.kept import RememberedCases
from workbench.sweep.plan import SweepPlan
from workbench.sweep.running import Row
from workbench.sweep.workers import run_sweep

EXPORT_SECONDS = 120.0
THINNED = "of each stretch of time the lowest and the highest value"


class HouseServices:
    """See :class:`ui.session.services.Services`. Methods that take time may be called from any one thread at a time."""

    def __init__(self) -> None:
        self._recent = RecentFiles()
        self._autosave = Autosave()
        self._allowed: frozenset[Path] = frozenset()  # what the person chose or confirmed in this session
        self._resume: tuple[Document, snapshots.Beginning] | None = None
        # Of runners that somebody else has: they hold their documents.
        self._earlier: WeakKeyDictionary[AnyRunner, Curves] = WeakKeyDictionary()
        self._logs: WeakKeyDictionary[Runner, TimingObserver] = WeakKeyDictionary()
        self._memories: WeakKeyDictionary[AnyRunner, ReferenceType[RunMemory]] = WeakKeyDictionary()
        self._estimator = Estimator(reserve_core=True)
        self._forecasting: dict[tuple[str, str], Backend] = {}
        self._tooling: dict[str, Backend] = {}
        self._stopped_sweep: dict[str, Row] = {}
        self._there: Connection | None = None
        self._kept_there = False  # go on from there
        # To the run of the document that is about to be shown: of this one, or of the one that is open.
        self._attached: Document | bool = False

    # Short lists.

    def presets(self) -> Sequence[Preset]:
        return all_presets.presets()

    def engines(self) -> Sequence[Engine]:
        return list(registry.engines().values())

    def left_out(self) -> Sequence[str]:
        return (*registry.left_out(), *all_presets.left_out())

    def devices(self) -> Sequence[tuple[str, str]]:
        if (there := self._there) is not None:
            return there.devices
        from engines.backend.devices.select import available  # Numba and CuPy are imported when they are needed

        return [("auto", "Automatic"), *((info.id, info.name) for info in available())]

    def recent(self) -> Sequence[RecentFile]:
        return self._recent.items()

    def remember(self, path: Path, title: str, picture: Array | None = None) -> None:
        if picture is None and _is_snapshot(path):
            picture = middle_of_file(path)
        self._recent.add(path, title, b"" if picture is None else encode_png(picture))

    # Documents.

    def open(self, path: Path, permission: Permission = NOTHING) -> Document:
        document = open_document(path, permission=permission.with_files(self._allowed))
        self._allowed |= permission.files
        beginning = snapshots.beginning_of(path, document) if _is_snapshot(path) else None
        if beginning is None:
            self._look_for_state(document)
        else:
            self._resume = document, beginning
        return document

    def open_mesh(
        self,
        mesh: Path,
        length_unit: str,
        fibres: Path | None,
        permission: Permission = NOTHING,
        engine: Engine | None = None,
    ) -> Document:
        self._resume = None
        allowed = permission.with_files(self._allowed)
        document = new_document(
            engine or default_engine(), mesh, length_unit=length_unit, fibres=fibres, permission=allowed
        )
        self._allowed |= permission.files
        return document

    def new(self, engine: Engine) -> Document:
        self._resume = None
        return new_document(engine)

    def open_preset(self, preset: Preset) -> Document:
        self._resume = None
        return all_presets.open_preset(preset)

    def save(self, document: Document, path: Path, over: bool = False) -> None:
        self._allowed = self._allowed.union(document.files())
        save_document(document, path, over=over)

    def autosave(self, document: Document, picture: Array | None = None) -> None:
        self._autosave.tick(document, now=True, picture=b"" if picture is None else encode_png(picture))

    def set_aside(self, document: Document, picture: Array | None = None) -> None:
        self.autosave(document, picture)
        self._autosave.leave()
        self._autosave = Autosave()

    def forget_autosave(self, document: Document) -> None:
        self._autosave.mark_saved(document)

    def unsaved(self) -> Sequence[Recovery]:
        return recoveries()

    def recover(self, recovery: Recovery, permission: Permission = NOTHING) -> Document:
        document = recover(recovery, permission.with_files(self._allowed))
        self._allowed |= permission.files.union(recovery.files)
        self._look_for_state(document)
        return document

    def adopt(self, recovery: Recovery) -> None:
        self._autosave.adopt(recovery)

    def discard(self, recovery: Recovery) -> None:
        discard(recovery)

    # Runs.

    def estimate(self, document: Document) -> Estimate:
        if (there := self._there) is not None and there.runner is not None:
            return there.estimate(document)
        runners = [reference() for reference in self._logs.keyrefs()]
        alive = any(runner and runner.alive for runner in runners)  # its memory is there for the run that follows it
        return self._estimator.estimate(document, beside=alive)

    def forecast(self, document: Document) -> Forecast | None:
        device = self._device_here(document)
        place = lane_of("forecast", document.engine.id), device  # no two threads use one
        if place not in self._forecasting:
            from engines.backend.devices.select import open_backend

            self._forecasting[place] = open_backend(device, reserve_core=True)
        return document.engine.forecast(document.complete_problem(), self._forecasting[place])

    def run_tool(self, document: Document, tool: Tool, parameters: BaseModel, progress: Progress) -> ToolResult:
        return carried_out(tool, document.complete_problem(), parameters, self._working(document), progress)

    def run_sweep(self, plan: SweepPlan, progress: Progress, keep: Callable[[Row], None]) -> None:
        kept = RememberedCases(self._stopped_sweep, plan)
        for row in run_sweep(
            plan, self._working(plan.document), progress, kept=kept
        ):  # on workers where that is sooner
            keep(row)
        self._stopped_sweep.clear()  # only one that was stopped goes on where it was

    def _device_here(self, document: Document) -> str:
        """The one that the project names may be of another machine."""
        return "auto" if self._there is not None and self._there.place.host else document.project.run.device

    def _working(self, document: Document) -> Backend:
        """The device of tools and sweeps, which take turns on one thread."""
        device = self._device_here(document)
        if device not in self._tooling:
            from engines.backend.devices.select import open_backend

            self._tooling[device] = open_backend(device, reserve_core=True)
        return self._tooling[device]

    # Elsewhere.

    def connect(self, place: Place, asks: bool = False) -> Document | None:
        there = Connection(place, asks)
        document = _attached_to(there)
        self.disconnect()
        self._there, self._attached = there, document or False
        return document

    def reconnect(self) -> bool:
        before = self._there
        if before is None:
            raise ProblemError("There is no machine to connect to again: choose one.")
        there = Connection(before.place, before.asks)
        same = before.runner is not None and before.runner.run_id == there.run
        if same:  # another run is not taken for ours, which would end it
            _attached_to(there)
        self._there, self._attached, self._kept_there = there, same, not same
        return same

    def disconnect(self) -> None:
        there, self._there, self._attached = self._there, None, False
        if there is not None:
            there.close()

    def seen_beside(self) -> Seen:
        return seen_beside()

    def end_beside(self) -> None:
        if not seen_beside().watched:
            there = Connection(Place())
            there.end_run()
            there.close()

    @property
    def place(self) -> Place | None:
        return None if self._there is None else self._there.place

    def _is_attached_to_another(self, document: Document) -> bool:
        """Something else was opened while the run there was looked for: it begins here, and does not end that."""
        return isinstance(self._attached, Document) and not _same_problem(self._attached, document)

    def _start_there(
        self,
        there: Connection,
        document: Document,
        autostart: bool,
        beginning: snapshots.Beginning,
        on_the_way: OnTheWay,
    ) -> RemoteRunner:
        attached, self._attached = self._attached, False
        if attached and there.runner is not None:
            return there.runner
        kept, self._kept_there = self._kept_there or beginning.state is STAYS_THERE, False
        state = None if kept else beginning.state
        curves = NO_CURVES if kept else beginning.curves
        return there.start(
            document,
            autostart=autostart,
            state=state,
            state_of=beginning.device,
            kept=kept,
            curves=curves,
            on_the_way=on_the_way,
        )

    def start(
        self,
        document: Document,
        autostart: bool,
        state: Mapping[str, Array] | None = None,
        curves: Curves = NO_CURVES,
        on_the_way: OnTheWay = (),
    ) -> AnyRunner:
        resume, self._resume = self._resume, None
        beginning = snapshots.Beginning(state, curves)
        if state is None and resume is not None and _same_problem(resume[0], document):
            beginning = resume[1]
        if self._there is not None and not self._is_attached_to_another(document):
            return self._start_there(self._there, document, autostart, beginning, on_the_way)
        timing, memory = TimingObserver(), RunMemory(document, beginning.curves)
        runner = session.start(
            document,
            document.project.run.device,
            (timing, memory),
            reserve_core=True,
            autostart=autostart,
            pace=document.project.run.pace,
            checkpoints=MOST,
            resume_from=beginning.state,
            state_of=beginning.device,
            set_later=beginning.set_later,
            noticed=beginning.noticed,
        )
        memory.say, memory.rescued = runner.say, lambda: runner.rescued
        if beginning.missing:
            runner.say(beginning.missing, "warning")
        self._earlier[runner] = beginning.curves
        self._logs[runner], self._memories[runner] = timing, ref(memory)  # it knows the runner
        return runner

    def locate(self, geometry: Any, position: tuple[float, float, float]) -> int:
        return session.nearest_elements(geometry, [position])[0]

    # Exports.

    def unkept(self, runner: AnyRunner, time: float) -> str:
        memory = self._memories.get(runner, lambda: None)()
        return "" if memory is None or isinstance(runner, RemoteRunner) else memory.doubt(time, runner.state_bytes)

    def keep_curves(self, runner: AnyRunner, document: Document, curves: Curves) -> None:
        if (memory := self._memories.get(runner, lambda: None)()) is not None:
            memory.keep_curves(curves, document)

    def earlier_curves(self, runner: AnyRunner) -> Curves:
        if isinstance(runner, RemoteRunner):
            curves, runner.curves = runner.curves, NO_CURVES
            return curves
        return self._earlier.pop(runner, NO_CURVES)

    def export_snapshot(
        self,
        path: Path,
        picture: Array,
        document: Document,
        runner: AnyRunner | None = None,
        curves: Curves = NO_CURVES,
    ) -> None:
        moment = ""
        if runner is not None:
            with suppress(CancelledError, TimeoutError):  # it has ended: the picture is of the project alone
                taken = runner.post(TakeSnapshot()).result(EXPORT_SECONDS)
                warn = partial(runner.say, severity="warning")
                moment = snapshots.keep(document, taken, curves, warn)
        save_snapshot(path, picture, document, moment)
        self._allowed = self._allowed.union(document.files())

    def export_results(
        self, directory: Path, document: Document, runner: AnyRunner, info: SimulationInfo, curves: Curves = NO_CURVES
    ) -> Sequence[Path]:
        wanted = TakeResults(tuple(session.probe_elements(document)), tuple(document.project.lines))
        try:
            results = runner.post(wanted).result(EXPORT_SECONDS)
        except (CancelledError, TimeoutError) as error:
            raise ProblemError("The run has ended, so there is nothing to export: run it again first.") from error
        drawn = {key[0]: curve for key, curve in curves.items() if len(key) == 1}
        note = THINNED if any(len(times) >= CAPACITY // 2 for times, _ in drawn.values()) else ""
        table = series_text(info.series, info.time_unit, drawn, note)
        files = {**results.files, SERIES: table} if table else results.files
        return export_results(replace(results, files=files), directory / "results.pvd")

    def export_mesh(self, path: Path, document: Document) -> Sequence[Path]:
        return export_mesh(document.geometry, path)

    def export_parameters(self, path: Path, document: Document) -> None:
        export_parameters(document, path)

    def export_timing_log(self, path: Path, document: Document, runner: AnyRunner) -> Sequence[Path]:
        asked = runner.timings() if isinstance(runner, RemoteRunner) else self._logs[runner].taken(runner)
        try:
            rows = asked.result(EXPORT_SECONDS)
        except CancelledError as error:
            raise ProblemError("The run has ended meanwhile: export its timings again.") from error
        if not rows:
            raise ProblemError("There are no timings yet: let it run for a second first.")
        return export_timing(rows, path)

    def _look_for_state(self, document: Document) -> None:
        if self._there is not None:  # that machine has its own
            self._resume, self._kept_there = None, True
            return
        self._keep_where_it_runs(document)
        kept, failure = remembered_state(document), remembered_failure(document)
        self._resume = None
        noticed = (Finding(f"The last run of this problem ended in an error. {failure}"),) if failure else ()
        if kept is not None:
            curves = remembered_curves(kept, document)
            missing, device = missing_curves(kept, curves, document.time_unit), kept.meta.device
            later = set_later(kept, document)
            self._resume = document, snapshots.Beginning(kept.state, curves, missing, device, noticed, later)
        elif noticed:
            self._resume = document, snapshots.Beginning(None, noticed=noticed)

    def _keep_where_it_runs(self, document: Document) -> None:
        """What this window runs of the problem is kept as far as it has come, not as of the minute before."""
        for reference in self._memories.keyrefs():
            runner = reference()
            if not isinstance(runner, Runner) or runner.info is None:
                continue
            memory = self._memories.get(runner, lambda: None)()
            if memory is not None and memory.is_of(document):
                with suppress(TimeoutError, WorkbenchError):
                    try:
                        runner.post(memory.keep_now).result(EXPORT_SECONDS)
                    except CancelledError:
                        runner.join(EXPORT_SECONDS)  # it ends, and keeps where

    # The Kernel Lab.

    def lab_studies(self) -> Sequence[tuple[str, Sequence[Study]]]:
        found = [(engine.title, engine.studies()) for engine in registry.engines().values()]
        return [(title, studies) for title, studies in found if studies]

    def lab_tables(self) -> Sequence[tuple[str, Sequence[LabTable]]]:
        found = [(engine.title, engine.tables()) for engine in registry.engines().values()]
        return [(title, tables) for title, tables in found if tables]

    def lab_run(
        self,
        device: str,
        studies: Sequence[Study],
        *,
        cases: Mapping[str, Sequence[str]] | None = None,
        variants: Mapping[str, Sequence[str]] | None = None,
        cache: Literal["cold", "warm"] = "cold",
        quick: bool = False,
        tables: Sequence[LabTable] = (),
        thorough: bool = False,
    ) -> LabRun:
        from engines.backend.devices.select import open_backend

        # All cores: what a window needs while it waits is less than what a reserved core would cost the figures.
        opener = partial(open_backend, device)
        return LabRun(
            opener, studies, cases=cases, variants=variants, cache=cache, quick=quick, tables=tables, thorough=thorough
        )

    def lab_records(self) -> Sequence[KeptRecord]:
        with as_file(files("workbench.bench") / "records") as shipped:
            return [record for folder in (_lab_folder(), shipped) for record in kept_records(folder)]

    def open_lab_record(self, path: Path) -> LabRecord:
        return read_record(path)

    def keep_lab_record(self, record: LabRecord) -> None:
        name = re.sub(r"[^a-z0-9]+", "-", device_text(record.machine).lower()).strip("-")
        write_json(record, _lab_folder() / f"{name}.json")


def _attached_to(there: Connection) -> Document | None:
    try:
        return there.attach()
    except BaseException:
        there.close()
        raise


def _is_snapshot(path: Path) -> bool:
    """A folder may be called so, too."""
    return path.suffix.lower() == ".png" and not path.is_dir()


def _same_problem(one: Document, other: Document) -> bool:
    return one.loaded is other.loaded and one.parameters == other.parameters


def _lab_folder() -> Path:
    """What this person's machine has measured, newest of each device and day."""
    return state_dir() / "lab"
