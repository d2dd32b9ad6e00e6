"""Editors of one line: choice, flag, text, a row of numbers, and a value that may be absent."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QCompleter,
    QHBoxLayout,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
    QWidget,
)

from engines.api.parameters import Around, unit_among
from ui.forms.editor import Editor, Suggestions
from ui.forms.fields.file import FileEditor
from ui.forms.fields.line import Line
from ui.forms.fields.number import NumberEditor
from ui.forms.fields.wrapped import WrappedTextEditor
from ui.forms.schema import FieldSpec, Kind, default_value
from ui.forms.validation import Errors, below
from ui.widgets.freeing import free_list

POPUP_MARGIN = 32
"""Pixels for frame and scroll bar beside the longest text."""


class CalmComboBox(QComboBox):
    """A combo box that the wheel does not change: it scrolls the form."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumContentsLength(4)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        free_list(self)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def shown_text(self) -> str:
        """The current text as far as there is room for it."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        area = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, area, self)
        return self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room.width())

    def event(self, event: QEvent) -> bool:
        """A text that is longer than the box stands whole in its tooltip, before what else is said there."""
        whole = self.currentText()
        if not isinstance(event, QHelpEvent) or event.type() != QEvent.Type.ToolTip or whole == self.shown_text():
            return super().event(event)
        above: QWidget | None = self
        while above is not None and not above.toolTip():
            above = None if above.isWindow() else above.parentWidget()
        tips = [escape(text) for text in (whole, "" if above is None else above.toolTip()) if text]
        QToolTip.showText(event.globalPos(), "<br>".join(tips), self)
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        """As usual, but a text that is longer than the box ends in an ellipsis."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.shown_text()
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()


class OneWidget(Editor):
    """An editor that is a single widget."""

    def _hold(self, widget: QWidget) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(widget)
        self.setFocusProxy(widget)
        self._held = widget
        self.setToolTip(self.help_text())

    def mark(self, wrong: bool) -> None:
        self.repolish(self._held, wrong)


class ChoiceEditor(OneWidget):
    """One of a few values."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self.combo = CalmComboBox(self)
        for choice in spec.choices:
            self.combo.addItem(spec.labels.get(choice, str(choice)), choice)
        if spec.labels:  # longer than the box is wide
            self.combo.view().setMinimumWidth(self.combo.view().sizeHintForColumn(0) + POPUP_MARGIN)
        self._hold(self.combo)
        self.combo.activated.connect(lambda _: self.edited.emit((), self.combo.currentData()))

    def set_value(self, value: Any) -> None:
        self.combo.setCurrentIndex(self.combo.findData(value))


class FlagEditor(OneWidget):
    """Yes or no."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self.check = QCheckBox(self)
        self._hold(self.check)
        self.check.clicked.connect(lambda checked: self.edited.emit((), bool(checked)))

    def set_value(self, value: Any) -> None:
        self.check.setChecked(bool(value))


class TextEditor(OneWidget):
    """A text; what the parent suggests under the field's key is offered while typing."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self.line = Line(self)
        self._shown = ""
        self._hold(self.line)
        self.line.editingFinished.connect(self._commit)

    def set_value(self, value: Any) -> None:
        self._shown = str(value)
        if self.line.text() != self._shown:
            self.line.setText(self._shown)

    def set_suggestions(self, suggestions: Suggestions) -> None:
        texts = list(suggestions.get(self.spec.key, ()))
        completer = QCompleter(texts, self.line)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        popup = completer.popup()
        assert popup is not None  # it completes in a list
        popup.setObjectName("completions")
        completer.activated.connect(lambda _: self._commit())
        self.line.setCompleter(completer if texts else None)  # type: ignore[arg-type]  # Qt takes None
        if texts:
            self.line.setPlaceholderText(", ".join(texts[:3]) + ("…" if len(texts) > 3 else ""))

    def _commit(self) -> None:
        if self.line.text() != self._shown:
            self._shown = self.line.text()
            self.edited.emit((), self._shown)
        self.line.setModified(False)


class RowEditor(Editor):
    """A tuple: its parts side by side."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        self.parts: list[Editor] = []
        self._value: list[Any] = []
        for place, part in enumerate(spec.items):
            editor = make_scalar(part, self)
            editor.edited.connect(lambda _, value, place=place: self._edit(place, value))
            editor.refused.connect(self.refused)
            layout.addWidget(editor, 1)
            self.parts.append(editor)
        if self.parts:
            self.setFocusProxy(self.parts[0])

    def set_value(self, value: Any) -> None:
        self._value = list(value)
        for editor, part in zip(self.parts, self._value, strict=True):
            editor.set_value(part)

    def set_errors(self, errors: Errors) -> None:
        for place, editor in enumerate(self.parts):
            editor.mark(bool(below(errors, place)) or () in errors)

    def set_around(self, around: Around) -> None:
        unit = unit_among(self.spec.unit, around)
        for editor in self.parts:
            if isinstance(editor, NumberEditor):
                editor.box.unit = unit

    def _edit(self, place: int, value: Any) -> None:
        whole = [*self._value]
        whole[place] = value
        self.edited.emit((), whole)


NOT_SET = "not set"


class OptionalEditor(Editor):
    """A value that may be absent: a check box, and its editor where there is one: a greyed number looks like one that
    is used."""

    def __init__(self, spec: FieldSpec, editor: Editor, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self.check = QCheckBox(self)
        self.editor = editor
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.check)
        layout.addWidget(editor, 1)
        self._last: Any = default_value(editor.spec)
        self.check.clicked.connect(lambda on: self.edited.emit((), self._last if on else None))
        self.editor.edited.connect(self.edited)
        self.editor.refused.connect(self.refused)

    def set_value(self, value: Any) -> None:
        given = value is not None
        self.check.setChecked(given)
        self.check.setText("" if given else NOT_SET)
        self.setMinimumHeight(self.editor.sizeHint().height())  # what stands below stays where it is
        self.editor.setVisible(given)
        if given:
            self._last = value
        self.editor.set_value(self._last)

    def set_around(self, around: Around) -> None:
        self.editor.set_around(around)

    def mark(self, wrong: bool) -> None:
        self.editor.mark(wrong)

    def set_suggestions(self, suggestions: Suggestions) -> None:
        self.editor.set_suggestions(suggestions)


def make_scalar(spec: FieldSpec, parent: QWidget | None = None) -> Editor:
    """The one-line editor of a field that is not composite."""
    if spec.optional:
        return OptionalEditor(spec, make_scalar(replace(spec, optional=False)), parent)
    match spec.kind:
        case Kind.NUMBER | Kind.INTEGER:
            return NumberEditor(spec, parent)
        case Kind.CHOICE:
            return ChoiceEditor(spec, parent)
        case Kind.FLAG:
            return FlagEditor(spec, parent)
        case Kind.ROW:
            return RowEditor(spec, parent)
        case Kind.FILE:
            return FileEditor(spec, parent)
        case _:
            if spec.among is not None:
                from ui.forms.fields.names import NameEditor  # which is one of these

                return NameEditor(spec, spec.among, parent)
            return WrappedTextEditor(spec, parent) if spec.long else TextEditor(spec, parent)
