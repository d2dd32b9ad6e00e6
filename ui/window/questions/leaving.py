"""What becomes of unsaved changes when another problem is opened or the window closes: a person says."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from ui.session.files import FileActions
from ui.session.keeping import Keeper
from ui.session.model import DocumentModel

EXPLANATION = "What is kept aside stands in the gallery, among what is unsaved."


class Leaving(QObject):
    """Asks, then goes on or stays."""

    stayed = Signal()
    """The person would rather not leave."""

    def __init__(self, model: DocumentModel, files: FileActions, keeper: Keeper, window: QWidget) -> None:
        super().__init__(window)
        self._model = model
        self._files = files
        self._keeper = keeper
        self._window = window
        self.question: QMessageBox | None = None
        """While it is asked."""

    @property
    def unsaved(self) -> bool:
        """Whether there is anything to ask about."""
        return self._model.document is not None and not self._model.undo_stack.isClean()

    def ask(self, go_on: Callable[[], None]) -> None:
        """Call ``go_on`` at once if nothing is unsaved, else when the changes are saved, kept aside or given up.

        It is not called where the person stays, or where saving fails. While a question stands, another is not asked.
        """
        document = self._model.document
        if document is None or not self.unsaved:
            go_on()
        elif self.question is None:
            self._keeper.gives_up = False
            box = QMessageBox(self._window)
            box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            box.setWindowTitle("Unsaved changes")
            box.setTextFormat(Qt.TextFormat.PlainText)
            box.setText(f"'{document.project.title}' has unsaved changes.")
            box.setInformativeText(EXPLANATION)
            roles = QMessageBox.ButtonRole
            save = box.addButton("Save", roles.AcceptRole)
            box.addButton("Keep aside", roles.YesRole)
            discard = box.addButton("Discard", roles.DestructiveRole)
            cancel = box.addButton("Cancel", roles.RejectRole)
            box.setDefaultButton(save)
            box.setEscapeButton(cancel)

            def answered() -> None:
                self.question = None
                chosen = box.clickedButton()
                if chosen is cancel:
                    self.stayed.emit()
                elif chosen is save:
                    self._files.save(go_on)
                else:
                    self._keeper.gives_up = chosen is discard
                    go_on()

            box.finished.connect(answered)
            self.question = box
            box.open()
