"""What groups of parameters describe, worked out again after each edit on another thread: only the latest is shown."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, QTimer, Signal

from engines.api import Problem
from engines.api.charts import Diagram, Inspection
from ui.forms.validation import Path
from ui.session.model import DocumentModel
from ui.widgets.background import Background

DELAY_MILLISECONDS = 40


class Previews(QObject):
    """Follows a model. ``found(previews)`` carries an :class:`Inspection` by place in the parameters, ``drawn`` the
    diagram of what is joined to what, or None."""

    found = Signal(object)
    drawn = Signal(object)

    def __init__(self, model: DocumentModel, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model, self._background = model, background
        self._busy = False
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
        if self._busy:
            self._timer.start()
            return
        self._busy, engine, revision = True, document.engine, self._model.revision
        problem = Problem(document.parameters, document.loaded)

        def show(told: tuple[Mapping[Path, Inspection], Diagram | None]) -> None:
            self._busy = False
            if revision == self._model.revision:
                self.found.emit(told[0])
                self.drawn.emit(told[1])

        def drop(_: BaseException) -> None:
            self._busy = False
            self.found.emit({})
            self.drawn.emit(None)

        self._background.submit("previews", lambda: (engine.previews(problem), engine.diagram(problem)), show, drop)
