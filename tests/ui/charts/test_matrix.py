"""A matrix of numbers as coloured cells."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from engines.api.charts import ChartData, ChartInfo, Curve
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
