"""A matrix of numbers as coloured cells."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from engines.api.charts import ChartData, ChartInfo, Curve
from tests.ui.charts.painting import drawn
from ui.charts.plots.cell import ChartCell
from ui.scene.colormaps import colormap

INFO = ChartInfo("m", "Synapses", "1", kind="matrix", x_title="Hears", across_title="Sends", x_unit="1")
NAMES = ("A population with a rather long name", "L4i")


@pytest.fixture
def cell(qtbot):
    cell = ChartCell(INFO, "ms")
    qtbot.addWidget(cell)
    cell.resize(420, 260)
    cell.show()
    rows = (
        Curve(NAMES[0], np.array([1.0, 2.0]), np.array([0.0, 12.5])),
        Curve(NAMES[1], np.array([1.0, 2.0]), np.array([100.0, 7.0])),
    )
    cell.show_data(ChartData(rows, columns=NAMES))
    return cell


def places(plot):
    """The middles of the upper right and the lower left cell, a little off the texts."""
    area = plot._area()
    return [
        QPointF(area.left() + x * area.width(), area.top() + y * area.height()) for x, y in ((0.95, 0.1), (0.05, 0.6))
    ]


def test_cells_have_the_colours_of_their_numbers(cell):
    picture = cell.plot.grab().toImage()
    ratio = picture.devicePixelRatio()
    for at, share in zip(places(cell.plot), (0.125, 1.0), strict=True):
        colour = picture.pixelColor(round(at.x() * ratio), round(at.y() * ratio))
        assert (colour.red(), colour.green(), colour.blue()) == tuple(map(int, colormap("viridis")[round(255 * share)]))


def test_a_cell_says_whose_number_it_is(cell):
    upper, lower = places(cell.plot)
    assert cell.plot.text_at(upper) == f"{NAMES[0]} → L4i: 12.50"
    assert cell.plot.text_at(lower) == f"L4i → {NAMES[0]}: 100.0"
    assert cell.plot.text_at(QPointF(1, 1)) == ""
    assert cell.readout.text() == ""
    assert not cell.legend.isVisible()


def test_what_it_says_is_not_that_of_what_is_around_it(cell):
    cell.setToolTip("What the chart shows")
    for at, text in zip(places(cell.plot), (f"{NAMES[0]} → L4i: 12.50", f"L4i → {NAMES[0]}: 100.0"), strict=True):
        spot = at.toPoint()
        QApplication.sendEvent(cell.plot, QHelpEvent(QEvent.Type.ToolTip, spot, cell.plot.mapToGlobal(spot)))
        assert QToolTip.text() == text
    QToolTip.hideText()


def test_its_numbers_are_saved_as_a_table(cell):
    lines = cell.content(".csv").decode().splitlines()
    assert lines[0].split(",")[:3] == ["curve", "Hears", "Synapses"]
    assert lines[3].startswith("L4i,1,100")


def test_a_small_one_and_one_without_numbers_are_drawn(cell):
    cell.resize(160, 120)
    cell.plot.grab()
    cell.show_data(ChartData(()))
    cell.plot.grab()
    assert cell.plot.text_at(QPointF(80, 60)) == ""


def test_names_of_columns_lie_where_they_just_fit(cell):
    cell.show_data(ChartData((Curve("E", np.array([1.0, 2.0]), np.array([1.0, 2.0])),), columns=NAMES[:2]))
    widest = cell.plot.fontMetrics().horizontalAdvance(max(NAMES[:2], key=len)) + 4
    assert [cell.plot._upright(width) for width in (2.0 * widest, 2.0 * widest - 1)] == [False, True]


@pytest.mark.parametrize("columns", [("A", "B"), NAMES])
def test_cells_fill_the_plot_between_the_names_of_rows_and_columns(cell, columns):
    """Names of columns that are wider than these stand upright, below them."""
    rows = [Curve(title, np.array([1.0, 2.0]), y) for title, y in (("E", np.array([0.0, 12.5])), ("L4i", [100.0, 7.0]))]
    cell.show_data(ChartData(tuple(replace(row, y=np.array(row.y)) for row in rows), columns=columns))
    plot, metrics = cell.plot, cell.plot.fontMetrics()
    drawn_texts = drawn(plot, "text")
    fills = [each.given[0] for each in drawn(plot, "fill")]
    assert [each.given[-1] for each in drawn_texts[:4]] == ["0", "12.5", "100", "7.00"]
    assert [each.pen.name() for each in drawn_texts[:4]] == ["#f2f4f8", "#f2f4f8", "#10131a", "#f2f4f8"]
    left, right = 6 + metrics.horizontalAdvance("L4i") + 2 + 6, plot.width() - 6
    upright = columns == NAMES
    widest = metrics.horizontalAdvance(NAMES[0]) + 4
    names = min(widest, 0.3 * plot.height()) if upright else metrics.height()
    wide, high = (right - left) / 2, (plot.height() - 6 - names - metrics.height() - 6) / 2
    for k, box in enumerate(fills):
        place = (left + k % 2 * wide + 0.5, 6 + k // 2 * high + 0.5, wide - 1, high - 1)
        assert box.getRect() == pytest.approx(place)
        assert drawn_texts[k].given[0].center() == box.center()
    below = 6 + 2 * high + 3
    row_names, column_names, said = drawn_texts[4:6], drawn_texts[6:8], drawn_texts[8]
    assert [each.given[-1] for each in row_names] == ["E", "L4i"]
    for k, each in enumerate(row_names):
        assert each.given[0].getRect() == pytest.approx((6, 6 + k * high, left - 12, high))
    for k, each in enumerate(column_names):
        box = each.at.mapRect(each.given[0])
        assert box.getRect() == pytest.approx((left + k * wide, below, wide, names))
    assert said.given[-1] == "rows: sends, columns: hears"
    assert said.given[0].getRect() == pytest.approx((6, below + names, plot.width() - 12, metrics.height()))


def test_of_names_as_many_stand_beside_low_rows_as_have_room_and_numbers_where_they_fit(cell):
    many = tuple(Curve(f"R{k}", np.arange(2.0), np.array([k, 1.0])) for k in range(40))
    cell.show_data(ChartData(many, columns=("A", "B")))
    high = cell.plot._area().height() / 40
    every = -(-cell.plot.fontMetrics().height() // int(high))
    names = [each.given[-1] for each in drawn(cell.plot, "text")]
    assert names[:-3] == [f"R{k}" for k in range(0, 40, every)]
    assert every > 1
