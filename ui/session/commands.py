"""The undo commands: one value at one path, or the problem as a whole; old and new."""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QUndoCommand

from ui.forms.validation import Path
from workbench.project.document import Standing

if TYPE_CHECKING:
    from ui.session.model import DocumentModel

MERGE_SECONDS = 0.8
WATCHING = ("run", "pace")
"""How fast a run is watched, no part of what it computes: nobody is asked whether to save it."""
COMMAND_ID = 1


class ReplaceProblem(QUndoCommand):
    """Replaces all parameters and, unless None, what the document stands on, in one step (a tool's result)."""

    def __init__(
        self, model: DocumentModel, old: tuple[Any, Standing | None], new: tuple[Any, Standing | None], text: str
    ) -> None:
        super().__init__(text)
        self._model, self._old, self._new = model, old, new

    def redo(self) -> None:
        self._model.put_problem(*self._new)

    def undo(self) -> None:
        self._model.put_problem(*self._old)


class SetValue(QUndoCommand):
    """Replaces the value at ``path``. Quick changes of the same field are one command (arrow keys held down)."""

    def __init__(self, model: DocumentModel, path: Path, old: Any, new: Any, text: str) -> None:
        super().__init__(text)
        self._model = model
        self.path = path
        self._old = old
        self.new = new
        self.time = clock.monotonic()

    def redo(self) -> None:
        self._model.put(self.path, self.new)

    def undo(self) -> None:
        self._model.put(self.path, self._old)

    @property
    def counts(self) -> bool:
        """Whether what was saved before it no longer is after it."""
        return self.path != WATCHING

    def id(self) -> int:
        return COMMAND_ID

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, SetValue) or other.path != self.path or isinstance(other.new, (list, dict)):
            return False
        if other.time - self.time > MERGE_SECONDS:
            return False
        self.new, self.time = other.new, other.time
        self.setObsolete(self._old == self.new)
        return True
