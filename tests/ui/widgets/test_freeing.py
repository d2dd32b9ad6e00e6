"""What is made and dropped again and again leaves nothing in malloc, which Python's own counts do not see."""

from __future__ import annotations

import gc
import sys

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QLabel,
    QScrollArea,
    QTableWidget,
    QToolBar,
    QToolButton,
    QTreeWidget,
    QWidget,
)

from engines.api.charts import ChartInfo
from tests.soak.given import given_out
from ui.charts.plots.plot import ChartPlot
from ui.forms.fields.scalars import CalmComboBox
from ui.panels.probes.trace_plot import TracePlot
from ui.widgets.freeing import connect_once, drop, empty
from ui.widgets.theme import theme

with_glibc = pytest.mark.skipif(sys.platform != "linux", reason="glibc tells what it has given out")
MANY = 50


def given() -> int:
    """What malloc has given out [bytes]."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    return given_out()


def grown(make, count: int, drop=QWidget.deleteLater) -> float:
    """Bytes that each widget leaves behind, at least: what grows by doubling does so in one round of a few. They live
    at the same time: one address after the other would hide it."""
    grown_by = []
    for _ in range(5):  # the first takes up what is made once
        before = given()
        made = [make() for _ in range(count)]
        for each in made:
            each.ensurePolished()  # as what is shown is
            drop(each)
        del made, each
        grown_by.append((given() - before) / count)
    return min(grown_by[1:])


def combo() -> CalmComboBox:
    box = CalmComboBox()
    box.addItems(["one", "two"])
    return box


@with_glibc
@pytest.mark.parametrize(
    ("make", "count"),
    [(combo, MANY), (lambda: ChartPlot(ChartInfo("voltage", "Voltage", "V"), "s"), 8), (TracePlot, 8)],
    ids=["choice", "chart", "probes"],
)
def test_a_dropped_widget_takes_the_rules_of_its_style_sheet_with_it(qapp, make, count):
    theme().apply("dark", qapp)
    assert grown(make, count) < 400, "a list's and a line's rules are 1 kB each"


@with_glibc
def test_a_dialog_that_was_shown_takes_the_rules_of_what_scrolls_in_it_with_it(qapp):
    theme().apply("dark", qapp)

    def dialog() -> QDialog:
        made = QDialog()
        layout = QGridLayout(made)
        for row, part in enumerate((QTreeWidget(), QTableWidget(2, 2), QScrollArea())):
            layout.addWidget(part, row, 0)
        made.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        made.show()
        qapp.processEvents()
        return made

    assert grown(dialog, 8, drop) < 800, "four things scroll in tables and trees, with their headers: 3 kB"


@with_glibc
def test_a_dropped_row_takes_its_item_with_it(qapp):
    box = QWidget()
    layout = QGridLayout(box)
    left = []
    for _ in range(4):
        before = given()
        for row in range(MANY):
            layout.addWidget(QLabel(str(row)), row, 0)
        layout.addLayout(QGridLayout(), MANY, 0)
        empty(layout)
        left.append((given() - before) / MANY)
        assert layout.count() == 0
    assert sorted(left[1:])[1] < 30, "an item is 96 bytes"
    assert not box.findChildren(QLabel)


@pytest.mark.parametrize("in_bar", [True, False])
def test_an_action_that_changes_often_is_not_connected_more_often(qapp, in_bar):
    action, bar = QAction("Run"), QToolBar()
    action.setCheckable(True)
    if in_bar:
        bar.addAction(action)
        button = bar.widgetForAction(action)
    else:
        button = QToolButton(bar)
        button.setDefaultAction(action)
    connect_once(button, action)
    for _ in range(20):
        action.setEnabled(not action.isEnabled())
    assert action.receivers("2changed()") <= 2
    action.setText("Pause")
    action.setToolTip("Pause (Space)")
    action.setChecked(True)
    action.setEnabled(False)
    assert (button.text(), button.toolTip(), button.isChecked(), button.isEnabled()) == (
        "Pause",
        "Pause (Space)",
        True,
        False,
    )


def test_the_buttons_of_the_window_are_not_connected_more_often(window):
    for action in window.toolbar.actions():
        for _ in range(10):
            action.setToolTip(action.toolTip() + ".")
        assert action.receivers("2changed()") < 6, action.text()


@with_glibc
def test_opening_problems_does_not_grow(window, qtbot, services):
    """Rounds of 4 openings, after 4 that fill what is bounded; each opening of these small forms left 8 kB."""

    def open_next(place: int) -> None:
        before = window.model.document
        window.model.undo_stack.setClean()
        window.open_preset(services.presets()[place % 2])
        qtbot.waitUntil(lambda: window.model.document is not before, timeout=5000)
        qtbot.waitUntil(lambda: window.controller.phase == "ready", timeout=10_000)
        for kept in (services.runners, services.aside, services.left, services.forgotten, window.viewport.frames):
            kept.clear()  # the doubles'

    left = []
    for _ in range(5):
        before = given()
        for place in range(4):
            open_next(place)
        left.append((given() - before) / 4)
    assert min(left[1:]) < 5000
