"""The editor of lines of a small language (a protocol): a text to write and paste in, checked while one writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import Any, cast

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QKeySequence, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QCompleter,
    QLabel,
    QListView,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from engines.api.parameters import Around, Lines
from ui.forms.editor import LOCK_HINT, Editor
from ui.forms.fields.line import DOCUMENT_KEYS
from ui.forms.schema import FieldSpec
from ui.forms.section import Section
from ui.forms.steady import holding, reveal
from ui.forms.validation import Errors
from ui.widgets.dressing import polish_anew

CHECK_MILLISECONDS = 150
COMMIT_MILLISECONDS = 600
FEWEST_ROWS, MOST_ROWS = 4, 16
WRONG = QColor("#e5484d")
ACCEPTING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Escape)


class LinesEditor(Editor):
    """A list of texts, a line each. What is written becomes a value at a pause, if it is understood, or on leaving."""

    begun = Signal(object)
    """Values of several fields of the group that the lines stand in: of their library, or what they lack."""

    def __init__(self, spec: FieldSpec, section: Section, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        assert spec.lines is not None
        self._lines: Lines = spec.lines
        self._section = section
        self._value: list[str] = []
        self._beside: list[Any] = []
        self._said: Errors = {}  # by the document, of the value
        self.text = LineText(self._lines.steps, self)
        self.text.setAccessibleName(spec.title)
        self.text.fit(FEWEST_ROWS, MOST_ROWS)
        self.sentence = QLabel(self)
        self.sentence.setObjectName("error")
        self.sentence.setWordWrap(True)
        self.sentence.hide()
        self.add = QPushButton(self)
        self.add.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # one goes on writing
        self.add.clicked.connect(self._add)
        self.add.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.text)
        layout.addWidget(self.sentence)
        layout.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        self.printed: QLabel | None = None
        if self._lines.printed is not None:
            self.printed = QLabel(self)
            self.printed.setObjectName("printed")
            self.printed.setTextFormat(Qt.TextFormat.RichText)
            self.printed.setWordWrap(True)
            self.printed.setAccessibleName(f"{spec.title}, as print has it")
            layout.addWidget(self.printed)
        self.setFocusProxy(self.text)
        self.insert_button: QToolButton = section.add_tool("plus", f"Insert into: {spec.title}")
        self.insert_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.insert_button.setMenu(self._menu())
        self._checking = _timer(self, CHECK_MILLISECONDS, self._check)
        self._committing = _timer(self, COMMIT_MILLISECONDS, self._commit_if_right)
        self.text.textChanged.connect(self._written)
        self.text.left.connect(self._commit)

    # The Editor's part.

    def set_value(self, value: Sequence[str]) -> None:
        value = list(value)
        self._section.note.setText(str(len(value)) if value else "")
        if value == self._value and (self.text.document().isModified() or self._is_value()):
            return
        self._value = value
        with QSignalBlocker(self.text):
            self.text.setPlainText("\n".join(value))
        self._checking.stop()
        self._committing.stop()
        self.text.document().setModified(False)
        self.text.fit(FEWEST_ROWS, MOST_ROWS)
        self._print()

    def set_around(self, around: Around) -> None:
        values: Any = around[0] if around else {}
        beside = deepcopy([values[name] for name in self._lines.beside if name in values])
        if beside != self._beside:
            self._beside = beside
            self._checking.start()

    def set_errors(self, errors: Errors) -> None:
        self._said = errors
        if not self.text.document().isModified():
            self._check()

    def set_locked(self, locked: bool) -> None:
        shut = locked and not self.spec.live
        if self.text.isReadOnly() != shut:
            self.text.setReadOnly(shut)  # not disabled: it can still be copied from
            self.text.setProperty("shut", shut)
            polish_anew(self.text)
        self.insert_button.setEnabled(not shut)
        self.text.setToolTip(f"{LOCK_HINT}. {self.help_text()}" if shut else self.help_text())

    def lines(self) -> list[str]:
        """What is written, without blanks at the ends of lines and without blank lines at the end."""
        return _trimmed(self.text.toPlainText().split("\n"))

    # What a person asks for.

    def insert(self, line: str) -> None:
        """A new line below the one that the cursor is in."""
        cursor = self.text.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        cursor.insertText(f"\n{line}" if cursor.block().text().strip() else line)
        self.text.setTextCursor(cursor)
        self.text.setFocus()
        self._commit_if_right()

    def replace(self, lines: Sequence[str]) -> None:
        """Another whole text; the document's Undo brings the old one back."""
        self._commit()
        self.text.setPlainText("\n".join(lines))
        self._commit()

    def _begin(self, values: Mapping[str, Any]) -> None:
        """All of a text of the library, in one step of the document's Undo."""
        self._commit()
        self.begun.emit(deepcopy(dict(values)))

    # While one writes.

    def _written(self) -> None:
        self.text.document().setModified(not self._is_value())
        self.text.fit(FEWEST_ROWS, MOST_ROWS)
        self._checking.start()
        self._committing.start()

    def _check(self) -> bool:
        """Underline the first line that is wrong and say why; True if there is none."""
        lines = self.lines()
        self._print()
        found = self._lines.check(lines, *self._beside)
        if found is None and self._is_value() and self._said:
            path, sentence = next(iter(self._said.items()))
            found = (int(path[0]) if path else -1, sentence)
        self.text.underline(found[0] if found else -1)
        self.repolish(self.text, found is not None)
        offered = self._offered() if found is not None and not self.text.isReadOnly() else None
        with holding(self):
            self.sentence.setText(found[1] if found else "")
            self.sentence.setVisible(found is not None)
            self.add.setText(offered[0] if offered else "")
            self.add.setVisible(offered is not None)
        if found is not None and self.text.hasFocus():
            reveal(self.add if offered else self.sentence)  # below lines that fill the form
        return found is None

    def _offered(self) -> tuple[str, Mapping[str, Any]] | None:
        return None if self._lines.offered is None else self._lines.offered(self.lines(), *self._beside)

    def _add(self) -> None:
        """What the button offers, and what is written: one step of the document's Undo."""
        offered = self._offered()
        if offered is not None:
            self._committing.stop()
            self.text.document().setModified(False)
            self._value = self.lines()
            self.begun.emit({self.spec.key: self._value, **deepcopy(dict(offered[1]))})

    def _print(self) -> None:
        if self.printed is not None and self._lines.printed is not None:
            self.printed.setText(self._lines.printed(self.lines()))

    def _commit_if_right(self) -> None:
        if self._lines.check(self.lines(), *self._beside) is None:
            self._commit()

    def _commit(self) -> None:
        self._committing.stop()
        self.text.document().setModified(False)
        if not self._is_value():
            self._value = self.lines()
            self.edited.emit((), self._value)
        self._check()

    def _is_value(self) -> bool:
        """Whether what is written says what the value does; blanks that a file has at its ends are no difference."""
        return self.lines() == _trimmed(self._value)

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        for line in self._lines.steps:
            menu.addAction(line, partial(self.insert, line))
        menu.addSeparator()
        if self._lines.whole:
            whole = menu.addMenu("Replace all by")
            for title, lines in self._lines.whole:
                whole.addAction(title, partial(self.replace, lines))
        if self._lines.library:
            library = menu.addMenu("Begin with")
            for title, values in self._lines.library:
                library.addAction(title, partial(self._begin, values))
        return menu


class LineText(QPlainTextEdit):
    """Plain text whose lines are completed from ``offers``. Undo is its own only while what is written is no value yet
    (see :class:`ui.forms.fields.line.Line`)."""

    left = Signal()
    refusal = ""
    """As of :class:`~ui.forms.fields.line.Line`."""

    def __init__(self, offers: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(True)
        self.completer = QCompleter(list(offers), self)
        self.completer.setWidget(self)
        self.popup = QListView(self)
        self.popup.setObjectName("completions")
        self.completer.setPopup(self.popup)
        self.completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.completer.activated.connect(self.complete)

    def complete(self, line: str) -> None:
        """Put ``line`` in place of the one that the cursor is in."""
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.LineUnderCursor)
        cursor.insertText(line)
        self.setTextCursor(cursor)

    def underline(self, line: int) -> None:
        """Draw a wave under this line (from 0); −1 for none."""
        block = self.document().findBlockByNumber(line) if line >= 0 else None
        marks = []
        if block is not None and block.isValid():
            mark = QTextEdit.ExtraSelection()
            wave = QTextCharFormat()
            wave.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            wave.setUnderlineColor(WRONG)
            mark.format = wave
            mark.cursor = QTextCursor(block)
            mark.cursor.select(QTextCursor.SelectionType.LineUnderCursor)
            marks.append(mark)
        self.setExtraSelections(marks)

    def fit(self, fewest: int, most: int) -> None:
        """As high as its lines, within limits."""
        rows = min(max(self.blockCount(), fewest), most)
        self.setFixedHeight(rows * self.fontMetrics().lineSpacing() + 22)

    def event(self, event: QEvent) -> bool:
        asks = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride
        unchanged = not self.document().isModified()
        if asks and unchanged and any(cast(QKeyEvent, event).matches(key) for key in DOCUMENT_KEYS):
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.popup.isVisible() and event.key() in ACCEPTING:
            event.ignore()  # the list takes them
            return
        asked = event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if not asked:
            super().keyPressEvent(event)
        pasted = event.matches(QKeySequence.StandardKey.Paste)  # the list would stand in the way of the next click
        self._offer(asked or (bool(event.text().strip()) and not pasted))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.left.emit()

    def _offer(self, wanted: bool) -> None:
        cursor = self.textCursor()
        begun = cursor.block().text()
        self.completer.setCompletionPrefix(begun)
        known = self.completer.completionCount() and self.completer.currentCompletion().lower() != begun.lower()
        if not (wanted and known and cursor.atBlockEnd()) or self.isReadOnly():
            self.popup.hide()
            return
        rectangle = self.cursorRect()
        rectangle.setLeft(4)
        rectangle.setWidth(self.popup.sizeHintForColumn(0) + 24)
        self.completer.complete(rectangle)


def _trimmed(lines: Sequence[str]) -> list[str]:
    trimmed = [line.rstrip() for line in lines]
    while trimmed and not trimmed[-1]:
        trimmed.pop()
    return trimmed


def _timer(owner: LinesEditor, milliseconds: int, call: Any) -> QTimer:
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(call)
    return timer
