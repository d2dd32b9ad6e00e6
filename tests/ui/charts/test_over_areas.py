"""A line over stacked areas: drawn as one, named as one, and no part of the stack."""

from __future__ import annotations

import numpy as np

from engines.api import SeriesInfo
from engines.api.charts import ChartInfo
from ui.charts.contents import over_time
from ui.charts.plots.cell import ChartCell
from workbench.run.streams.traces import TraceBuffer

NAMES = ("elastic", "broken", "work")


def test_a_line_over_areas(qtbot):
    info = ChartInfo("energy", "Energy", "mJ", series=NAMES[:2], lines=NAMES[2:], kind="area")
    buffers = {name: TraceBuffer() for name in NAMES}
    for time in range(5):
        for name, value in zip(NAMES, (1.0 * time, 2.0 * time, 3.5 * time), strict=True):
            buffers[name].append(np.array([float(time)]), np.array([value]))
    data = over_time(info, buffers, [SeriesInfo(name, name.title(), "mJ") for name in NAMES])
    assert [curve.over for curve in data.curves] == [False, False, True]
    cell = ChartCell(info, "us")
    qtbot.addWidget(cell)
    cell.show_data(data)
    layer = cell.plot._layer
    assert len(layer._areas) == 2
    assert layer._over[0].getData()[1].tolist() == [0, 3.5, 7, 10.5, 14]
    assert [entry.mark for entry in cell.legend._entries] == ["area", "area", "line"]
    cell.show_data(over_time(ChartInfo("energy", "Energy", "mJ", series=NAMES[:2], kind="area"), buffers, []))
    assert not layer._over
