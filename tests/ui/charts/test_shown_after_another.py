"""What a chart shows is of what it was given last: nothing of what it showed before is left, and nothing is missing."""

from itertools import permutations

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel

from engines.api.charts import EMPTY, ChartData, ChartInfo, Curve
from ui.charts.plots.cell import ChartCell

X = np.linspace(0.0, 10.0, 41)
EDGES = np.linspace(-2.0, 6.0, 9)
ANGLES = np.arange(0.0, 360.0, 15.0)
THETA, PHI = (each.ravel() for each in np.meshgrid(np.arange(0.0, 181.0, 30.0), ANGLES, indexing="ij"))


def pattern(values):
    return ChartData((Curve("whole", THETA, values, across=PHI),))


KINDS = {
    "line": (
        ChartData((Curve("a", X, np.sin(X)), Curve("b", X, 3 + X, low=2 + X, high=5 + X))),
        ChartData((Curve("a", X[:9], 40 + X[:9], told=-1),), note="Few points."),
    ),
    "bar": (
        ChartData((Curve("a", EDGES, np.arange(8.0), shade=np.linspace(0, 1, 8)),)),
        ChartData((Curve("a", EDGES, 90 - np.arange(8.0)),), note="Of one kind."),
    ),
    "raster": (
        ChartData((Curve("a", X, X % 3), Curve("b", X + 0.1, X % 2))),
        ChartData((Curve("c", X / 2, 7 - X % 4),)),
    ),
    "polar": (
        ChartData((Curve("a", ANGLES, 2 + np.cos(np.deg2rad(ANGLES)), told=3),)),
        ChartData((Curve("a", ANGLES, 9 + 0 * ANGLES), Curve("b", ANGLES, ANGLES / 60)), note="Two cuts."),
    ),
    "pattern": (pattern(1 + np.cos(np.deg2rad(THETA))), pattern(7 + np.sin(np.deg2rad(PHI)))),
    "matrix": (
        ChartData((Curve("a", X[:3], np.array([1.0, -2, 3])), Curve("b", X[:3], X[1:4])), columns=tuple("xyz")),
        ChartData((Curve("c", X[:2], np.array([9.0, 8.0])),), columns=("p", "q")),
    ),
}  # fmt: skip
AXES = ("line", "bar", "raster")


@pytest.fixture
def cell(qtbot):
    def make(kind):
        made = ChartCell(ChartInfo("chart", "Something", "mV", kind=kind, x_title="x", x_unit="mm"), "ms")
        qtbot.addWidget(made)
        made.resize(420, 360)
        made.show()
        qtbot.waitExposed(made)
        return made

    return make


def seen(cell):
    """Its picture and its words."""
    words = [(each.text(), each.isVisibleTo(cell)) for each in cell.findChildren(QLabel)]
    return cell.grab().toImage().convertToFormat(QImage.Format.Format_RGB32), words


def settled(cell, qtbot):
    taken = []

    def still():
        qtbot.wait(20)
        taken.append(seen(cell))
        return len(taken) > 5 and all(each == taken[-1] for each in taken[-5:])

    qtbot.waitUntil(still)
    return taken[-1]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_shown_does_not_tell_what_was_shown_before(cell, qtbot, kind):
    """But for axes, which stay where they are while there is nothing."""
    every, fresh = {"first": KINDS[kind][0], "second": KINDS[kind][1], "nothing": EMPTY}, {}
    for name, data in every.items():
        alone = cell(kind)
        alone.show_data(data)
        fresh[name] = settled(alone, qtbot)
        alone.hide()
    assert fresh["first"][0] != fresh["second"][0] != fresh["nothing"][0] != fresh["first"][0]
    used = cell(kind)
    for order in permutations(every):
        for name in order:
            parts = slice(1, None) if name == "nothing" and kind in AXES else slice(None)
            used.show_data(every[name])
            qtbot.waitUntil(lambda name=name, parts=parts: seen(used)[parts] == fresh[name][parts])
