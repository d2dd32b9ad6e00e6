"""The Tools menu: what the open problem's engine offers, or a sentence why there is nothing."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from engines.api import Engine
from engines.api.tools import Tool

NO_PROJECT = "Open a project first: tools belong to its engine."


class ToolsMenu(QMenu):
    """One entry for each tool."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("&Tools", parent)
        self.setToolTipsVisible(True)
        self.set_engine(None)

    def set_engine(self, engine: Engine | None) -> None:
        self.clear()
        tools = () if engine is None else engine.tools()
        for tool in tools:
            action = self.addAction(f"{tool.title}…")
            action.setToolTip(tool.summary)
            action.triggered.connect(partial(self._choose, tool))
        if not tools:
            self.addAction(NO_PROJECT if engine is None else f"{engine.title} offers no tools.").setEnabled(False)

    def _choose(self, tool: Tool, _checked: bool = False) -> None:
        self.chosen.emit(tool)
