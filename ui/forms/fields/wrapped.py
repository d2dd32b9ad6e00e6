"""The editor of a long text, such as a formula, that goes on in the next row where its field is narrow."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent, QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from ui.forms.editor import Editor
from ui.forms.fields.lines import LineText
from ui.forms.schema import FieldSpec

AROUND = 12
"""Pixels of frame, padding and margin above and below the rows."""


class WrappedTextEditor(Editor):
    """A text without breaks of its own; Enter, or leaving it, makes it the value."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self.text = WrappedText(self)
        self.text.setAccessibleName(spec.title)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.text)
        self.setFocusProxy(self.text)
        self.setToolTip(self.help_text())
        self.text.left.connect(self._commit)
        self._shown = ""

    def set_value(self, value: Any) -> None:
        self._shown = str(value)
        if self.text.toPlainText() != self._shown:
            self.text.setPlainText(self._shown)
        self.text.document().setModified(False)

    def mark(self, wrong: bool) -> None:
        self.repolish(self.text, wrong)

    def _commit(self) -> None:
        self.text.document().setModified(False)
        if self.text.toPlainText() != self._shown:
            self._shown = self.text.toPlainText()
            self.edited.emit((), self._shown)


class WrappedText(LineText):
    """As high as its rows are at the width that it has."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__((), parent)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.textChanged.connect(self.fit_rows)
        self.fit_rows()

    def fit_rows(self) -> None:
        rows = max(1, round(self.document().documentLayout().documentSize().height()))
        self.setFixedHeight(rows * self.fontMetrics().lineSpacing() + AROUND)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_rows()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """What is pasted is one line."""
        self.insertPlainText(" ".join(source.text().split()))
