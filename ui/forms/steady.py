"""Lines of a form come and go, and what the pointer is on stays where it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from PySide6.QtCore import QCoreApplication, QEvent, QPoint
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget


class SteadyScrollArea(QScrollArea):
    """Scrolls along with what changes its height above the pointer, or above the focus where the pointer is elsewhere.

    Where it cannot scroll so far, there is room above or below until the pointer leaves.
    """

    _holds = False
    _above = 0

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
        settle()
        if kept.isVisibleTo(self) and self._place_of(kept) != before:
            self._scroll_by(self._place_of(kept) - before)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        place = self.verticalScrollBar().value() - self._above
        self._make_room(0, 0)
        self.verticalScrollBar().setValue(place)

    def _kept(self) -> QWidget | None:
        inside, pointer = self.widget(), QCursor.pos()
        if self.viewport().rect().contains(self.viewport().mapFromGlobal(pointer)):
            return inside.childAt(inside.mapFromGlobal(pointer))
        focused = QApplication.focusWidget()
        return focused if focused is not None and inside.isAncestorOf(focused) else None

    def _place_of(self, widget: QWidget) -> int:
        return widget.mapTo(self.viewport(), QPoint(0, 0)).y()

    def _scroll_by(self, pixels: int) -> None:
        bar = self.verticalScrollBar()
        place = bar.value() + pixels
        if place < 0 or place > bar.maximum():
            above = self._above + max(0, -place)
            place = max(0, place)
            self._make_room(above, place + self.viewport().height())
        bar.setValue(place)

    def _make_room(self, above: int, height: int) -> None:
        inside = self.widget()
        layout = inside.layout()
        if layout is not None and above != self._above:
            margins = layout.contentsMargins()
            margins.setTop(margins.top() + above - self._above)
            layout.setContentsMargins(margins)
            self._above = above
        if height != inside.minimumHeight():
            inside.setMinimumHeight(height)
        settle()


def holding(inside: QWidget) -> AbstractContextManager[None]:
    """Of the form that ``inside`` stands in."""
    above = inside.parentWidget()
    while above is not None and not isinstance(above, SteadyScrollArea):
        above = above.parentWidget()
    return nullcontext() if above is None else above.holding()


def settle() -> None:
    """Give what was shown, hidden or unfolded just now its height, which it has only then."""
    QCoreApplication.sendPostedEvents(None, int(QEvent.Type.LayoutRequest.value))
