"""The question whether a project may read files outside of its folder."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from ui.session.opening import Outside
from workbench.project.boundary import Permission

LISTED = 12
"""Files in the question itself; all of them stand behind its Show Details."""


class OutsideDialog(QMessageBox):
    """Lists the files and opens the project with them, without them, or not at all (Escape)."""

    def __init__(self, outside: Outside, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setTextFormat(Qt.TextFormat.PlainText)  # names of files are not markup
        error = outside.error
        self.setIcon(QMessageBox.Icon.Warning)
        self.setWindowTitle("Files outside the project")
        names = [str(file) for file in error.files]
        more = [f"and {len(names) - LISTED} more"] if len(names) > LISTED else []
        advice = "Saving the project copies them into it: open it with them only if that is what you want."
        what = f"{error.name} names files that do not lie in its folder:"
        self.setText("\n".join([what, "", *names[:LISTED], *more, "", advice]))
        if more:
            self.setDetailedText("\n".join(names))
        files = frozenset(error.files)
        self.with_them = self.addButton("Open with these", QMessageBox.ButtonRole.AcceptRole)
        self.without = self.addButton("Open without", QMessageBox.ButtonRole.DestructiveRole)
        cancel = self.addButton(QMessageBox.StandardButton.Cancel)
        self.with_them.clicked.connect(lambda: outside.open(Permission(files=files)))
        self.without.clicked.connect(lambda: outside.open(Permission(left_out=files)))
        if error.needed:
            self.without.setEnabled(False)
            self.without.setToolTip("One of them is the mesh, without which nothing opens.")
        self.setDefaultButton(cancel)
        self.setEscapeButton(cancel)
