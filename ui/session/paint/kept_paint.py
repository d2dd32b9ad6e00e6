"""What was painted into a run, kept in the project: asked of the run, written as a mesh, and put there as one edit."""

from __future__ import annotations

from concurrent.futures import CancelledError
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from engines.api.abilities import Keeping
from engines.api.errors import WorkbenchError
from engines.api.tools import ToolResult
from workbench.project.document import Document, Standing
from workbench.project.tooling import changed_parameters, kept_standing
from workbench.run.frames import Message

if TYPE_CHECKING:
    from ui.session.controller import Controller

LANE = "tools"
NOTHING = "Nothing has been painted that could be kept."
OTHER_MESH = "The mesh has changed meanwhile: reset the run, then paint again."


class KeptPaint(QObject):
    """Belongs to a controller."""

    message = Signal(object)
    busy_changed = Signal(bool)

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller

    def keep(self) -> None:
        """Take what is painted now over into the document; answers come on their own."""
        controller = self._controller
        runner, info = controller.runner, controller.info
        if runner is None or info is None or not info.keeps:
            return
        if not controller.model.valid:
            controller.problem.emit(controller.model.first_error())
            return
        base, title = controller.model.snapshot(), info.keeps
        asked = runner.post(lambda run: run.kept(base.problem) if isinstance(run, Keeping) else None)

        def work() -> tuple[ToolResult | None, Standing | None]:
            result = asked.result()
            return result, None if result is None else kept_standing(base, result)

        self.busy_changed.emit(True)
        controller.background.submit(LANE, work, lambda answer: self._take_over(base, title, *answer), self._failed)

    def _take_over(self, base: Document, title: str, result: ToolResult | None, standing: Standing | None) -> None:
        self.busy_changed.emit(False)
        model = self._controller.model
        if result is None:
            self._controller.hint.emit(NOTHING)
        elif model.document is None or model.document.loaded is not base.loaded:
            self._controller.problem.emit(OTHER_MESH)
        else:
            values = changed_parameters(base.parameters, result, model.draft["parameters"])
            model.replace_problem(values, standing, f"'{title}'")
            self.message.emit(Message(result.message))

    def _failed(self, error: BaseException) -> None:
        self.busy_changed.emit(False)
        if isinstance(error, CancelledError):
            return  # the run has ended, and what was painted with it
        if not isinstance(error, WorkbenchError):
            raise error
        self._controller.problem.emit(str(error))
