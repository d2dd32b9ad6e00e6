"""What is unsaved and not open: shown on the page of the gallery, opened, deleted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject

from ui.panels.unsaved import UnsavedList
from ui.session.controller import Controller
from ui.session.keeping import Keeper
from workbench.project.autosave import Recovery

LANE = "autosave"
"""After what is being set aside."""


class UnsavedSessions(QObject):
    """Between the list and what keeps unsaved sessions."""

    def __init__(self, shown: UnsavedList, controller: Controller, keeper: Keeper, parent: QObject) -> None:
        super().__init__(parent)
        self._list, self._controller, self._keeper = shown, controller, keeper
        shown.opened.connect(self._open)
        shown.deleted.connect(self._delete)
        keeper.aside_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Look again: other windows set aside, too."""
        services, background = self._controller.services, self._controller.background

        def show(found: Sequence[Recovery]) -> None:
            titles = {engine.id: engine.title for engine in services.engines()} if found else {}
            self._list.set_sessions(found, titles)

        background.submit(LANE, services.unsaved, show)

    def _open(self, recovery: Recovery) -> None:
        recover = partial(self._controller.services.recover, recovery)
        text = f"Opening what was left of {recovery.title}"
        self._controller.opening.open_with(recover, text, partial(self._keeper.take_over, recovery))

    def _delete(self, recovery: Recovery) -> None:
        delete = partial(self._controller.services.discard, recovery)
        self._controller.background.submit(LANE, delete, lambda _: self.refresh())
