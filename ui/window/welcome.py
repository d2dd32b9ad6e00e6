"""The page of the gallery: what is unsaved, ready problems, what was open before, a way to open a file, and one back to
the problem."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from ui.panels.gallery import Gallery
from ui.panels.unsaved import UnsavedList
from ui.widgets.icons import application_icon, dress
from workbench.storage.recent import RecentFile

RECENT_SHOWN = 6
WIDEST_TITLE = 420
"""Pixels of a problem's title on the button that leads back to it."""


class Welcome(QWidget):
    """Shown until a document is open, and whenever the gallery is asked for."""

    back_asked = Signal()
    open_asked = Signal()
    path_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("welcome")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground, True)
        self.gallery = Gallery(parent=self)
        self.gallery.body.setObjectName("welcomeBody")
        self.unsaved = UnsavedList(self.gallery.body)
        self.gallery.put_above(self.unsaved)
        self.back_button = QPushButton(self)
        dress(self.back_button, "back")
        self.back_button.clicked.connect(self.back_asked)
        self.back_button.hide()
        picture = QLabel(self)
        picture.setPixmap(application_icon().pixmap(56, 56))
        title = QLabel("Workbench", self)
        title.setObjectName("title")
        subtitle = QLabel("Pick a problem and press Run, or drop a mesh or a project on the window.", self)
        subtitle.setObjectName("subtitle")
        subtitle.setWordWrap(True)
        names = QVBoxLayout()
        names.setSpacing(2)
        names.addWidget(title)
        names.addWidget(subtitle)
        self.open_button = QPushButton("Open a file…", self)
        dress(self.open_button, "open")
        self.open_button.clicked.connect(self.open_asked)
        top = QHBoxLayout()
        top.setSpacing(16)
        top.addWidget(picture)
        top.addLayout(names, 1)
        top.addWidget(self.open_button)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        self._recent_box = QFrame(self)
        box = QVBoxLayout(self._recent_box)
        box.setContentsMargins(4, 10, 4, 0)
        heading = QLabel("Recent", self._recent_box)
        heading.setObjectName("heading")
        box.addWidget(heading)
        box.addLayout(self._recent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(36, 28, 36, 20)
        layout.setSpacing(16)
        self.run_note = QLabel("Its run goes on meanwhile.", self)
        self.run_note.setObjectName("muted")
        self.run_note.hide()
        back = QHBoxLayout()
        back.setSpacing(12)
        back.addWidget(self.back_button)
        back.addWidget(self.run_note)
        back.addStretch(1)
        layout.addLayout(back)
        layout.addLayout(top)
        layout.addWidget(self.gallery, 1)
        layout.addWidget(self._recent_box)

    def set_open(self, title: str | None) -> None:
        """The problem that is open behind this page; None without one."""
        self.back_button.setVisible(title is not None)
        text = f"Back to {title}"
        shown = self.back_button.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, WIDEST_TITLE)
        self.back_button.setText(shown.replace("&", "&&"))
        self.back_button.setToolTip(f"{text} (Esc)")

    def set_recent(self, files: Sequence[RecentFile]) -> None:
        while (item := self._recent.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        for file in files[:RECENT_SHOWN]:
            button = QPushButton(f"{file.title}   –   {file.path}", self)
            button.setObjectName("link")
            button.setToolTip(str(file.path))
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # a long path widens nothing
            button.clicked.connect(lambda _=False, path=Path(file.path): self.path_chosen.emit(path))
            self._recent.addWidget(button)
        self._recent_box.setVisible(bool(files))
