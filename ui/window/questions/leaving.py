"""What becomes of unsaved changes when another problem is opened or the window closes: a person says."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget

from ui.forms.fields.line import Line
from ui.forms.fields.lines import LineText
from ui.forms.refusals import enter_typed, refusing, told
from ui.session.files import FileActions
from ui.session.keeping import Keeper
from ui.session.model import DocumentModel

EXPLANATION = "What is kept aside stands in the gallery, among what is unsaved."
RUN_TOO = "Its run stands at {time}: Discard gives that up, too; saved or kept aside it opens there, on this computer."
OF_BEFORE = (
    "Its run stands at {time} with the values of before; saved or kept aside with the new ones, it opens at zero."
)
DISCARD = "Discard leaves it there."
NOT_TAKEN = "Nothing keeps what is typed there; Cancel leads back to it."


class Leaving(QObject):
    """Asks, then goes on or stays."""

    stayed = Signal()
    """The person would rather not leave."""
    field_asked = Signal(object)
    """They go on with this field, whose text is not its value."""

    def __init__(
        self, model: DocumentModel, files: FileActions, keeper: Keeper, fields: list[QWidget], window: QWidget
    ) -> None:
        """``fields``: what has fields of the problem inside."""
        super().__init__(window)
        self._fields = fields
        self._model = model
        self._files = files
        self._keeper = keeper
        self._window = window
        self.run_text: Callable[[], str] = lambda: ""
        """The time of a run that is kept with what is open alone; empty where it has taken no step."""
        self.of_other_values: Callable[[], bool] = lambda: False
        """Whether that run began with other values than what is saved."""
        self.unkept: Callable[[], str] = lambda: ""
        """What is said of a run that cannot be kept as it stands; empty where it can."""
        model.wanted.connect(lambda: enter_typed(fields))
        self.question: QMessageBox | None = None
        """While it is asked."""

    @property
    def unsaved(self) -> bool:
        """Whether there is anything to ask about; what is still being typed is entered first."""
        if self._model.document is None:
            return False
        enter_typed(self._fields)
        return not self._model.undo_stack.isClean() or bool(self._refusing())

    def _refusing(self) -> list[Line | LineText]:
        return [field for each in self._fields for field in refusing(each)]

    def _sentences(self, of_the_run: str) -> tuple[str, str]:
        """What is asked about, and what else there is to know."""
        assert self._model.document is not None
        title, refusing = self._model.document.project.title, self._refusing()
        changed = not self._model.undo_stack.isClean()
        if not changed and not refusing:
            return f"Close {'' if of_the_run == self.unkept() else 'the window of '}'{title}'?", of_the_run
        notes = [of_the_run] if of_the_run else []
        notes += [" ".join([*map(told, refusing), NOT_TAKEN])] if refusing else []
        if wrong := self._model.first_error():
            notes.append(f"{wrong} Save writes the last valid values.")
        unsaved = self._model.document.path is None
        if changed and (time := self.run_text()) and self.of_other_values():
            notes.append(OF_BEFORE.format(time=time) + ("" if unsaved else f" {DISCARD}"))
        elif changed and unsaved and time:
            notes.append(RUN_TOO.format(time=time))
        what = "unsaved changes" if changed else "a text that is no value"
        return f"'{title}' has {what}.", "\n\n".join([*notes, *([EXPLANATION] if changed else [])])

    def ask(self, go_on: Callable[[], None], of_the_run: str = "") -> None:
        """Call ``go_on`` at once if nothing is unsaved, else when the changes are saved, kept aside or given up.

        ``of_the_run``: what becomes of it, which is said with the question, and is one by itself. ``go_on`` is not
        called where the person stays, or where saving fails. While a question stands, another is not asked.
        """
        of_the_run = of_the_run or self.unkept()
        if self._model.document is None or not (self.unsaved or of_the_run):
            go_on()
        elif self.question is None:
            self._keeper.gives_up = False
            box = QMessageBox(self._window)
            box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            unsaved = self.unsaved
            box.setWindowTitle("Unsaved changes" if unsaved else "Close")
            box.setTextFormat(Qt.TextFormat.PlainText)
            sentence, more = self._sentences(of_the_run)
            box.setText(sentence)
            box.setInformativeText(more)
            roles = QMessageBox.ButtonRole
            changed = not self._model.undo_stack.isClean()
            save = box.addButton("Save", roles.AcceptRole) if changed else None
            if changed:
                box.addButton("Keep aside", roles.AcceptRole)  # the second one stands beside the first
            close = None if unsaved else box.addButton("Close", roles.AcceptRole)
            discard = box.addButton("Discard", roles.DestructiveRole) if unsaved else None
            cancel = QPushButton("Cancel")
            cancel.setObjectName("apart")
            box.addButton(cancel, roles.RejectRole)
            box.setDefaultButton(save or (cancel if close is None or of_the_run == self.unkept() else close))
            box.setEscapeButton(cancel)

            def answered() -> None:
                self.question = None
                chosen = box.clickedButton()
                if chosen is cancel:
                    self.stayed.emit()
                    for field in self._refusing()[:1]:
                        self.field_asked.emit(field)
                elif save is not None and chosen is save:
                    self._files.save(go_on)
                else:
                    self._keeper.gives_up = discard is not None and chosen is discard
                    go_on()

            box.finished.connect(answered)
            self.question = box
            box.open()
