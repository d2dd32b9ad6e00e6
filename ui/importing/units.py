"""The unit of a file's coordinates as a choice, each with what the file would then be."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QLabel, QRadioButton, QWidget

from engines.geometry.meshes.sizes import UnitChoice
from ui.widgets.dressing import look_as
from workbench.words.units import unit_text


class UnitChooser(QWidget):
    """A row for each unit; what would be implausible is marked, what is likely is said."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons: dict[str, QRadioButton] = {}
        self.remarks: dict[str, QLabel] = {}
        self._group = QButtonGroup(self)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(1, 1)

    def show_choices(self, choices: Sequence[UnitChoice], unit: str, proposed: str) -> None:
        """``proposed`` is said to be so where the units differ in what is plausible."""
        if list(self.buttons) != [choice.unit for choice in choices]:
            for row, choice in enumerate(choices):
                self._add(row, choice.unit)
        several = any(choice.remark for choice in choices)
        for choice in choices:
            self.buttons[choice.unit].setText(f"{unit_text(choice.unit)}:  {choice.means}")
            remark = self.remarks[choice.unit]
            usual = several and choice.unit == proposed
            remark.setText(choice.remark or ("proposed" if usual else ""))
            look_as(remark, "muted" if choice.plausible else "warning")
        self.buttons[unit].setChecked(True)

    def _add(self, row: int, unit: str) -> None:
        button, remark = QRadioButton(self), QLabel(self)
        button.clicked.connect(lambda _=False: self.chosen.emit(unit))
        self._group.addButton(button)
        self._grid.addWidget(button, row, 0)
        self._grid.addWidget(remark, row, 1)
        self.buttons[unit], self.remarks[unit] = button, remark
