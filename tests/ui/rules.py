"""What holds of everything in a window, whatever a test has done with it; asked as each test ends."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import QLabel, QLayout, QLayoutItem, QScrollArea, QTreeWidget, QWidget
from shiboken6 import dump, getAllValidWrappers

from ui.widgets.elided import ElidedLabel

SENTENCE = 45
"""Letters, from which on a sentence does not stand in one line everywhere."""


def broken(window: QWidget) -> Iterator[str]:
    """A line for each widget that breaks a rule."""
    for label in window.findChildren(QLabel):
        wraps = label.wordWrap() or isinstance(label, ElidedLabel) or "<br" in label.text() or "\n" in label.text()
        long = label.text().endswith((".", "?")) and len(label.text()) > SENTENCE
        if long and not wraps and label.window() is window:  # dialogs are as wide as what they say
            yield f"neither wraps nor ends in an ellipsis: {label.text()}"
    for area in window.findChildren(QScrollArea):
        if area.widget() is not None and not area.widgetResizable():
            yield f"what is in it does not fill it: {type(area).__name__} {area.objectName()}"
    for tree in window.findChildren(QTreeWidget):
        if not tree.isHeaderHidden() and tree.headerItem().text(0) == "1":
            yield f"a column without a title has one: {type(tree.parent()).__name__}"


def lost_items() -> list[str]:
    """Items of layouts that Qt has deleted and PySide goes on knowing (ui/widgets/freeing.py), as far as can be said of
    what must not be touched: the address, and the layout that knew them."""
    known = [each for each in getAllValidWrappers() if isinstance(each, QLayoutItem)]
    layouts = [each for each in known if isinstance(each, QLayout)]
    items = (each for each in known if not isinstance(each, QLayout))
    return [dump(item) for item in items if all(layout.indexOf(item) < 0 for layout in layouts)]
