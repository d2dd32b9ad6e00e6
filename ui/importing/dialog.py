"""The import page of one file: its unit, regions, fibres and fineness, and what a run of it would need."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from engines.api import Engine, Estimate, Finding, Remedy
from engines.api.errors import ProblemError, WorkbenchError
from ui.forms.fields.file import SUFFIXES
from ui.importing.findings import FindingsList
from ui.importing.picture import Picture
from ui.importing.regions import RegionRows
from ui.importing.units import UnitChooser
from ui.importing.warm import warm
from ui.scene.colormaps import distinct_colours
from ui.session.services import Services
from ui.widgets.background import Background, lane_of
from ui.widgets.dressing import look_as
from ui.widgets.elided import ElidedLabel
from ui.widgets.formatting import bytes_text, duration_text
from ui.widgets.parts import button_for, resize_within
from workbench.importing.report import Report, report_of
from workbench.project.boundary import OutsideFiles
from workbench.project.document import Document
from workbench.project.findings import findings_of, refusal
from workbench.project.meshes import usual_length_unit
from workbench.project.parameter_files import with_values
from workbench.words.numbers import spaced
from workbench.words.units import one_of

SIZE = QSize(980, 640)
LANE = "imports"


@dataclass(frozen=True)
class Reading:
    """How the file is to be read."""

    engine: Engine
    unit: str
    fibres: Path | None = None


class ImportDialog(QDialog):
    """Reads the file on another thread, anew for each unit; nothing of the open document changes until Import."""

    imported = Signal(object, object)
    """The new :class:`Document`, and the :class:`Remedy` whose tool is to be opened on it, or None. Whoever takes it
    calls :meth:`finish`."""
    refused = Signal(str)
    """One sentence: why the file cannot be used at all."""
    outside_met = Signal(object)
    """An :class:`OutsideFiles`: the file has companions that nobody chose."""

    def __init__(
        self, path: Path, engines: Sequence[Engine], services: Services, background: Background, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Import")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_within(self, SIZE)
        self.path = path
        self._engines, self._services, self._background = engines, services, background
        self.reading = Reading(engines[0], usual_length_unit(path))
        self.document: Document | None = None
        self.report: Report | None = None
        self.estimate: Estimate | None = None
        self._turn = object()
        """Another one for each reading: its answers are shown, and no older ones."""
        self._asked: Future[Any] = Future()
        """The last reading: one that has not begun need not begin any more once another is asked for."""
        self._proposing = True
        self._proposed: dict[str, str] = {}
        """The unit that was likely before one was chosen, by the engine that the file is for."""
        self._make()
        self.read()

    # Putting together.

    def _make(self) -> None:
        title = QLabel(self.path.name, self)
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setObjectName("title")
        folder = ElidedLabel(str(self.path.absolute().parent), self)
        folder.setObjectName("muted")
        self.engine_chooser = QComboBox(self)
        self.engine_chooser.addItems([engine.title for engine in self._engines])
        self.engine_chooser.setAccessibleName("What it becomes")
        self.engine_chooser.activated.connect(lambda at: self.read(replace(self.reading, engine=self._engines[at])))
        head = QHBoxLayout()
        names = QVBoxLayout()
        names.setSpacing(0)
        names.addWidget(title)
        names.addWidget(folder)
        head.addLayout(names, 1)
        if len(self._engines) > 1:
            head.addWidget(QLabel("Use it for", self))
            head.addWidget(self.engine_chooser)
        middle = QHBoxLayout()
        middle.setSpacing(18)
        middle.addLayout(self._make_left())
        middle.addWidget(self._make_right(), 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 14, 18, 14)
        layout.setSpacing(12)
        layout.addLayout(head)
        layout.addLayout(middle, 1)
        layout.addLayout(self._make_bottom())

    def _make_left(self) -> QVBoxLayout:
        self.picture = Picture(self)
        self.figures: dict[str, QLabel] = {}
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        for row, name in enumerate(("Size", "Mesh", "Edges", "Memory", "Time")):
            label, value = QLabel(name, self), QLabel("–", self)
            label.setObjectName("muted")
            value.setWordWrap(True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(value, row, 1)
            self.figures[name] = value
        left = QVBoxLayout()
        left.setSpacing(10)
        left.addWidget(self.picture)
        left.addLayout(grid)
        left.addStretch(1)
        return left

    def _make_right(self) -> QScrollArea:
        self.units = UnitChooser(self)
        self.units.chosen.connect(lambda unit: self.read(replace(self.reading, unit=unit)))
        self.regions = RegionRows(self)
        self.fibres = QLabel(self)
        self.fibres.setTextFormat(Qt.TextFormat.PlainText)
        self.fibres.setWordWrap(True)
        self.choose_fibres = button_for("Choose a file…", self._ask_for_fibres, self)
        self.own_fibres = button_for("As in the mesh's file", self._with_own_fibres, self)
        fibres = QWidget(self)
        row = QHBoxLayout(fibres)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.fibres, 1)
        row.addWidget(self.choose_fibres)
        row.addWidget(self.own_fibres)
        self.findings = FindingsList(self)
        self.findings.mend_asked.connect(self._mend)
        body = QWidget(self)
        body.setObjectName("scrollBody")
        self._rows = QVBoxLayout(body)
        self._rows.setContentsMargins(14, 10, 14, 10)
        self._rows.setSpacing(6)
        self.parts: dict[str, tuple[QLabel, QWidget]] = {}
        for name, widget in (
            ("Unit of its coordinates", self.units),
            ("Regions", self.regions),
            ("Fibres", fibres),
            ("Worth knowing", self.findings),
        ):
            heading = QLabel(name, body)
            heading.setObjectName("heading")
            self._rows.addWidget(heading)
            self._rows.addWidget(widget)
            self._rows.addSpacing(8)
            self.parts[name] = (heading, widget)
            self._show_part(name, name == "Unit of its coordinates")
        self._rows.addStretch(1)
        area = QScrollArea(self)
        area.setObjectName("scroll")
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(body)
        return area

    def _make_bottom(self) -> QHBoxLayout:
        self.sentence = QLabel(self)
        self.sentence.setWordWrap(True)
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.import_button = button_for("Import", self.accept, self)
        self.import_button.setObjectName("primary")
        self.import_button.setDefault(True)
        bottom = QHBoxLayout()
        bottom.addWidget(self.sentence, 1)
        bottom.addWidget(button_for("Cancel", self.reject, self))
        bottom.addWidget(self.import_button)
        return bottom

    def _with_own_fibres(self) -> None:
        self.read(replace(self.reading, fibres=None))

    def _show_part(self, name: str, shown: bool) -> None:
        for widget in self.parts[name]:
            widget.setVisible(shown)

    # Reading.

    def read(self, reading: Reading | None = None) -> None:
        """Read the file, on another thread, so; an answer to an older question is dropped."""
        if reading is not None:
            if reading.engine != self.reading.engine:  # it has nothing to say of another one's problem
                self._show_findings(())
            self.reading, self._proposing = reading, False
        self._turn = object()
        turn, wanted = self._turn, self.reading
        self.import_button.setEnabled(False)
        for value in self.figures.values():  # of the reading before
            value.setText("–")
        self._say(f"Reading {self.path.name}", "muted")

        def if_fresh(show: Any) -> Any:
            return lambda answer: show(answer) if turn is self._turn else None

        self._asked.cancel()
        self._asked = self._background.submit(
            LANE, lambda: self._read(wanted), if_fresh(self._show), if_fresh(self._failed)
        )

    def _read(self, wanted: Reading) -> tuple[Document, Report]:
        document = self._services.open_mesh(self.path, wanted.unit, wanted.fibres, engine=wanted.engine)
        report = report_of(document, self.path, wanted.unit)
        warm(report.triangles)
        return document, report

    def _show(self, answer: tuple[Document, Report]) -> None:
        document, report = answer
        proposed = self._proposed.setdefault(document.engine.id, report.proposed)
        if self._proposing and report.proposed != self.reading.unit:
            self.reading = replace(self.reading, unit=report.proposed)
            self._proposing = False
            self.read()
            return
        self._proposing = False
        self.document, self.report, self.estimate = document, report, None
        self._say("")
        self.import_button.setEnabled(True)
        self.units.show_choices(report.choices, report.unit, proposed)
        colours = distinct_colours(max(len(report.regions), 1), 0.72, 0.11)
        self.picture.show_triangles(report.triangles, colours[report.colours])
        self.regions.show_regions(report.regions, colours)
        self._show_part("Regions", bool(report.regions))
        self._show_part("Fibres", report.fibres is not None)
        self.fibres.setText("" if report.fibres is None else f"{report.fibres[:1].upper()}{report.fibres[1:]}")
        self.own_fibres.setVisible(self.reading.fibres is not None)
        for name, text in (("Size", report.size), ("Mesh", report.count), ("Edges", report.edges)):
            self.figures[name].setText(text)
        self._ask_for_estimate()

    def _ask_for_estimate(self) -> None:
        document, turn = self.document, self._turn
        assert document is not None
        for name in ("Memory", "Time"):
            self.figures[name].setText("–")
        self._show_findings(findings_of(document, None))

        def if_fresh(show: Any) -> Any:
            return lambda answer: show(answer) if turn is self._turn else None

        self._background.submit(
            lane_of("estimates", document.engine.id),
            lambda: self._services.estimate(document),
            if_fresh(self._show_estimate),
            if_fresh(self._show_refusal),
        )

    def _show_estimate(self, estimate: Estimate) -> None:
        document = self.document
        assert document is not None
        self.estimate = estimate
        self.figures["Memory"].setText(bytes_text(estimate.memory_bytes))
        name, span = estimate.milestone or (one_of(document.time_unit), 1.0)
        seconds = estimate.seconds_per_simulated_unit
        self.figures["Time"].setText("–" if seconds is None else f"about {duration_text(seconds * span)} a {name}")
        self._show_findings(findings_of(document, estimate))

    def _show_refusal(self, error: BaseException) -> None:
        """It opens all the same: what cannot run yet can be mended there."""
        assert self.document is not None
        if isinstance(error, ProblemError):
            self._show_findings((*findings_of(self.document, None), refusal(error)))
        else:
            self._say(_sentence(error))

    def _show_findings(self, findings: Sequence[Finding]) -> None:
        self.findings.show_findings(findings)
        self._show_part("Worth knowing", bool(findings))

    def _failed(self, error: BaseException) -> None:
        if isinstance(error, OutsideFiles):
            self.reject()
            self.outside_met.emit(error)
        elif self.report is None:  # there is nothing to show
            self.reject()
            self.refused.emit(_sentence(error))
        self.document = None
        self._say(_sentence(error), "error")

    # What a person asks for.

    def _ask_for_fibres(self) -> None:
        usual = " ".join(f"*{suffix}" for suffix in SUFFIXES["fibre file"])
        name, _ = QFileDialog.getOpenFileName(
            self, "Fibres of the mesh's cells", str(self.path.parent), f"Fibre files ({usual});;All files (*)"
        )
        if name:
            self.read(replace(self.reading, fibres=Path(name)))

    def _mend(self, remedy: Remedy) -> None:
        """Another unit or other parameters are taken here; a tool is opened when the mesh is."""
        document = self.document
        if document is None:
            return
        if remedy.length_unit:
            self.read(replace(self.reading, unit=remedy.length_unit))
        elif remedy.tool:
            self._done(remedy)
        else:
            values = with_values(document.parameters.model_dump(mode="json"), remedy.changes)
            parameters = type(document.parameters).model_validate(values)
            project = document.project.model_copy(update={"parameters": parameters.model_dump(mode="json")})
            self.document = replace(document, parameters=parameters, project=project)
            self._ask_for_estimate()

    def accept(self) -> None:
        """Open what was read."""
        self._done(None)

    def _done(self, remedy: Remedy | None) -> None:
        if self.document is not None and self.import_button.isEnabled():
            self.imported.emit(self.document, remedy)

    def finish(self) -> None:
        """Close: what was read is being opened."""
        self._turn = object()
        super().accept()

    def reject(self) -> None:
        self._turn = object()
        self._asked.cancel()
        super().reject()

    def _say(self, sentence: str, name: str = "error") -> None:
        look_as(self.sentence, name)
        self.sentence.setText(spaced(sentence))


def _sentence(error: BaseException) -> str:
    return str(error) if isinstance(error, WorkbenchError) else f"It cannot be read ({type(error).__name__}: {error})."
