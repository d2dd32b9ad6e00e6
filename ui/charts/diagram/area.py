"""The diagram of a problem in the room of the 3D view, and the switch that shows it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from engines.api.charts import Diagram
from ui.charts.diagram.view import DiagramView
from ui.charts.large import LargeChart


class DiagramArea(QObject):
    """``place_asked`` with the place of the parameters that were clicked. Problems without a diagram have no switch."""

    place_asked = Signal(tuple)

    def __init__(self, viewport: QWidget, window: QWidget) -> None:
        super().__init__(window)
        self.large = LargeChart(viewport)
        self.view = DiagramView(self.large)
        self.action = QAction("&Network diagram", window)
        self.action.setCheckable(True)
        self.action.setToolTip("Populations and what joins them, in place of the 3D view (N)")
        self.action.setVisible(False)
        self.action.toggled.connect(lambda on: self.large.take(self.view if on else None))
        self.large.left.connect(lambda: self.action.setChecked(False))
        self.view.left.connect(lambda: self.action.setChecked(False))
        self.view.place_asked.connect(self.place_asked)

    def show_diagram(self, diagram: Diagram | None) -> None:
        self.action.setVisible(diagram is not None)
        if diagram is None:
            self.action.setChecked(False)
        else:
            self.view.show_diagram(diagram)
