"""The editor of a text that is one of the names that there are: a list of these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt

from engines.api.parameters import Among, Around, names_among
from ui.forms.editor import Suggestions
from ui.forms.fields.line import Line
from ui.forms.fields.scalars import POPUP_MARGIN, CalmComboBox, OneWidget
from ui.forms.schema import FieldSpec
from ui.widgets.dressing import polish_anew

MISSING = "There is no '{}' any more: choose another name."


class NameEditor(OneWidget):
    """A list, into which a name is typed where others are right too, or none is known. A name that there is not (any
    more) stays, marked."""

    def __init__(self, spec: FieldSpec, among: Among, parent: Any = None) -> None:
        super().__init__(spec, parent)
        self._among = among
        self._around: Around = ()
        self._suggestions: Suggestions = {}
        self._value = ""
        self._shown: tuple[Any, ...] = ()
        self.combo = CalmComboBox(self)
        self._hold(self.combo)
        self.combo.activated.connect(lambda _: self._choose(self.combo.currentData()))

    @property
    def names(self) -> list[str]:
        """What may be chosen, in its order."""
        offered = [name for place in self._among.places for name in self._suggestions.get(place, ())]
        return list(dict.fromkeys([*self._among.words, *offered, *names_among(self._among.places, self._around)]))

    @property
    def _words(self) -> dict[str, str]:
        """What a person reads for names, where it is not they."""
        offered = (self._suggestions.get(place, ()) for place in self._among.places)
        told = (each for each in offered if isinstance(each, Mapping))
        return {**self._among.words, **{name: word for each in told for name, word in each.items()}}

    def set_around(self, around: Around) -> None:
        self._around = around
        self._show()

    def set_suggestions(self, suggestions: Suggestions) -> None:
        self._suggestions = suggestions
        self._show()

    def set_value(self, value: Any) -> None:
        self._value = str(value)
        self._show()

    def set_locked(self, locked: bool) -> None:
        super().set_locked(locked)
        self._tell()

    def _show(self) -> None:
        names, words = self.names, self._words
        typed = self._among.typed or not names
        missing = self._missing(names)
        shown = (names, words, typed, self._value, missing)
        if shown == self._shown:
            return
        self._shown = shown
        with QSignalBlocker(self.combo):
            self._make_editable(typed)
            self.combo.clear()
            for name in names:
                self.combo.addItem(words.get(name, name), name)
            if self._value not in names and not typed:
                self.combo.addItem(f"{self._value} (missing)" if missing else self._value, self._value)
            self.combo.setCurrentIndex(self.combo.findData(self._value))
            line = self.combo.lineEdit()
            if line is not None:
                line.setText(words.get(self._value, self._value))
                line.setCursorPosition(0)
            self.combo.view().setMinimumWidth(self.combo.view().sizeHintForColumn(0) + POPUP_MARGIN)
        if bool(self.combo.property("missing")) != missing:
            self.combo.setProperty("missing", missing)
            polish_anew(self.combo)
        self._tell()

    def _missing(self, names: list[str]) -> bool:
        """Whether there are names, and none is that of the value; where they may be typed, a last part will do."""
        ends = [name.rpartition(".")[2] for name in names] if self._among.typed else []
        return bool(names and self._value) and self._value not in (*names, *ends)

    def _tell(self) -> None:
        missing = MISSING.format(self._value) if self.combo.property("missing") else ""
        self.combo.setToolTip(missing or self.toolTip())

    def _make_editable(self, typed: bool) -> None:
        if typed == self.combo.isEditable():
            return
        if not typed:
            self.combo.setEditable(False)
            return
        line = Line(self.combo)
        self.combo.setLineEdit(line)
        completer = self.combo.completer()
        assert completer is not None  # an editable list has one
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.combo.setInsertPolicy(CalmComboBox.InsertPolicy.NoInsert)
        line.editingFinished.connect(lambda: self._typed(line.text().strip()))

    def _typed(self, text: str) -> None:
        """A name, or what is read for one."""
        self._choose(next((name for name, word in self._words.items() if word == text), text))

    def _choose(self, name: str) -> None:
        line = self.combo.lineEdit()
        if line is not None:
            line.setModified(False)
        if name != self._value:
            self._value = name
            self.edited.emit((), name)
