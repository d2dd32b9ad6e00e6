"""The values of one varied number: from, to and how many, a list, or each twice as fine as the one before."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ui.forms.fields.line import Line
from ui.forms.fields.number import NumberBox, shown
from ui.widgets.elided import ElidedLabel
from ui.widgets.freeing import free_list
from workbench.sweep.numbers import NumberParameter
from workbench.sweep.plan import Variation, halved, spread, values_of
from workbench.words.units import headed

EVEN, FACTORS, LIST, FINER = "Even", "Factors", "List", "Finer"
FIRST_COUNT, FIRST_FINER = 5, 3
KIND_TIP = "Even steps, equal factors, a list, or each value twice as fine as the one before, to see answers converge"
AROUND = (0.8, 1.2)
"""Of the present value, where a range begins and ends at first."""


class ValuesEditor(QWidget):
    """Emits ``changed`` after each edit; :meth:`variation` raises ProblemError where the values cannot be used."""

    changed = Signal()

    def __init__(self, number: NumberParameter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.number = number
        self.along: tuple[NumberParameter, ...] = ()
        """What is multiplied with the number where it is made finer."""
        title = headed(number.title, number.unit)
        limits = number.bounds.sentence(number.unit)
        self._title = title
        self.name = ElidedLabel(title, self)
        self.name.setToolTip("\n".join(part for part in (title, number.help, limits, number.name) if part))
        self.kind = QComboBox(self)
        self.kind.addItems([EVEN, FACTORS, LIST, FINER])
        free_list(self.kind)
        self.kind.setToolTip(KIND_TIP)
        self.kind.setAccessibleName(f"How the values of {number.title} are given")
        first, last = _first_range(number)
        self.first = self._box(first, "First value", number.integer)
        self.last = self._box(last, "Last value", number.integer)
        self.count = self._box(FIRST_COUNT, "How many values", True)
        self.count.setFixedWidth(48)
        self.list = Line(self)
        self.list.setText(", ".join(dict.fromkeys((shown(first), shown(number.value), shown(last)))))
        self.list.setToolTip("Values with commas between them")
        self.list.setAccessibleName(f"Values of {number.title}")
        self.list.textEdited.connect(lambda: self.changed.emit())
        self._to, self._in = _muted("to", self), _muted("in", self)
        self._of_range = [self.first, self._to, self.last, self._in, self.count]
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.kind)
        for widget in self._of_range:
            row.addWidget(widget, 1 if widget in (self.first, self.last) else 0)
        row.addWidget(self.list, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        layout.addWidget(self.name)
        layout.addLayout(row)
        self.kind.currentTextChanged.connect(self._switch)
        self._switch(EVEN)

    def variation(self) -> Variation:
        kind = self.kind.currentText()
        if kind == LIST:
            return Variation(self.number, values_of(self.list.text(), self.number.integer))
        first, last, count = self.first.value(), self.last.value(), int(self.count.value())
        if kind == FINER:
            return Variation(self.number, halved(self.number, first, count), self.along, finer=True)
        factors = kind == FACTORS
        return Variation(self.number, spread(first, last, count, by_factors=factors, integer=self.number.integer))

    def _switch(self, kind: str) -> None:
        for widget in self._of_range:
            widget.setVisible(kind != LIST and not (kind == FINER and widget in (self._to, self.last)))
        self.list.setVisible(kind == LIST)
        self._in.setText("twice as fine each, in" if kind == FINER else "in")
        along = ", ".join(one.titles[-1] for one in self.along)
        self.name.setText(f"{self._title}, with {along}" if kind == FINER and along else self._title)
        if kind == FINER:
            self.first.set_value(halved(self.number)[0])
            self.count.set_value(FIRST_FINER)
        self.changed.emit()

    def _box(self, value: float, tip: str, integer: bool) -> NumberBox:
        box = NumberBox(integer, self)
        box.set_value(value)
        box.setToolTip(tip)
        box.setAccessibleName(f"{tip} of {self.number.title}")
        box.changed.connect(lambda _: self.changed.emit())
        return box


def _first_range(number: NumberParameter) -> tuple[float, float]:
    """Around the present value, inside of its bounds."""
    value = number.value
    ends = sorted(value * part for part in AROUND) if value else [0.0, 1.0]
    if number.integer:
        ends = [float(round(ends[0])), float(max(round(ends[1]), round(ends[0]) + 1))]
    found = [float(f"{end:.6g}") if number.bounds.admits(end) else float(value) for end in ends]
    return (int(found[0]), int(found[1])) if number.integer else (found[0], found[1])


def _muted(text: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setObjectName("muted")
    return label
