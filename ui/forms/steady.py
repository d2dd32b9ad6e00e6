"""Lines of a form come and go, and what the pointer is on stays where it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from PySide6.QtCore import QCoreApplication, QEvent, QMargins, QPoint, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QBoxLayout, QScrollArea, QWidget

MARGIN = 6
"""Pixels below what is scrolled into sight."""


class SteadyScrollArea(QScrollArea):
    """Scrolls along with what changes its height above the pointer, or above the focus where the pointer is elsewhere.

    Where it cannot scroll so far, there is room above or below until the pointer leaves.
    """

    mended = Signal()
    """What was typed into a field and was no value is taken back or typed over."""

    def __init__(self, inside: QWidget, rows: QBoxLayout, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._inside, self._rows = inside, rows
        self._holds, self._above, self._below = False, 0, 0
        self.setWidget(inside)

    @contextmanager
    def holding(self) -> Iterator[None]:
        """For as long as lines are shown and hidden."""
        kept = self._kept() if self.isVisible() and not self._holds else None
        if kept is None:
            yield
            return
        self._holds, before = True, self._place_of(kept)
        try:
            yield
        finally:
            self._holds = False
        self._settle()
        if kept.isVisibleTo(self) and self._place_of(kept) != before:
            self._scroll_by(self._place_of(kept) - before)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if self._above or self._below:
            place = self.verticalScrollBar().value() - self._above
            self._add_room(-self._above, -self._below)
            self.verticalScrollBar().setValue(place)

    def _kept(self) -> QWidget | None:
        inside, pointer = self._inside, QCursor.pos()
        if self.viewport().rect().contains(self.viewport().mapFromGlobal(pointer)):
            return inside.childAt(inside.mapFromGlobal(pointer))
        focused = QApplication.focusWidget()
        return focused if focused is not None and inside.isAncestorOf(focused) else None

    def _place_of(self, widget: QWidget) -> int:
        return widget.mapTo(self.viewport(), QPoint(0, 0)).y()

    def _scroll_by(self, pixels: int) -> None:
        place = self.verticalScrollBar().value() + pixels
        if place < 0:
            self._add_room(-place, 0)
        elif place > self.verticalScrollBar().maximum():
            self._add_room(0, place + self.viewport().height() - self._height())
        self.verticalScrollBar().setValue(max(0, place))

    def _height(self) -> int:
        """Pixels that what stands inside needs."""
        folds, width = self._rows.hasHeightForWidth(), self._inside.width()
        return self._rows.totalHeightForWidth(width) if folds else self._rows.totalMinimumSize().height()

    def _add_room(self, above: int, below: int) -> None:
        self._rows.setContentsMargins(self._rows.contentsMargins() + QMargins(0, above, 0, below))
        self._above, self._below = self._above + above, self._below + below
        self._settle()

    def _settle(self) -> None:
        """Give all lines their places now: Qt does so by and by, one level of what stands in another at a time."""
        for widget in reversed(self._inside.findChildren(QWidget)):  # what stands in another comes after it
            layout = widget.layout()
            if layout is not None:
                layout.activate()
        self._rows.activate()
        QCoreApplication.sendEvent(self, QEvent(QEvent.Type.LayoutRequest))


def holding(inside: QWidget) -> AbstractContextManager[None]:
    """Of the form that ``inside`` stands in."""
    form = _form_of(inside)
    return nullcontext() if form is None else form.holding()


def tell_mended(inside: QWidget) -> None:
    form = _form_of(inside)
    if form is not None:
        form.mended.emit()


def reveal(inside: QWidget) -> None:
    """Scroll the form so far that ``inside`` is seen, if it is not."""
    form = _form_of(inside)
    if form is not None:
        form.ensureWidgetVisible(inside, 0, MARGIN)


def _form_of(inside: QWidget) -> SteadyScrollArea | None:
    above = inside.parentWidget()
    while above is not None and not isinstance(above, SteadyScrollArea):
        above = above.parentWidget()
    return above
