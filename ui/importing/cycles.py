"""Drive cycles from a person's own tables: which columns are meant, and in which units, before a file is taken."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from engines.quantities import alike, conversion
from engines.tables.columns import Axis, Column, column_name, fits
from ui.importing.table_dialog import TableDialog
from ui.panels.problem import ProblemPanel
from ui.session.model import DocumentModel
from ui.widgets.background import Background
from workbench.importing.choice import Choice, choice_of

PLACE = ("drive_cycle", "file")
TIME, CURRENT, POWER = Axis("Time", "s"), Axis("Current", "A"), Axis("Power", "W")
EITHER = Axis("Current or power", "A")


class CycleDialog(TableDialog):
    """The second column may be a current or a power, by its unit. ``named``: both as the problem names them."""

    named = Signal(str, str)

    def _units(self, axis: Axis) -> list[str]:
        return alike("s") if axis == TIME else [*alike("A"), *alike("W")]

    def _show_unit(self, box: QComboBox, column: int, axis: Axis) -> None:
        super()._show_unit(box, column, axis)
        said = self._choice.units[column]
        if said and (same := [each for each in self._units(axis) if conversion(said, each) == (1.0, 0.0)]):
            box.setCurrentText(same[0])
        elif not said and axis == EITHER and fits(self._choice.heading[column], POWER):
            box.setCurrentText(POWER.unit)

    def _chosen(self) -> tuple[Column, Column]:
        power = conversion(self.units[1].currentText(), "W") is not None
        self._axes = (TIME, POWER if power else CURRENT)
        return super()._chosen()

    def _use(self) -> None:
        boxes = zip(self.columns, self.units, strict=True)
        time, value = (column_name(column.currentIndex(), unit.currentText()) for column, unit in boxes)
        self.named.emit(time, value)
        super()._use()


class CycleColumns(QObject):
    """Looks into each file that is chosen as a drive cycle, and asks where its columns leave a choice."""

    def __init__(self, model: DocumentModel, problem: ProblemPanel, background: Background, window: QWidget) -> None:
        super().__init__(window)
        self._model, self._problem, self._background, self._window = model, problem, background, window
        self.dialog: CycleDialog | None = None
        """While it is shown."""
        problem.look_into = self.look_into

    def look_into(self, path: tuple[str | int, ...], value: Any) -> bool:
        """Whether this edit is one of a drive cycle's file, which is made as soon as its columns are known."""
        if path != PLACE or not value:
            return False
        file, document = Path(value), self._model.document
        take = partial(self._ask, file, document)
        self._background.submit("imports", partial(_choice, file), take, lambda _: take(None))  # its field says why
        return True

    def _ask(self, file: Path, document: object, choice: Choice | None) -> None:
        if self._model.document is not document:  # another was opened meanwhile
            return
        if choice is None:
            self._take(file, "", "")
            return
        dialog = self.dialog = CycleDialog(file, "", (TIME, EITHER), choice, self._background, self._window)
        dialog.named.connect(partial(self._take, file))
        dialog.finished.connect(self._forget)
        dialog.open()

    def _forget(self) -> None:
        self.dialog = None
        self._problem.form.set_values(self._model.draft["parameters"])  # what was typed and not taken goes

    def _take(self, file: Path, time: str, value: str) -> None:
        known = self._model.draft["parameters"][PLACE[0]]
        found = {**known, "file": str(file), "time_column": time, "value_column": value}
        self._model.edit(("parameters", PLACE[0]), found, "change of the drive cycle")


def _choice(file: Path) -> Choice | None:
    """None where two columns are clear as a current or as a power."""
    current, power = (choice_of(file, (TIME, axis)) for axis in (CURRENT, POWER))
    if current is None or power is None:
        return None
    of_current, of_power = (
        max(
            (named := fits(heading, axis), named or conversion(unit, axis.unit) is not None)
            for heading, unit in zip(current.heading, current.units, strict=True)
        )
        for axis in (CURRENT, POWER)
    )
    return current if of_current >= of_power else power
