"""What groups of parameters describe, worked out again after each edit on another thread: only the latest is shown."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, QTimer, Signal

from engines.api import Problem
from engines.api.charts import Diagram, Inspection
from engines.api.simulation.contract import BrokenContract
from ui.forms.validation import Path
from ui.session.model import DocumentModel
from ui.widgets.background import Background, lane_of

DELAY_MILLISECONDS = 40


class Previews(QObject):
    """Follows a model. ``found(previews)`` carries an :class:`Inspection` by place in the parameters, ``drawn`` the
    diagram of what is joined to what, or None."""

    found = Signal(object)
    drawn = Signal(object)
    failed = Signal(str)
    """What an engine of others did instead, in a sentence."""

    def __init__(self, model: DocumentModel, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model, self._background = model, background
        self._busy: set[str] = set()  # an engine that never answers holds up itself alone
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MILLISECONDS)
        self._timer.timeout.connect(self._ask)
        model.opened.connect(self._timer.start)
        model.changed.connect(lambda path: self._timer.start() if path[0] == "parameters" else None)

    def stop(self) -> None:
        self._timer.stop()

    def _ask(self) -> None:
        """While one is worked out, the next waits; where a value is wrong, what is shown stays."""
        document = self._model.document
        if document is None or not self._model.valid:
            return
        engine, revision = document.engine, self._model.revision
        lane = lane_of("previews", engine.id)
        if lane in self._busy:
            self._timer.start()
            return
        self._busy.add(lane)
        problem = Problem(document.parameters, document.loaded)

        def show(told: tuple[Mapping[Path, Inspection], Diagram | None]) -> None:
            self._busy.discard(lane)
            if revision == self._model.revision:
                self.found.emit(told[0])
                self.drawn.emit(told[1])

        def drop(error: BaseException) -> None:
            self._busy.discard(lane)
            if document is not self._model.document:
                return
            self.found.emit({})
            self.drawn.emit(None)
            if isinstance(error, BrokenContract):
                self.failed.emit(str(error))

        self._background.submit(lane, lambda: (engine.previews(problem), engine.diagram(problem)), show, drop)
