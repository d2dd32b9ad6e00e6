"""What the run will need, said before it starts; follows the edits 300 ms behind, on another thread.

After opening the owner asks for the first estimate when the problem is built: both need the same operators, and the
second to ask finds them made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from engines.api import Estimate, Finding
from engines.api.charts import Fact
from engines.api.errors import ProblemError, WorkbenchError
from engines.api.registry import is_own
from ui.charts.plots.reading import fact_text
from ui.forms.editor import Editor
from ui.forms.section import Section
from ui.session.model import DocumentModel
from ui.session.services import Services
from ui.widgets.background import Background, lane_of
from ui.widgets.formatting import bytes_text, duration_text
from ui.widgets.freeing import empty
from ui.widgets.icons import icon
from workbench.project.findings import above_stable, findings_of, in_order, refusal
from workbench.words.numbers import spaced
from workbench.words.units import at_most, clock_text, counted, one_of

DELAY_MILLISECONDS = 300
LONG_MILLISECONDS = 1000
"""An answer that takes longer is told to be on its way; why older values had none is no longer said then."""
OVERDUE_MILLISECONDS = 10_000
"""An engine of others that takes longer may never answer; kernels of ours are compiled for it at times."""

ROWS = (
    ("memory", "Memory"),
    ("traffic", "Bytes per step"),
    ("step", "Time step"),
    ("stable", "Largest stable step"),
    ("pace", "Wall time"),
)


class EstimatesPanel(QWidget):
    """Memory, traffic, stable step, wall time, findings: one line that unfolds."""

    refused = Signal(object)
    """Where in the parameters something is wrong, and the sentence that says what; empty where nothing is."""

    found = Signal(tuple)
    """All findings of the document: of its files, and of the estimate once it is there."""

    answered = Signal(object)
    """The first finding of a run that has come to its end."""

    noted = Signal(tuple)
    """Those that are said at their fields as notes: why it cannot run is marked there already."""

    estimated = Signal()
    """The document as it is now can run."""

    findings_asked = Signal()
    """The person wants to read them."""

    def __init__(
        self, model: DocumentModel, services: Services, background: Background, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._model = model
        self._services = services
        self._background = background
        self.estimate: Estimate | None = None
        self._per = ""
        """What the wall time is of, where not of the whole run: ``per second``."""
        self._noticed: tuple[Finding, ...] = ()
        self._refusal: tuple[Finding, ...] = ()
        self._wanted = object()
        """Another one for each edit."""
        """Counts edits that estimates hang on."""
        self.figures: dict[str, QLabel] = {}
        self.names: dict[str, QLabel] = {}
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for row, (key, title) in enumerate(ROWS):
            self.names[key] = QLabel(title, self)
            self.names[key].setObjectName("muted")
            self.figures[key] = QLabel("–", self)
            self.figures[key].setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(self.names[key], row, 0)
            grid.addWidget(self.figures[key], row, 1)
        self._facts = QGridLayout()
        self._facts.setContentsMargins(0, 0, 0, 0)
        self._facts.setHorizontalSpacing(12)
        self._facts.setVerticalSpacing(2)
        self._facts.setColumnStretch(0, 1)
        self.facts: dict[str, QLabel] = {}
        self.sentence = QLabel(self)
        self.sentence.setWordWrap(True)
        self.sentence.setObjectName("error")
        self.findings = QPushButton(self)
        self.findings.setObjectName("link")
        self.findings.setToolTip("Show them above the view")
        self.findings.clicked.connect(self.findings_asked)
        self.section = Section("Estimate", expanded=False, parent=self)
        self.section.rows.addLayout(grid)
        self.section.rows.addLayout(self._facts)
        self.section.toggled.connect(self._sum_up)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 12, 6)
        layout.setSpacing(4)
        layout.addWidget(self.section)
        layout.addWidget(self.sentence)
        layout.addWidget(self.findings)
        self.sentence.hide()
        self.findings.hide()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MILLISECONDS)
        self._timer.timeout.connect(self.recompute)
        self._long = QTimer(self)
        self._long.setSingleShot(True)
        self._long.setInterval(LONG_MILLISECONDS)
        self._long.timeout.connect(self._show_waiting)
        self._overdue = QTimer(self)
        self._overdue.setSingleShot(True)
        self._overdue.timeout.connect(self._show_overdue)
        model.opened.connect(self._begin)
        model.changed.connect(self._follow)

    def _begin(self) -> None:
        self._wanted = object()
        self._show_nothing()

    def _follow(self, path: tuple[str | int, ...]) -> None:
        if path[0] in ("parameters", "run"):
            self._wanted = object()
            self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        self._answered()

    def _answered(self) -> None:
        self._long.stop()
        self._overdue.stop()

    def recompute(self) -> None:
        """Ask for a new estimate; an answer for older values is dropped."""
        if self._model.document is None or not self._model.valid:
            self._show_nothing()
            self._say(self._model.first_error())
            return
        wanted = self._wanted
        document = self._model.snapshot()

        def if_fresh(show: Callable[[Any], None]) -> Callable[[Any], None]:
            return lambda answer: show(answer) if wanted is self._wanted else None

        def asked() -> Estimate | None:
            """Nothing where an edit came while others were before it: some take long, and nobody waits for them."""
            return self._services.estimate(document) if wanted is self._wanted else None

        lane = lane_of("estimates", document.engine.id)
        self._background.submit(lane, asked, if_fresh(self.show_estimate), if_fresh(self._show_error))
        self._long.start()
        if not is_own(document.engine.id) and not self._overdue.isActive():
            self._overdue.start(OVERDUE_MILLISECONDS)

    def _show_waiting(self) -> None:
        """What stands there is of other values than those of the form."""
        if self.sentence.isVisibleTo(self):
            left = self._overdue.remainingTime()
            self._show_nothing()
            self.refused.emit({})
            if left > 0:
                self._overdue.start(left)
        self.section.note.setText("being worked out")

    def _show_overdue(self) -> None:
        document = self._model.document
        if document is not None:
            self._say(
                f"The engine '{document.engine.id}' has not said for {OVERDUE_MILLISECONDS / 1000:g} s what a run "
                "needs: wait, run without it, or open another problem; update or uninstall the engine if it stays so."
            )

    def show_estimate(self, estimate: Estimate) -> None:
        self._answered()
        noticed = self._noticed
        if self.estimate is None:  # a run that was reopened at its end spoke before it: that is shown over warnings
            self._noticed = ()
        self.estimate, self._refusal = estimate, ()
        self.refused.emit({})
        unit = self._model.document.time_unit if self._model.document else ""
        self.figures["memory"].setText(bytes_text(estimate.memory_bytes))
        self.figures["traffic"].setText(bytes_text(estimate.bytes_per_step))
        self.figures["step"].setText(clock_text(estimate.step, unit, ".4g"))
        stable = estimate.stable_step
        above = above_stable(estimate, unit)
        self.figures["stable"].setText("–" if stable is None else at_most(stable, unit, 4))
        for key in ("step", "stable"):
            self.figures[key].setObjectName("error" if above else "")
            Editor.repolish(self.figures[key], bool(above))
        self._show_wall_time(estimate, unit)
        self._say(above)
        self.show_findings()
        self.show_noticed(noticed)
        self._show_facts(estimate.facts)
        self._sum_up()
        self.estimated.emit()

    def _show_wall_time(self, estimate: Estimate, unit: str) -> None:
        """To the end where one is set, else of what people look for; as long as the pace that is set makes it."""
        document, seconds = self._model.document, estimate.seconds_per_simulated_unit
        until, pace = (None, None) if document is None else (document.project.run.until, document.project.run.pace)
        name, span = estimate.milestone or (one_of(unit), 1.0)
        self._per = f"per {name}"
        if estimate.milestone is None and until is not None:
            self._per, span = "", until
        at_pace = 1 / pace if pace else 0.0
        paced = seconds is not None and at_pace > seconds
        if seconds is not None:
            seconds = max(seconds, at_pace)
        of = self._per or f"to {clock_text(span, unit, 'g')}"
        self.names["pace"].setText(f"Wall time {of}{', at its pace' if paced else ''}")
        self.figures["pace"].setText("–" if seconds is None else f"about {duration_text(seconds * span)}")

    def _sum_up(self, _unfolded: bool = False) -> None:
        """Folded, the title says the two figures that most people look for."""
        known = self.estimate is not None and not self.section.header.isChecked()
        figures = (self.figures["memory"].text(), self.figures["pace"].text())
        text = ", ".join(text for text in figures if text != "–")
        of = f" {self._per}" if self._per and figures[1] != "–" else ""
        self.section.note.setText(f"{text}{of}" if known else "")

    def show_findings(self) -> None:
        """What is known by now: how many in the panel, and all to whoever listens."""
        document = self._model.document
        findings = (
            ()
            if document is None
            else (*self._refusal, *in_order((*self._noticed, *findings_of(document, self.estimate))))
        )
        warnings = sum(finding.severity == "warning" for finding in findings)
        counts = ((warnings, "warning"), (len(findings) - warnings, "note"))
        self.findings.setText(", ".join(counted(count, thing) for count, thing in counts if count))
        self.findings.setIcon(icon("warning", "warn") if warnings else icon("info", "muted"))
        self.findings.setVisible(bool(findings))
        self.found.emit(findings)
        self.noted.emit(findings[len(self._refusal) :])

    def show_noticed(self, findings: tuple[Finding, ...]) -> None:
        """What a run that came to its end said of its answers; nothing, once it begins anew."""
        if findings != self._noticed:
            self._noticed = findings
            self.show_findings()
            if findings:
                self.answered.emit(findings[0])

    def _show_facts(self, facts: tuple[Fact, ...]) -> None:
        if [fact.title for fact in facts] != list(self.facts):
            empty(self._facts)
            self.facts = {}
            for row, fact in enumerate(facts):
                name, value = QLabel(fact.title, self), QLabel(self)
                name.setObjectName("muted")
                name.setWordWrap(True)
                value.setAlignment(Qt.AlignmentFlag.AlignRight)
                self._facts.addWidget(name, row, 0)
                self._facts.addWidget(value, row, 1)
                self.facts[fact.title] = value
        for fact in facts:
            self.facts[fact.title].setText(fact_text(fact))

    def _show_error(self, error: BaseException) -> None:
        self._show_nothing()
        if isinstance(error, ProblemError) and error.remedy is not None:  # else it stands at its field and below
            self._refusal = (refusal(error),)
            self.show_findings()
        self.refused.emit({error.place: str(error)} if isinstance(error, ProblemError) and error.place else {})
        self._say(
            str(error) if isinstance(error, WorkbenchError) else f"No estimate ({type(error).__name__}: {error})."
        )

    def _show_nothing(self) -> None:
        self._answered()
        self.estimate, self._noticed, self._refusal = None, (), ()
        for label in self.figures.values():
            label.setText("–")
        self._sum_up()
        self._say("")
        self._show_facts(())
        self.show_findings()

    def _say(self, sentence: str) -> None:
        self.sentence.setText(spaced(sentence))
        self.sentence.setVisible(bool(sentence))
