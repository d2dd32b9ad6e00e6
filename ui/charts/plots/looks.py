"""How a chart is looked at, in its menu; and its title, which makes it large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup, QMouseEvent
from PySide6.QtWidgets import QLabel, QMenu, QSizePolicy, QWidget

from ui.charts.arithmetic import CURVE, LARGEST, RUN, VERTICALS

if TYPE_CHECKING:
    from ui.charts.plots.cell import ChartCell


class ChartTitle(QLabel):
    """In full, in two lines where one is too short. A double click on it asks for the chart to be large, or small
    again."""

    double_clicked = Signal()

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def full_width(self) -> int:
        """Pixels that it takes in one line."""
        return self.fontMetrics().horizontalAdvance(self.text())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.double_clicked.emit()


def add_looks(menu: QMenu, cell: ChartCell) -> None:
    """Submenus for the axes, and for what the ordinates are divided by."""
    look = cell.look

    def set_look(**changed: object) -> None:
        cell.set_look(replace(cell.look, **changed))  # type: ignore[arg-type]  # of Look's own fields

    vertical = [(text, look.vertical == kind, partial(set_look, vertical=kind)) for kind, text in VERTICALS.items()]
    _choices(menu.addMenu("Vertical axis"), vertical)
    across = menu.addMenu("Horizontal axis")
    _choices(across, [("Linear", not look.log_x, partial(set_look, log_x=False))])
    _choices(across, [("Logarithmic", look.log_x, partial(set_look, log_x=True))])
    if cell.chart.series and cell.abscissae:
        across.addSeparator()
        chosen = cell.abscissa[0] if cell.abscissa is not None else ""
        ways = [("", "Time"), *cell.abscissae]
        _choices(
            across,
            [(f"Over: {title}", name == chosen, partial(cell.abscissa_asked.emit, name)) for name, title in ways],
        )
    over = [("", "Nothing"), (LARGEST, "Its largest value")]
    titles = [curve.title for curve in cell.curves]
    over += [(CURVE + title, title) for title in titles] if len(titles) > 1 else []
    over += [(RUN + title, title) for title in cell.kept]
    _choices(menu.addMenu("Divide by"), [(text, look.over == key, partial(set_look, over=key)) for key, text in over])


def _choices(menu: QMenu, choices: Sequence[tuple[str, bool, Callable[[], object]]]) -> None:
    group = QActionGroup(menu)
    for text, chosen, choose in choices:
        action = menu.addAction(text)
        action.setCheckable(True)
        action.setChecked(chosen)
        action.triggered.connect(lambda _=False, choose=choose: choose())
        group.addAction(action)
