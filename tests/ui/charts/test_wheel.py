"""The wheel over charts: it scrolls where they scroll, and zooms with Ctrl, or where nothing scrolls."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from engines.api.charts import ChartData, ChartInfo, Curve
from ui.charts.grid import ChartGrid
from ui.charts.plots.cell import ChartCell

INFO = ChartInfo("c", "C", "mV", x_title="Time", x_unit="ms")
TURN = QPoint(0, -120)


@pytest.fixture
def grid(qtbot):
    grid = ChartGrid()
    qtbot.addWidget(grid)
    cells = [ChartCell(INFO, "ms", grid.body) for _ in range(6)]
    for cell in cells:
        cell.show_data(ChartData((Curve("a", np.arange(9.0), np.arange(9.0)),)))
    grid.cells = cells
    grid.resize(260, 300)
    grid.show()
    grid.set_cells(cells)
    qtbot.waitUntil(lambda: grid.verticalScrollBar().maximum() > 0)
    return grid


def turn(plot, modifiers=Qt.KeyboardModifier.NoModifier):
    """Whether it has zoomed, and whether the event stops there; Qt passes on to what is around what does not."""
    place = QPointF(plot.viewport().rect().center())
    before = plot.getPlotItem().getViewBox().viewRange()
    event = QWheelEvent(
        place, plot.viewport().mapToGlobal(place), QPoint(), TURN, Qt.MouseButton.NoButton, modifiers,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(plot.viewport(), event)
    return plot.getPlotItem().getViewBox().viewRange() != before, event.isAccepted()


def test_the_wheel_goes_on_to_what_scrolls_and_zooms_with_ctrl(grid):
    assert turn(grid.cells[0].plot) == (False, False)
    assert turn(grid.cells[0].plot, Qt.KeyboardModifier.ControlModifier) == (True, True)


def test_it_zooms_where_nothing_scrolls(grid, qtbot):
    grid.resize(900, 900)
    qtbot.waitUntil(lambda: grid.verticalScrollBar().maximum() == 0)
    assert turn(grid.cells[0].plot) == (True, True)


def test_a_chart_by_itself_zooms(qtbot):
    cell = ChartCell(INFO, "ms")
    qtbot.addWidget(cell)
    cell.show()
    assert turn(cell.plot) == (True, True)
