"""Runs side by side, connected with the window: a page of its own, from the list of runs, the menu or the palette."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from ui.charts.runs.runs import SessionRun, differing
from ui.comparing.page import ComparisonPage
from ui.comparing.pair import Take
from ui.session.running.phase import Phase

if TYPE_CHECKING:
    from ui.window.main_window import MainWindow

PRESENT = "the present run"
NONE_YET = "There is one run in this session so far: change a parameter, press Reset and Run, then compare the two."


class ComparingArea(QObject):
    """The page is made when it is asked for, and freed when it is left."""

    def __init__(self, window: MainWindow, make_view: Callable[[QWidget], Any]) -> None:
        super().__init__(window)
        self._window, self._make_view = window, make_view
        self.page: ComparisonPage | None = None
        self.action = QAction("&Compare runs side by side", window)
        self.action.setToolTip("Two runs beside each other: the same field at the same moment, from one place")
        self.action.triggered.connect(lambda _=False: self.compare())
        window.addAction(self.action)
        window.charts.runs.compare_asked.connect(self.compare)
        window.stack.currentChanged.connect(self._page_changed)

    def connect_all(self) -> None:
        controller = self._window.controller
        controller.frame_arrived.connect(lambda frame: self.page.take(frame) if self.page is not None else None)
        controller.phase_changed.connect(
            lambda phase: self.page.set_running(phase == Phase.RUNNING) if self.page is not None else None
        )
        self._window.starting_over.now_wanted.connect(lambda: self.page.follow() if self.page is not None else None)
        controller.info_changed.connect(lambda _: self.leave())
        controller.restarted.connect(self.leave)

    def compare(self, runs: Sequence[SessionRun] = ()) -> None:
        """Two runs, or one with the present run; none, or the present run alone: with the one that ended last."""
        window, known = self._window, self._window.charts.runs.runs
        listed = [run for run in known.runs if run is not known.present]
        runs = [run for run in runs if run is not known.present] or listed[-1:]
        if not runs:
            window.banner.say(NONE_YET, "info", stays=True)
            return
        takes = [Take(run.title, run.parameters, window.recording.shelf.of(run)) for run in listed]
        takes.append(Take(PRESENT, known.parameters, window.recording.present, present=True))
        places = sorted(listed.index(run) for run in runs[:2])
        if len(places) == 1:
            places.append(len(listed))
        self.leave()
        window.recording.playback.back()
        self.page = ComparisonPage(self._make_view, self._differences, window.background, window.stack)
        self.page.back_asked.connect(window.pages.show_workspace)
        self.page.run_asked.connect(window.starting_over.toggle)
        self.page.set_running(window.controller.phase is Phase.RUNNING)
        window.stack.addWidget(self.page)
        field = getattr(window.viewport, "scene", None) and window.viewport.scene.field()
        window.pages.show_page(self.page)
        self.page.set_takes(takes, (places[0], places[1]), window.view_settings(), field.name if field else None)

    def leave(self) -> None:
        """Back to the problem, if the page is shown."""
        if self.page is not None:
            self._window.pages.show_workspace()

    def close(self) -> None:
        """The views go; the widgets stay until Qt deletes them."""
        page, self.page = self.page, None
        if page is not None:
            page.close_views()
            self._window.stack.removeWidget(page)
            page.deleteLater()

    def _page_changed(self) -> None:
        if self.page is not None and self._window.stack.currentWidget() is not self.page:
            self.close()

    def _differences(self, left: Take, right: Take) -> list[tuple[str, list[str]]]:
        tell = self._window.model.told_apart
        found = differing(dict(left.parameters), dict(right.parameters))
        return [tell(("parameters", *place), (one, other)) for place, one, other in found]
