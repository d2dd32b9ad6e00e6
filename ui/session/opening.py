"""Opening another document: read on another thread, in the place of the open one where that may go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from workbench.project.boundary import NOTHING, OutsideFiles, Permission
from workbench.project.document import Document

if TYPE_CHECKING:
    from ui.session.controller import Controller

Load = Callable[[Permission], Document | None]


def _nothing() -> None: ...


@dataclass(frozen=True)
class Outside:
    """The files that a project names outside of its folder, and how it is opened once the person has decided."""

    error: OutsideFiles
    open: Callable[[Permission], None]


class Opening(QObject):
    """Belongs to a controller."""

    outside_asked = Signal(object)
    """An :class:`Outside`: what is being opened names files that nobody chose."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self.turn = object()
        """Another one for each opening: the newest wins."""
        self._pending = 0
        self._run_after = False
        self.before: Callable[[Callable[[], None]], None] = lambda go_on: go_on()
        """Calls what it is given when the open document may make way for another."""

    @property
    def goes_on(self) -> bool:
        """Whether a document is being read."""
        return self._pending > 0

    def open_path(self, path: Path, then: Callable[[], None] = _nothing) -> None:
        """Open a file; a mistake becomes a sentence and the present document stays."""
        self.open_with(partial(self._controller.services.open, path), f"Opening {path.name}", then)

    def open_with(
        self, load: Load, text: str, then: Callable[[], None] = _nothing, begins: Callable[[], None] = _nothing
    ) -> None:
        """Open whatever ``load``, which is told what it may read, returns; ``begins`` is called first, unless the
        person would rather stay."""

        def go_on() -> None:
            begins()
            self._open(load, text, then)

        self.before(go_on)

    def overtake(self) -> object:
        """What is still being opened makes way for something that was asked for after it; the :attr:`turn` of that."""
        self.turn, self._run_after = object(), False
        return self.turn

    def run_when_open(self) -> None:
        """Run what is being opened as soon as it is there, or what has just been opened."""
        if self._pending:
            self._run_after = True
        else:
            self._controller.run()

    def _open(self, load: Load, text: str, then: Callable[[], None], permission: Permission = NOTHING) -> None:
        controller = self._controller
        turn = self.overtake()
        self._pending += 1
        controller.progressed.emit(text, 0.0)

        def is_over() -> bool:
            """The person has opened something else meanwhile, or closed the window."""
            self._pending -= 1
            return turn is not self.turn or controller.closed

        def opened(document: Document | None) -> None:
            if is_over():
                return
            controller.tell_idle()
            if document is not None:
                run, self._run_after = self._run_after, False
                controller.model.open(document)
                then()
                if run:
                    controller.run()

        def failed(error: BaseException) -> None:
            over = is_over()
            if not isinstance(error, OutsideFiles):
                controller.fail(error)
            elif not over:
                controller.tell_idle()
                self.outside_asked.emit(Outside(error, lambda given: self._open(load, text, then, given)))

        controller.background.submit("files", lambda: load(permission), opened, failed)
