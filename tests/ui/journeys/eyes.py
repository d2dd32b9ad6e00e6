"""What a person sees in the application's windows: things by the words on them, where they are, and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QAction, QImage
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QFrame,
    QLabel,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QTabBar,
    QToolBar,
    QToolButton,
    QWidget,
)

from tests.ui.pictures.walk import cells, seen, text_of


@dataclass(frozen=True)
class Thing:
    """Something with words on it: the widget that takes the mouse, and the part of it that is meant."""

    words: str
    widget: QWidget
    area: QRect
    enabled: bool = True

    @property
    def middle(self) -> QPoint:
        """On the screen."""
        return self.widget.mapToGlobal(self.area.center())

    def why_not(self) -> str:
        """What keeps the mouse from it; empty if nothing does."""
        return self.hidden() or ("" if self.enabled else "is disabled")

    def hidden(self) -> str:
        """What covers it where it would be pressed; empty if it is seen."""
        under = QApplication.widgetAt(self.middle)
        if under is None:
            return "is out of the screen"
        if under is self.widget or self.widget.isAncestorOf(under):
            return ""
        return f"is covered by {type(under).__name__} '{text_of(under)}'"

    def scrolled_by(self) -> QAbstractScrollArea | None:
        """The scroll area that hides it now."""
        above = self.widget.parentWidget()
        while above is not None:
            if isinstance(above, QAbstractScrollArea):
                view = above.viewport()
                if not view.rect().contains(view.mapFromGlobal(self.middle)):
                    return above
            above = above.parentWidget()
        return None


@lru_cache(maxsize=10_000)
def plain(text: str) -> str:
    """Without marks of keys, markup, and the narrow spaces of numbers."""
    text = re.sub(r"<[^<>]+>", "", text).replace("\u202f", " ").replace("\xa0", " ")
    return re.sub(r"&(\w)", r"\1", text).strip()


def windows() -> list[QWidget]:
    """Those that take the mouse now, the uppermost first."""
    for only in (QApplication.activePopupWidget(), QApplication.activeModalWidget()):
        if only is not None:
            return [only]
    shown = [window for window in QApplication.topLevelWidgets() if window.isVisible()]
    return sorted(shown, key=lambda window: (not window.isActiveWindow(), not bool(window.windowTitle())))


def things() -> Iterator[Thing]:
    """All that can be read or that says its name to those who listen, hidden by scrolling or not."""
    for window in windows():
        for widget in seen(window):
            yield from _of(widget)


def _of(widget: QWidget) -> Iterator[Thing]:
    on = widget.isEnabled()
    if isinstance(widget, QTabBar):
        for place in range(widget.count()):
            yield Thing(plain(widget.tabText(place)), widget, widget.tabRect(place), on and widget.isTabEnabled(place))
        return
    if isinstance(widget, QMenu | QMenuBar):
        kind = " menu" if isinstance(widget, QMenuBar) else ""  # "Run" is a button, too
        yield from (
            Thing(plain(action.text()) + kind, widget, widget.actionGeometry(action), action.isEnabled())
            for action in _shown(widget)
        )
        return
    if isinstance(widget, QAbstractItemView):
        view = widget.viewport()
        if isinstance(widget.window(), QFrame):  # the list of a combo box, whose entries may be wider than it is
            entries = (widget.model().index(row, 0) for row in range(widget.model().rowCount()))
            for entry in entries:
                yield Thing(plain(str(entry.data())), widget, widget.visualRect(entry) & view.rect(), on)
            return
        yield from (Thing(plain(text), view, area, on) for text, area in cells(widget))
    text = plain(widget.toPlainText() if isinstance(widget, QPlainTextEdit) else text_of(widget))
    named = {text, plain(widget.accessibleName())}
    if isinstance(widget, QLabel) and widget.buddy() is not None:
        yield Thing(text, widget.buddy(), widget.buddy().rect(), on)
    if isinstance(widget, QLineEdit) and not widget.text():
        named.add(plain(widget.placeholderText()))
    if isinstance(widget, QToolButton) and isinstance(widget.parentWidget(), QToolBar):
        named.add(plain(widget.toolTip()).partition(" (")[0])  # a picture alone, which says what it is under the mouse
    yield from (Thing(words, widget, widget.rect(), on) for words in named if words)


def _shown(menu: QMenu | QMenuBar) -> list[QAction]:
    return [action for action in menu.actions() if action.isVisible() and not action.isSeparator()]


def all_words(like: str = "(?s:.*)") -> Iterator[str]:
    """Whatever stands on the screen and is as this whole pattern: not what is scrolled away, covered or in the window
    below."""
    alike = re.compile(like).fullmatch
    return (thing.words for thing in things() if alike(thing.words) and not thing.hidden())


def picture(widget: QWidget) -> np.ndarray:
    """(height, width, 3) uint8: this part of the screen as it is, with what covers it."""
    corner, size = widget.mapToGlobal(QPoint()), widget.size()
    image = widget.screen().grabWindow(0, corner.x(), corner.y(), size.width(), size.height()).toImage()
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()
