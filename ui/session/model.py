"""The open document as the window edits it: a tree of plain values, an undo stack, a validated problem.

Everything that a person can undo lives in :attr:`DocumentModel.draft`; an edit replaces the value at a path.
A draft may be wrong for a while: then :attr:`errors` says where, and the document keeps its last valid parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

from pydantic import BaseModel, ValidationError
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoStack

from engines.api import Problem, Remedy
from engines.api.errors import ProblemError
from engines.api.simulation.contract import BrokenContract
from engines.quantities import depends
from ui.forms.renaming import named_after
from ui.forms.schema import fields_of, plain, titled
from ui.forms.validation import Path, below, validated
from ui.session.commands import ReplaceProblem, SetValue
from ui.session.paint.painting import PaintStroke
from workbench.project.document import Document, Standing
from workbench.project.parameter_files import missing_file, missing_files, named_files, value_at, with_values
from workbench.project.project import Line, MeasuredData, Probe, RunSettings, StoredRun, ViewSettings
from workbench.words.numbers import printed
from workbench.words.units import counted, unit_text


class DocumentModel(QObject):
    """Holds the document; every change goes through :meth:`edit`."""

    replacing = Signal()
    """The open document is about to make way for another."""
    opened = Signal()
    """Another document is open (or none)."""
    changed = Signal(tuple)
    """The value at this path of the draft has changed."""
    wanted = Signal()
    """It is about to be run, reset or saved: what is still being typed is to be entered."""
    files_moved = Signal()
    """The parameters name the same files at another place, where the project was saved."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.document: Document | None = None
        self.draft: dict[str, Any] = {}
        self.errors: dict[Path, str] = {}
        self.refused: Callable[[], str] = lambda: ""
        """What stands in the form, or as pace or end, and is no value, in one sentence; empty where all of it is."""
        self.revision = 0
        """Counts edits; whoever depends on the content remembers the revision it has seen."""
        self.undo_stack = QUndoStack(self)
        self._index = 0
        self.undo_stack.indexChanged.connect(self._step_over)

    def open(self, document: Document | None) -> None:
        """Show another document; the undo history starts anew."""
        if self.document is not None:
            self.replacing.emit()
        self.document = document
        self.errors = {} if document is None else _missing(document.parameters)
        self.draft = {} if document is None else _draft_of(document)
        self.revision += 1
        self.undo_stack.clear()
        self.opened.emit()

    def _step_over(self, index: int) -> None:
        """A stroke of the brush and the pace are no edits: what was saved before them is saved after them, and the
        other way round. A stroke of a run that is gone is passed over."""
        stack, before, self._index = self.undo_stack, self._index, index
        command = stack.command(min(before, index)) if abs(index - before) == 1 else None
        if stack.cleanIndex() == before and not getattr(command, "counts", True):
            stack.setClean()
        if isinstance(command, PaintStroke) and not command.alive:
            QTimer.singleShot(0, self, stack.undo if index < before else stack.redo)

    def edit(self, path: Path, value: Any, text: str = "") -> None:
        """Change the value at ``path`` through the undo stack; nothing happens if it is that already. What names an
        item names it by its new name."""
        old, new = value_at(self.draft, path), plain(value)
        if old == new and type(old) is type(new):
            return
        text, others = text or f"change of {str(path[-1]).replace('_', ' ')}", list[Path]()
        if path[0] == "parameters" and self.document is not None:
            others = named_after(type(self.document.parameters), self.draft["parameters"], path[1:], new)
        if others:
            self.undo_stack.beginMacro(text)
        self.undo_stack.push(SetValue(self, path, old, new, text))
        for each in others:
            self.undo_stack.push(SetValue(self, ("parameters", *each), old, new, text))
        if others:
            self.undo_stack.endMacro()

    def put(self, path: Path, value: Any) -> None:
        """Write without a command; only commands call this."""
        owner = value_at(self.draft, path[:-1])
        owner[path[-1]] = deepcopy(value)
        self.revision += 1
        self._apply(str(path[0]))
        self.changed.emit(path)

    def replace_problem(
        self, parameters: dict[str, Any], standing: Standing | None, text: str, until: float | None = None
    ) -> None:
        """Put other parameters and (unless None) another mesh and another end in the place of those there are, as one
        edit."""
        assert self.document is not None
        old = (deepcopy(self.draft["parameters"]), None if standing is None else self.document.standing)
        self.undo_stack.beginMacro(text)
        self.undo_stack.push(ReplaceProblem(self, old, (deepcopy(parameters), standing), text))
        if until is not None:
            self.edit(("run", "until"), until, "end of the run")
        self.undo_stack.endMacro()

    def mend(self, remedy: Remedy) -> None:
        """Make the edit that a finding asks for, in one step."""
        values = with_values(self.draft["parameters"], remedy.changes)
        self.undo_stack.beginMacro(remedy.text)
        if remedy.changes:
            self.replace_problem(values, None, remedy.text)
        if remedy.without_end:
            self.edit(("run", "until"), None, "end of the run")
        self.undo_stack.endMacro()

    def put_problem(self, parameters: dict[str, Any], standing: Standing | None) -> None:
        """Write without a command; only commands call this."""
        assert self.document is not None
        if standing is not None:
            self.document.stand_on(standing)
        self.put(("parameters",), parameters)

    @property
    def geometry(self) -> Any:
        """What the document stands on; None without one, or where a file is missing that it depends on."""
        try:
            return None if self.document is None else self.document.geometry
        except ProblemError:
            return None

    @property
    def parameter_errors(self) -> dict[Path, str]:
        """Errors of the parameters, by path below ``parameters``."""
        return below(self.errors, "parameters")

    @property
    def valid(self) -> bool:
        return not self.errors

    def first_error(self) -> str:
        """One sentence that names the first wrong field, or an empty text."""
        for path, sentence in self.errors.items():
            if len(path) == 1:
                return sentence  # of the whole
            return f"{' › '.join(self._names_to(path)[0])}: {sentence[:1].lower()}{sentence[1:]}"
        return ""

    def mistake(self) -> str:
        """Why what the form shows is not what would be run or saved, in one sentence; else an empty text."""
        return self.first_error() or self.refused()

    def told(self, path: Path, value: Any) -> str:
        """A value as the form shows it, with the last of the titles that lead to it: ``Strength 3.8 MPa``."""
        names, unit = self._names_to(path)
        said = _told(value, unit)
        return f"{names[-1]} {said if said is not None else 'as it was'}"

    def told_apart(self, path: Path, values: Sequence[Any]) -> tuple[str, list[str]]:
        """The titles that lead to a value, ``Medium › Electrical › Conductivity``, and each of ``values`` as the form
        shows it."""
        names, unit = self._names_to(path)
        told = (_told(value, unit) for value in values)
        inner = (counted(len(value), "item") if isinstance(value, list) else "there" for value in values)
        return " › ".join(names), ["none" if v is None else t or i for v, t, i in zip(values, told, inner, strict=True)]

    def _names_to(self, path: Path) -> tuple[list[str], str]:
        """The titles of a path in the form, ``Stimuli``, ``2``, ``Where``, ``Radius``; and the unit of what it leads to
        (empty where it depends on others)."""
        model: Any = type(self.document.parameters) if path[0] == "parameters" and self.document else None
        names, unit = [], ""
        for key in path[1:]:
            spec = next((spec for spec in fields_of(model) if spec.key == key), None) if model is not None else None
            names.append(str(key + 1) if isinstance(key, int) else spec.title if spec is not None else titled(key))
            unit = spec.unit if spec is not None and not depends(spec.unit) else ""
            if not isinstance(key, int):
                inner = spec.item if spec is not None and spec.item is not None else spec
                model = inner.model if inner is not None else None
        return names, unit

    def is_live(self, path: Path) -> bool:
        """Whether the value may change while the simulation runs."""
        assert self.document is not None
        if path[0] != "parameters":
            return True
        model: Any = type(self.document.parameters)
        value: Any = self.draft["parameters"]
        spec = None
        for key in path[1:]:
            if isinstance(key, int) and spec is not None and spec.item is not None:
                spec = spec.item
            else:
                spec = next((each for each in fields_of(model) if each.key == key), None)
            if spec is None or spec.live:
                return spec is not None
            value = value[key]
            model = spec.variants.get(value[spec.discriminator]) if spec.discriminator else spec.model
            if model is None and spec.item is None:
                return False
        return False

    def snapshot(self, view: ViewSettings | None = None) -> Document:
        """A copy that another thread may read or save. Raises ProblemError without a document."""
        if self.document is None:
            raise ProblemError("There is no open project.")
        update = {} if view is None else {"view": view}
        return replace(self.document, project=self.document.project.model_copy(update=update, deep=True))

    def moved(self, saved: Document, before: BaseModel) -> None:
        """The document, its parameters then ``before``, was saved as ``saved``: it stands where that stands.

        What was edited since stays.
        """
        assert self.document is not None
        self.document.path = saved.path
        if self.document.loaded is saved.loaded:  # else it stands on another mesh since, or again
            self.document.stand_on(saved.standing)
        old, new = named_files(before), named_files(saved.parameters)
        moves = {place: str(new[place]) for place in new if new[place] != old.get(place)}
        moves = {place: path for place, path in moves.items() if self._names(place, old.get(place))}
        if moves:
            self.draft["parameters"] = with_values(self.draft["parameters"], moves)
            self._apply("parameters")
            self.files_moved.emit()

    def _names(self, place: Path, file: FilePath | None) -> bool:
        """Whether the draft still names this file at this place."""
        try:
            return bool(value_at(self.draft["parameters"], place) == str(file))
        except (KeyError, IndexError, TypeError):
            return False

    def _apply(self, part: str) -> None:
        document = self.document
        assert document is not None
        self.errors = {path: text for path, text in self.errors.items() if path[0] != part}
        if part == "parameters":
            parameters, errors = validated(type(document.parameters), self.draft["parameters"])
            self.errors.update({("parameters", *path): text for path, text in errors.items()})
            if parameters is not None:
                missing = _missing(parameters)
                self.errors.update(missing)
                try:
                    document.engine.geometry_of(Problem(parameters, document.loaded))
                except (ProblemError, BrokenContract) as error:
                    self.errors.setdefault(("parameters", *getattr(error, "place", ())), str(error))
                    if not missing:
                        return
                document.parameters = parameters
                document.project.parameters = parameters.model_dump(mode="json")
            return
        try:
            match part:
                case "probes":
                    document.project.probes = [Probe.model_validate(probe) for probe in self.draft["probes"]]
                case "lines":
                    document.project.lines = [Line.model_validate(line) for line in self.draft["lines"]]
                case "runs":
                    document.project.runs = [StoredRun.model_validate(run) for run in self.draft["runs"]]
                case "measured":
                    document.project.measured = [MeasuredData.model_validate(each) for each in self.draft["measured"]]
                case "run":
                    document.project.run = RunSettings.model_validate(self.draft["run"])
                case _:
                    setattr(document.project, part, self.draft[part])
        except ValidationError as error:
            detail = error.errors(include_url=False)[0]
            self.errors[(part, *detail["loc"])] = f"{detail['msg']}."


FEW = 3
"""Items that are told, and parts of one."""


def _told(value: Any, unit: str) -> str | None:
    """A number, a text, numbers of one unit, or a few items of a few of these; None of what has more parts."""
    if value == []:
        return "none"
    numbers = value if isinstance(value, list) else [value]
    if any(isinstance(each, (dict, list)) for each in numbers):
        items = [list(each.values()) if isinstance(each, dict) else each for each in numbers]
        simple = all(isinstance(each, list) and len(each) <= FEW for each in items)
        if len(items) > FEW or not simple or any(isinstance(part, (dict, list)) for each in items for part in each):
            return None
        return "; ".join(" ".join(map(_said, each)) for each in items)
    return f"{', '.join(map(_said, numbers))} {unit_text(unit)}".strip()


def _said(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return printed(f"{value:.6g}") if isinstance(value, float) else str(value)


def _missing(parameters: BaseModel) -> dict[Path, str]:
    """A sentence at each place that names a file that is not there."""
    return {("parameters", *found.place): missing_file(found) for found in missing_files(parameters)}


def _draft_of(document: Document) -> dict[str, Any]:
    project = document.project
    return {
        "parameters": plain(document.parameters),
        "probes": plain(project.probes),
        "lines": plain(project.lines),
        "runs": plain(project.runs),
        "run": plain(project.run),
        "measured": plain(project.measured),
        "title": project.title,
    }
