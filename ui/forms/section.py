"""A section with a title that folds and tools at its right, and the titles of sections that are scrolled away."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from engines.api import Finding
from ui.forms.notes import NoteLabel, set_noted, warns
from ui.widgets.icons import dress

PINNED = 26
"""Pixels at the top of a form that titles take that are scrolled away."""
GAP = 2
"""Pixels between them and what is scrolled to."""
INDENT = 12
"""Pixels that they leave at both sides."""
DEEPER = " › "


class Section(QWidget):
    """Header and body; ``level`` 0 is a group of the form, 1 what stands inside one."""

    toggled = Signal(bool)

    def __init__(self, title: str, *, level: int = 0, expanded: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("section")
        self.level = level
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


class PinnedTitles(QLabel):
    """Lies over the first pixels of a form; a click goes to where the innermost title stands. It looks through the
    sections whenever it follows and keeps none: those of one problem are gone with the next."""

    def __init__(self, form: QScrollArea, sections: Callable[[], Iterable[Section]]) -> None:
        """``sections``: all that there are now, the outer before the inner ones."""
        super().__init__(form.viewport())
        self.setObjectName("pinned")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._form, self._sections = form, sections
        form.verticalScrollBar().valueChanged.connect(self.follow)
        form.verticalScrollBar().rangeChanged.connect(self.follow)
        self.hide()

    def follow(self) -> None:
        """The titles of what the first field below belongs to: of an item of a list, and of all around it."""
        gone, width = self._gone(), self._form.viewport().width()
        text = DEEPER.join(section.header.text() for section in gone)
        self.setText(self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideLeft, width - 2 * INDENT))
        self.resize(width, PINNED)
        self.setVisible(any(section.level for section in gone))
        self.raise_()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        inner = [section for section in self._gone() if section.level]
        if inner:
            scroll_to(inner[-1])

    def _gone(self) -> list[Section]:
        """From outside to inside."""
        inside, shown, gone = self._form.widget(), self._form.verticalScrollBar().value(), list[Section]()
        assert inside is not None
        for section in self._sections() if shown else ():
            top = section.mapTo(inside, QPoint()).y()
            reaches = top <= shown + PINNED < top + section.height() and section.isVisibleTo(inside)
            if reaches and top + section.header.geometry().center().y() < shown:
                gone.append(section)
        return gone


def sections_around(widget: QWidget) -> list[Section]:
    """In which a widget of a form stands, the outer before the inner ones."""
    around, above = list[Section](), widget.parentWidget()
    while above is not None:
        if isinstance(above, Section):
            around.insert(0, above)
        above = above.parentWidget()
    return around


def unfold_to(widget: QWidget) -> None:
    """Have a widget of a form in view, with the sections around it unfolded: below the outermost of their titles that
    there is room for, else a third of the way down, below what comes before it."""
    around = sections_around(widget)
    for section in around:
        section.set_expanded(True)
    form = _settled_form(widget)
    if form is None:
        return
    room, (top, end) = form.viewport().height(), _reach(widget, form)
    begins = next((at for section in around if end - (at := _reach(section, form)[0]) <= room - PINNED - GAP), top)
    above = PINNED + GAP if begins < top else max(PINNED + GAP, min(room // 3, room - (end - top)))
    _scroll(form, begins, end, above)


def scroll_to(widget: QWidget) -> None:
    """Have the form that ``widget`` stands in show it: from its top, as much as there is room for."""
    form = _settled_form(widget)
    if form is not None:
        _scroll(form, *_reach(widget, form), PINNED + GAP)


def _settled_form(widget: QWidget) -> QScrollArea | None:
    """That ``widget`` stands in."""
    # what was unfolded just now has its height only then
    QCoreApplication.sendPostedEvents(None, int(QEvent.Type.LayoutRequest.value))
    above = widget.parentWidget()
    while above is not None and not isinstance(above, QScrollArea):
        above = above.parentWidget()
    return above


def _reach(widget: QWidget, form: QScrollArea) -> tuple[int, int]:
    """Pixels from the top of all that stands in a form, of the first and behind the last row of ``widget``."""
    inside = form.widget()
    assert inside is not None
    top = widget.mapTo(inside, QPoint()).y()
    return top, top + widget.height()


def _scroll(form: QScrollArea, begins: int, ends: int, above: int) -> None:
    """Have these pixels in view; where they are not, with so many above them."""
    shown = form.verticalScrollBar().value()
    if not shown + PINNED <= begins or ends > shown + form.viewport().height():
        form.verticalScrollBar().setValue(begins - above)
