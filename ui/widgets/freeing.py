"""What Qt would keep for ever of widgets that are gone.

Three things that grew with each opening of a problem, each told to be let go here:

* Rules of style sheets. The style keeps those that it has found for a widget until that is destroyed, but listens to
  the destruction only of widgets that it styles by themselves: not of a combo box's list and a spin box's line, which
  ask for their rules while they are being made, nor of what scrolls in a table or a tree that is shown, 1 kB each.
* Connections of tool buttons. A button that shows an action connects itself to it anew whenever the action changes,
  150 bytes each time, and all of them are called at the next change.
* Items of layouts. Whatever ``takeAt`` returns stays, for Python does not own it.

And one that ended the process: ``addLayout`` makes PySide know each item of the layout that is put into another one.
It forgets those that ``removeWidget`` takes out, but not those that Qt deletes by itself, where a widget goes on to
another layout or is deleted in its place. Whatever comes to stand in memory there is taken for the item, and when it
goes its own wrapper is freed twice. So a widget leaves a layout by ``removeWidget``; ``lost_items`` of
tests/ui/rules.py finds the others.
"""

from __future__ import annotations

from pyqtgraph import PlotWidget
from PySide6.QtCore import SIGNAL, QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QLayout, QWidget
from shiboken6 import isValid


def free_rules(part: QWidget) -> None:
    """Let the style hear when ``part`` is destroyed: it does so once a widget has had a style sheet of its own."""
    part.setStyleSheet("*{}")
    part.style().polish(part)
    part.setStyleSheet("")


def drop(widget: QWidget) -> None:
    """Delete a widget with the rules of all its parts, of those that Qt made, too."""
    for part in widget.findChildren(QWidget):
        if not part.testAttribute(Qt.WidgetAttribute.WA_StyleSheet):
            free_rules(part)
    widget.deleteLater()


def free_list(combo: QComboBox) -> None:
    """Let go of the rules of a combo box's list with the box."""
    frame = combo.view().parentWidget()
    if frame is not None:
        free_rules(frame)


def free_controls(plot: PlotWidget) -> None:
    """Let go of the rules of a plot's controls with the plot: pyqtgraph makes them even where no menu shows them."""
    controls = plot.getPlotItem().ctrl
    for box in (controls.maxTracesSpin, controls.downsampleSpin):
        free_rules(box.lineEdit())


def connect_once(button: QWidget, action: QAction) -> None:
    """Have no more than one connection between an action and a button that shows it, however often it changes. What
    the button shows comes to it as an event."""

    def disconnect() -> None:
        if isValid(action) and isValid(button):  # an action that is being deleted changes, too
            QObject.disconnect(action, SIGNAL("changed()"), button, None)  # type: ignore[call-overload]  # any slot

    action.changed.connect(disconnect)


def empty(layout: QLayout) -> None:
    """Hide and drop the widgets of ``layout``, with their items. None of these keeps a name: what comes to stand in
    memory where Qt has removed one would be taken for it."""
    while layout.count():
        widget = _widget_at(layout, 0)
        if widget is None:
            layout.takeAt(0)
            continue
        layout.removeWidget(widget)
        widget.hide()
        widget.deleteLater()


def _widget_at(layout: QLayout, place: int) -> QWidget | None:
    item = layout.itemAt(place)
    return None if item is None else item.widget()
