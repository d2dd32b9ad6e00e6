"""What the viewers of a run want of each moment, put together as the one request that a run answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject

from workbench.project.project import Line
from workbench.remote.runner import AnyRunner
from workbench.run.frames import FrameRequest

NOBODY = -2
"""Serial of a request without a view."""


class Viewers(QObject):
    """``runner()`` is the run of the moment."""

    def __init__(self, runner: Callable[[], AnyRunner | None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self.forget()

    def forget(self) -> None:
        """What was wanted is of the geometry of one run; the next may have another."""
        self._request: FrameRequest | None = None
        self._charts: tuple[str, ...] = ()
        self._cuts: tuple[Line, ...] = ()
        self.element: int | None = None
        """The one that is looked into."""
        self._pair: tuple[int, int] | None = None

    def watch(self, request: FrameRequest | None) -> None:
        """What the viewport wants of each moment."""
        self._request = request
        self._ask()

    def watch_charts(self, names: tuple[str, ...], lines: tuple[Line, ...]) -> None:
        """The charts that are looked at, of those that are not over time, and the lines along which there are some."""
        self._charts, self._cuts = names, lines
        self._ask()

    def inspect(self, element: int | None) -> None:
        """The element that is looked into."""
        self.element = element
        self._ask()

    def measure(self, pair: tuple[int, int] | None) -> None:
        """The two elements that are measured."""
        self._pair = pair
        self._ask()

    def _ask(self) -> None:
        request = self._request
        if self._charts or self._cuts or self.element is not None or self._pair is not None:
            view = request or FrameRequest(NOBODY, {})
            request = replace(view, charts=self._charts, cuts=self._cuts, element=self.element, pair=self._pair)
        if (runner := self._runner()) is not None:
            runner.watch(request)
