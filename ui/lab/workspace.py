"""The Kernel Lab: what to measure at the left, what was found in the middle, the source at the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QImage, QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from engines.api.errors import WorkbenchError
from engines.api.lab import LabTable, Study
from ui.lab.choice import RecordChoice
from ui.lab.exporting import LabExport
from ui.lab.figures.axes import count_tick
from ui.lab.findings import levels
from ui.lab.measuring import Measuring
from ui.lab.setup_panel import Request, SetupPanel
from ui.lab.source import SourcePanel
from ui.lab.tables.measured import TablePage
from ui.lab.views import LabViews
from ui.session.services import Services
from ui.widgets.background import Background
from ui.widgets.banner import Banner
from ui.widgets.formatting import duration_text, rate_text
from ui.widgets.icons import dress
from workbench.bench.records import LabRecord, VariantRecord, device_text

ROOMY = 1366
"""Pixels of width from which the source has its place beside the figures before a variant is chosen."""


class LabWorkspace(QWidget):
    """Everything of the Lab. ``starting`` before a measurement begins: whoever disturbs it may stop."""

    starting = Signal()
    measuring_changed = Signal(bool)

    def __init__(self, services: Services, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lab")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._services = services
        self._background = background
        self._asked = False
        self.measuring = Measuring(self)
        self.banner = Banner(self)
        self.setup = SetupPanel(self)
        self.views = LabViews(self)
        self.table_page = TablePage(self)
        self.source = SourcePanel(self)
        self.choice = RecordChoice(services.open_lab_record, self.setup.title_of, background, self)
        self.export = LabExport(self._shown, self._studies, lambda: self.setup.table, self)
        self._make_layout()
        self._connect()
        self._refresh()

    # Putting together.

    def _make_layout(self) -> None:
        self.machine = QLabel(self)
        self.machine.setObjectName("muted")
        self.machine.setTextFormat(Qt.TextFormat.PlainText)
        self.machine.setWordWrap(True)
        self.machine.setToolTip("Everything here is held against what this device was measured to deliver")
        self.export_button = QToolButton(self)
        self.export_button.setText("Export")
        self.export_button.setToolTip("Write the record, its figures or its plots to files")
        self.export_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.export_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.export_button.setMenu(self.export.menu(self._picture))
        dress(self.export_button, "export")
        self.choice.add(self.views.sizes)
        head = QHBoxLayout()
        head.setContentsMargins(10, 6, 8, 4)
        head.addWidget(self.choice, 1)
        head.addWidget(self.export_button, 0, Qt.AlignmentFlag.AlignTop)
        self.empty = _EmptyPage(self)
        self.centre = QStackedWidget(self)
        self.centre.addWidget(self.empty)
        self.centre.addWidget(self.views)
        self.centre.addWidget(self.table_page)
        middle = QWidget(self)
        middle.setObjectName("panel")
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        self.machine.setContentsMargins(12, 0, 12, 4)
        column.addWidget(self.machine)
        column.addWidget(self.centre, 1)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.splitter.setHandleWidth(6)
        for widget in (self.setup, middle, self.source):
            self.splitter.addWidget(widget)
        self.splitter.setCollapsible(0, False)
        self.splitter.setCollapsible(1, False)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([264, 800, 330])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.splitter)
        self.banner.lie_over(self, low=True)

    def _connect(self) -> None:
        self.setup.run_asked.connect(self.run)
        self.setup.cancel_asked.connect(self.cancel)
        self.setup.chosen.connect(lambda _: self._refresh())
        self.empty.run_button.clicked.connect(self.run)
        self.views.chosen.connect(self._show_record)
        self.views.size_chosen.connect(self._show_notes)
        self.source.again.connect(self._measure_again)
        self.choice.changed.connect(self._refresh)
        self.choice.failed.connect(self.banner.say)
        self.export.done.connect(lambda sentence: self.banner.say(sentence, "info"))
        self.export.failed.connect(self.banner.say)
        self.measuring.progressed.connect(self.setup.set_progress)
        self.measuring.changed.connect(self._figures_changed)
        self.measuring.ended.connect(self._ended)
        for keys, call in (("Ctrl+Return", self.run), ("Esc", self.cancel)):
            shortcut = QShortcut(QKeySequence(keys), self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(call)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._asked:  # engines and devices are looked for when the Lab is wanted
            self._asked = True
            self._background.submit("lab", self._offered, self._take_studies, self._failed)
            self._background.submit("devices", self._services.devices, self.setup.set_devices)
            self._background.submit("lab", self._services.lab_records, self.choice.set_kept)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    # What a person asks for.

    def run(self) -> None:
        """Measure what is checked."""
        self._start(self.setup.request(), None)

    def cancel(self) -> None:
        if self.measuring.running:
            self.setup.say("Stopping after this launch…")
            self.measuring.cancel()

    def close_lab(self) -> None:
        """The window closes: end the measurement, keep what it has found."""
        self.export.stop()
        if self.measuring.running:
            self.measuring.close()
            self._keep()

    def _measure_again(self, record: VariantRecord) -> None:
        study = self.setup.study_by_id(record.study)
        if study is not None:
            wanted = self.setup.request()
            cases = self.setup.checked_cases(study) or (record.case,)
            one = Request(wanted.device, (study,), {study.id: cases}, record.cache, wanted.quick)
            self._start(one, {study.id: [record.variant]})

    def _start(self, wanted: Request, variants: Mapping[str, Sequence[str]] | None) -> None:
        studies = [study for study in wanted.studies if wanted.cases.get(study.id)]
        if self.measuring.running or not (studies or wanted.tables):
            return
        self.banner.hide()
        try:
            run = self._services.lab_run(
                wanted.device, studies, cases=wanted.cases, variants=variants, cache=wanted.cache, quick=wanted.quick,
                tables=wanted.tables, thorough=wanted.thorough,
            )  # fmt: skip
        except WorkbenchError as error:
            self.banner.say(str(error))
            return
        self.starting.emit()
        self.choice.show_this()
        if self.setup.study not in studies and self.setup.table not in wanted.tables:
            if studies:
                self.setup.choose_study(studies[0].id)
            else:
                self.setup.choose_table(wanted.tables[0].id)
        self.setup.set_running(True)
        self.setup.say(f"Opening the device: {self.setup.device.currentText()}")
        self.measuring.start(run)
        self.measuring_changed.emit(True)

    # What happens.

    def _offered(self) -> tuple[Sequence[tuple[str, Sequence[Study]]], Sequence[tuple[str, Sequence[LabTable]]]]:
        return self._services.lab_studies(), self._services.lab_tables()

    def _take_studies(
        self, offered: tuple[Sequence[tuple[str, Sequence[Study]]], Sequence[tuple[str, Sequence[LabTable]]]]
    ) -> None:
        self.setup.set_studies(*offered)
        self.choice.fill()
        self.empty.set_possible(any(offered))
        self._refresh()

    def _figures_changed(self) -> None:
        self.choice.set_devices(self.measuring.devices)
        self._refresh()

    def _ended(self, sentence: str, severity: str) -> None:
        self.setup.set_running(False)
        self.setup.say(sentence if severity == "info" else "")
        if severity == "error":
            self.banner.say(sentence)
        self._keep()
        self.measuring_changed.emit(False)

    def _keep(self) -> None:
        record = self.measuring.record()
        if record is not None and (record.variants or record.tables):
            self._background.submit("lab", lambda: self._services.keep_lab_record(record), otherwise=self._failed)

    def _failed(self, error: BaseException) -> None:
        known = isinstance(error, WorkbenchError)
        self.banner.say(str(error) if known else f"Something unexpected happened ({type(error).__name__}: {error}).")

    def _shown(self) -> LabRecord | None:
        shown = self.choice.shown
        return self.measuring.record(shown) if isinstance(shown, str) else shown

    def _studies(self) -> list[Study]:
        record = self._shown()
        names = dict.fromkeys(variant.study for variant in record.variants) if record is not None else {}
        return [study for name in names if (study := self.setup.study_by_id(name)) is not None]

    def _refresh(self) -> None:
        record, other = self._shown(), self.choice.compared
        if isinstance(other, str):
            other = self.measuring.record(other)
        study = self.setup.study
        identifier = study.id if study is not None else record.variants[0].study if record and record.variants else ""
        self.views.show_data(study, identifier, record, other)
        table = self.setup.table
        if table is not None:
            self.table_page.show_data(table, record, other)
        self.centre.setCurrentWidget(self.table_page if table else self.views if record else self.empty)
        self.views.sizes.setVisible(self.centre.currentWidget() is self.views)
        self.machine.setVisible(record is not None)
        self.machine.setText("" if record is None else machine_text(record))
        self.export_button.setEnabled(record is not None)
        chosen = self.source.record
        if chosen is None or chosen.study != identifier:
            self.source.show_record(None, None)
        self._make_room()
        self._show_notes()

    def _make_room(self) -> None:
        """The figures have the room of the source where there is nothing to show in it, or little of it."""
        wanted = self.source.record is not None or (self.width() >= ROOMY and self._shown() is not None)
        self.source.setVisible(self.setup.table is None and wanted)

    def _picture(self) -> QImage | None:
        """The plot that is seen."""
        return self.views.picture() if self.setup.table is None else self.table_page.picture()

    def _show_record(self, record: VariantRecord) -> None:
        self.source.show_record(record, self.setup.study_by_id(record.study))
        self.views.choose(record)
        self._make_room()

    def _show_notes(self) -> None:
        self.source.show_notes(self.setup.study, self.views.records, self.views.case)


class _EmptyPage(QWidget):
    """What there is to see before anything was measured: a sentence, a large button, and one who leads there."""

    guide_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sentence = QLabel(self)
        self.sentence.setObjectName("subtitle")
        self.sentence.setWordWrap(True)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.sentence.setFixedWidth(480)
        self.run_button = QPushButton("Measure this machine", self)
        self.run_button.setObjectName("primary")
        self.run_button.setMinimumSize(220, 44)
        dress(self.run_button, "play", "accent_text")
        layout = QVBoxLayout(self)
        layout.setSpacing(22)
        layout.addStretch(2)
        row = QHBoxLayout()  # without an alignment, for that would not ask how high the text is at this width
        row.addStretch(1)
        row.addWidget(self.sentence)
        row.addStretch(1)
        layout.addLayout(row)
        layout.addWidget(self.run_button, 0, Qt.AlignmentFlag.AlignHCenter)
        self.guide_button = QPushButton("Show me how, in four steps", self)
        self.guide_button.clicked.connect(self.guide_asked)
        layout.addWidget(self.guide_button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
        self.set_possible(True)

    def set_possible(self, possible: bool) -> None:
        self.run_button.setVisible(possible)
        self.guide_button.setVisible(possible)
        self.sentence.setText(
            "See how close each way to write a kernel comes to what this machine's memory can deliver: every variant is"
            " checked against a reference, then timed."
            if possible
            else "No engine of this installation has kernels to compare."
        )


def machine_text(record: LabRecord) -> str:
    """``NVIDIA H200, 2026-11-20 · driver 580 · memory: 4.3 TB/s · a launch: 3.4 µs``"""
    machine = record.machine
    parts = [device_text(machine)]
    if machine.device.get("driver"):
        parts.append(f"driver {machine.device['driver']}")
    parts += [f"{level.name.lower()}: {rate_text(level.rate)}" for level in reversed(levels(machine.curve))]
    if machine.operations_per_second:
        parts.append(f"arithmetic: {count_tick(machine.operations_per_second)} float32 operations/s")
    parts.append(f"a launch: {duration_text(machine.launch_seconds)}")
    if machine.graph_node_seconds is not None:
        parts.append(f"a graph node: {duration_text(machine.graph_node_seconds)}")
    return "  ·  ".join(parts)
