"""A raster: a dot for each event."""

import numpy as np

from engines.api.charts import EMPTY, ChartData, ChartInfo, Curve
from ui.charts.plots.cell import ChartCell
from ui.charts.plots.layers import DotCloud

RASTER = ChartInfo("raster", "Spikes", "1", kind="raster", x_title="Time", x_unit="ms")


def test_each_event_is_a_dot_and_the_legend_says_no_number(qtbot):
    cell = ChartCell(RASTER, "ms")
    qtbot.addWidget(cell)
    cell.resize(500, 400)
    cell.show()
    few = Curve("few", np.array([10.0, 20.0]), np.array([3.0, 9.0]))
    none = Curve("none", np.zeros(0), np.zeros(0))
    cell.show_data(ChartData((few, none)))
    low, high = cell.plot.getPlotItem().getViewBox().childrenBounds()
    assert low[0] <= 10.0
    assert low[1] >= 20.0
    assert high[1] >= 9.0
    assert "few" in str(cell.legend.entries)
    assert "9" not in str(cell.legend.entries)
    (cloud,) = (item for item in cell.plot.getPlotItem().items if isinstance(item, DotCloud) and len(item._points))
    width = cloud._pen.widthF()
    cell.plot.thicken(3.0)
    assert cloud._pen.widthF() == 3 * width  # else a print of 300 dots per inch shows dust
    assert not cell.readout.text() + cell.below.text()
    cell.show_data(ChartData((few, none), part="2 of 900 spikes: one neuron in 8, the last 20 ms"))
    assert "2 of 900 spikes" in cell.readout.text() + cell.below.text()
    assert not cell.note.isVisible()  # it is no warning
    blank = cell.plot.grab().toImage()
    cell.show_data(EMPTY)
    assert cell.plot.grab().toImage() != blank


def test_a_chart_of_a_part_says_so_beside_its_title_on_paper_and_in_its_file(qtbot):
    cell = ChartCell(ChartInfo("spectrum", "Spectrum", "1", x_title="Frequency", x_unit="Hz"), "ms")
    qtbot.addWidget(cell)
    cell.resize(500, 400)
    cell.show()
    x = np.arange(4.0)
    cell.show_data(ChartData((Curve("A", x, x), Curve("B", x, 2 * x)), part="one neuron in 8"))
    assert "one neuron in 8" in cell.readout.text() + cell.below.text()
    assert not cell.note.isVisible()
    paper = cell.on_paper()
    assert paper.below.text() == "one neuron in 8"
    assert not paper.below.isHidden()
    assert cell.content(".csv").startswith(b"# one neuron in 8\n")
    cell.show_data(ChartData((Curve("A", x, x), Curve("B", x, 2 * x))))
    assert cell.on_paper().below.isHidden()
