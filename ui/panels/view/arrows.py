"""What is drawn as arrows, of the vectors that an engine has."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from engines.api import SimulationInfo
from ui.forms.fields.scalars import CalmComboBox
from workbench.words.units import unit_text


class ArrowsPanel(QWidget):
    """Hidden where nothing has a direction."""

    edited = Signal(dict)
    """Fields of the ViewSettings with their new values."""

    def __init__(self) -> None:
        super().__init__()
        self.choice = CalmComboBox()
        self.choice.setAccessibleName("Arrows")
        self.choice.setToolTip("What is drawn as arrows, over whatever field is shown")
        self.choice.activated.connect(lambda _: self.edited.emit({"arrows": self.choice.currentData()}))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(QLabel("Arrows"))
        layout.addWidget(self.choice, 1)
        self.set_info(None)

    def set_info(self, info: SimulationInfo | None) -> None:
        vectors = () if info is None else info.vectors
        self.choice.clear()
        self.choice.addItem("none", "")
        for vector in vectors:
            self.choice.addItem(f"{vector.title} [{unit_text(vector.unit)}]", vector.name)
        self.setVisible(bool(vectors))

    def set_view(self, name: str) -> None:
        self.choice.setCurrentIndex(max(self.choice.findData(name), 0))
