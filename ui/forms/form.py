"""The form of a problem: scrolls, follows the draft, says what is wrong where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from engines.api import Finding
from ui.forms.editor import Editor, Maker, Previews, Suggestions
from ui.forms.fields.knobs import KnobsEditor
from ui.forms.fields.line import Line
from ui.forms.fields.lines import LineText
from ui.forms.group import GroupEditor
from ui.forms.lists import ListEditor
from ui.forms.notes import notes_of
from ui.forms.refusals import refusing
from ui.forms.schema import FieldSpec, Kind, fields_of
from ui.forms.section import PinnedTitles, Section
from ui.forms.steady import SteadyScrollArea
from ui.forms.unions import UnionEditor
from ui.forms.validation import Errors, Path


class ParameterForm(SteadyScrollArea):
    """A form for any pydantic model. ``edited(path, value)`` asks for a change; the owner makes it and shows it."""

    edited = Signal(tuple, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._body = QWidget()
        self._body.setObjectName("formBody")
        self._layout = QVBoxLayout(self._body)
        self._layout.setContentsMargins(8, 8, 8, 8)
        self._layout.addStretch(1)
        super().__init__(self._body, self._layout, parent)
        self.setObjectName("form")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.root: GroupEditor | None = None
        self.pinned = PinnedTitles(self, lambda: _sections(self.root))
        self.maker: Maker | None = None
        """Knows new items that fit the problem."""
        self.going_on: Callable[[Path], str] = lambda path: ""
        """What a run goes on with at a place, where the form says something else; empty where none goes on."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.pinned.follow()

    def set_model(self, model: type[BaseModel] | None) -> None:
        """Build the editors of ``model``, unless they are there; None empties the form."""
        if self.root is not None and self.root.spec.model is model:
            self.root.set_previews({})
            self.verticalScrollBar().setValue(0)
            return
        if self.root is not None:
            self._layout.removeWidget(self.root)
            self.root.hide()  # until it is gone it would shine through the next
            self.root.deleteLater()
            self.root = None
        self.verticalScrollBar().setValue(0)
        if model is None:
            return
        spec = FieldSpec("", model.__name__, Kind.GROUP, model=model)
        self.root = GroupEditor(spec, fields_of(model), 0, self._body)
        self.root.edited.connect(self.edited)
        self._layout.insertWidget(0, self.root)

    def set_values(self, values: Mapping[str, Any]) -> None:
        if self.root is not None:
            self.root.set_value(values)

    def set_errors(self, errors: Errors) -> None:
        if self.root is not None:
            with self.holding():
                self.root.set_errors({place: sentence for place, sentence in errors.items() if place})

    def set_findings(self, findings: Sequence[Finding]) -> None:
        """What is known before a run, at its fields; what is of the problem as a whole has no place here."""
        if self.root is not None:
            with self.holding():
                self.root.set_findings(notes_of(findings))

    def set_previews(self, previews: Previews) -> None:
        """What groups describe, by their place."""
        if self.root is not None:
            with self.holding():
                self.root.set_previews(previews)

    def set_locked(self, locked: bool) -> None:
        if self.root is not None:
            self.root.set_locked(locked)

    def reveal(self, path: tuple[str | int, ...]) -> None:
        """Unfold the section at ``path``, or around it, and scroll to it."""
        if self.root is not None and path:
            self.root.reveal(path)

    def run_goes_on(self, widget: QWidget) -> str:
        """As :attr:`going_on`, of what ``widget`` edits."""
        place = self.place_of(widget)
        return self.going_on(place) if place else ""

    def editor_at(self, path: tuple[str, ...]) -> Editor | None:
        """Of a field that is shown, None where there is none."""
        editor: Editor | None = self.root
        for key in path:
            group = editor.form if isinstance(editor, UnionEditor) else editor
            editor = group.children_by_key.get(key) if isinstance(group, GroupEditor) else None
        return editor

    def fields(self) -> Iterator[tuple[tuple[str, ...], Editor]]:
        """All that can be filled in now, folded or not: the titles that lead to each, and its own at the end."""
        return (part for part in self._parts() if not isinstance(part[1], ListEditor))

    def offered(self) -> Iterator[tuple[tuple[str, ...], ListEditor]]:
        """What items of lists that are empty could be filled in with: the titles that lead to each and its own at the
        end, and the list that a first item is added to."""
        for titles, editor in self._parts():
            if isinstance(editor, ListEditor) and not editor.sections:
                yield from (((*titles, title), editor) for title in dict.fromkeys(_titles_in(editor.spec.item)))

    def _parts(self) -> Iterator[tuple[tuple[str, ...], Editor]]:
        return iter(()) if self.root is None else _parts(self.root, ())

    def place_of(self, editor: QWidget) -> Path:
        """Of the value that ``editor`` edits."""
        return () if self.root is None else _place_of(self.root, editor)

    def refused(self) -> Iterator[Line | LineText]:
        """Those of them whose text is not their value."""
        return (field for _, editor in self.fields() for field in refusing(editor))

    def set_suggestions(self, suggestions: Suggestions) -> None:
        if self.root is not None:
            self.root.set_suggestions(suggestions)


def _parts(editor: Editor, titles: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Editor]]:
    """All fields that are shown, and all lists, each before what is in it."""
    if isinstance(editor, GroupEditor):
        for key, child in editor.children_by_key.items():
            if editor.shows(key):
                yield from _parts(child, (*titles, child.spec.title))
    elif isinstance(editor, ListEditor):
        yield titles, editor
        for section, item in zip(editor.sections, editor.editors, strict=True):
            yield from _parts(item, (*titles, section.header.text()))
    elif isinstance(editor, UnionEditor):
        yield titles, editor.kind
        if editor.form is not None:
            yield from _parts(editor.form, titles)
    else:
        yield titles, editor


def _titles_in(spec: FieldSpec | None) -> Iterator[str]:
    """Of all single fields of what is not there yet, of each of its kinds."""
    if spec is None:
        return
    models = [*spec.variants.values(), *([] if spec.model is None else [spec.model])]
    if not models and spec.item is None:
        yield spec.title
    for model in models:
        for child in fields_of(model):
            yield from _titles_in(child)


def _place_of(editor: Editor, widget: QWidget) -> Path:
    """Of the value that ``widget`` edits, below ``editor``."""
    children: Iterable[tuple[str | int, QWidget]] = ()
    if isinstance(editor, UnionEditor):
        if editor.kind is widget or editor.kind.isAncestorOf(widget):
            return (editor.spec.discriminator,)
        return () if editor.form is None else _place_of(editor.form, widget)
    if isinstance(editor, GroupEditor):
        children = editor.children_by_key.items()
    elif isinstance(editor, ListEditor):
        children = enumerate(editor.editors)
    elif isinstance(editor, KnobsEditor):
        children = enumerate(editor.knobs)
    for key, child in children:
        if child is widget or child.isAncestorOf(widget):
            return (key, *(_place_of(child, widget) if isinstance(child, Editor) else ("value",)))
    return ()


def _sections(editor: Editor | None) -> Iterator[Section]:
    """All in an editor, folded or not, the outer before the inner ones."""
    if isinstance(editor, GroupEditor):
        yield from editor.sections()
        for child in editor.children_by_key.values():
            yield from _sections(child)
    elif isinstance(editor, ListEditor):
        yield from editor.sections
        for _, item in editor.unfolded():
            yield from _sections(item)
    elif isinstance(editor, UnionEditor):
        yield from _sections(editor.form)
