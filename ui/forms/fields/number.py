"""A field for a number as scientists write it: 50000, 5e4, 0.02; arrow keys step the leading digit."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from engines.api.parameters import Around, unit_among
from engines.quantities import number_for
from ui.forms.editor import Editor, run_goes_on
from ui.forms.fields.line import Line
from ui.forms.fields.slider import Slider, scale_of
from ui.forms.schema import FieldSpec, Kind

LONGEST = 10
"""Characters of a number that a field has room for."""
BESIDE_SLIDER = 62  # pixels: four digits and a point
BLANK = "[ \u00a0\u2009\u202f]"
EXPONENT = r"(?:[eE][+-]?\d+)?"
WITH_BLANKS = re.compile(rf"[+-]?(?:[1-9]\d{{0,2}}(?:{BLANK}\d{{3}})+|\d+)(?:[.,](?:\d{{3}}{BLANK})*\d*)?{EXPONENT}")
"""With blanks between groups of three digits."""
WITH_COMMAS = re.compile(rf"[+-]?[1-9]\d{{0,2}}(?:,\d{{3}})+(?:\.\d*)?{EXPONENT}")
"""With commas between the thousands."""
ONE_COMMA = re.compile(rf"[+\-\u2212]?[1-9]\d{{0,2}},\d{{3}}(?!\d){EXPONENT}")
WHOLE_WITH_POINT = re.compile(r"([+\-\u2212]?[1-9]\d{0,2})\.000")
"""Of both nobody knows whether they are a thousand times as much."""


class NumberBox(Line):
    """A field over all floats (or integers). Out-of-bound values are typed and kept; the form names them.

    Commits when editing ends; Up and Down step; Escape takes back what was typed. The wheel scrolls the form and
    changes nothing, for a person who has just typed a value scrolls on from there. A long number (1/3) is told in six
    digits and kept as it is unless they are changed.
    """

    gives_up = True
    changed = Signal(object)
    rejected = Signal(str)
    """Why what was typed is not the value; empty when it is gone."""

    def __init__(self, integer: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._integer = integer
        self.unit = ""
        """What its number is in, as far as that is known."""
        self.unfit: Callable[[float], str] = lambda value: ""
        """Why a number cannot be the value, where that is known here; empty where it can."""
        self._value: float | int = 0
        self._why = ""
        self.setMinimumWidth(44)
        self.setText(told(self._value))
        self.editingFinished.connect(self._commit)

    def value(self) -> float | int:
        return self._value

    def set_value(self, value: float | int) -> None:
        """Where it is the value that it was, what was typed and refused stays."""
        if self.refusal and value == self._value:
            return
        self._refuse("")
        self._value = value
        text = told(value)
        if self.text() != text:
            self.setText(text)
            self.setCursorPosition(0)
        self.setModified(False)

    def step_by(self, steps: int) -> None:
        self._commit()
        self._refuse("")
        self.set_value(stepped(self._value, steps, self._integer))
        self.changed.emit(self._value)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Up:
                self.step_by(1)
            case Qt.Key.Key_Down:
                self.step_by(-1)
            case Qt.Key.Key_Escape:
                self.take_back()
            case _:
                super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def take_back(self) -> None:
        """The value again, in place of what was typed."""
        self._refuse("")
        self.set_value(self._value)

    def tell_again(self) -> None:
        """What was refused; a run has begun or ended meanwhile."""
        if self.refusal:
            self._refuse(self._why)

    def _refuse(self, why: str) -> None:
        self._why = why
        sentence = f"{why} {run_goes_on(self)}".strip() if why else ""
        if sentence != self.refusal:
            self.refusal = sentence
            self.rejected.emit(sentence)

    def _commit(self) -> None:
        text = self.text().strip()
        if text == told(self._value):
            self._refuse("")
            self.setModified(False)
            return
        value = parsed(text, self._integer)
        if value is None:
            wanted = "" if ONE_COMMA.match(text) else number_for(text.replace(",", "."), self.unit)
            kind = "whole number" if self._integer else "number"
            other = f"Give {wanted} instead of '{text}'." if wanted else f"'{text}' is not a {kind}."
            self._refuse(misread(text, self._integer) or too_large(text) or other)
            return
        if unfit := self.unfit(value):
            self._refuse(unfit)
            return
        self._refuse("")
        self.set_value(value)
        self.changed.emit(value)


def told(value: float | int) -> str:
    """As ``shown`` where that is not long; else six digits."""
    exact = shown(value)
    return exact if isinstance(value, int) or len(exact) <= LONGEST else shown(float(f"{value:.6g}"))


def shown(value: float | int) -> str:
    """The shortest text that reads back as ``value``."""
    if isinstance(value, int) or not math.isfinite(value):
        return str(value)
    if value == 0:
        return "0"
    if 1e-4 <= abs(value) < 1e7:
        text = repr(float(value))
        return text.removesuffix(".0")
    mantissa, _, exponent = f"{value!r}".partition("e")
    if exponent:
        return f"{mantissa.removesuffix('.0')}e{int(exponent)}"
    digits, _, exponent = f"{value:.16e}".partition("e")
    short = f"{float(digits):.15g}e{int(exponent)}"
    return short if float(short) == value else repr(value)


def parsed(text: str, integer: bool) -> float | int | None:
    """The number that a person typed, or None. Blanks may stand between groups of three digits, commas too where they
    can be nothing else, and a decimal comma where it can be nothing else; whole numbers have none."""
    if misread(text, integer):
        return None
    cleaned = text.strip().replace("\u2212", "-")
    if WITH_BLANKS.fullmatch(cleaned):
        cleaned = re.sub(BLANK, "", cleaned)
    if WITH_COMMAS.fullmatch(cleaned):
        cleaned = cleaned.replace(",", "")
    elif cleaned.count(",") == 1 and "." not in cleaned and not integer:
        cleaned = cleaned.replace(",", ".")
    try:
        value = float(cleaned)
    except ValueError:
        return None
    if not math.isfinite(value):
        return None
    if integer:
        return int(value) if value == int(value) else None
    return value


def too_large(text: str) -> str:
    """What to write instead where a number has more digits than there are; empty where it is none, or has not."""
    try:
        beyond = any(map(str.isdigit, text)) and math.isinf(float(text))
    except ValueError:
        return ""
    return f"'{text}' is too large: give a number below 1e308." if beyond else ""


def misread(text: str, integer: bool) -> str:
    """What to write instead where a mark may stand for decimals as well as for thousands; empty where none does."""
    cleaned = text.strip()
    if integer and (found := WHOLE_WITH_POINT.fullmatch(cleaned)):
        return f"'{cleaned}' may be {found[1]} or {found[1]}000: write one of these, without a point."
    if not integer and ONE_COMMA.fullmatch(cleaned):
        less, more = (cleaned.replace(",", mark) for mark in (".", ""))
        return f"'{cleaned}' may be {less} or {more}: write one of these, without a comma."
    return ""


def stepped(value: float | int, steps: int, integer: bool) -> float | int:
    """One unit in the first digit up or down: 0.02 → 0.03, 1 → 1.1 → 1.2, 50000 → 51000."""
    if integer:
        return int(value) + steps
    size = abs(float(value))
    unit = (
        0.1 if size == 0 else 10.0 ** (math.floor(math.log10(size) + 1e-12) - (1 if _leading(size) < 2 - 1e-9 else 0))
    )
    return float(f"{value + steps * unit:.12g}")


def _leading(size: float) -> float:
    return size / 10.0 ** math.floor(math.log10(size) + 1e-12)


class NumberEditor(Editor):
    """One number; one that is live and has bounds on both sides can be dragged."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(spec, parent)
        self.box = NumberBox(spec.kind is Kind.INTEGER, self)
        self.box.setToolTip(self.help_text())
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        self.slider: Slider | None = None
        self._scale = scale_of(spec.bounds) if spec.live and spec.kind is Kind.NUMBER else None
        if self._scale is not None:
            self.slider = Slider(self)
            self.slider.setToolTip(self.help_text())
            self.slider.setAccessibleName(f"{spec.title}, slider")
            self.slider.valueChanged.connect(self._drag)
            layout.addWidget(self.slider, 1)
            self.box.setFixedWidth(BESIDE_SLIDER)
        layout.addWidget(self.box)
        self.setFocusProxy(self.box)
        self.box.changed.connect(lambda value: self.edited.emit((), value))
        self.box.rejected.connect(self._refuse)

    def set_value(self, value: Any) -> None:
        self.box.set_value(value)
        self.mark(False)
        if self.slider is not None and self._scale is not None and self._scale.value(self.slider.value()) != value:
            with QSignalBlocker(self.slider):
                self.slider.setValue(self._scale.position(value))

    def set_around(self, around: Around) -> None:
        self.box.unit = unit_among(self.spec.unit, around)

    def set_locked(self, locked: bool) -> None:
        super().set_locked(locked)
        self.box.tell_again()

    def mark(self, wrong: bool) -> None:
        self.repolish(self.box, wrong or bool(self.box.refusal))

    def _drag(self, position: int) -> None:
        assert self._scale is not None
        self.edited.emit((), self._scale.value(position))

    def _refuse(self, sentence: str) -> None:
        self.mark(bool(sentence))
        self.box.setToolTip(sentence or self.help_text())
        self.refused.emit(sentence)
