"""What is said over the centre of the window: one sentence at a time, under which nothing moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from engines.api import Finding
from ui.charts.large import LargeChart
from ui.charts.lines.area import HINTS
from ui.widgets.banner import EDGE, Banner
from ui.widgets.findings_banner import FindingsBanner
from workbench.run.frames import Message

if TYPE_CHECKING:
    from ui.window.main_window import MainWindow


class Sentences(QObject):
    """The banner of sentences and questions, and that of findings, which waits while something else is said."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._problem = self._refusal = ""
        self.banner = Banner(window)
        self.findings = FindingsBanner(window)
        self._large: tuple[LargeChart, ...] = ()

    def lie_over(self, centre: QWidget) -> None:
        """Over the view at its top, where the picture leaves room; over other pages below, and below a large chart."""
        for banner in (self.banner, self.findings):
            banner.lie_over(centre)
            banner.settled.connect(self._settled)
        self._window.stack.currentChanged.connect(self._page_changed)
        self._large = (self._window.charts.large, self._window.network.large)
        for large in self._large:
            large.toggled.connect(self._page_changed)
        self._page_changed()

    def _page_changed(self) -> None:
        low = not self._over_view or any(not large.isHidden() for large in self._large)
        for banner in (self.banner, self.findings):
            banner.low = low
            banner.settle()

    @property
    def _over_view(self) -> bool:
        return self._window.stack.currentWidget() is self._window.viewport

    def _settled(self) -> None:
        self.findings.set_covered(not self._over_view or not self.banner.isHidden())
        shown = [each for each in (self.banner, self.findings) if not each.isHidden() and self._over_view]
        room = max((each.height() + EDGE for each in shown), default=0)
        self._window.viewport.cover(0 if self.banner.low else room)
        for large in self._large:
            large.leave_below(room if self.banner.low else 0)

    def say(self, sentence: str) -> None:
        """What was done, in the log too."""
        self._window.log.add(Message(sentence))
        self.banner.say(sentence, "info")

    def show_attention(self, unseen: int, errors: bool) -> None:
        """How much in the log nobody has looked at."""
        self._window.status.set_unseen(unseen, errors)
        self._window.dock_layout.docks["log"].setWindowTitle(f"Log ({unseen})" if unseen else "Log")

    def say_problem(self, sentence: str) -> None:
        """Empty: what was said last is no problem any more."""
        if not sentence and self.banner.text == self._problem:
            self.banner.hide()
        self._problem = sentence
        self._refusal = sentence if sentence == self._window.model.refused() else ""
        if sentence and all(finding.message != sentence for finding in self.findings.findings):
            self.banner.say(sentence)

    def look_again(self) -> None:
        """A field has a value again: what was said of its text holds no more."""
        if self._refusal and self._refusal != self._window.model.refused():
            self.banner.take_back(self._refusal)
            self._refusal = ""

    def say_once(self, findings: tuple[Finding, ...]) -> None:
        """A sentence that stands among the findings now, with its remedy, need not stand instead of them."""
        if any(finding.message == self.banner.text for finding in findings):
            self.banner.hide()

    def open_findings(self) -> None:
        """Who asks for them has read what is said in their place; a question stays."""
        if not self.banner.answers:
            self.banner.hide()
        self.findings.open_again()

    def say_what_is_next(self, sentence: str) -> None:
        """While a line is drawn; nothing of it stays when that is done."""
        if sentence:
            self.banner.say(sentence, "info", stays=True)
        elif self.banner.text in HINTS:
            self.banner.hide()
