"""The editor of a model: a line per field, a section per nested model, the advanced ones folded away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from engines.api.parameters import Around, matters, unit_among
from ui.forms.editor import Editor, Previews, Suggestions
from ui.forms.fields.lines import LinesEditor
from ui.forms.fields.number import NumberEditor
from ui.forms.fields.scalars import make_scalar
from ui.forms.notes import NoteLabel, Notes, all_of, outline, warns
from ui.forms.preview import PreviewBox
from ui.forms.refusals import refusing
from ui.forms.schema import FieldSpec, Kind
from ui.forms.section import Section, scroll_to
from ui.forms.steady import holding, tell_mended
from ui.forms.validation import Errors, below
from workbench.words.numbers import spaced
from workbench.words.units import unit_text

LABEL_WIDTH = 140
UNIT_WIDTH = 54
CHOICE_WIDTH = 124
"""Pixels that a choice may take beside its label."""


class FieldLine(QWidget):
    """Label, editor, unit, and below them the sentence that says what is wrong."""

    def __init__(self, editor: Editor, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.editor = editor
        spec = editor.spec
        label = ElidedLabel(spec.title, self)
        label.setToolTip(editor.help_text())
        label.setBuddy(editor)
        self.sentence = QLabel(self)
        self.sentence.setObjectName("error")
        self.sentence.setWordWrap(True)
        self.sentence.hide()
        self.note = NoteLabel(self)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        slides = isinstance(editor, NumberEditor) and editor.slider is not None
        long = (self.fontMetrics().horizontalAdvance(str(spec.labels.get(str(one), one))) for one in spec.choices)
        wide = max(long, default=0) > CHOICE_WIDTH
        # legible only on a line of its own
        wide = wide or (spec.among is not None and spec.among.long)
        apart = spec.kind in (Kind.ROW, Kind.FILE) or (slides and bool(spec.unit)) or wide
        label.setFixedWidth(LABEL_WIDTH + UNIT_WIDTH if apart else LABEL_WIDTH)
        grid.addWidget(label, 0, 0, 1, 3 if apart else 1)
        self._label, self._unit = label, None if apart or not spec.unit else QLabel(self)
        self._told, self._noted = "", False
        if apart:
            grid.addWidget(editor, 1, 0, 1, 3)
        elif not spec.unit:
            grid.addWidget(editor, 0, 1, 1, 2)
        elif self._unit is not None:
            self._unit.setObjectName("unit")
            self._unit.setMinimumWidth(UNIT_WIDTH)
            grid.addWidget(editor, 0, 1)
            grid.addWidget(self._unit, 0, 2)
        grid.addWidget(self.sentence, 2, 1, 1, 2)
        grid.addWidget(self.note, 3, 0, 1, 3)
        self.set_around(())
        editor.setAccessibleName(spec.title)
        self._errors: Errors = {}
        editor.refused.connect(self._say_refused)
        editor.edited.connect(lambda *_: self.say(""))

    def _say_refused(self, sentence: str) -> None:
        if sentence:
            self.say(sentence)
        else:
            self.set_errors(self._errors)
            tell_mended(self)

    def say(self, sentence: str) -> None:
        sentence = spaced(sentence)
        if sentence == self.sentence.text() and self.sentence.isHidden() is not bool(sentence):
            return
        with holding(self):
            self.sentence.setText(sentence)
            self.sentence.setVisible(bool(sentence))

    def unit_text(self) -> str:
        """The unit as it is shown; empty for none."""
        return self._told

    def set_around(self, around: Around) -> None:
        """A unit may be what another field says."""
        spec = self.editor.spec
        unit = self._told = unit_text(unit_among(spec.unit, around))
        if self._unit is not None:
            self._unit.setText(unit)
        else:
            self._label.setText(f"{spec.title} [{unit}]" if unit else spec.title)
        self.editor.set_around(around)

    def set_errors(self, errors: Errors) -> None:
        self._errors = errors
        self.editor.set_errors(errors)
        self.say(next(iter(errors.values()), "") or next((line.refusal for line in refusing(self.editor)), ""))

    def set_findings(self, notes: Notes) -> None:
        findings = all_of(notes)
        if findings or self._noted:  # most fields never have any
            self._noted = bool(findings)
            self.note.show_findings(findings)
            outline(self.editor, warns(findings))


class ElidedLabel(QLabel):
    """A label that shortens its text instead of asking for room."""

    def setText(self, text: str) -> None:
        self._full = text
        self._elide()

    def resizeEvent(self, event: Any) -> None:
        self._elide()
        super().resizeEvent(event)

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)

    def full_text(self) -> str:
        return self._full

    def _elide(self) -> None:
        width = max(self.width(), LABEL_WIDTH)
        super().setText(self.fontMetrics().elidedText(self._full, Qt.TextElideMode.ElideRight, width))


class GroupEditor(Editor):
    """All fields of one model, as far as they matter at its present values; one that is wrong is shown in any case."""

    has_fields = True

    def __init__(
        self, spec: FieldSpec, fields: Sequence[FieldSpec], level: int = 0, parent: QWidget | None = None
    ) -> None:
        super().__init__(spec, parent)
        self.children_by_key: dict[str, Editor] = {}
        self._lines: dict[str, FieldLine] = {}
        self._widgets: dict[str, QWidget] = {}
        self._around: Around = ()
        self._values: Mapping[str, Any] = {}
        self._wrong: frozenset[str] = frozenset()
        self._noted: frozenset[str] = frozenset()
        self._seen: dict[QWidget, bool] = {}
        self.preview: PreviewBox | None = None
        layout = self._layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        fixed = {spec.discriminator} if spec.discriminator else set()
        shown = [child for child in fields if child.key not in fixed and not _constant(child)]
        for child in (child for child in shown if not child.advanced):
            layout.addWidget(self._place(child, level))
        advanced = [child for child in shown if child.advanced]
        self.advanced: Section | None = None
        if advanced:
            self.advanced = Section("Advanced", level=level + 1, expanded=False, parent=self)
            for child in advanced:
                self.advanced.rows.addWidget(self._place(child, level + 1))
            layout.addWidget(self.advanced)

    def _place(self, child: FieldSpec, level: int) -> QWidget:
        from ui.forms.factory import make_composite  # groups, lists and unions contain each other

        if not child.composite:
            editor = make_scalar(child)
            line = FieldLine(editor, self)
            if level == 0:  # in line with what stands in the sections
                line.setContentsMargins(4, 0, 0, 0)
            self._lines[child.key] = line
            widget: QWidget = line
        else:
            editor, widget = make_composite(child, level, self)
        editor.edited.connect(lambda path, value, key=child.key: self.edited.emit((key, *path), value))
        if isinstance(editor, LinesEditor):
            editor.begun.connect(lambda values: self.edited.emit((), {**self._values, **values}))
        self.children_by_key[child.key] = editor
        self._widgets[child.key] = widget
        return widget

    def sections(self) -> Iterator[Section]:
        """Those of its own; the advanced one stands around others."""
        if self.advanced is not None:
            yield self.advanced
        yield from (widget for widget in self._widgets.values() if isinstance(widget, Section))

    def set_around(self, around: Around) -> None:
        self._around = around

    def set_value(self, value: Mapping[str, Any]) -> None:
        for key, editor in self.children_by_key.items():
            if key in value:
                (self._lines.get(key) or editor).set_around((value, *self._around))
                editor.set_value(value[key])
        self._values = value
        self._show_what_matters()

    def set_errors(self, errors: Errors) -> None:
        """What is said of the whole group stands at its first field."""
        first = next(iter(self.children_by_key), "")
        errors = {place or (first,): sentence for place, sentence in errors.items()}
        for key, editor in self.children_by_key.items():
            wrong = below(errors, key)
            if key in self._lines:
                self._lines[key].set_errors(wrong)
            else:
                editor.set_errors(wrong)
            if wrong and editor.spec.advanced and self.advanced is not None:
                self.advanced.set_expanded(True)
            section = self._widgets[key]
            if wrong and isinstance(section, Section):
                section.set_expanded(True)
        self._wrong = frozenset(path[0] for path in errors if path and isinstance(path[0], str))
        self._show_what_matters()

    def set_findings(self, notes: Notes) -> None:
        """What is of the whole group is shown by its owner."""
        for key, editor in self.children_by_key.items():
            told, widget = below(notes, key), self._widgets[key]
            if isinstance(widget, Section):
                widget.show_findings(told.get((), ()) if editor.has_fields else all_of(told), all_of(told))
            if isinstance(widget, Section | Editor):
                editor.set_findings(told)
            else:
                self._lines[key].set_findings(told)
        if self.advanced is not None:
            folded = [place for place in notes if place and self._folds(place[0])]
            self.advanced.show_findings((), all_of({place: notes[place] for place in folded}))
        self._noted = frozenset(place[0] for place in notes if place and isinstance(place[0], str))
        self._show_what_matters()

    def _folds(self, key: str | int) -> bool:
        editor = self.children_by_key.get(str(key))
        return editor is not None and editor.spec.advanced

    def reveal(self, path: tuple[str | int, ...]) -> None:
        """Unfold the section at ``path``, or around it, and scroll to it."""
        from ui.forms.lists import ListEditor  # groups, lists and unions contain each other

        section, editor = self._widgets.get(str(path[0])), self.children_by_key.get(str(path[0]))
        if isinstance(section, Section):
            section.set_expanded(True)
            if len(path) > 1 and isinstance(path[1], int) and isinstance(editor, ListEditor):
                editor.reveal(path[1])
                return
        if section is not None:
            QTimer.singleShot(0, section, lambda: scroll_to(section))

    def shows(self, key: str) -> bool:
        """Whether this field matters now, or is wrong or noted."""
        spec = self.children_by_key[key].spec
        return (
            key in self._wrong or key in self._noted or matters(spec.when, spec.unless, (self._values, *self._around))
        )

    def _show_what_matters(self) -> None:
        for key, widget in self._widgets.items():
            self._show(widget, self.shows(key))
        if self.advanced is not None:
            folded = (key for key, editor in self.children_by_key.items() if editor.spec.advanced)
            self._show(self.advanced, any(self.shows(key) for key in folded))

    def _show(self, widget: QWidget, shown: bool) -> None:
        if self._seen.get(widget) is not shown:
            self._seen[widget] = shown
            widget.setVisible(shown)

    def set_previews(self, previews: Previews) -> None:
        own = previews.get(())
        if own is not None and self.preview is None:
            self.preview = PreviewBox(self)
            self._layout.addWidget(self.preview)
        if self.preview is not None:
            self.preview.setVisible(own is not None)
            if own is not None:
                self.preview.show_inspection(own)
        for key, editor in self.children_by_key.items():
            editor.set_previews(below(previews, key))

    def set_locked(self, locked: bool) -> None:
        for editor in self.children_by_key.values():
            editor.set_locked(locked)

    def set_suggestions(self, suggestions: Suggestions) -> None:
        for editor in self.children_by_key.values():
            editor.set_suggestions(suggestions)


def _constant(spec: FieldSpec) -> bool:
    return spec.kind is Kind.CHOICE and len(spec.choices) == 1
