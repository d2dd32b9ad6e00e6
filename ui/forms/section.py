"""A section with a title that folds, and tools at the right of the title."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from engines.api import Finding
from ui.forms.notes import NoteLabel, set_noted, warns
from ui.widgets.icons import dress


class Section(QWidget):
    """Header and body; ``level`` 0 is a group of the form, 1 what stands inside one."""

    toggled = Signal(bool)

    def __init__(self, title: str, *, level: int = 0, expanded: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("section")
        self.setProperty("level", level)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.header = QToolButton(self)
        self.header.setObjectName("sectionHeader")
        self.header.setProperty("level", level)
        self.header.setText(title)
        self.header.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.header.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.header.setCheckable(True)
        self.header.setChecked(expanded)
        self.header.toggled.connect(self._show)
        self.note = QLabel(self)
        self.note.setObjectName("muted")
        self._tools = QHBoxLayout()
        self._tools.setSpacing(0)
        top = QHBoxLayout()
        top.setContentsMargins(0, 0, 0, 0)
        top.setSpacing(4)
        top.addWidget(self.header, 1)
        top.addWidget(self.note)
        top.addLayout(self._tools)
        self.body = QWidget(self)
        self.body.setObjectName("sectionBody")
        self.rows = QVBoxLayout(self.body)
        self.rows.setContentsMargins(8 if level else 4, 2, 0, 6)
        self.rows.setSpacing(4)
        self.findings = NoteLabel(self.body)
        self.rows.addWidget(self.findings)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(top)
        whole.addWidget(self.body)
        self._show(expanded)

    def add_tool(self, name: str, tip: str) -> QToolButton:
        """A small button at the right of the title."""
        button = QToolButton(self)
        button.setObjectName("small")
        dress(button, name, "muted")
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        self._tools.addWidget(button)
        return button

    def show_findings(self, own: Sequence[Finding], all_inside: Sequence[Finding]) -> None:
        """``own`` stand on top of the body; the title shows, folded too, that there is a warning among all inside."""
        self.findings.show_findings(own)
        set_noted(self.header, warns(all_inside))

    def set_expanded(self, expanded: bool) -> None:
        self.header.setChecked(expanded)

    def _show(self, expanded: bool) -> None:
        self.body.setVisible(expanded)
        dress(self.header, "chevron-down" if expanded else "chevron-right", "muted")
        self.toggled.emit(expanded)


def unfold_to(widget: QWidget) -> None:
    """Have a widget of a form in view, with the sections around it unfolded."""
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, Section):
            above.set_expanded(True)
        above = above.parentWidget()
    scroll_to(widget)


def scroll_to(widget: QWidget) -> None:
    """Have the form that ``widget`` stands in show it: from its top, as much as there is room for."""
    # what was unfolded just now has its height only then
    QCoreApplication.sendPostedEvents(None, int(QEvent.Type.LayoutRequest.value))
    above = widget.parentWidget()
    while above is not None and not isinstance(above, QScrollArea):
        above = above.parentWidget()
    inside = None if above is None else above.widget()
    if above is not None and inside is not None:
        top = widget.mapTo(inside, widget.rect().topLeft()).y()
        shown = above.verticalScrollBar().value()
        if not shown <= top or top + widget.height() > shown + above.viewport().height():
            above.verticalScrollBar().setValue(top - 8)
