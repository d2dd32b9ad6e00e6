"""The editor of a file that a parameter names: typed, chosen, or dropped on it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QToolButton, QWidget

from engines.reading import expanded
from ui.forms.editor import Editor
from ui.forms.fields.line import Line
from ui.forms.schema import FieldSpec

SUFFIXES = {
    "picture": (".png", ".jpg", ".jpeg"),
    "cell model": (".mmt", ".cellml", ".xml"),
    "drive cycle": (".csv", ".txt"),
    "BPX file": (".json",),
    "table": (".csv", ".txt"),
    "connection table": (".csv", ".npz"),
    "spike list": (".csv", ".npz"),
    "STL file": (".stl",),
    "fibre file": (".lon", ".csv", ".npy", ".vtu", ".txt"),
}
"""What each kind of file is usually called; the dialog offers these first."""


class FileEditor(Editor):
    """A path with a button that asks for it. The end of the path, where the name is, stays in sight."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self._shown = ""
        self.line = Line(self)
        self.line.setPlaceholderText(f"Drop a {spec.file} here")
        self.line.setAcceptDrops(False)  # it would take a dropped file as the text of an address
        self.line.editingFinished.connect(self._commit)
        self.button = QToolButton(self)
        self.button.setObjectName("beside")
        self.button.setText("Choose…")
        self.button.setAccessibleName(f"Choose {spec.title}")
        self.button.clicked.connect(self._choose)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.line, 1)
        layout.addWidget(self.button)
        self.setFocusProxy(self.line)
        self.setAcceptDrops(True)
        self.setToolTip(self.help_text())

    def set_value(self, value: Any) -> None:
        if self.line.refusal and str(value or "") == self._shown:
            return  # another field was changed: what was typed here stays
        self._shown = str(value or "")
        self._refuse("")
        if self.line.text() != self._shown:
            self.line.setText(self._shown)
        self.line.setToolTip(self._shown)

    def mark(self, wrong: bool) -> None:
        self.repolish(self.line, wrong or bool(self.line.refusal))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self._take(_dropped(event))

    def _choose(self) -> None:
        folder = str(Path(self._shown).parent) if self._shown else str(Path.home())
        usual = " ".join(f"*{suffix}" for suffix in SUFFIXES.get(self.spec.file, ()))
        kind = f"{self.spec.file[:1].upper()}{self.spec.file[1:]}s"
        kinds = [f"{kind} ({usual})"] if usual else []
        title = f"Choose: {self.spec.title}"
        name, _ = QFileDialog.getOpenFileName(self, title, folder, ";;".join([*kinds, "All files (*)"]))
        if name:
            self._take(name)

    def _commit(self) -> None:
        text = self.line.text().strip()
        if text != self._shown:
            self._take(text)
        else:  # back from what was refused
            self._refuse("")
        self.line.setModified(False)

    def _take(self, text: str) -> None:
        """Ask for this file; one that is not there stays in the line, marked."""
        path = str(expanded(text).absolute()) if text else ""
        if path and not os.path.isfile(path):  # of a name that is too long, too
            self.line.setText(text)
            self._refuse(f"There is no file '{path:.300}'.")
        elif path != self._shown:
            self._refuse("")
            self.edited.emit((), path)

    def _refuse(self, sentence: str) -> None:
        if sentence or self.line.refusal:
            self.line.refusal = sentence
            self.mark(False)
            self.refused.emit(sentence)


def _dropped(event: QDropEvent) -> str:
    """The first local file of a drag, or an empty text."""
    return next((url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()), "")
