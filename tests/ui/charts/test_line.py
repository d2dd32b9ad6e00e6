"""Curves that are painted in pieces look as those that are painted whole."""

from itertools import pairwise

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter

from ui.charts.line import Line, pieces
from ui.charts.plots.pens import line_pen

# Written out: what the sources have is held against these.
PIECE = 64

TIMES = np.linspace(0.0, 20.0, 1500)
BEATS = 100.0 * np.exp(-5 * (TIMES % 1.0)) - 80.0


def painted(plot) -> np.ndarray:
    """(height, width) grey levels."""
    image = QImage(plot.size(), QImage.Format.Format_Grayscale8)
    image.fill(0)
    painter = QPainter(image)
    plot.render(painter)
    painter.end()
    return np.array(image.constBits()).reshape(image.height(), -1)[:, : image.width()].astype(int)


@pytest.fixture
def plot(qtbot):
    plot = pg.PlotWidget()
    qtbot.addWidget(plot)
    plot.resize(500, 200)
    return plot


def drawn(plot, item, y, pen=None) -> np.ndarray:
    """As :func:`painted`: ``item`` alone in the plot."""
    plot.clear()
    plot.addItem(item)
    item.setPen(line_pen("w", 1.6) if pen is None else pen)
    item.setData(TIMES, y)
    return painted(plot)


def whole():
    item = pg.PlotDataItem(connect="finite", antialias=True)
    item.setClipToView(True)
    item.setDownsampling(auto=True, method="peak")
    return item


@pytest.mark.parametrize("gap", [slice(0, 0), slice(0, 100), slice(700, 720), slice(1499, 1500)])
def test_a_curve_in_pieces_looks_as_a_whole_one(plot, gap):
    y = BEATS.copy()
    y[gap] = np.nan
    one, many = drawn(plot, whole(), y), drawn(plot, Line(), y)
    assert one.max() > 200
    assert np.sqrt(np.mean((one - many) ** 2.0)) < 3
    assert abs(one.sum() - many.sum()) < 0.01 * one.sum()


def test_a_translucent_or_dashed_curve_is_painted_whole(plot):
    """Where pieces meet it would be darker, or the dashes begin anew."""
    pale = pg.mkColor("w")
    pale.setAlpha(90)
    for pen in (line_pen(pale, 1.6), line_pen("w", 1.6, style=Qt.PenStyle.DashLine)):
        assert (drawn(plot, whole(), BEATS, pen) == drawn(plot, Line(), BEATS, pen)).all()


def test_a_curve_of_other_data_is_another_one(plot):
    item = Line()
    before = drawn(plot, item, BEATS)
    item.setData(TIMES, -BEATS)
    assert np.abs(painted(plot) - before).max() > 200


@pytest.mark.parametrize("count", [0, 1, 2, PIECE, PIECE + 1, PIECE + 2, 5 * PIECE + 3])
def test_pieces_meet_and_miss_nothing(count):
    x, y = np.arange(float(count)), np.arange(float(count)) ** 2
    found = [[(point.x(), point.y()) for point in piece] for piece in pieces(x, y)]
    assert all(len(piece) == PIECE + 1 for piece in found[:-1])
    assert all(2 <= len(piece) <= PIECE + 1 for piece in found)
    assert all(left[-1] == right[0] for left, right in pairwise(found))
    joined = [point for place, piece in enumerate(found) for point in piece[place > 0 :]]
    assert joined == (list(zip(x, y, strict=True)) if count > 1 else [])


def test_no_piece_goes_across_what_is_no_number():
    x, y = np.arange(10.0), np.arange(10.0)
    x[3], y[6] = np.inf, np.nan
    assert [[point.x() for point in piece] for piece in pieces(x, y)] == [[0, 1, 2], [4, 5], [7, 8, 9]]
