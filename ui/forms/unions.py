"""The editor of a discriminated union: a combo for the kind, and the form of that kind below."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from PySide6.QtWidgets import QVBoxLayout, QWidget

from engines.api.parameters import Around
from ui.forms.editor import Editor, Previews, Suggestions, new_values
from ui.forms.fields.scalars import ChoiceEditor
from ui.forms.group import FieldLine, GroupEditor
from ui.forms.notes import Notes
from ui.forms.schema import FieldSpec, Kind, default_values, fields_of
from ui.forms.validation import Errors


class UnionEditor(Editor):
    """Switching the kind starts from that kind's last values in this form, or its first ones, with what was set of the
    kind before where both have it (a material, a wavelength)."""

    has_fields = True

    def __init__(self, spec: FieldSpec, level: int, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self._level = level
        self._suggestions: Suggestions = {}
        self._around: Around = ()
        self._previews: Previews = {}
        self._locked = False
        self._remembered: dict[str, dict[str, Any]] = {}
        self.form: GroupEditor | None = None
        self._tag: str | None = None
        choice = FieldSpec(
            spec.discriminator,
            spec.title,
            Kind.CHOICE,
            spec.help,
            live=spec.live,
            choices=tuple(spec.variants),
            labels=spec.labels,
        )
        self.kind = ChoiceEditor(choice)
        self.kind.edited.connect(lambda _, tag: self.edited.emit((), self._values_of(tag)))
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)
        self._line = line = FieldLine(self.kind, self)
        if level == 0:  # in line with the fields of its form
            line.setContentsMargins(4, 0, 0, 0)
        self._layout.addWidget(line)

    def set_value(self, value: Mapping[str, Any]) -> None:
        tag = value[self.spec.discriminator]
        self._remembered[tag] = dict(value)
        self.kind.set_value(tag)
        if tag != self._tag:
            self._show(tag)
        assert self.form is not None
        self.form.set_around(self._around)
        self.form.set_value(value)

    def forget(self) -> None:
        """The kinds that were chosen before are of another problem."""
        self._remembered.clear()

    def set_around(self, around: Around) -> None:
        self._around = around

    def set_errors(self, errors: Errors) -> None:
        """What is said of the whole stands at its kind."""
        self._line.set_errors({place: sentence for place, sentence in errors.items() if not place})
        if self.form is not None:
            self.form.set_errors({place: sentence for place, sentence in errors.items() if place})

    def set_findings(self, notes: Notes) -> None:
        """What is said of the whole stands at its kind."""
        self._line.set_findings({place: findings for place, findings in notes.items() if not place})
        if self.form is not None:
            self.form.set_findings({place: findings for place, findings in notes.items() if place})

    def set_locked(self, locked: bool) -> None:
        self._locked = locked
        self.kind.set_locked(locked)
        if self.form is not None:
            self.form.set_locked(locked)

    def set_suggestions(self, suggestions: Suggestions) -> None:
        self._suggestions = suggestions
        if self.form is not None:
            self.form.set_suggestions(suggestions)

    def set_previews(self, previews: Previews) -> None:
        self._previews = previews
        if self.form is not None:
            self.form.set_previews(previews)

    def _show(self, tag: str) -> None:
        if self.form is not None:
            self._layout.removeWidget(self.form)
            self.form.hide()  # until it is gone it would shine through the next
            self.form.deleteLater()
        self.form = GroupEditor(self.spec, fields_of(self.spec.variants[tag]), self._level, self)
        self.form.edited.connect(self.edited)
        self.form.set_suggestions(self._suggestions)
        self.form.set_locked(self._locked)
        self.form.set_previews(self._previews)
        self._layout.addWidget(self.form)
        self._tag = tag

    def _values_of(self, tag: str) -> dict[str, Any]:
        if tag in self._remembered:
            return dict(self._remembered[tag])
        values = new_values(self, self.spec.variants[tag])
        if self._tag is not None and self._tag in self._remembered:
            before, usual = self._remembered[self._tag], default_values(self.spec.variants[self._tag])
            changed = {key for key in before if key in values and before[key] != usual.get(key)}
            values |= {key: deepcopy(before[key]) for key in changed if _alike(before[key], values[key])}
            _carry_deeper(before, usual, values, self.spec.discriminator)
        for key, texts in self._suggestions.items():
            if values.get(key) == "" and texts:
                values[key] = next(iter(texts))
        return values


def _carry_deeper(before: Mapping[str, Any], usual: Mapping[str, Any], values: dict[str, Any], kind: str) -> None:
    """Put what was set of one by itself where the other has it in a group, and the other way round: the side of a
    stress is that of a displacement's region."""
    for key, value in before.items():
        if value == usual.get(key):
            continue
        homes = [group for group in values.values() if isinstance(group, dict) and key in group]
        if key not in (*values, kind) and len(homes) == 1 and _alike(value, homes[0][key]):
            homes[0][key] = deepcopy(value)
        if isinstance(value, dict) and key not in values:
            for inner, one in value.items():
                if inner in values and inner not in (*before, kind) and _alike(one, values[inner]):
                    values[inner] = deepcopy(one)


def _alike(one: Any, other: Any) -> bool:
    """Whether both are numbers, texts, rows of as many, or groups of the same fields."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys()
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    numbers = (int, float)
    return type(one) is type(other) or (isinstance(one, numbers) and isinstance(other, numbers))
