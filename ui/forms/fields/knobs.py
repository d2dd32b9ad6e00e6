"""The editor of a list of named numbers: a line for each, with a slider where it has a lowest and a highest value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from ui.forms.editor import LOCK_HINT, Editor, new_values
from ui.forms.fields.line import Line
from ui.forms.fields.number import BESIDE_SLIDER, NumberBox, misread, parsed, shown
from ui.forms.fields.slider import Scale, Slider
from ui.forms.lists import named_unlike, with_article
from ui.forms.schema import FieldSpec, Kind, default_values, fields_of
from ui.forms.section import Section
from ui.forms.steady import holding
from ui.forms.validation import Errors, below
from ui.widgets.icons import dress
from workbench.words.numbers import spaced

PARTS = ("name", "value", "low", "high")
WITH_UNIT = ("name", "value", "unit", "low", "high")
NAME_WIDTH = 74
NAME_BESIDE_UNIT, UNIT_WIDTH = 58, 58
"""As wide as leaves room for a slider three sections deep in the column."""
DECADE = 10.0


def is_knobs(spec: FieldSpec) -> bool:
    """Whether a field is a list of models of a name, a value, perhaps its unit, and its bounds."""
    model = spec.item.model if spec.kind is Kind.LIST and spec.item is not None else None
    return model is not None and tuple(each.key for each in fields_of(model)) in (PARTS, WITH_UNIT)


class KnobsEditor(Editor):
    """Names and units are shut while a run goes on; values are not."""

    def __init__(self, spec: FieldSpec, section: Section, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        assert spec.item is not None
        assert spec.item.model is not None
        self._model = spec.item.model
        self._blank = default_values(self._model)
        self._section = section
        self._value: list[dict[str, Any]] = []
        self._locked = False
        self.knobs: list[Knob] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(2)
        self.add_button: QToolButton = section.add_tool("plus", f"Add {with_article(spec.item.title.lower())}")
        self.add_button.clicked.connect(self.add)

    def add(self) -> None:
        """One more, named unlike the others."""
        self._section.set_expanded(True)
        self.edited.emit((), [*self._value, named_unlike(new_values(self, self._model), self._value)])

    def remove(self, place: int) -> None:
        self.edited.emit((), [*self._value[:place], *self._value[place + 1 :]])

    def set_value(self, value: Sequence[dict[str, Any]]) -> None:
        self._value = list(value)
        while len(self.knobs) > len(self._value):
            knob = self.knobs.pop()
            self._layout.removeWidget(knob)
            knob.hide()
            knob.deleteLater()
        while len(self.knobs) < len(self._value):
            self._append()
        for knob, each in zip(self.knobs, self._value, strict=True):
            knob.set_value({**self._blank, **each})  # a file's may lack some, which is said below it
        self._section.note.setText(str(len(self._value)) if self._value else "")

    def set_errors(self, errors: Errors) -> None:
        for place, knob in enumerate(self.knobs):
            wrong = next(iter(below(errors, place).values()), "")
            knob.say(wrong)
            if not wrong:
                knob.show_refusals()

    def set_locked(self, locked: bool) -> None:
        self._locked = locked
        self.add_button.setEnabled(not locked)
        self.add_button.setToolTip(LOCK_HINT if locked else self.add_button.accessibleName())
        for knob in self.knobs:
            knob.set_locked(locked)

    def _append(self) -> None:
        place = len(self.knobs)
        knob = Knob("unit" in self._model.model_fields, self)
        knob.edited.connect(lambda key, value: self.edited.emit((place, key), value))
        knob.removed.connect(lambda: self.remove(place))
        knob.set_locked(self._locked)
        self.knobs.append(knob)
        self._layout.addWidget(knob)


class Knob(QWidget):
    """Name, slider, value and, ``with_unit``, its unit; below them, when unfolded, the bounds of the slider. There what
    removes it stands beside the bounds."""

    edited = Signal(str, object)
    removed = Signal()

    def __init__(self, with_unit: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scale: Scale | None = None
        self.name, self.unit = Line(self), Line(self)
        self.name.setFixedWidth(NAME_BESIDE_UNIT if with_unit else NAME_WIDTH)
        self.name.editingFinished.connect(lambda: self._retype(self.name, "name"))
        self.unit.setFixedWidth(UNIT_WIDTH)
        self.unit.setPlaceholderText("unit")
        self.unit.setVisible(with_unit)
        self.unit.editingFinished.connect(lambda: self._retype(self.unit, "unit"))
        self.slider = Slider(self)
        self.slider.valueChanged.connect(self._drag)
        self.value, self.low, self.high = NumberBox(parent=self), BoundBox(self), BoundBox(self)
        self.value.setFixedWidth(BESIDE_SLIDER)
        self.value.changed.connect(lambda value: self.edited.emit("value", value))
        self.low.changed.connect(lambda value: self.edited.emit("low", value))
        self.high.changed.connect(lambda value: self.edited.emit("high", value))
        for box in (self.value, self.low, self.high):
            box.rejected.connect(lambda _: self.show_refusals())
        self.more, self.trash = QToolButton(self), QToolButton(self)
        for button, icon, tip in ((self.more, "chevron-down", "Bounds of the slider"), (self.trash, "trash", "Remove")):
            button.setObjectName("small")
            dress(button, icon, "muted")
            button.setToolTip(tip)
            button.setAccessibleName(tip)
        self.more.setCheckable(True)
        self.trash.clicked.connect(self.removed.emit)
        self.sentence = QLabel(self)
        self.sentence.setObjectName("error")
        self.sentence.setWordWrap(True)
        self.sentence.hide()
        self._between = QLabel("Slider from … to", self)
        self._between.setObjectName("muted")
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for column, part in enumerate((self.name, self.slider, self.value, self.unit, self.more)):
            grid.addWidget(part, 0, column)
        bounds = QGridLayout()
        bounds.setHorizontalSpacing(6)
        for column, part in enumerate((self._between, self.low, self.high)):
            bounds.addWidget(part, 0, column)
        self._folded: tuple[QWidget, ...] = (self._between, self.low, self.high)
        if with_unit:
            bounds.addWidget(self.trash, 0, 3)
            self._folded = (*self._folded, self.trash)
        else:
            grid.addWidget(self.trash, 0, 5)
        grid.addLayout(bounds, 1, 0, 1, 6)
        grid.addWidget(self.sentence, 2, 0, 1, 6)
        self.more.toggled.connect(self._unfold)
        if with_unit:
            self.more.setToolTip("Bounds of the slider, and what removes it")
        self._unfold(False)

    def set_value(self, value: dict[str, Any]) -> None:
        name, low, high = value["name"], value["low"], value["high"]
        for line, text in ((self.name, name), (self.unit, value.get("unit", ""))):
            if line.text() != text and not line.isModified():
                line.setText(text)
                line.setCursorPosition(0)
        self.unit.setToolTip(self.unit.text() if self.unit.isEnabled() else LOCK_HINT)
        for part, told in (
            (self.unit, "unit"),
            (self.slider, "slider"),
            (self.value, "value"),
            (self.low, "lowest"),
            (self.high, "highest"),
        ):
            part.setAccessibleName(f"{name}, {told}")
        self.value.set_value(value["value"])
        self.low.set_bound(low)
        self.high.set_bound(high)
        bounded = low is not None and high is not None and low < high
        self._scale = Scale(low, high, low > 0 and high / low > DECADE) if bounded else None
        self.slider.setVisible(self._scale is not None)
        if self._scale is not None and self._scale.value(self.slider.value()) != value["value"]:
            with QSignalBlocker(self.slider):
                self.slider.setValue(self._scale.position(value["value"]))

    def set_locked(self, locked: bool) -> None:
        for part, tip in ((self.name, ""), (self.unit, self.unit.text()), (self.trash, "")):
            part.setEnabled(not locked)
            part.setToolTip(LOCK_HINT if locked else tip)
        self.value.tell_again()

    def show_refusals(self) -> None:
        """Why what was typed as its value or as a bound is none."""
        boxes = (self.value, self.low, self.high)
        self.say(next((box.refusal for box in boxes if box.refusal), ""))
        Editor.repolish(self.name, False)
        for box in boxes:
            Editor.repolish(box, bool(box.refusal))

    def say(self, sentence: str) -> None:
        """What is wrong with one of them."""
        with holding(self):
            self.sentence.setText(spaced(sentence))
            self.sentence.setVisible(bool(sentence))
        Editor.repolish(self.name, bool(sentence))

    def _unfold(self, shown: bool) -> None:
        for part in self._folded:
            part.setVisible(shown)

    def _retype(self, line: Line, key: str) -> None:
        if line.isModified():
            line.setModified(False)
            self.edited.emit(key, line.text().strip())

    def _drag(self, position: int) -> None:
        if self._scale is not None:
            self.edited.emit("value", self._scale.value(position))


class BoundBox(Line):
    """A number, or nothing. What is neither stays and is marked; Escape takes it back."""

    gives_up = True
    changed = Signal(object)
    rejected = Signal(str)
    """Why what was typed is no bound; empty when it is gone."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bound: float | None = None
        self.setPlaceholderText("none")
        self.editingFinished.connect(self._commit)

    def set_bound(self, value: float | None) -> None:
        """Where it is the bound that it was, what was typed and refused stays."""
        if self.refusal and value == self._bound:
            return
        self._refuse("")
        half_typed = self.isModified() and value == self._bound and self.hasFocus()
        self._bound = value
        if not half_typed:
            self.setText("" if value is None else shown(value))
            self.setModified(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
            return
        self._refuse("")
        self.setModified(False)
        self.set_bound(self._bound)

    def _refuse(self, sentence: str) -> None:
        if sentence != self.refusal:
            self.refusal = sentence
            self.rejected.emit(sentence)

    def _commit(self) -> None:
        if not self.isModified():
            return
        text = self.text().strip()
        value = parsed(text, False) if text else None
        if text and value is None:
            self._refuse(misread(text, False) or f"'{text}' is not a number; empty is no bound.")
            return
        self.setModified(False)
        self._refuse("")
        if value != self._bound:
            self.changed.emit(value)
