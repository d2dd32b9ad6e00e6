"""The editor of a list of rows of numbers (the corners of a polygon): one text, a line for each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QVBoxLayout, QWidget

from engines.api.parameters import Lines
from ui.forms.editor import Editor
from ui.forms.fields.lines import FEWEST_ROWS, MOST_ROWS, LinesEditor
from ui.forms.schema import FieldSpec, Kind
from ui.forms.section import Section
from ui.forms.validation import Errors

SEPARATORS = str.maketrans(",;()[]\t", "       ")


def is_rows(spec: FieldSpec) -> bool:
    """Whether a field is a list of rows of numbers."""
    item = spec.item
    return (
        item is not None
        and item.kind is Kind.ROW
        and all(part.kind in (Kind.NUMBER, Kind.INTEGER) for part in item.items)
    )


class RowsEditor(Editor):
    """Numbers of a row are apart by blanks or commas; what is no row yet becomes no value."""

    def __init__(self, spec: FieldSpec, section: Section, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        assert spec.item is not None
        self._value: list[list[float]] = []
        self._kinds = [part.kind for part in spec.item.items]
        self.inner = LinesEditor(replace(spec, lines=Lines(self._check)), section, self)
        self.inner.insert_button.hide()
        self.inner.text.fit(FEWEST_ROWS, MOST_ROWS)
        self.inner.edited.connect(lambda _path, lines: self._written(lines))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.inner)
        self.setFocusProxy(self.inner)

    def set_value(self, value: Sequence[Sequence[float]]) -> None:
        rows = [list(row) for row in value]
        if self.inner.text.refusal and rows == self._value:
            return  # another field was changed: what was written here stays
        self._value, self.inner.text.refusal = rows, ""
        if rows != self._rows(self.inner.lines()):  # else it is left as it was written
            self.inner.set_value(["  ".join(f"{number:.12g}" for number in row) for row in rows])

    def set_errors(self, errors: Errors) -> None:
        self.inner.set_errors(errors)

    def set_locked(self, locked: bool) -> None:
        self.inner.set_locked(locked)

    def _written(self, lines: Sequence[str]) -> None:
        rows, wrong = self._rows(lines), self._check(lines)
        self.inner.text.refusal = "" if wrong is None else wrong[1]
        if rows is not None:
            self.edited.emit((), rows)

    def _rows(self, lines: Sequence[str]) -> list[list[float]] | None:
        """None where a line is no row."""
        if self._check(lines) is not None:
            return None
        return [self._numbers(line) for line in lines if line.strip()]

    def _check(self, lines: Sequence[str]) -> tuple[int, str] | None:
        for place, line in enumerate(lines):
            if not line.strip():
                continue
            try:
                count = len(self._numbers(line))
            except ValueError:
                return place, f"Line {place + 1} is not {len(self._kinds)} numbers."
            if count != len(self._kinds):
                return place, f"Line {place + 1} has {count} numbers: write {len(self._kinds)}."
        return None

    def _numbers(self, line: str) -> list[Any]:
        words = line.translate(SEPARATORS).split()
        kinds = [*self._kinds, *[Kind.NUMBER] * len(words)]
        return [int(word) if kind is Kind.INTEGER else float(word) for word, kind in zip(words, kinds, strict=False)]
