"""A problem that is open: its parameters are read and set, it is judged, run, saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from engines.api import Finding
from engines.api.errors import ProblemError
from engines.api.tools import ToolResult
from workbench.api import arrays, editing
from workbench.api.findings import warn_of
from workbench.api.notebook import Listed, Outlook, project_html
from workbench.api.runs.progress import Progress
from workbench.project.document import Document, save_document
from workbench.project.findings import estimate_of, findings_of, findings_with_step
from workbench.project.project import Line, Probe
from workbench.project.reading.parsing import PROJECT_FILE, validated
from workbench.project.store import read_stored

if TYPE_CHECKING:
    from workbench.api.runs.run import Run


def _refuse_others(place: Path) -> None:
    """Raises ProblemError where what a project there would replace is none."""
    there = place / PROJECT_FILE if place.is_dir() else place
    if there.exists():
        try:
            read_stored(place)
        except ProblemError as error:
            raise ProblemError(f"'{there}' is there already, and holds no project: choose another name.") from error


class Project:
    """A problem with its mesh, probes and end; what :func:`workbench.open` and :func:`workbench.new` give.

    ``set`` changes this project and gives it back, so that calls chain; :meth:`copy` makes another one. A run stands on
    the parameters of its start: what is set later does not reach it.
    """

    def __init__(self, document: Document) -> None:
        self._document = document

    @property
    def title(self) -> str:
        return self._document.title

    @property
    def summary(self) -> str:
        return self._document.project.summary

    @property
    def engine(self) -> str:
        """The id of its engine ("fdtd")."""
        return self._document.engine.id

    @property
    def path(self) -> Path | None:
        """Where it was opened from or saved to; None for what has no file of its own yet."""
        return self._document.path

    @property
    def parameters(self) -> BaseModel:
        """A copy of the engine's validated model."""
        return self._document.parameters.model_copy(deep=True)

    @property
    def names(self) -> Sequence[str]:
        """Every value that :meth:`set` takes, by its dotted name."""
        return editing.names_of(self._document.parameters)

    @property
    def time_unit(self) -> str:
        """Unit of simulated time, with the parameters as they are now."""
        return self._document.time_unit

    @property
    def until(self) -> float | None:
        """How far a run goes [``time_unit``]; None: the problem ends by itself, or :meth:`run` says it."""
        return self._document.project.run.until

    @until.setter
    def until(self, time: float | None) -> None:
        settings = {**self._document.project.run.model_dump(), "until": time}
        self._document.project.run = validated(type(self._document.project.run), settings, "until")

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What one should know of the files that it is made of; :meth:`estimate` tells more."""
        return Listed(findings_of(self._document, None))

    def get(self, name: str) -> Any:
        """The value called ``objects.0.high.0``, or a whole group or list. Raises UnknownNameError."""
        return editing.value_called(self._document.parameters, name)

    def set(self, name: str | Mapping[str, Any], value: Any = None) -> Project:
        """Set one value by its dotted name, or several at once, ``{"grid.cells_x": 400, "grid.size_x": 4.0}``.

        Values that go together only together are set at once; lists and groups are set whole as lists and dicts.
        Raises ProblemError where the parameters do not go together, UnknownNameError with the nearest names; warns of
        a number that nothing depends on as the other parameters are. After an error the project is as it was.
        """
        if isinstance(name, Mapping) and value is not None:
            raise ProblemError(f"Several values are set by their names alone: leave out {value!r:.60}, or name it too.")
        changes = dict(name) if isinstance(name, Mapping) else {str(name): value}
        self._document.parameters = editing.edited(self._document.parameters, changes)
        if not isinstance(name, Mapping):
            for one in editing.idle(self._document.parameters, changes):
                warn_of(f"Nothing depends on '{one}' as the other parameters are: it was set, and changes no answer.")
        return self

    @property
    def probes(self) -> dict[str, tuple[float, float, float]]:
        """Where fields are followed over time [the geometry's unit of length], by name."""
        return {probe.name: probe.position for probe in self._document.project.probes}

    def probe(self, name: str, position: Sequence[float] | None) -> Project:
        """Follow the element nearest to ``position`` (x, y, z) in runs, under ``name``; None: no longer."""
        found = [probe for probe in self._document.project.probes if probe.name != name]
        if position is not None:
            place = arrays.position(position, f"The probe '{name}'")
            found.append(validated(Probe, {"name": name, "position": place}, f"The probe '{name}'"))
        self._document.project.probes = found
        return self

    @property
    def lines(self) -> dict[str, Line]:
        """Along which fields are charted, by name: ``field``, ``start`` and ``end`` of each."""
        return {line.name: line for line in self._document.project.lines}

    def line(self, name: str, field: str | None, start: Sequence[float] = (), end: Sequence[float] = ()) -> Project:
        """Chart ``field`` along the straight line from ``start`` to ``end`` (x, y, z) [the geometry's unit of length]
        in runs, under ``name``; None: no longer. Raises ProblemError."""
        found = [line for line in self._document.project.lines if line.name != name]
        if field is not None:
            ends = {key: arrays.position(place, f"The {key}") for key, place in (("start", start), ("end", end))}
            found.append(validated(Line, {"name": name, "field": field, **ends}, f"The line '{name}'"))
        self._document.project.lines = found
        return self

    def copy(self) -> Project:
        """Another project of the same mesh and parameters, which changes by itself."""
        document = self._document
        return Project(
            replace(
                document,
                project=document.project.model_copy(deep=True),
                parameters=document.parameters.model_copy(deep=True),
                marks=dict(document.marks),
            )
        )

    def estimate(self, device: str = "auto") -> Outlook:
        """Memory [bytes], step, pace, and what may be wrong with its answers, before it runs on ``device``.

        Raises ProblemError if it cannot run.
        """
        from engines.backend.devices.faster import open_for
        from workbench.api.runs.starting import named

        problem = self._document.complete_problem()
        backend = open_for(self._document.engine, problem, named(device, "auto"), trial=False)
        try:
            found, name = estimate_of(self._document, backend), backend.info.name
        finally:
            backend.close()
        of = {field.name: getattr(found, field.name) for field in fields(found)}
        of["findings"] = Listed(findings_with_step(self._document, found))
        return Outlook(**of, time_unit=self.time_unit, until=self.until, device=name)

    def run(self, until: float | None = None, *, device: str | None = None, progress: bool | Progress = False) -> Run:
        """Run to ``until`` [``time_unit``], or to the end that the project or the problem has; blocks meanwhile.

        ``device``: ``auto``, ``cpu`` or ``cuda:N`` (default: the project's). ``progress``: True draws a bar with rich
        or tqdm, where one of them is installed; a function is called with a text and a fraction.
        Ctrl-C ends it: what has been computed until then is returned. Raises WorkbenchError.
        """
        from workbench.api.runs.starting import run_document

        return run_document(self._document, until, device, progress)

    def simulate(self, *, device: str | None = None) -> Run:
        """Build it and take no step: ``with project.simulate() as run: run.advance(100)``. Raises WorkbenchError."""
        from workbench.api.runs.starting import start_document

        return start_document(self._document, device)

    @property
    def tools(self) -> dict[str, str]:
        """What its engine does with a problem besides running it: title and summary by id."""
        return {tool.id: f"{tool.title}: {tool.summary}" for tool in self._document.engine.tools()}

    def tool(
        self,
        name: str,
        values: Mapping[str, Any] | None = None,
        *,
        device: str | None = None,
        progress: bool | Progress = False,
    ) -> ToolResult:
        """Work with one of :attr:`tools`; :meth:`apply` takes over what it changed. Raises WorkbenchError."""
        from workbench.api.runs.starting import use_tool

        return use_tool(self._document, name, values or {}, device, progress)

    def apply(self, result: ToolResult) -> Project:
        """Take over the parameters and the mesh that a tool has changed. Raises ProblemError, StorageError."""
        from workbench.project.tooling import take_over

        if not isinstance(result, ToolResult):
            raise ProblemError(f"What a tool gave is taken over, of tool(…), not {result!r:.60}.")
        take_over(self._document, result)
        return self

    def save(self, path: Path | str | None = None) -> Path:
        """Save to a folder or a ``.zip``, with all files that it names. None: where it is, unless somebody else has
        saved there since, which a path replaces, and nothing that is no project. Raises StorageError, ProblemError."""
        place = None if path is None else arrays.target(path, "A project")
        if place is not None:
            _refuse_others(place)
        return save_document(self._document, place, over=path is not None)

    def script(self) -> str:
        """The shortest script that makes this problem (:func:`workbench.script`)."""
        from workbench.api.script import script_of

        return script_of(self._document)

    def __repr__(self) -> str:
        end = "" if self.until is None else f", until {self.until:g} {self.time_unit}"
        return f"<Project '{self.title}' of the engine '{self.engine}'{end}>"

    def _repr_html_(self) -> str:
        return project_html(self._document)
