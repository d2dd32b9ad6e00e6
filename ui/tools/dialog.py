"""The dialog of one tool: what it does, its numbers, Run and Cancel, and what came out."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLabel, QProgressBar, QScrollArea, QVBoxLayout, QWidget

from engines.api import Progress
from engines.api.errors import ProblemError, WorkbenchError
from engines.api.tools import Tool, ToolResult
from ui.forms.refusals import enter_typed, refusing, told
from ui.session.model import DocumentModel
from ui.session.services import Services
from ui.tools.job import ToolJob
from ui.tools.numbers import NumbersForm
from ui.tools.outlook import Outlook
from ui.tools.result import ResultView
from ui.widgets.background import Background
from ui.widgets.dressing import say
from ui.widgets.parts import button_for, resize_within
from workbench.project.document import Document, Standing
from workbench.project.tooling import changed_parameters, kept_standing, moved_end
from workbench.words.units import clock_text

FORM_WIDTH = 380
SIZE = QSize(980, 700)
TAKEN_OVER = "Taken over{}. Undo takes it back."
OTHER_MESH = "The mesh has changed since this was found: run the tool again."


class ToolDialog(QDialog):
    """Not modal: the window goes on beside it. It belongs to the document that was open when it was made."""

    chart_save_asked = Signal(object, str)
    taken_over = Signal(object)
    """This :class:`ToolResult` is the problem's now."""

    def __init__(
        self, tool: Tool, model: DocumentModel, services: Services, background: Background, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tool.title)
        self.setModal(False)
        resize_within(self, SIZE)
        self.tool = tool
        self._model, self._services = model, services
        self._base: Document | None = None  # what the result was found on
        self.result_found: ToolResult | None = None
        self.job = ToolJob(background, self)
        self.job.progressed.connect(self._show_progress)
        self.job.failed.connect(self._failed)
        self.job.cancelled.connect(self._cancelled)
        self.job.done.connect(self._done)
        self.outlook = Outlook(background, self)
        self._make()
        self._show_defaults()
        model.changed.connect(self._document_changed)

    def _make(self) -> None:
        summary = QLabel(self.tool.summary, self)
        summary.setTextFormat(Qt.TextFormat.PlainText)
        summary.setObjectName("muted")
        summary.setWordWrap(True)
        self.form = NumbersForm(self)
        self.form.setFixedWidth(FORM_WIDTH)
        self.form.changed.connect(lambda: self._say(""))  # it was about other numbers
        self.form.changed.connect(self._follow_form)
        self.form.changed.connect(self._look_ahead)
        self.result_view = ResultView()
        self.result_view.save_asked.connect(self.chart_save_asked)
        area = QScrollArea(self)
        area.setObjectName("scroll")
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self.result_view)
        self.result_view.setObjectName("scrollBody")
        self.sentence = QLabel(self)
        self.sentence.setWordWrap(True)
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.hide()
        self.activity = QLabel(self)
        self.activity.setObjectName("muted")
        self.bar = QProgressBar(self)
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.run_button = button_for("Run", self._run_or_cancel, self)
        self.run_button.setObjectName("primary")
        self.run_button.setDefault(True)
        self.apply_button = button_for("Apply", self.apply, self)
        self.apply_button.setToolTip("Take the result over into the project; one Undo takes it back")
        close = button_for("Close", self.close, self)
        middle = QHBoxLayout()
        middle.setSpacing(14)
        left = QVBoxLayout()
        left.setSpacing(10)
        left.addWidget(self.form, 1)
        left.addWidget(self.outlook)
        self.outlook.setFixedWidth(FORM_WIDTH)
        middle.addLayout(left)
        middle.addWidget(area, 1)
        bottom = QHBoxLayout()
        bottom.addWidget(self.activity, 2)
        bottom.addWidget(self.bar, 1)
        for button in (self.run_button, self.apply_button, close):
            bottom.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(10)
        layout.addWidget(summary)
        layout.addLayout(middle, 1)
        layout.addWidget(self.sentence)
        layout.addLayout(bottom)
        self._show_idle()

    def _show_defaults(self) -> None:
        document = self._model.document
        assert document is not None
        try:
            self.form.show_numbers(self.tool.defaults(document.problem))
        except WorkbenchError as error:
            self._say(str(error))
        self.form.set_around((self._model.draft["parameters"],))
        names = getattr(document.loaded, "region_names", {})
        self.form.set_suggestions({"region": list(names.values()), **self.tool.suggestions(document.problem)})
        self._follow_form()

    # Running.

    def _run_or_cancel(self) -> None:
        if self.job.busy:
            self.run_button.setEnabled(False)
            self.activity.setText("Cancelling")
            self.job.cancel()
        else:
            self.run()

    def run(self) -> None:
        """Set the tool to work on the document as it is now."""
        parameters = self.form.parameters
        if self.job.busy or parameters is None:
            return
        enter_typed([self.form])
        if refused := next(refusing(self.form), None):
            self._say(told(refused))
            return
        if mistake := self._model.mistake():
            self._say(mistake)
            return
        self._say("")
        self.result_found = None
        self.result_view.clear()
        self._base = document = self._model.snapshot()
        self._start(lambda progress: self._services.run_tool(document, self.tool, parameters, progress))

    def _start(self, call: Callable[[Progress], object]) -> None:
        self.job.start(call)
        self.run_button.setText("Cancel")
        self.apply_button.setEnabled(False)
        self.form.setEnabled(False)
        self.bar.show()

    def _show_progress(self, text: str, fraction: float) -> None:
        if self.run_button.isEnabled():  # else it says that it is being cancelled
            self.activity.setText(text)
        self.bar.setValue(round(1000 * fraction))

    def _show_idle(self) -> None:
        self.activity.clear()
        self.bar.hide()
        self.bar.setValue(0)
        self.run_button.setText("Run")
        self.form.setEnabled(True)
        self._follow_form()

    def _follow_form(self) -> None:
        self.run_button.setEnabled(self.form.parameters is not None)
        self.apply_button.setEnabled(self.result_found is not None and self.result_found.changes)

    def _look_ahead(self) -> None:
        """Say what these numbers would come to on the problem as it is now."""
        parameters, document = self.form.parameters, self._model.document
        if type(self.tool).outlook is Tool.outlook or not self.isVisible():
            return
        if parameters is None or document is None or not self._model.valid:
            self.outlook.follow(None)
            return
        problem = document.problem
        self.outlook.follow(lambda: self.tool.outlook(problem, parameters))

    def _document_changed(self, path: tuple[str | int, ...]) -> None:
        if path[0] == "parameters":
            self.form.set_around((self._model.draft["parameters"],))
        self._look_ahead()

    def _done(self, answer: object) -> None:
        if isinstance(answer, ToolResult):
            self.result_found = answer
            self.result_view.show_result(answer)
        else:
            assert isinstance(answer, Standing)
            self._take_over(answer)
        self._show_idle()

    def _cancelled(self) -> None:
        self._show_idle()
        self._say("Cancelled: nothing was changed.", "muted")

    def _failed(self, error: WorkbenchError) -> None:
        self._show_idle()
        if self.outlook.text() == str(error):
            self.outlook.forget()  # once is enough
        self._say(str(error))
        if isinstance(error, ProblemError) and error.place:
            self.form.mark(error.place, str(error))

    # Taking over.

    def apply(self) -> None:
        """Take the result over; a changed mesh is written first, on the other thread."""
        result, base = self.result_found, self._base
        if result is None or base is None or self.job.busy:
            return
        if self._other_mesh():
            self._say(OTHER_MESH)
        elif result.geometry is None:
            self._take_over(None)
        else:
            self._say("")
            self._start(lambda progress: _written(base, result, progress))

    def _take_over(self, standing: Standing | None) -> None:
        result, base = self.result_found, self._base
        assert result is not None
        assert base is not None
        if self._other_mesh():
            self._say(OTHER_MESH)
            return
        values = changed_parameters(base.parameters, result, self._model.draft["parameters"])
        before = self._model.draft["run"]["until"]
        until = moved_end(result, before)
        self._model.replace_problem(values, standing, f"'{self.tool.title}'", until)
        self.result_found = None  # once
        self._follow_form()
        unit = base.time_unit
        told = "" if until is None else f"; the run ends at {clock_text(until, unit, 'g')}"
        told += f", not at {before:g}" if until is not None and before is not None else ""
        self._say(TAKEN_OVER.format(told), "muted")
        self.taken_over.emit(result)

    def _other_mesh(self) -> bool:
        document, base = self._model.document, self._base
        return document is None or base is None or document.loaded is not base.loaded

    def _say(self, sentence: str, name: str = "error") -> None:
        say(self.sentence, sentence, name)

    # Qt.

    def reject(self) -> None:
        """Escape."""
        self.close()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look_ahead()

    def closeEvent(self, event: QCloseEvent) -> None:
        """What nobody looks at is not worked on; what was found stays for when it is opened again."""
        self.job.cancel()
        self.outlook.forget()
        event.accept()


def _written(base: Document, result: ToolResult, progress: Progress) -> Standing | None:
    progress("Writing the mesh", 0.0)
    standing = kept_standing(base, result)
    progress("Writing the mesh", 1.0)  # raises if nobody wants it any more
    return standing
