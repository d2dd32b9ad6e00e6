"""Runs connected with the window: each that ends goes to the list, with the parameters that it had."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from engines.api import Finding, SimulationInfo
from ui.charts.panel import ChartsPanel
from ui.charts.runs.dialog import RunsDialog
from ui.charts.runs.runs import Place, SessionRun
from ui.charts.runs.storing import restored, storable
from ui.session.controller import Controller
from ui.session.running.phase import Phase
from workbench.project.parameter_files import value_at
from workbench.words.units import clock_text


class RunsArea(QObject):
    """Made before whatever else follows the controller: it sees the curves of a run before they are cleared."""

    ended = Signal(object)
    """A run that has ended, as the :class:`SessionRun` of the list, before the window forgets it."""

    compare_asked = Signal(list)
    """One or two :class:`SessionRun` that are to be looked at side by side."""

    def __init__(self, controller: Controller, panel: ChartsPanel, window: QWidget) -> None:
        super().__init__(window)
        self._controller, self._model, self._panel, self._window = controller, controller.model, panel, window
        self.runs = panel.runs
        self.dialog: RunsDialog | None = None
        self._ran: SimulationInfo | None = None
        self._changes: list[tuple[Place, object]] = []
        """Of live parameters, since the run took its last step."""
        self.action = QAction("R&uns of this session…", window)
        self.action.setToolTip("Runs so far: names, what differs, which stand behind the present one in the charts")
        self.action.triggered.connect(lambda _=False: self.show())
        window.addAction(self.action)
        panel.buttons.runs.clicked.connect(self.action.trigger)
        controller.info_changed.connect(self._info_changed)
        controller.restarted.connect(self._restarted)
        controller.samples_arrived.connect(lambda _: self._went_on())
        controller.noticed.connect(self._heed)
        self._model.changed.connect(self._changed)
        self._model.opened.connect(self._opened)

    def show(self) -> None:
        self._finished()
        if self.dialog is None:
            self.dialog = RunsDialog(self.runs, self._tell, self._reached, self._window)
            self.dialog.stored.connect(self.store)
            self.dialog.compared.connect(self.compare_asked)
            self.dialog.finished.connect(self._closed)
        self.dialog.show()
        self.dialog.raise_()

    def store(self, run: SessionRun, on: bool) -> None:
        """Keep a run with the project, or no longer."""
        run.stored = on
        others = [each for each in self._model.draft["runs"] if each["title"] != run.title]
        kept = [*others, storable(run).model_dump(mode="json")] if on else others
        self._model.edit(("runs",), kept, "keeping of a run" if on else "removal of a run")
        self.runs.changed.emit()

    def _heed(self, findings: tuple[Finding, ...]) -> None:
        runner = self._controller.runner
        why = "" if runner is None else str(runner.error or self._controller.ending.why)
        self.runs.said = (*([why] if why else []), *(finding.message for finding in findings))

    def _finished(self) -> None:
        """A run that stands at its end is one to look at, though it may go on: it is kept again when it does. So is one
        that ended in an error."""
        if (
            self._ran is not None
            and self._controller.phase in (Phase.FINISHED, Phase.FAILED)
            and self._panel.present[0]
        ):
            self.runs.keep(*self._panel.present)

    def _info_changed(self, info: SimulationInfo | None) -> None:
        self._archive()
        self._ran = info
        if info is not None:
            self._changes.clear()
            self.runs.begin(self._model.draft.get("parameters", {}), self._tell)

    def _restarted(self) -> None:
        """From time zero, with the same parameters."""
        self._archive()
        if self._ran is not None:
            self._went_on()
            self.runs.begin(self.runs.parameters, self._tell)

    def _archive(self) -> None:
        time, series, own = self._panel.present
        if self._ran is not None and time > 0 and any(len(buffer) > 1 for buffer in series.values()):
            self.ended.emit(self.runs.keep(time, series, own))

    def _changed(self, path: Place) -> None:
        """A live parameter has another value: of the present run it is one when that goes on with it."""
        live = path[0] == "parameters" and len(path) > 1 and self._model.is_live(path)
        if live and self._ran is not None and not self._model.errors:
            self._changes.append((path[1:], value_at(self._model.draft, path)))

    def _went_on(self) -> None:
        changes, self._changes = self._changes, []
        for place, value in changes:
            self.runs.set_live(place, value)

    def _opened(self) -> None:
        document = self._model.document
        self._ran = None
        self.runs.of_engine("" if document is None else document.engine.id)
        if document is not None:
            self.runs.add([restored(each) for each in document.project.runs])

    def _closed(self) -> None:
        self.dialog = None

    def _tell(self, place: Place, value: object) -> str:
        return self._model.told(("parameters", *place), value)

    def _reached(self, time: float) -> str:
        document = self._model.document
        return clock_text(time, "" if document is None else document.time_unit)
