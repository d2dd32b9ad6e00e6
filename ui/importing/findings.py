"""What should be known of a file before it is opened, each with the button that mends it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from engines.api import Finding
from ui.widgets.freeing import empty
from ui.widgets.icons import pixmap
from workbench.words.numbers import spaced


class FindingsList(QWidget):
    """All of them, one below the other."""

    mend_asked = Signal(object)
    """A :class:`engines.api.Remedy`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.findings: tuple[Finding, ...] = ()
        self.buttons: list[QPushButton] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(8)

    def show_findings(self, findings: Sequence[Finding]) -> None:
        if tuple(findings) == self.findings:
            return
        self.findings, self.buttons = tuple(findings), []
        empty(self._layout)
        for finding in findings:
            self._layout.addWidget(self._row(finding))

    def _row(self, finding: Finding) -> QWidget:
        row = QWidget(self)
        icon, text = QLabel(row), QLabel(spaced(finding.message), row)
        warning = finding.severity == "warning"
        icon.setPixmap(pixmap("warning", 16, "warn") if warning else pixmap("info", 16, "muted"))
        text.setWordWrap(True)
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(text)
        choices = QHBoxLayout()
        for remedy in finding.remedies:
            button = QPushButton(remedy.text, row)
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, remedy=remedy: self.mend_asked.emit(remedy))
            self.buttons.append(button)
            choices.addWidget(button)
        choices.addStretch(1)
        words.addLayout(choices)
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(words, 1)
        return row
