"""The buttons beside the charts: which are shown, all of each, lines through fields, runs behind this one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

from PySide6.QtWidgets import QMenu, QToolButton, QVBoxLayout, QWidget

from engines.api.charts import ChartInfo
from ui.widgets.icons import dress
from workbench.words.units import counted


class ChartButtons(QWidget):
    """One below the other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chooser = self._with_menu("chart", "Which charts are shown")
        self.more = QToolButton(self)
        self.more.setObjectName("link")
        self.more.clicked.connect(lambda: self.chooser.showMenu())
        self.more.hide()
        self.fit = self._button("fit", "Show all of each chart (double-click in one)")
        self.lines = self._with_menu("line", "Chart a field along a line")
        self.runs = self._button("log", "Runs of this session: names, what differs, which stand behind this one")
        self.keep = self._button("duplicate", "Keep the curves of this run behind those of the next ones")
        self.forget = self._button("trash", "Take away the runs that stand behind this one")
        self.forget.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        for button in (self.chooser, self.more, self.fit, self.lines, self.runs, self.keep, self.forget):
            layout.addWidget(button)
        layout.addStretch(1)

    def offer(self, charts: Sequence[ChartInfo], choose: Callable[[str, bool], None]) -> None:
        """These charts can be shown or not; ``choose`` is told the name of one, and which."""
        menu = self.chooser.menu()
        menu.clear()
        for chart in charts:
            action = menu.addAction(chart.title)
            action.setCheckable(True)
            action.setData(chart.name)
            action.toggled.connect(partial(choose, chart.name))
        self.chooser.setEnabled(bool(charts))

    def check(self, shown: Collection[str]) -> None:
        """The charts of these names are shown."""
        for action in self.chooser.menu().actions():
            action.setChecked(action.data() in shown)

    def tell_more(self, number: int) -> None:
        """So many of the problem's own charts have no room."""
        tip = f"{counted(number, 'chart')} more of this problem: choose which are shown"
        self.more.setText(f"+{number}")
        self.more.setToolTip(tip)
        self.more.setAccessibleName(tip)
        self.more.setVisible(number > 0)

    def _with_menu(self, icon: str, tip: str) -> QToolButton:
        button = self._button(icon, tip)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setMenu(QMenu(button))
        return button

    def _button(self, icon: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        dress(button, icon)
        return button
