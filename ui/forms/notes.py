"""Findings in the form: below the field that they are about, or on top of the section; the banner says them, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPlainTextEdit, QSizePolicy, QWidget

from engines.api import Finding
from ui.forms.validation import Path
from ui.widgets.dressing import polish_anew
from workbench.words.numbers import spaced

Notes = Mapping[Path, Sequence[Finding]]
"""What is known of fields before a run, by their place."""


def notes_of(findings: Sequence[Finding]) -> Notes:
    """Those that have a place."""
    notes: dict[Path, list[Finding]] = {}
    for finding in findings:
        if finding.place:
            notes.setdefault(finding.place, []).append(finding)
    return notes


def all_of(notes: Notes) -> list[Finding]:
    """The findings of all places."""
    return [finding for findings in notes.values() for finding in findings]


def warns(findings: Sequence[Finding]) -> bool:
    return any(finding.severity == "warning" for finding in findings)


class NoteLabel(QLabel):
    """The sentences of some findings, whole; hidden where there are none. The form holds still while they come."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)  # files and names of others stand in it
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setWordWrap(True)
        self.hide()

    def show_findings(self, findings: Sequence[Finding]) -> None:
        text = spaced("\n".join(finding.message for finding in findings))
        if text == self.text():
            return
        self.setText(text)
        self.setObjectName("warning" if warns(findings) else "muted")
        polish_anew(self)
        self.setVisible(bool(findings))


def outline(editor: QWidget, noted: bool) -> None:
    """Draw or remove the amber outline of the boxes of an editor (the style sheet's ``[noted="true"]``)."""
    for kind in (QLineEdit, QComboBox, QPlainTextEdit):
        for box in (*editor.findChildren(kind), *([editor] if isinstance(editor, kind) else [])):
            set_noted(box, noted)


def set_noted(widget: QWidget, noted: bool) -> None:
    if bool(widget.property("noted")) != noted:
        widget.setProperty("noted", noted)
        polish_anew(widget)
