"""The inspection panel: what is known of the element that a person clicked, while the run goes on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QToolButton, QVBoxLayout, QWidget

from engines.api.charts import ChartInfo, Fact, Inspection
from ui.charts.pacing import Pace
from ui.charts.plots.cell import ChartCell
from ui.charts.plots.making import Plot
from ui.charts.plots.reading import fact_text
from ui.widgets.dressing import look_as
from ui.widgets.freeing import empty
from ui.widgets.icons import dress

HINT = "Click an element in the 3D view to look into it."
SHARE = 0.02
PROFILE_HEIGHT = 124
"""Of a plot, without its title and legend."""


class InspectionPanel(QWidget):
    """Title, facts and profiles of one element."""

    follow_asked = Signal()
    """A probe is to follow the element."""
    closed = Signal()
    """The element is no longer of interest."""
    save_asked = Signal(object, str)

    def __init__(self, parent: QWidget | None = None, hint: str = HINT, follows: bool = True) -> None:
        """``hint`` stands there while nothing is known; ``follows``: a probe can be asked for."""
        super().__init__(parent)
        self._hint = hint
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._inspection: Inspection | None = None
        self._in_front = True
        self._infos: tuple[ChartInfo, ...] = ()
        self.cells: list[ChartCell] = []
        self.values: list[QLabel] = []
        self._facts: list[str] = []
        self.title = QLabel(hint, self)
        self.title.setObjectName("muted")
        self.title.setWordWrap(True)
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        follow = self._button("probe", "Follow its values with a probe (Ctrl+click in the view)", self.follow_asked)
        self._buttons = [follow] if follows else []
        follow.setVisible(follows)
        self._buttons.append(self._button("close", "Look at nothing", self.closed))
        top = QHBoxLayout()
        top.setSpacing(2)
        top.addWidget(self.title, 1)
        for button in self._buttons:
            top.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self._table = QGridLayout()
        self._table.setHorizontalSpacing(8)
        self._table.setVerticalSpacing(3)
        self._table.setColumnStretch(0, 1)
        self._profiles = QVBoxLayout()
        body = QWidget(self)
        body.setObjectName("scrollBody")
        inner = QVBoxLayout(body)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(8)
        self._order = QVBoxLayout()
        self._order.setSpacing(8)
        self._order.addLayout(self._table)
        self._order.addLayout(self._profiles, 1)
        inner.addLayout(self._order)
        inner.addStretch(1)
        self._inner = inner
        area = QScrollArea(self)
        area.setObjectName("scroll")
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(body)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 6, 10, 10)
        layout.setSpacing(6)
        layout.addLayout(top)
        layout.addWidget(area, 1)
        self.pace = Pace(self._draw, self._plots, self, SHARE)
        self._show_buttons(False)

    def show_inspection(self, inspection: Inspection | None) -> None:
        """What is known now; None: nothing, or no element is chosen."""
        if inspection is not self._inspection:
            self._inspection = inspection
            self.pace.soon()

    def set_hint(self, hint: str) -> None:
        """What stands there while nothing is known."""
        self._hint = hint
        self.pace.soon()

    def set_in_front(self, in_front: bool) -> None:
        """Whether the panel's dock is in front of those that it shares its place with."""
        self._in_front = in_front
        self.pace.soon()

    def showEvent(self, event: object) -> None:
        self.pace.soon()

    def _draw(self) -> None:
        inspection = self._inspection
        if not (self.isVisible() and self._in_front):
            return
        facts = () if inspection is None else inspection.facts
        profiles = () if inspection is None else inspection.profiles
        self.title.setText(self._hint if inspection is None else inspection.title)
        self._name_title("muted" if inspection is None else "heading")
        self._show_buttons(inspection is not None)
        if [fact.title for fact in facts] != self._facts:
            self._make_rows(facts)
        for fact, label in zip(facts, self.values, strict=True):
            label.setText(fact_text(fact))
        first = inspection is not None and inspection.charts_first
        self._order.setDirection(QVBoxLayout.Direction.BottomToTop if first else QVBoxLayout.Direction.TopToBottom)
        infos = tuple(info for info, _ in profiles)
        if infos != self._infos:
            self._make_cells(infos)
        for cell, (_, data) in zip(self.cells, profiles, strict=True):
            cell.show_data(data)

    def _make_rows(self, facts: tuple[Fact, ...]) -> None:
        empty(self._table)
        self._facts, self.values = [fact.title for fact in facts], []
        for row, fact in enumerate(facts):
            name, value = QLabel(fact.title, self), QLabel(self)
            name.setObjectName("muted")
            name.setWordWrap(True)
            value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._table.addWidget(name, row, 0)
            self._table.addWidget(value, row, 1)
            self.values.append(value)

    def _make_cells(self, infos: tuple[ChartInfo, ...]) -> None:
        for cell in self.cells:
            self._profiles.removeWidget(cell)
            cell.hide()
            cell.deleteLater()
        for place, stretch in enumerate((1, 0) if infos else (0, 1)):  # rows alone stand close below each other
            self._inner.setStretch(place, stretch)
        self._infos, self.cells = infos, [ChartCell(info, info.x_unit, self) for info in infos]
        for cell in self.cells:
            cell.plot.setMinimumHeight(PROFILE_HEIGHT)
            cell.hovered.connect(cell.show_cursor)
            cell.save_asked.connect(partial(self.save_asked.emit, cell))
            self._profiles.addWidget(cell, 1)

    def _name_title(self, name: str) -> None:
        """Dress the title by the style sheet."""
        if self.title.objectName() != name:
            look_as(self.title, name)

    def _show_buttons(self, visible: bool) -> None:
        for button in self._buttons:
            button.setVisible(visible)

    def _button(self, icon: str, text: str, signal: SignalInstance) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("small")
        button.setToolTip(text)
        button.setAccessibleName(text)
        dress(button, icon, "muted")
        button.clicked.connect(signal)
        return button

    def _plots(self) -> Iterator[Plot]:
        return (cell.plot for cell in self.cells)
