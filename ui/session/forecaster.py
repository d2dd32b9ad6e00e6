"""Has the run as a whole solved again while a live parameter moves, and after other edits; never makes the window wait.

The solver lives on a thread of its own, and that of an engine of others, which may never answer, on another. What is
asked while it is busy waits, and only the latest of that is solved. Answers come by a signal across threads rather than
by polling: a frame has 16 ms.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from engines.api.charts import ChartData, ChartInfo, Forecast
from engines.api.errors import WorkbenchError
from ui.forms.validation import Path
from ui.session.controller import Controller
from ui.session.running.phase import Phase
from ui.widgets.background import lane_of
from workbench.project.document import Document
from workbench.project.parameter_files import value_at

DELAY_MILLISECONDS = 300
Charts = Mapping[str, ChartData]


class Forecaster(QObject):
    """Follows a controller's model. ``solved(charts, infos)`` carries curves by chart name, or None and nothing."""

    solved = Signal(object, tuple)
    _arrived = Signal(str, int, object, tuple)

    def __init__(self, controller: Controller, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model, self._services, self._background = controller.model, controller.services, controller.background
        self._forecasts: dict[str, Forecast] = {}  # by lane, each of that one's thread
        self._document: Document | None = None  # to make a forecast of, before anything is solved
        self._controls: dict[str, Any] = {}
        self._wanted, self._held = False, False
        self._busy: set[str] = set()  # lanes
        self._turn, self._made = 0, 0  # documents so far, and which the forecast is of: that of another is not shown
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MILLISECONDS)
        self._timer.timeout.connect(self._anew)
        self._arrived.connect(self._take)
        self._model.opened.connect(self._opened)
        self._model.changed.connect(self._changed)
        controller.phase_changed.connect(lambda phase: self._hold(phase == Phase.RUNNING))

    @property
    def busy(self) -> bool:
        """Whether something is being solved or about to be."""
        return self._lane in self._busy or self._timer.isActive()

    def stop(self) -> None:
        """Ask for nothing more; what is being solved is not shown."""
        self._timer.stop()
        self._turn += 1
        self._held, self._wanted = True, False

    def close(self) -> None:
        """Free the device memory. After :meth:`stop`, when the lanes' threads have ended."""
        for lane in list(self._forecasts):
            self._drop(lane)

    @property
    def _lane(self) -> str:
        """The one of the model's engine."""
        document = self._model.document
        return "forecast" if document is None else lane_of("forecast", document.engine.id)

    def _drop(self, lane: str) -> None:
        if (forecast := self._forecasts.pop(lane, None)) is not None:
            forecast.close()

    def _hold(self, held: bool) -> None:
        """While a run goes on it has the device to itself; what was asked meanwhile is solved after it."""
        self._held = held
        if not held and self._wanted:
            self._ask()

    def _opened(self) -> None:
        self._turn += 1
        self.solved.emit(None, ())
        for lane in self._forecasts.keys() - {self._lane}:
            self._background.submit(lane, partial(self._drop, lane))
        self._timer.start()

    def _changed(self, path: Path) -> None:
        if path[0] == "parameters" and self._model.is_live(path):
            if self._model.valid:
                self._controls[".".join(str(key) for key in path[1:])] = value_at(self._model.draft, path)
                self._ask()
        elif path[0] == "parameters" or path == ("run", "device"):
            self._timer.start()

    def _anew(self) -> None:
        if self._model.document is not None and self._model.valid:
            self._document, self._made = self._model.snapshot(), self._turn
            self._controls.clear()  # the document has them
            self._ask()

    def _ask(self) -> None:
        self._wanted = True
        fresh = self._document is not None or (self._made == self._turn and not self._timer.isActive())
        lane = self._lane
        if lane in self._busy or self._held or not fresh:
            return
        self._busy.add(lane)
        self._wanted = False
        document, self._document = self._document, None
        work = partial(self._work, lane, self._turn, document, dict(self._controls))
        self._background.submit(lane, work, otherwise=partial(self._broken, lane))

    def _work(self, lane: str, turn: int, document: Document | None, controls: Mapping[str, Any]) -> None:
        """On the lane's thread."""
        charts: Charts | None = None
        infos: tuple[ChartInfo, ...] = ()
        try:
            if document is not None:
                self._drop(lane)
                if (made := self._services.forecast(document)) is not None:
                    self._forecasts[lane] = made
            if (forecast := self._forecasts.get(lane)) is not None:
                charts, infos = forecast.solve(controls), forecast.charts
        except WorkbenchError:
            pass  # the estimate says it
        self._arrived.emit(lane, turn, charts, infos)

    def _take(self, lane: str, turn: int, charts: Charts | None, infos: tuple[ChartInfo, ...]) -> None:
        self._busy.discard(lane)
        if turn == self._turn:
            self.solved.emit(charts, infos)
        if self._wanted:
            self._ask()

    def _broken(self, lane: str, error: BaseException) -> None:
        self._busy.discard(lane)
        self.solved.emit(None, ())
        raise error  # nobody expected it: the log has the details
