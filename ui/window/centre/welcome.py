"""The page of the gallery: what is unsaved, ready problems, what was open before, a way to open a file, and one back to
the problem."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ui.panels.gallery import Gallery
from ui.panels.recent import RecentList
from ui.panels.unsaved import UnsavedList
from ui.widgets.icons import application_icon, dress

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
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.gallery = Gallery(parent=self)
        self.gallery.body.setObjectName("welcomeBody")
        self.unsaved = UnsavedList(self.gallery.body)
        self.recent = RecentList(self.gallery.body)
        self.recent.opened.connect(self.path_chosen)
        for cards in (self.recent, self.unsaved):
            self.gallery.put_above(cards)
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
        self.tour_button = QPushButton("Take a tour", self)
        self.tour_button.setToolTip("Three minutes with one of the engines, step by step")
        top = QHBoxLayout()
        top.setSpacing(16)
        top.addWidget(picture)
        top.addLayout(names, 1)
        top.addWidget(self.tour_button)
        top.addWidget(self.open_button)
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

    def set_open(self, title: str | None) -> None:
        """The problem that is open behind this page; None without one."""
        self.back_button.setVisible(title is not None)
        text = f"Back to {title}"
        shown = self.back_button.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, WIDEST_TITLE)
        self.back_button.setText(shown.replace("&", "&&"))
        self.back_button.setToolTip(f"{text} (Esc)")
