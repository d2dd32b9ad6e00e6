"""The editor of a list of models: add, remove, duplicate, move; each item folds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from operator import ne
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel, QToolButton, QVBoxLayout, QWidget

from engines.api.parameters import Around
from ui.forms.editor import LOCK_HINT, Editor, Previews, Suggestions, new_values
from ui.forms.notes import Notes, all_of
from ui.forms.schema import FieldSpec, Kind, default_value, fields_of, titled
from ui.forms.section import Section, scroll_to
from ui.forms.validation import Errors, below

PLACE = re.compile(r"[a-z_]+(?:\.[a-z0-9_]+)+")
NAMING_KEYS = ("name", "region", "title", "label", "parameter", "function")
HAVE_FIELDS = (Kind.GROUP, Kind.UNION)
"""Items of these kinds show what is found of their fields at them."""
JOINING_KEYS = ("source", "target")
"""Of an item that leads from one thing to another."""
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "kappa": "κ", "lambda": "λ", "mu": "µ", "rho": "ρ",
    "sigma": "σ", "tau": "τ", "omega": "ω",
}  # fmt: skip


class ListEditor(Editor):
    """Items in sections below a header with their number and an Add button."""

    has_fields = True

    def __init__(self, spec: FieldSpec, section: Section, level: int, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        assert spec.item is not None
        self._item_spec = spec.item
        model = spec.item.model
        self._labels = {} if model is None else {child.key: child.labels for child in fields_of(model)}
        self._section = section
        self._level = level
        self._value: list[Any] = []
        self._suggestions: Suggestions = {}
        self._around: Around = ()
        self._locked = False
        self._notes: Notes = {}
        self._previews: Previews = {}
        self._made: list[Editor | None] = []
        """Of each item; None until it is unfolded: a problem may have thousands of fields that nobody looks at."""
        self.sections: list[Section] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)
        self._empty = QLabel("None yet.", self)
        self._empty.setObjectName("muted")
        self._layout.addWidget(self._empty)
        self._sentence = QLabel(self)
        self._sentence.setObjectName("error")
        self._sentence.setWordWrap(True)
        self._sentence.hide()
        self._layout.addWidget(self._sentence)
        self.add_button: QToolButton = section.add_tool("plus", f"Add {with_article(spec.item.title.lower())}")
        self.add_button.clicked.connect(self.add)

    # What a person asks for; each is one edit of the whole list.

    def add(self) -> None:
        """A new item, named unlike the others, in the first region that none has."""
        item = self._new()
        if isinstance(item, dict):
            for key, texts in self._suggestions.items():
                if item.get(key) == "":
                    taken = {other.get(key) for other in self._value}
                    item[key] = next((text for text in texts if text not in taken), next(iter(texts), ""))
        self._section.set_expanded(True)
        self._replace([*self._value, named_unlike(item, self._value)])
        self.reveal(len(self._value) - 1)

    def _new(self) -> Any:
        spec = self._item_spec
        model = next(iter(spec.variants.values()), spec.model)
        return default_value(spec) if model is None else new_values(self, model)

    def remove(self, place: int) -> None:
        self._replace([*self._value[:place], *self._value[place + 1 :]])

    def duplicate(self, place: int) -> None:
        copy = named_unlike(deepcopy(self._value[place]), self._value)
        self._replace([*self._value[: place + 1], copy, *self._value[place + 1 :]])
        self.reveal(place + 1)

    def move_item(self, place: int, by: int) -> None:
        target = place + by
        if 0 <= target < len(self._value):
            items = [*self._value]
            items[place], items[target] = items[target], items[place]
            self._replace(items)

    # The Editor's part.

    @property
    def editors(self) -> list[Editor]:
        """Of all items, those that are folded, too."""
        return [self._editor(place) for place in range(len(self._made))]

    def unfolded(self) -> Iterator[tuple[int, Editor]]:
        """Those that there are: now, or once before, their items were not folded."""
        return ((place, editor) for place, editor in enumerate(self._made) if editor is not None)

    def set_value(self, value: Sequence[Any]) -> None:
        before, self._value = self._value, list(value)
        unfolded = [section.header.isChecked() for section in self.sections]
        while len(self._made) > len(self._value):
            del self._made[-1]
            dropped = self.sections.pop()
            self._layout.removeWidget(dropped)
            dropped.hide()  # until it is gone, with the editor in it
            dropped.deleteLater()
        for place, editor in self.unfolded():
            editor.set_around(self._around)
            editor.set_value(self._value[place])
        while len(self._made) < len(self._value):
            self._append()
        for place, was in moved(before, self._value).items():  # what somebody has unfolded stays so where it goes
            self.sections[place].set_expanded(unfolded[was])
        self._name_all()
        self._empty.setVisible(not self._value)
        self._section.note.setText(str(len(self._value)) if self._value else "")

    def set_around(self, around: Around) -> None:
        self._around = around

    def set_errors(self, errors: Errors) -> None:
        own = errors.get((), "")
        self._sentence.setText(own)
        self._sentence.setVisible(bool(own))
        for place in range(len(self._made)):
            wrong = below(errors, place)
            editor = self._editor(place) if wrong else self._made[place]
            if editor is not None:
                editor.set_errors(wrong)
            if wrong:
                self.sections[place].set_expanded(True)

    def set_findings(self, notes: Notes) -> None:
        self._notes = notes
        for place, section in enumerate(self.sections):
            told = below(notes, place)
            own = told.get((), ()) if self._item_spec.kind in HAVE_FIELDS else all_of(told)
            section.show_findings(own, all_of(told))
        for place, editor in self.unfolded():
            editor.set_findings(self._notes_of(place))

    def _notes_of(self, place: int) -> Notes:
        """Of the fields of an item; its section shows what is of the whole."""
        return {path: findings for path, findings in below(self._notes, place).items() if path}

    def set_locked(self, locked: bool) -> None:
        self._locked = locked
        shut = locked and not self.spec.live
        for tool in self._section.findChildren(QToolButton, "small"):
            tool.setEnabled(not shut)
        self.add_button.setToolTip(LOCK_HINT if shut else f"Add {with_article(self._item_spec.title.lower())}")
        for _, editor in self.unfolded():
            editor.set_locked(locked)

    def set_suggestions(self, suggestions: Suggestions) -> None:
        self._suggestions = suggestions
        for _, editor in self.unfolded():
            editor.set_suggestions(suggestions)
        self._name_all()

    def set_previews(self, previews: Previews) -> None:
        self._previews = previews
        for place, editor in self.unfolded():
            editor.set_previews(below(previews, place))

    def _append(self) -> None:
        place = len(self.sections)
        section = Section("", level=self._level + 1, expanded=len(self._value) <= 3, parent=self)
        for icon_name, tip, call in (
            ("up", "Move up", lambda: self.move_item(place, -1)),
            ("down", "Move down", lambda: self.move_item(place, 1)),
            ("duplicate", "Duplicate", lambda: self.duplicate(place)),
            ("trash", "Remove", lambda: self.remove(place)),
        ):
            section.add_tool(icon_name, tip).clicked.connect(lambda _=False, call=call: call())
        section.toggled.connect(lambda unfolded: self._editor(place) if unfolded else None)
        self._made.append(None)
        self.sections.append(section)
        self._layout.addWidget(section)
        if section.header.isChecked():
            self._editor(place)

    def _editor(self, place: int) -> Editor:
        """Made if it was not yet."""
        from ui.forms.factory import make_item  # groups, lists and unions contain each other

        editor = self._made[place]
        if editor is None:
            section = self.sections[place]
            editor = self._made[place] = make_item(self._item_spec, self._level + 1, section.body)
            editor.edited.connect(lambda path, value: self.edited.emit((place, *path), value))
            editor.set_suggestions(self._suggestions)
            editor.set_locked(self._locked)
            editor.set_around(self._around)
            editor.set_value(self._value[place])
            editor.set_findings(self._notes_of(place))
            editor.set_previews(below(self._previews, place))
            section.rows.addWidget(editor)
        return editor

    def reveal(self, place: int) -> None:
        """Unfold an item and scroll to it: its values are what comes next."""
        if place < len(self.sections):
            section = self.sections[place]
            self._section.set_expanded(True)
            section.set_expanded(True)
            QTimer.singleShot(0, section, lambda: scroll_to(section))

    def _replace(self, items: list[Any]) -> None:
        self.edited.emit((), items)

    def _name_all(self) -> None:
        for place, section in enumerate(self.sections):
            section.header.setText(self._name(place))

    def _name(self, place: int) -> str:
        item = self._value[place]
        if isinstance(item, dict):
            for key in NAMING_KEYS:
                if item.get(key) and not isinstance(item[key], (dict, list)):  # a region may be a group of its own
                    told = self._suggestions.get(key)
                    words = {**self._labels.get(key, {}), **(told if isinstance(told, Mapping) else {})}
                    label = words.get(item[key], spoken(str(item[key])))
                    return label.partition(" [")[0]  # its unit stands in the field below
            if all(isinstance(item.get(key), str) and item[key] for key in JOINING_KEYS):
                return " → ".join(item[key] for key in JOINING_KEYS)
        return f"{self._item_spec.title} {place + 1}"


def spoken(name: str) -> str:
    """``Material › Law › Strength`` of a place among parameters, ``material.law.strength``; ``τ close`` of a symbol
    that is written out, ``tau_close``; other names as they are."""
    if PLACE.fullmatch(name):
        return " › ".join(map(titled, name.split(".")))
    letter, *others = name.split("_")
    return " ".join((GREEK[letter], *others)) if letter in GREEK else name


def with_article(title: str) -> str:
    """``an object``, ``a source``, ``a unit``."""
    return f"an {title}" if title[:1] in "aeio" else f"a {title}"


def moved(before: Sequence[Any], now: Sequence[Any]) -> dict[int, int]:
    """Of the items that stand elsewhere than before: place to the place before."""
    if len(before) == len(now) and sum(map(ne, before, now)) < 2:
        return {}  # another value in one of them
    stood: dict[str, list[int]] = {}
    for place, item in enumerate(before):
        stood.setdefault(repr(item), []).append(place)
    found = {}
    for place, item in enumerate(now):
        places = stood.get(repr(item), [])
        if place in places:
            places.remove(place)
        elif places:
            found[place] = places.pop(0)
    return found


def named_unlike(item: Any, others: Sequence[Any]) -> Any:
    """``item`` with a ``name`` that none of ``others`` has: S1 → S2; what has no name stays without."""
    if isinstance(item, dict) and isinstance(item.get("name"), str) and item["name"]:
        taken = {other.get("name") for other in others}
        stem, digits = re.fullmatch(r"(.*?)(\d*)", item["name"]).groups()  # type: ignore[union-attr]  # always matches
        number = int(digits or 1)
        while item["name"] in taken:
            number += 1
            item["name"] = f"{stem}{number}"
    return item
