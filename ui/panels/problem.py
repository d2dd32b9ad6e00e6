"""The problem: its title, what of it stands in space, the form made from the engine's parameters, and the estimate."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import (
    QLabel,
    QSplitter,
    QStackedLayout,
    QStyle,
    QStyleOptionFrame,
    QStylePainter,
    QVBoxLayout,
    QWidget,
)

from engines.api.errors import WorkbenchError
from ui.forms.editor import Suggestions
from ui.forms.fields.line import Line
from ui.forms.form import ParameterForm
from ui.forms.refusals import forget
from ui.forms.unions import UnionEditor
from ui.forms.validation import Errors, Path, below
from ui.panels.estimates import EstimatesPanel
from ui.panels.object_tree import ObjectTree
from ui.session.model import DocumentModel
from ui.session.placing import Placing
from ui.session.running.live import LiveChanges
from workbench.words.numbers import spaced

WAITING = "Greyed values wait for Reset (Ctrl+R)"
CHANGED = "Changes wait for Reset (Ctrl+R); the run is older"


class Title(Line):
    """A line that a double click chooses whole, and whose Escape takes back what was typed.

    While nobody writes in it a title that is too long ends with an ellipsis.
    """

    gives_up = True
    given_up = Signal()

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        room = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self).adjusted(2, 0, -2, 0)
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        if self.hasFocus() or shown == self.text():
            super().paintEvent(event)
            return
        painter = QStylePainter(self)
        painter.drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)
        painter.end()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.given_up.emit()
        else:
            super().keyPressEvent(event)


class ProblemPanel(QWidget):
    """Follows the model; every edit goes through its undo stack."""

    def __init__(
        self, model: DocumentModel, placing: Placing, estimates: EstimatesPanel, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setMinimumWidth(340)
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._model = model
        self._placing = placing
        self._locked = False
        self._live: LiveChanges | None = None
        self._suggested: Suggestions = {}
        self._of_engine: Suggestions = {}
        placing.changed.connect(self._suggest)
        self.title = Title(self)
        self.title.given_up.connect(self._show_title)
        self.title.setObjectName("problemTitle")
        self.title.setPlaceholderText("Title")
        self.title.setAccessibleName("Title")
        self.title.setToolTip("The title: type over it (F2)")
        self.title.editingFinished.connect(self._rename)
        self.subtitle = QLabel(self)
        self.subtitle.setObjectName("muted")
        self.subtitle.setWordWrap(True)
        self.subtitle.setTextFormat(Qt.TextFormat.PlainText)  # a project's author is a stranger
        self.subtitle.setContentsMargins(3, 0, 0, 0)  # where the text of the title begins
        self.form = ParameterForm(self)
        self.form.edited.connect(self._edit)
        self.look_into: Callable[[Path, Any], bool] = lambda path, value: False
        """Whether somebody looks into a file first, and makes this edit then."""
        self.objects = ObjectTree(placing, self)
        placing.revealed.connect(self.form.reveal)
        self.form.maker = placing.fresh
        self.estimates = estimates
        parts = QSplitter(Qt.Orientation.Vertical, self)
        parts.setChildrenCollapsible(False)
        parts.addWidget(self.objects)
        parts.addWidget(self.form)
        parts.setStretchFactor(1, 1)
        top = QVBoxLayout()
        top.setContentsMargins(9, 8, 12, 4)
        top.setSpacing(0)
        top.addWidget(self.title)
        top.addLayout(self._make_place_of_subtitle())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(parts, 1)
        layout.addWidget(estimates)
        model.replacing.connect(lambda: forget(self.form))
        model.opened.connect(self._opened)
        model.changed.connect(self._changed)
        model.files_moved.connect(lambda: self._changed(("parameters",)))

    def _make_place_of_subtitle(self) -> QStackedLayout:
        """Where the note of a run stands instead, so that fields stay where they are, all of them in sight."""
        self.lock_note = QLabel(WAITING, self)
        self.lock_note.setObjectName("note")
        self._below_title = QStackedLayout()
        for label in (self.subtitle, self.lock_note):
            self._below_title.addWidget(label)
        return self._below_title

    def _edit(self, path: Path, value: Any) -> None:
        if not self.look_into(path, value):
            self._model.edit(("parameters", *path), value)

    def _opened(self) -> None:
        document = self._model.document
        editors = self.form.root
        self.form.set_model(None if document is None else type(document.parameters))
        if self.form.root is not editors:  # the new ones know none
            self._suggested = {}
        self._of_engine = {}
        self.setEnabled(document is not None)
        if document is None:
            self.title.clear()
            self.subtitle.clear()
            return
        self._suggest()
        for union in self.form.findChildren(UnionEditor):
            union.forget()
        self.form.set_values(self._model.draft["parameters"])
        self.form.set_errors(self._model.parameter_errors)
        self._show_title()
        self.subtitle.setText(spaced(document.project.summary) or document.engine.title)

    def note_changes(self, changed: bool) -> None:
        """Whether something that waits for Reset was changed since the run began."""
        self.lock_note.setText(CHANGED if changed else WAITING)

    def set_locked(self, locked: bool) -> None:
        """A run goes on, and most fields wait for its end."""
        if locked is not self._locked:
            self._locked = locked
            self.form.set_errors(self._errors())
        self.form.set_locked(locked)
        self._below_title.setCurrentWidget(self.lock_note if locked else self.subtitle)

    def follow(self, live: LiveChanges) -> None:
        """Say of what a run does not take, and while it goes on what it has instead."""
        self._live = live
        self.form.going_on = self._going_on
        live.refusals_changed.connect(lambda: self.form.set_errors(self._errors()))

    def _going_on(self, place: Path) -> str:
        live = self._live if self._locked else None
        return "" if live is None else f"{live.going_on(('parameters', *place))}."

    def mark(self, refused: Errors) -> None:
        """What the engine refuses, beside what the model does."""
        self.form.set_errors({**refused, **self._errors()})

    def _errors(self) -> Errors:
        errors = self._model.parameter_errors
        if self._locked and self._live is not None:
            errors = {**below(self._live.refusals, "parameters"), **errors}
        return {place: f"{sentence} {self._going_on(place)}".strip() for place, sentence in errors.items() if place}

    def ask_engine(self) -> None:
        """For names, which it knows at once after an estimate."""
        document = self._model.document
        if document is not None:
            with suppress(WorkbenchError):
                self._of_engine = document.engine.suggestions(document.problem)
            self._suggest()

    def _suggest(self) -> None:
        names = getattr(self._model.geometry, "region_names", {})
        placement = self._placing.placement
        groups = () if placement is None else placement.groups
        materials = [item.title for group in groups if group.role == "material" for item in group.items]
        suggestions = {"region": list(names.values()), "material": materials, **self._of_engine}
        if suggestions != self._suggested:
            self._suggested = suggestions
            self.form.set_suggestions(suggestions)

    def _changed(self, path: Path) -> None:
        if path[0] == "parameters":
            if len(path) == 1:  # perhaps on another mesh
                self._suggest()
            self.form.set_values(self._model.draft["parameters"])
            self.form.set_errors(self._errors())
        if path[0] == "title" or (path[0] == "parameters" and not self.title.isModified()):
            self._show_title()

    def _show_title(self) -> None:
        """From its beginning, where it is too long for the panel."""
        self.title.setText(self._title)  # and it counts as not modified
        self.title.setCursorPosition(0)

    @property
    def _title(self) -> str:
        document, written = self._model.document, self._model.draft["title"]
        return document.title if document is not None and written == document.project.title else str(written)

    def _rename(self) -> None:
        if self._model.document is not None and self.title.text() != self._title:
            self._model.edit(("title",), self.title.text().strip() or "Untitled", "change of the title")
        self.title.setModified(False)
