"""What the window asks of the rest of the house, in one place; tests put a double here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol

from pydantic import BaseModel

from engines.api import Array, Engine, Estimate, Preset, Progress, SimulationInfo
from engines.api.charts import Forecast
from engines.api.lab import LabTable, Study
from engines.api.tools import Tool, ToolResult
from workbench.bench.lab_run import LabRun
from workbench.bench.record_files import KeptRecord
from workbench.bench.records import LabRecord
from workbench.project.autosave import Recovery
from workbench.project.boundary import NOTHING, Permission
from workbench.project.document import Document
from workbench.remote.connection import Place
from workbench.remote.messages import OnTheWay, Seen
from workbench.remote.runner import AnyRunner
from workbench.run.streams.curves import Curves
from workbench.storage.recent import RecentFile
from workbench.sweep.plan import SweepPlan
from workbench.sweep.running import Row

NO_CURVES: Curves = MappingProxyType({})


class Services(Protocol):
    """Files, runs and estimates. Everything but :meth:`start` and the short lists may take its time."""

    def presets(self) -> Sequence[Preset]: ...

    def engines(self) -> Sequence[Engine]:
        """The engines of this installation."""

    def left_out(self) -> Sequence[str]:
        """A sentence for each engine that is installed and cannot be used."""

    def devices(self) -> Sequence[tuple[str, str]]:
        """(id, title) of the devices of this machine, ``("auto", "Automatic")`` first."""

    def recent(self) -> Sequence[RecentFile]: ...

    def remember(self, path: Path, title: str, picture: Array | None = None) -> None:
        """Put ``path`` on top of the recent files, with a picture of how it looks."""

    def open(self, path: Path, permission: Permission = NOTHING) -> Document:
        """A project folder or zip, a mesh, or a PNG that carries a session.

        Raises OutsideFiles where it names files that neither ``permission`` covers nor the person chose or confirmed
        in this session, and WorkbenchError."""

    def open_mesh(
        self,
        mesh: Path,
        length_unit: str,
        fibres: Path | None,
        permission: Permission = NOTHING,
        engine: Engine | None = None,
    ) -> Document:
        """A new project on this mesh, or of the body in it, its coordinates in this unit; ``engine`` None: the usual
        one for meshes. Raises as :meth:`open` does."""

    def new(self, engine: Engine) -> Document:
        """A new project of an engine that makes its own geometry. Raises WorkbenchError."""

    def open_preset(self, preset: Preset) -> Document: ...

    def save(self, document: Document, path: Path, over: bool = False) -> None:
        """Raises Overtaken where somebody else has saved there since, unless it is to be saved ``over`` that."""

    def estimate(self, document: Document) -> Estimate:
        """Raises ProblemError if the problem cannot run."""

    def forecast(self, document: Document) -> Forecast | None:
        """The run as a whole, for the thread that asks, on a device of its own; None where the engine has none.

        Raises WorkbenchError.
        """

    def run_tool(self, document: Document, tool: Tool, parameters: BaseModel, progress: Progress) -> ToolResult:
        """Have a tool work, for the thread that asks, on a device of its own. Raises WorkbenchError, and what
        ``progress`` raises."""

    def run_sweep(self, plan: SweepPlan, progress: Progress, keep: Callable[[Row], None]) -> None:
        """Run all cases, for the thread that asks, on a device of its own; ``keep`` is given each row as it comes, at
        once those that are through of a sweep that was stopped.

        Raises WorkbenchError, and what ``progress`` raises."""

    def start(
        self,
        document: Document,
        autostart: bool,
        state: Mapping[str, Array] | None = None,
        curves: Curves = NO_CURVES,
        on_the_way: OnTheWay = (),
    ) -> AnyRunner:
        """A runner of this document, which goes on from ``state`` if there is one, with the ``curves`` of before; what
        is kept elsewhere may be with live values that were ``on_the_way`` to it. Returns at once. Where
        :meth:`connect` has just found a run, that one, once."""

    def connect(self, place: Place, asks: bool = False) -> Document | None:
        """Have what is started from now on run there. What the run that goes on there is of, if there is one. Takes
        seconds. ``asks``: SSH may ask at the terminal. Raises WorkbenchError; then all is as it was."""

    def reconnect(self) -> bool:
        """To the same place, once the line is lost. Whether the run is still there, which :meth:`start` then gives;
        else that goes on from where it was last kept there. Takes seconds. Raises WorkbenchError."""

    def disconnect(self) -> None:
        """From now on problems run here; a run elsewhere goes on."""

    def seen_beside(self) -> Seen:
        """The run of a process beside a window, as far as there is one."""

    def end_beside(self) -> None:
        """End it, kept where it stands, if no window looks at it. Takes seconds. Raises WorkbenchError."""

    @property
    def place(self) -> Place | None:
        """Where they run; None: here."""

    def locate(self, geometry: Any, position: tuple[float, float, float]) -> int:
        """The element nearest to a position, in the geometry's unit of length."""

    def autosave(self, document: Document, picture: Array | None = None) -> None:
        """Keep the document, and ``picture: (h, w, 4) uint8``, where :meth:`unsaved` finds it once it is set aside or
        the process has ended."""

    def set_aside(self, document: Document, picture: Array | None = None) -> None:
        """Keep the document among :meth:`unsaved`, apart from what :meth:`autosave` writes from now on."""

    def forget_autosave(self, document: Document) -> None:
        """The document was saved, or given up: nothing is left to recover."""

    def unsaved(self) -> Sequence[Recovery]:
        """What was set aside, and what sessions left that did not end well, newest first."""

    def recover(self, recovery: Recovery, permission: Permission = NOTHING) -> Document:
        """One of :meth:`unsaved`, as it was left. Raises as :meth:`open` does."""

    def adopt(self, recovery: Recovery) -> None:
        """It is open here: it is no longer among :meth:`unsaved`, and what :meth:`autosave` writes takes its place."""

    def discard(self, recovery: Recovery) -> None:
        """Delete one of :meth:`unsaved`."""

    def export_snapshot(
        self,
        path: Path,
        picture: Array,
        document: Document,
        runner: AnyRunner | None = None,
        curves: Curves = NO_CURVES,
    ) -> None:
        """A picture that reopens the document at the moment of ``runner``, with these curves. Waits for the worker
        between two batches. Raises WorkbenchError."""

    def unkept(self, runner: AnyRunner, time: float) -> str:
        """Why a run of this process may not be kept at ``time``, in a sentence; empty where it may. Cheap."""

    def keep_curves(self, runner: AnyRunner, document: Document, curves: Curves) -> None:
        """What was drawn of ``runner``, which is about to end: its problem opens with it again."""

    def earlier_curves(self, runner: AnyRunner) -> Curves:
        """What had been drawn before the moment at which ``runner`` goes on; nothing where it began at zero."""

    def export_results(
        self, directory: Path, document: Document, runner: AnyRunner, info: SimulationInfo, curves: Curves = NO_CURVES
    ) -> Any:
        """The whole fields of the present moment, and the series of ``curves``. Waits for the worker between two
        batches."""

    def export_mesh(self, path: Path, document: Document) -> Any:
        """As the format that ``path`` ends in. Raises WorkbenchError."""

    def export_parameters(self, path: Path, document: Document) -> None:
        """In the form that the document's engine has for other programs. Raises WorkbenchError."""

    def export_timing_log(self, path: Path, document: Document, runner: AnyRunner) -> Any: ...

    def lab_studies(self) -> Sequence[tuple[str, Sequence[Study]]]:
        """(title of an engine, its studies), of the engines that have any."""

    def lab_tables(self) -> Sequence[tuple[str, Sequence[LabTable]]]:
        """(title of an engine, its tables), of the engines that have any."""

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
        """A measurement that is not started; returns at once. ``cases`` and ``variants``: names by study id."""

    def lab_records(self) -> Sequence[KeptRecord]:
        """The records that are kept, newest first."""

    def open_lab_record(self, path: Path) -> LabRecord:
        """Raises ProblemError."""

    def keep_lab_record(self, record: LabRecord) -> None:
        """Put it where :meth:`lab_records` finds it. Raises StorageError."""
