"""Measured data laid over a chart: how a table was read that leaves a doubt is said, also where columns are chosen."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from engines.api.charts import ChartInfo
from engines.tables.columns import Axis
from ui.charts.overlay import Overlay

AXES = (Axis("Time", "s"), Axis("Voltage", "V"))


class Panel(QObject):
    overlay_asked = Signal(object, str)

    def __init__(self):
        super().__init__()
        self.measured = []

    def axes_of(self, chart):
        return AXES

    def series_under(self, name):
        return "time"

    def add_measured(self, *found):
        self.measured += found


class AtOnce:
    """A background that does what it is given at once."""

    def submit(self, lane, call, done, failed):
        try:
            found = call()
        except Exception as error:
            failed(error)
        else:
            done(found)


@pytest.mark.parametrize(
    ("text", "read", "doubts"),
    [("t;U\n0;3,700\n10;3,650\n", [3.7, 3.65], 1), ("t;U\n0;3,7\n10;3,65\n", [3.7, 3.65], 0)],
)
def test_a_comma_that_may_part_thousands_is_told(qtbot, tmp_path, text, read, doubts):
    (tmp_path / "lab.csv").write_text(text)
    parent, panel, said = QWidget(), Panel(), []
    qtbot.addWidget(parent)
    overlay = Overlay(panel, SimpleNamespace(document=None), AtOnce(), parent)
    overlay.doubt.connect(said.append)
    panel.overlay_asked.emit(ChartInfo("voltage", "Voltage", "V"), str(tmp_path / "lab.csv"))
    (found,) = panel.measured
    assert found.y == read
    assert len(said) == doubts
    assert all(sentence.startswith("'3,700' in 'lab.csv' is read as 3.7") for sentence in said)
