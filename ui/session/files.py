"""Opening, saving and exporting: asks where, then works on another thread; a mistake becomes a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sized
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from engines.api import Array, registry
from engines.api.errors import WorkbenchError
from engines.named_files import file_parameters
from ui.charts.plots.cell import SAVED_AS, ChartCell
from ui.forms.fields.file import SUFFIXES
from ui.session.controller import Controller
from ui.session.keeping import middle_of
from ui.session.model import DocumentModel
from ui.session.services import Services
from ui.widgets.background import Background
from ui.widgets.parts import completed, folder_for
from workbench.api.script import script_of
from workbench.export.png import holds_project
from workbench.project.boundary import Permission
from workbench.project.document import Document
from workbench.project.meshes import SUFFIXES as MESHES
from workbench.project.project import ViewSettings
from workbench.run.frames import Message
from workbench.run.streams.curves import Curves
from workbench.storage.atomic import write_bytes
from workbench.storage.overtaken import Overtaken
from workbench.words.units import counted

OF_BEFORE = " Its run is of the values of before: what was saved opens at zero, and Reset begins it anew here."
NO_TRACES = "No probe has recorded anything yet: place one and run. A chart is saved as CSV in its own menu."
SPIKES_ELSEWHERE = (
    "Its spikes are those of the raster; 'workbench run PROJECT --out FOLDER' writes every one, and so does run.save() "
    "in Python."
)
SAVE_FILTER = "Project in one file (*.zip);;Project folder (*)"
NO_LETTERS, LONGEST_STEM = '/\\:*?"<>|', 80
"""Of names of files, on one system or another."""
GROUPING = "\u202f\u2009\xa0"
"""Blanks between the digits of one number."""
MESH_KINDS = " ".join(f"*{suffix}" for suffix in MESHES)


def open_filter() -> str:
    """What the dialog offers first: projects, meshes, and files of other programs that an engine reads."""
    known = ("*.json", "*.zip", "*.png", MESH_KINDS, "*.stl")
    others = {f"*{suffix}" for engine in registry.engines().values() for suffix in engine.imports} - set(known)
    return f"Projects, meshes and snapshots ({' '.join((*known, *sorted(others)))});;All files (*)"


def file_stem(title: str) -> str:
    """What a file of this title is called: a stranger's title names no folder. ``CUBA: 4 000 neurons`` of its letters
    and digits alone, ``CUBA 4000 neurons``."""
    whole = re.sub(rf"(?<=\d)[{GROUPING}](?=\d)", "", title)
    blank = (" " if letter.isspace() else letter for letter in whole)
    marked = "".join(letter if letter.isprintable() and letter not in NO_LETTERS else "\0" for letter in blank)
    parted = re.sub(r"\0+", "-", re.sub(r" \0+|\0+ ", " ", marked))
    return re.sub(" +", " ", parted)[:LONGEST_STEM].strip(" .,;-") or "project"


class FileActions(QObject):
    """What the File menu does. ``picture`` and ``view`` come from the viewport on the GUI thread."""

    saved = Signal()
    recent_changed = Signal()
    path_chosen = Signal(object)
    """This file is to be opened."""
    done = Signal(str)
    """One sentence about what was written."""
    overtaken = Signal(object, object)
    """An :class:`Overtaken`, and what saves over what somebody else has saved."""

    def __init__(
        self, controller: Controller, picture: Callable[..., Array], view: Callable[[], ViewSettings], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._window = parent
        self._controller = controller
        self._model: DocumentModel = controller.model
        self._services: Services = controller.services
        self._background: Background = controller.background
        self._picture = picture
        self._view = view
        self._mesh: Path | None = None
        """What the open document was imported from."""
        self._model.replacing.connect(self.leave)
        self._model.opened.connect(lambda: setattr(self, "_mesh", None))
        self.curves: Callable[[], Curves] = dict
        """The curves that the run has drawn."""

    def open(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self._window, "Open", self._folder(), open_filter())
        if name:
            self.path_chosen.emit(Path(name))

    def open_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self._window, "Open project folder", self._folder())
        if name:
            self.open_path(Path(name))

    def open_path(self, path: Path, then: Callable[[], None] = lambda: None) -> None:
        def opened() -> None:
            self.remember(path)
            then()

        self._controller.opening.open_path(path, opened)

    def use_as_picture(self, path: Path) -> bool:
        """Whether a picture without a project in it became the first picture of the open problem's parameters."""
        document = self._model.document
        if document is None or path.suffix.lower() not in SUFFIXES["picture"] or holds_project(path):
            return False
        for found in file_parameters(document.parameters):
            if found.kind == "picture":
                self._model.edit(("parameters", *found.place), str(path.absolute()), "another picture")
                return True
        return False

    def open_copied(self) -> None:
        """Open the text of the clipboard as a file of another program, a Brian2 script."""
        text = QGuiApplication.clipboard().text()
        if not text.strip():
            self._controller.problem.emit("There is no text to open: copy a Brian2 script or equations first.")
            return

        def load(permission: Permission) -> Document:
            with TemporaryDirectory() as folder:
                path = Path(folder) / "Copied script.py"
                path.write_text(text, "utf-8")
                return self._services.open(path, permission)

        self._controller.opening.open_with(load, "Opening the copied script")

    def save(self, then: Callable[[], None] = lambda: None) -> None:
        """``then`` is called when it is saved; not if that fails, or is given up."""
        self._model.wanted.emit()
        document = self._model.document
        if document is None:
            return
        if document.path is None:
            self.save_as(then)
        else:
            self.save_to(document.path, then)

    def save_as(self, then: Callable[[], None] = lambda: None) -> None:
        self._model.wanted.emit()
        if self._model.document is None:
            return
        suggestion = Path(self._folder()) / f"{file_stem(self._model.document.project.title)}.zip"
        name, chosen = QFileDialog.getSaveFileName(self._window, "Save project as", str(suggestion), SAVE_FILTER)
        if not name:
            return
        folder = chosen.startswith("Project folder")
        path = Path(name.removesuffix(".zip")) if folder else completed(name, ".zip", self._window, no_other=True)
        if path is not None:
            self.save_to(path, then)

    def save_to(self, path: Path, then: Callable[[], None] = lambda: None, *, over: bool = False) -> None:
        """Save a copy of the document as it is now, then let the open one stand at its new place. ``over``: also over
        what somebody else has saved there since."""
        if mistake := self._model.mistake():
            sentence = f"{mistake} The last valid values were saved."
            self._controller.message.emit(Message(sentence, "warning"))
            self._controller.problem.emit(sentence)
        document = self._model.snapshot(self._view())
        opened, place = self._model.document, self._model.undo_stack.index()
        parameters = document.parameters

        def stood(_: object) -> None:
            if self._model.document is opened and opened is not None:
                self._model.moved(document, parameters)
                if self._model.undo_stack.index() == place:
                    self._model.undo_stack.setClean()
                else:
                    self._model.undo_stack.resetClean()  # edited while it was being saved
            self._background.submit("autosave", lambda: self._services.forget_autosave(document), otherwise=self._warn)
            self.remember(path, pictured=True)
            self.done.emit(f"Saved to {path}.{OF_BEFORE if self._controller.is_of_other_values else ''}")
            self.saved.emit()
            then()

        def failed(error: BaseException) -> None:
            if isinstance(error, Overtaken):
                self.overtaken.emit(error, lambda: self.save_to(path, then, over=True))
            else:
                self._failed(error)

        self._background.submit("files", lambda: self._services.save(document, path, over), stood, failed)

    def export_snapshot(self) -> None:
        path = self._ask("Export snapshot", ".png", "Picture that reopens the session (*.png)")
        if path is not None:
            document, picture = self._model.snapshot(self._view()), self._picture()
            runner = self._controller.runner if self._controller.info is not None else None
            curves = self.curves()
            self._write(lambda: self._services.export_snapshot(path, picture, document, runner, curves), path)

    def export_results(self) -> None:
        document, runner, info = self._model.document, self._controller.runner, self._controller.info
        if document is None or runner is None or info is None:
            self._controller.problem.emit("There are no results yet: press Run first.")
            return
        folder = folder_for(self._window, "Export results into a folder", self._folder())
        if folder is not None:
            copy, curves = self._model.snapshot(self._view()), self.curves()
            more = SPIKES_ELSEWHERE if any(chart.kind == "raster" for chart in info.charts) else ""
            self._write(lambda: self._services.export_results(folder, copy, runner, info, curves), folder, more)

    def export_mesh(self) -> None:
        path = self._ask("Export mesh", ".vtu", "VTK (*.vtu);;CARP in micrometres (*.elem *.pts *.lon)")
        if path is not None:
            copy = self._model.snapshot()
            self._write(lambda: self._services.export_mesh(path, copy), path)

    def export_parameters(self) -> None:
        document = self._model.document
        form = None if document is None else document.engine.parameter_file
        if form is None:
            return
        if mistake := self._model.mistake():
            self._controller.problem.emit(mistake)
            return
        path = self._ask(f"Export {form.title}", form.suffix, f"{form.title} (*{form.suffix})")
        if path is not None:
            copy = self._model.snapshot()
            self._write(lambda: self._services.export_parameters(path, copy), path)

    def copy_as_python(self) -> None:
        """Put the script that makes the problem into the clipboard."""
        if self._model.document is None:
            self._controller.problem.emit("There is nothing to copy: open a project first.")
        elif mistake := self._model.mistake():
            self._controller.problem.emit(mistake)
        else:
            copy = self._model.snapshot()
            self._background.submit("files", lambda: script_of(copy), self._copied, self._failed)

    def _copied(self, script: str) -> None:
        QGuiApplication.clipboard().setText(script)
        self.done.emit(f"Copied as Python: {counted(len(script.splitlines()), 'line')} that make this problem.")

    def export_timing_log(self) -> None:
        runner = self._controller.runner
        if runner is None or self._controller.info is None:
            self._controller.problem.emit("There are no timings yet: press Run first.")
            return
        path = self._ask("Export timing log", ".jsonl", "JSON lines, with a CSV beside it (*.jsonl)")
        if path is not None:
            copy = self._model.snapshot()
            self._write(lambda: self._services.export_timing_log(path, copy, runner), path)

    def export_traces(self, probes: Sized, taken: Callable[[], Callable[[Path], None]]) -> None:
        """``probes``: what has been traced."""
        if not probes:
            self._controller.problem.emit(NO_TRACES)
            return
        path = self._ask("Export traces", ".csv", "Comma-separated values (*.csv)")
        if path is not None:
            write = taken()  # on this thread, on which they grow
            self._write(lambda: write(path), path)

    def export_chart(self, cell: ChartCell, suffix: str) -> None:
        """Save a chart as a picture, a drawing or a table."""
        path = self._ask(f"Save {cell.chart.title}", suffix, SAVED_AS[suffix], cell.chart.name)
        if path is not None:
            content = cell.content(path.suffix if path.suffix in SAVED_AS else suffix)
            self._write(lambda: write_bytes(path, content), path)

    def _write(self, call: Callable[[], object], path: Path, more: str = "") -> None:
        """``more``: what is to be known of what was written, a sentence."""
        told = " ".join(part for part in (f"Written to {path}.", more) if part)
        self._background.submit("files", call, lambda _: self.done.emit(told), self._failed)

    def _ask(self, title: str, suffix: str, kinds: str, name: str = "") -> Path | None:
        if self._model.document is None:
            self._controller.problem.emit("There is nothing to export: open a project first.")
            return None
        stem = file_stem(" ".join(part for part in (self._model.document.project.title, name) if part))
        suggestion = Path(self._folder()) / f"{stem}{suffix}"
        name, _ = QFileDialog.getSaveFileName(self._window, title, str(suggestion), kinds)
        return completed(name, suffix, self._window) if name else None

    def _folder(self) -> str:
        document = self._model.document
        return str(document.path.parent if document is not None and document.path is not None else Path.home())

    def imported(self, path: Path) -> None:
        """The open document was made of this mesh."""
        self._mesh = path
        self.remember(path)

    def remember(self, path: Path, *, pictured: bool = False) -> None:
        """Among what was opened last; ``pictured``: as it looks now."""
        title = self._model.document.project.title if self._model.document is not None else path.name
        picture = middle_of(self._picture) if pictured else None
        self._background.submit(
            "files",
            lambda: self._services.remember(path, title, picture),
            lambda _: self.recent_changed.emit(),
            self._warn,
        )

    def leave(self) -> None:
        """The open document makes way, or the window closes: its file is known by how it looks at its end."""
        document = self._model.document
        if self._mesh is not None:
            self.remember(self._mesh, pictured=True)
        if document is not None and document.path is not None and self._model.undo_stack.isClean():
            self.remember(document.path, pictured=True)

    def _warn(self, error: BaseException) -> None:
        self._controller.message.emit(Message(str(error), "warning"))

    def _failed(self, error: BaseException) -> None:
        known = isinstance(error, WorkbenchError)
        text = str(error) if known else f"It could not be written ({type(error).__name__}: {error})."
        self._controller.message.emit(Message(text, "error"))
        self._controller.problem.emit(text)
