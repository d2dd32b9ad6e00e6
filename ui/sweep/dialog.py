"""The dialog of a parameter sweep: numbers to vary, what is kept, the runs as they come, and what becomes of them."""

from __future__ import annotations

import time as clock
from copy import deepcopy
from pathlib import Path

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QMessageBox, QProgressBar, QVBoxLayout, QWidget

from engines.api.errors import ProblemError, WorkbenchError
from ui.charts.plots.pictures import picture_bytes
from ui.forms.fields.optional_number import OptionalNumber
from ui.forms.refusals import told
from ui.session.controller import Controller
from ui.session.running.phase import Phase
from ui.sweep.keeping import KeptList
from ui.sweep.results import SweepResults
from ui.sweep.tree import NumberTree
from ui.sweep.values import FINER, ValuesEditor
from ui.tools.job import ToolJob
from ui.tools.outlook import Outlook
from ui.widgets.dressing import say
from ui.widgets.formatting import bytes_text, duration_text
from ui.widgets.parts import button_for, folder_for, resize_within
from workbench.storage.atomic import write_bytes
from workbench.sweep.convergence import along_with
from workbench.sweep.files import earlier, write_sweep
from workbench.sweep.numbers import numbers_of
from workbench.sweep.outlook import Outlook as Expected
from workbench.sweep.outlook import outlook
from workbench.sweep.plan import MANY, SweepPlan, changed
from workbench.sweep.running import Row, charts_to_keep
from workbench.sweep.table import read_anew
from workbench.words.units import unit_text

LEFT_WIDTH = 380
SIZE = QSize(1240, 780)
REBUILD_MILLISECONDS = 200
SHOW_SECONDS_FROM = 3
"""Runs after which the time that remains is told."""
STOP_ASKED = "The sweep is not through. Stop it? The runs until now stay."
NOT_FINER = "No number here says how fine the problem is: set a time step first, or choose a number and make it finer."
GONE = "This problem has no '{name}' any more: undo what removed it, then use the case."


class SweepDialog(QDialog):
    """Not modal. It belongs to the document that was open when it was made."""

    chart_save_asked = Signal(object, str)

    def __init__(self, controller: Controller, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Parameter sweep")
        self.setModal(False)
        resize_within(self, SIZE)
        self._controller, self._model = controller, controller.model
        self._services, self._background = controller.services, controller.background
        self.plan: SweepPlan | None = None
        """What runs or has run."""
        self.rows: list[Row] = []
        self._arrived: list[Row] = []  # appended to on the other thread
        self.editors: dict[str, ValuesEditor] = {}
        self._case: int | None = None
        self._began = 0.0
        self.job = ToolJob(self._background, self)
        self.job.progressed.connect(self._show_progress)
        self.job.done.connect(lambda _: self._ended("Done."))
        self.job.cancelled.connect(lambda: self._ended("Stopped: the runs until then stay."))
        self.job.failed.connect(lambda error: self._ended(str(error), "error"))
        self.outlook = Outlook(self._background, self)
        self._rebuilding = QTimer(self, singleShot=True, interval=REBUILD_MILLISECONDS)
        self._rebuilding.timeout.connect(self._show_numbers)
        self._make()
        document = self._model.document
        assert document is not None
        self.until.set_unit(unit_text(document.time_unit))
        self.until.set_value(document.project.run.until)
        self._show_numbers()
        self._show_charts()
        # Methods and no lambdas: these signals outlive the dialog.
        self._model.changed.connect(self._document_changed)
        controller.info_changed.connect(self._show_charts)

    def _make(self) -> None:
        self.numbers = NumberTree(self)
        self.numbers.chosen.connect(self._follow_numbers)
        self._values = QVBoxLayout()
        self._values.setSpacing(8)
        self.until = OptionalNumber("Run to", "Where each run ends; off: at its own end", 1.0, self)
        self.until.edited.connect(self._until_edited)
        self.until.refused.connect(self._look_ahead)
        self.kept = KeptList(self)
        self.kept.changed.connect(self._follow_kept)
        self.results = SweepResults(self)
        self.results.chosen.connect(self._choose)
        self.results.save_asked.connect(self.chart_save_asked)
        self.sentence = QLabel(self)
        self.sentence.setWordWrap(True)
        self.sentence.hide()
        self.activity = QLabel(self)
        self.activity.setObjectName("muted")
        self.bar = QProgressBar(self)
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.hide()
        self.use_button = button_for("Use this case", self.use, self)
        self.use_button.setToolTip("Set the problem to the numbers of the chosen run; one Undo takes it back")
        self.export_button = button_for("Export…", self._ask_export, self)
        self.export_button.setToolTip("Table and curves as CSV, all of it as HDF5, the plots as pictures")
        self.run_button = button_for("Run", self._run_or_stop, self)
        self.run_button.setObjectName("primary")
        close = button_for("Close", self.close, self)
        left = QVBoxLayout()
        left.setSpacing(6)
        for heading, part, stretch in (
            ("Vary one or two", self.numbers, 3),
            ("", self._values, 0),
            ("", self.until, 0),
        ):
            self._put(left, heading, part, stretch)
        self._put(left, "Keep of each run", self.kept, 2)
        left.addWidget(self.outlook)
        self._left = QWidget(self)
        self._left.setFixedWidth(LEFT_WIDTH)
        left.setContentsMargins(0, 0, 0, 0)
        self._left.setLayout(left)
        middle = QHBoxLayout()
        middle.setSpacing(14)
        middle.addWidget(self._left)
        middle.addWidget(self.results, 1)
        bottom = QHBoxLayout()
        bottom.addWidget(self.activity, 3)
        bottom.addWidget(self.bar, 1)
        for button in (self.use_button, self.export_button, self.run_button, close):
            bottom.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(10)
        layout.addLayout(middle, 1)
        layout.addWidget(self.sentence)
        layout.addLayout(bottom)
        self._follow_buttons()

    def _put(self, layout: QVBoxLayout, heading: str, part: QWidget | QVBoxLayout, stretch: int) -> None:
        if heading:
            label = QLabel(heading, self)
            label.setObjectName("heading")
            layout.addWidget(label)
        if isinstance(part, QWidget):
            layout.addWidget(part, stretch)
        else:
            layout.addLayout(part, stretch)

    # What is to be done.

    def _show_numbers(self) -> None:
        """The numbers of the problem as it is now."""
        document = self._model.document
        if document is None:
            return
        numbers = [number for number in numbers_of(document.parameters) if number.matters]
        self.numbers.set_numbers(numbers)
        known = {number.name: number for number in numbers}
        for name, editor in self.editors.items():
            if name in known:
                editor.number, editor.along = known[name], along_with(known[name], numbers)
        self._follow_numbers(self.numbers.names)

    def _document_changed(self, path: tuple[str | int, ...]) -> None:
        if path[0] == "parameters":
            self._rebuilding.start()

    def _show_charts(self, _info: object = None) -> None:
        info = self._controller.info
        if info is not None and not self.job.busy:
            self.kept.set_charts(charts_to_keep(info.charts, info.series))

    def _follow_numbers(self, names: list[str]) -> None:
        document = self._model.document
        assert document is not None
        for name in [name for name in self.editors if name not in names]:
            editor = self.editors.pop(name)
            self._values.removeWidget(editor)
            editor.hide()
            editor.deleteLater()
        numbers = {number.name: number for number in numbers_of(document.parameters)}
        for name in names:
            if name not in self.editors:
                editor = self.editors[name] = ValuesEditor(numbers[name], self)
                editor.along = along_with(numbers[name], list(numbers.values()))
                editor.changed.connect(self._look_ahead)
                self._values.addWidget(editor)
        self._look_ahead()

    def _until_edited(self, until: float | None) -> None:
        self.until.set_value(until)
        self._look_ahead()

    def _follow_kept(self) -> None:
        """Other readings are taken of the runs that there are, too."""
        kept = self.kept.kept()
        if self.rows and self.plan is not None:
            self.rows = read_anew(self.rows, kept)
            self.results.show_rows(self.plan, self.rows, anew=True)
        self._look_ahead()

    def planned(self) -> SweepPlan:
        """What the dialog says now. Raises ProblemError."""
        if mistake := self._model.mistake():
            raise ProblemError(mistake)
        if self.until.check.isChecked() and self.until.box.refusal:
            raise ProblemError(told(self.until.box))
        variations = tuple(editor.variation() for editor in self.editors.values())
        until = float(self.until.box.value()) if self.until.check.isChecked() else None
        plan = SweepPlan(self._model.snapshot(), variations, until, self.kept.kept())
        plan.check()
        return plan

    def _look_ahead(self) -> None:
        """Say what it would come to."""
        if not self.isVisible() or self.job.busy:
            return
        if self.sentence.objectName() == "error":
            self._say("")  # it was about other numbers
        if not self.editors:
            self.outlook.forget()
            return

        def told() -> str:
            return _expected_text(outlook(plan, self._services.estimate))

        try:
            plan = self.planned()
        except WorkbenchError as error:
            refusal = error
            self.outlook.follow(lambda: _raise(refusal))
            return
        self.outlook.follow(told)

    def make_finer(self) -> None:
        """Ask whether answers converge: choose the first number that makes them finer, if none of those is chosen."""
        document = self._model.document
        assert document is not None
        marked = [one.name for one in numbers_of(document.parameters) if one.finer and one.matters]
        name = next((one for one in self.numbers.names if one in marked), next(iter(marked), ""))
        if not name:
            self._say(NOT_FINER)
            return
        for other in self.numbers.names:
            if other != name:
                self.numbers.set_chosen(other, False)
        self.numbers.set_chosen(name, True)
        self.numbers.reveal(name)
        self.editors[name].kind.setCurrentText(FINER)

    # Running.

    def _run_or_stop(self) -> None:
        if self.job.busy:
            self.run_button.setEnabled(False)
            self.activity.setText("Stopping")
            self.job.cancel()
        else:
            self.run()

    def run(self) -> None:
        """Begin the sweep that the dialog describes; many runs are asked about first."""
        try:
            plan = self.planned()
        except WorkbenchError as error:
            self._say(str(error), "error")
            return
        if len(plan) > MANY and not self._agreed(f"These are {len(plan):,} runs. Make them all?"):
            return
        if self._controller.phase is Phase.RUNNING:
            self._controller.pause()  # both would be slower
        self._say("")
        self.outlook.forget()
        self.plan, self.rows, self._case, self._began = plan, [], None, clock.monotonic()
        arrived: list[Row] = []
        self._arrived = arrived
        self.results.clear()
        services = self._services
        self.job.start(lambda progress: services.run_sweep(plan, progress, arrived.append))
        self._left.setEnabled(False)
        self.bar.setValue(0)
        self.bar.show()
        self._follow_buttons()

    def _show_progress(self, text: str, fraction: float) -> None:
        if self.run_button.isEnabled():  # else it says that it is being stopped
            left = self._seconds_left()
            self.activity.setText(text if left is None else f"{text}, about {duration_text(left)} left")
        self.bar.setValue(round(1000 * fraction))
        self._take_rows()

    def _seconds_left(self) -> float | None:
        if self.plan is None or len(self.rows) < SHOW_SECONDS_FROM:
            return None
        return (clock.monotonic() - self._began) / len(self.rows) * (len(self.plan) - len(self.rows))

    def _take_rows(self) -> None:
        count = len(self._arrived)
        if self.plan is not None and count > len(self.rows):
            self.rows += self._arrived[len(self.rows) : count]
            self.results.show_rows(self.plan, self.rows)
            self._follow_buttons()

    def _ended(self, sentence: str, name: str = "muted") -> None:
        self._take_rows()
        if self.plan is not None and self.rows != (ordered := sorted(self.rows, key=lambda row: row.place)):
            self.rows = ordered  # workers end cases in any order
            self.results.show_rows(self.plan, self.rows, anew=True)
        failed = sum(bool(row.error) for row in self.rows)
        if failed and name == "muted":
            sentence = f"{sentence} {failed} of {len(self.rows)} runs failed."
        self._left.setEnabled(True)
        self.bar.hide()
        self.activity.clear()
        self.run_button.setEnabled(True)
        self._follow_buttons()
        found = next((row for row in self.rows if row.charts), None)
        if found is not None and self.kept.kept() is None:
            self.kept.set_charts([info for info, _, _ in found.charts])
        self._say(sentence, name)

    def _follow_buttons(self) -> None:
        self.run_button.setText("Stop" if self.job.busy else "Run")
        self.export_button.setEnabled(bool(self.rows) and not self.job.busy)
        self.use_button.setEnabled(self._case is not None)

    # What becomes of it.

    def _choose(self, place: int) -> None:
        self._case = place
        self._follow_buttons()
        told = self.results.table.trouble(place)
        if told or self.sentence.objectName() == "warning":  # of another run
            self._say(f"Run {place + 1}: {told}" if told else "", "warning")

    def use(self) -> None:
        """Set the problem to the case of the chosen run: one edit."""
        row = next((row for row in self.rows if row.place == self._case), None)
        if row is None or self.plan is None:
            return
        try:
            values = changed(deepcopy(self._model.draft["parameters"]), self.plan.variations, row.case)
        except (KeyError, IndexError, TypeError):
            self._say(GONE.format(name=self.plan.variations[0].number.name), "error")
            return
        self._model.replace_problem(values, None, f"run {row.place + 1} of the sweep")
        self._say(f"The problem has {self.plan.told(row.case)} now. Undo takes it back.")

    def _ask_export(self) -> None:
        folder = folder_for(self, "Export the sweep into a folder")
        if folder is not None:
            self.export(folder)

    def export(self, folder: Path) -> None:
        """Write table, curves and pictures into a folder, on another thread."""
        plan, rows = self.plan, list(self.rows)
        if plan is None:
            return
        pictures = {"overlay.png": picture_bytes(self.results.overlay)}
        if self.results.cell is not None:
            pictures["over_parameter.png"] = picture_bytes(self.results.cell)

        def write() -> str:
            names = write_sweep(plan, rows, folder)
            for name, content in pictures.items():
                write_bytes(folder / name, content)
            return " ".join([f"Written to {folder}: {', '.join([*names, *pictures])}.", *earlier(folder, names)])

        self._background.submit("files", write, self._say, lambda error: self._say(str(error), "error"))

    def _say(self, sentence: str, name: str = "muted") -> None:
        say(self.sentence, sentence, name)

    def _agreed(self, question: str) -> bool:
        yes = QMessageBox.StandardButton.Yes
        return QMessageBox.question(self, "Parameter sweep", question) == yes

    # Qt.

    def reject(self) -> None:
        """Escape."""
        self.close()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look_ahead()

    def closeEvent(self, event: QCloseEvent) -> None:
        """A sweep that is not through is given up if its owner says so; what was found stays."""
        if self.job.busy and self.isVisible() and not self._agreed(STOP_ASKED):
            event.ignore()
            return
        self.give_up()
        event.accept()

    def give_up(self) -> None:
        """Stop without asking."""
        self.job.cancel()
        self.outlook.forget()
        self._rebuilding.stop()


def _expected_text(expected: Expected) -> str:
    parts = [f"{expected.runs:,} runs"]
    if expected.seconds is not None:
        parts.append(f"about {duration_text(expected.seconds)} in all (less where runs end by themselves)")
    else:
        parts.append("each to an end of its own")
    if expected.memory_bytes:
        parts.append(f"{bytes_text(expected.memory_bytes)} for the largest")
    text = ", ".join(parts) + "."
    if expected.refused:
        text += f" Some cannot run: {expected.refusal}"
    return text


def _raise(error: WorkbenchError) -> str:
    raise error
