"""What is to be done where somebody else has saved the open project since: another window, or a program."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from workbench.storage.overtaken import Overtaken


class OvertakenDialog(QMessageBox):
    """Saves under another name, over what is there, or not at all (Escape)."""

    def __init__(
        self, error: Overtaken, over: Callable[[], None], save_as: Callable[[], None], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setTextFormat(Qt.TextFormat.PlainText)  # names of files are not markup
        self.setIcon(QMessageBox.Icon.Warning)
        self.setWindowTitle("Saved elsewhere meanwhile")
        self.setText(str(error))
        other = self.addButton("Save as…", QMessageBox.ButtonRole.AcceptRole)
        self.over = self.addButton("Replace it", QMessageBox.ButtonRole.DestructiveRole)
        cancel = self.addButton(QMessageBox.StandardButton.Cancel)
        other.clicked.connect(lambda: save_as())
        self.over.clicked.connect(lambda: over())
        self.setDefaultButton(other)
        self.setEscapeButton(cancel)
