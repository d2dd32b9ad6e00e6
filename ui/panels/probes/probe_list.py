"""The list of probes: colour, name, place and present value; name and place are typed, the button removes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from ui.forms.fields.line import Line
from ui.forms.fields.number import parsed
from ui.widgets.icons import dress
from ui.widgets.theme import theme

ROW_HEIGHT = 30
NO_PLACE = "A place is two or three numbers, as 10, 20.5, 0."
HINT = "Click a point in the 3D view to follow its values here."


class Swatch(QWidget):
    """A dot in the colour of a trace."""

    def __init__(self, place: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.place = place
        self.setFixedSize(QSize(12, 12))

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme().palette.trace(self.place)))
            painter.drawEllipse(1, 1, 10, 10)


class ProbeRow(QWidget):
    """One probe."""

    renamed = Signal(int, str)
    moved = Signal(int, tuple)
    """To x, y, z; empty: what was typed is none."""
    removed = Signal(int)

    def __init__(self, place: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place = place
        self._name = self._standing = ""
        self._position: tuple[float, ...] = ()
        self.setFixedHeight(ROW_HEIGHT - 2)
        self.name = Line(self)
        self.name.setObjectName("probeName")
        self.name.setToolTip("Rename")
        self.name.editingFinished.connect(self._rename)
        self.place = Line(self)
        self.place.setObjectName("probePlace")
        self.place.setAccessibleName("Place of the probe")
        self.place.editingFinished.connect(self._move)
        self.value = QLabel(self)
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.value.setMinimumWidth(72)
        remove = QToolButton(self)
        remove.setObjectName("small")
        remove.setToolTip("Remove this probe")
        remove.setAccessibleName("Remove this probe")
        dress(remove, "close", "muted")
        remove.clicked.connect(lambda: self.removed.emit(self._place))
        self.remove_button = remove
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(Swatch(place, self))
        layout.addWidget(self.name, 2)
        layout.addWidget(self.place, 3)
        layout.addWidget(self.value)
        layout.addWidget(remove)

    def show_probe(self, name: str, position: Sequence[float], unit: str) -> None:
        told = position if position[2] else position[:2]
        self._name, self._position = name, tuple(position)
        self._standing = ", ".join(f"{along:.5g}" for along in told)
        if not self.name.hasFocus() or self.name.text() != name:
            self.name.setText(name)
        if not self.place.isModified():
            self.place.setText(self._standing)
            self.place.setCursorPosition(0)
        exactly = ", ".join(f"{letter} {along:.7g}" for letter, along in zip("xyz", position, strict=False))
        self.place.setToolTip(f"Stands at {exactly}{f' {unit}' if unit else ''}: type another place")

    def _rename(self) -> None:
        name = self.name.text().strip()
        if name and name != self._name:
            self.renamed.emit(self._place, name)
        else:
            self.name.setText(self._name)
        self.name.setModified(False)

    def _move(self) -> None:
        typed, by_hand = self.place.text(), self.place.isModified()
        self.place.setModified(False)
        numbers = [parsed(each, False) for each in re.split(r"[\s;,]+", typed.strip())]
        if not by_hand or typed == self._standing:
            return
        self.place.setText(self._standing)
        right = len(numbers) in (2, 3) and None not in numbers
        self.moved.emit(self._place, (*numbers, *self._position[len(numbers) :]) if right else ())


class ProbeList(QWidget):
    """Rows for the probes of the document, in their order."""

    renamed = Signal(int, str)
    moved = Signal(int, tuple)
    removed = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[ProbeRow] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(2)
        self._empty = QLabel(HINT, self)
        self._empty.setObjectName("muted")
        self._empty.setWordWrap(True)
        self._layout.addWidget(self._empty)
        self._layout.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setObjectName("scrollBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    def set_hint(self, *, with_ctrl: bool) -> None:
        """How a probe is placed, where there is none yet."""
        self._empty.setText(f"Ctrl+{HINT[0].lower()}{HINT[1:]}" if with_ctrl else HINT)

    def set_probes(self, probes: Sequence[Mapping[str, Any]], unit: str) -> None:
        """``name`` and ``position`` of each, in a unit of length."""
        while len(self.rows) > len(probes):
            row = self.rows.pop()
            self._layout.removeWidget(row)
            row.hide()
            row.deleteLater()
        while len(self.rows) < len(probes):
            row = ProbeRow(len(self.rows), self)
            row.renamed.connect(self.renamed)
            row.moved.connect(self.moved)
            row.removed.connect(self.removed)
            self._layout.addWidget(row)
            self.rows.append(row)
        for row, probe in zip(self.rows, probes, strict=True):
            row.show_probe(probe["name"], probe["position"], unit)
        self._empty.setVisible(not probes)

    def show_values(self, texts: Mapping[int, str]) -> None:
        for place, row in enumerate(self.rows):
            row.value.setText(texts.get(place, ""))
