"""What is changed before the first step is built anew, so that the picture shows a moved notch, the index of a moved
object or where other equations begin at once."""

from __future__ import annotations

import time as clock

from PySide6.QtCore import QObject, QTimer

from ui.session.controller import Controller
from ui.session.placing import Placing
from ui.session.running.phase import Phase

SETTLED_MILLISECONDS = 350
"""After the last change: who types on is not kept waiting."""
LONGEST_BUILD = 3.0
"""Seconds: a problem that took longer to build anew waits for Run from then on, as its form may be changed often."""


class Redrawing(QObject):
    """Follows a controller, what stands in space in its document, and parameters that make the geometry themselves."""

    def __init__(self, controller: Controller, placing: Placing, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._controller, self._placing = controller, placing
        self._began = self._took = 0.0  # of what was built here: the first time devices are measured, too
        self._settle = QTimer(self, singleShot=True)
        self._settle.setInterval(SETTLED_MILLISECONDS)
        self._settle.timeout.connect(self._build)
        controller.phase_changed.connect(self._follow)
        controller.model.opened.connect(self._forget)
        controller.model.changed.connect(lambda path: self._settle.start() if path[0] == "parameters" else None)

    def _follow(self, phase: str) -> None:
        if phase == Phase.READY and self._began:
            self._took, self._began = clock.monotonic() - self._began, 0.0

    def _forget(self) -> None:
        self._began = self._took = 0.0

    def _build(self) -> None:
        if self._placing.placement is not None and self._controller.model.valid:
            self._build_anew()

    def estimated(self) -> None:
        """The problem as it is now can run: what is wrong with a typed line is known by its estimate alone."""
        document = self._controller.model.document
        if document is not None and self._placing.placement is None and document.engine.geometry_type is None:
            self._build_anew()

    def _build_anew(self) -> None:
        controller = self._controller
        wanted = controller.stale and not controller.leaves_earlier  # that is for a person to say
        if controller.phase is Phase.READY and wanted and self._took <= LONGEST_BUILD:
            controller.build()
            self._began = clock.monotonic()
