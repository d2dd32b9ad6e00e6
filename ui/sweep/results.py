"""What a sweep has found so far: the table, the curves of all runs, and what is read of them over the parameter."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from engines.api.charts import ChartInfo
from ui.charts.plots.cell import ChartCell
from ui.sweep.overlay import OverlayPlot
from ui.sweep.table import SweepTable
from ui.widgets.dressing import look_as, say
from ui.widgets.freeing import free_list
from workbench.sweep.convergence import Convergence, convergences
from workbench.sweep.plan import SweepPlan
from workbench.sweep.running import Row
from workbench.sweep.table import LINES, Column, against, charts_of, columns_of, curves_of, overlay, unread
from workbench.words.units import headed

EMPTY = "The runs stand here as they come."


class SweepResults(QWidget):
    """Empty until :meth:`show_rows`; ``chosen`` is emitted with the run that is highlighted."""

    chosen = Signal(int)
    save_asked = Signal(object, str)
    """This :class:`ChartCell` is to be saved as a file with this suffix."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plan: SweepPlan | None = None
        self._rows: list[Row] = []
        self._titled: ChartInfo | None = None
        self.table = SweepTable(self)
        self.overlay = OverlayPlot(self)
        self.cell: ChartCell | None = None
        self.chart = self._choice("Chart whose curves are laid over each other")
        self.curve = self._choice("Curve of the chart")
        self.chart.currentIndexChanged.connect(self._show_chart)
        self.curve.currentIndexChanged.connect(self._show_curves)
        self.table.chosen.connect(self._chosen)
        self.overlay.chosen.connect(self.table.choose)
        self.settled = QLabel(self)
        self.settled.setWordWrap(True)
        self.settled.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.settled.hide()
        self.shared = QLabel(self)
        self.shared.setWordWrap(True)
        self.shared.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.shared.hide()
        self.unread = QLabel(self)
        self.unread.setWordWrap(True)
        self.unread.setObjectName("muted")
        self.unread.hide()
        self.empty = QLabel(EMPTY, self)
        self.empty.setObjectName("muted")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        choices = QHBoxLayout()
        choices.setSpacing(8)
        choices.addWidget(self.chart, 2)
        choices.addWidget(self.curve, 1)
        self._plots = QSplitter(Qt.Orientation.Horizontal, self)
        self._plots.setChildrenCollapsible(False)
        self._plots.addWidget(self.overlay)
        below = QWidget(self)
        under = QVBoxLayout(below)
        under.setContentsMargins(0, 6, 0, 0)
        under.setSpacing(6)
        under.addWidget(self.shared)
        under.addWidget(self.unread)
        under.addLayout(choices)
        under.addWidget(self.settled)
        under.addWidget(self._plots, 1)
        self._whole = QSplitter(Qt.Orientation.Vertical, self)
        self._whole.setChildrenCollapsible(False)
        self._whole.addWidget(self.table)
        self._whole.addWidget(below)
        self._whole.setStretchFactor(0, 2)
        self._whole.setStretchFactor(1, 3)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.empty, 1)
        layout.addWidget(self._whole, 1)
        self._whole.hide()

    def clear(self) -> None:
        """Another sweep begins."""
        self._plan, self._rows = None, []
        self._whole.hide()
        self.settled.hide()
        self.empty.show()
        self.overlay.mark(None)
        self.chart.clear()
        self.table.setCurrentCell(-1, -1)

    def show_rows(self, plan: SweepPlan, rows: Sequence[Row], *, anew: bool = False) -> None:
        """``anew``: something else is read of the curves of rows that were here before."""
        self._plan, self._rows = plan, list(rows)
        if not rows:
            return
        self.empty.hide()
        self._whole.show()
        self.table.show_rows(plan, rows, anew=anew)
        say(self.shared, self.table.shared, "warning")
        told = unread(rows)
        self.unread.setText("\n".join(told))
        self.unread.setVisible(bool(told))
        drawn = [info for info in charts_of(rows) if info.kind in LINES]
        first = not self.chart.count()
        self._offer(self.chart, [(info.title, info.name) for info in drawn])
        telling = next((place for place, info in enumerate(drawn) if info.comparable and not info.series), None)
        if first and telling is not None:
            self.chart.setCurrentIndex(telling)
        self._show_chart()

    def column(self) -> Column | None:
        """What is read of the curve that is shown."""
        wanted = (self.chart.currentData(), self.curve.currentData())
        return next((one for one in columns_of(self._rows) if (one.chart, one.curve) == wanted), None)

    def convergence(self) -> Convergence | None:
        """Whether what is shown converges, where that was asked."""
        column, plan = self.column(), self._plan
        found = convergences(plan, self._rows) if plan is not None and column is not None else []
        wanted = None if column is None else (column.chart, column.curve)
        return next((one for other, one in found if (other.chart, other.curve) == wanted), None)

    def _show_chart(self) -> None:
        name = self.chart.currentData()
        titles = curves_of(self._rows, name) if name is not None else []
        self._offer(self.curve, [(title, title) for title in titles])
        self.curve.setVisible(len(titles) > 1)
        self._show_curves()

    def _show_curves(self) -> None:
        plan, name, curve = self._plan, self.chart.currentData(), self.curve.currentData()
        if plan is None or name is None or curve is None:
            self.overlay.show_curves(None, "", [], "", [])
            return
        info = next(one for one in charts_of(self._rows) if one.name == name)
        first = plan.variations[0]
        title = headed(first.number.brief, first.number.unit)
        pairs = overlay(self._rows, name, curve)
        self.overlay.show_curves(info, plan.document.time_unit, pairs, title, first.values)
        self._show_column(plan)

    def _show_column(self, plan: SweepPlan) -> None:
        column = self.column()
        if self.cell is not None:
            self.cell.setVisible(column is not None)
        found = self.convergence()
        self.settled.setVisible(found is not None)
        if column is None:
            return
        if found is not None:
            self.settled.setText(f"{column.curve}: {found.told}")
            look_as(self.settled, "" if found.good else "warning")
        info, data = against(plan, self._rows, column)
        if info != self._titled or self.cell is None:  # a chart keeps its title and units
            if self.cell is not None:
                self.cell.hide()
                self.cell.setParent(None)
                self.cell.deleteLater()
            self._titled, self.cell = info, ChartCell(info, info.x_unit, self)
            cell = self.cell
            cell.hovered.connect(cell.show_cursor)
            cell.save_asked.connect(lambda suffix: self.save_asked.emit(cell, suffix))
            self._plots.addWidget(cell)
            self._plots.setSizes([3, 2])
        self.cell.show_data(data)

    def _chosen(self, place: int) -> None:
        self.overlay.mark(place)
        self.chosen.emit(place)

    def _choice(self, tip: str) -> QComboBox:
        box = QComboBox(self)
        box.setToolTip(tip)
        box.setAccessibleName(tip)
        box.setMinimumContentsLength(12)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        free_list(box)
        return box

    @staticmethod
    def _offer(box: QComboBox, entries: Sequence[tuple[str, str]]) -> None:
        """Put these in the box; what was chosen stays."""
        if [box.itemData(place) for place in range(box.count())] == [name for _, name in entries]:
            return
        before = box.currentData()
        box.blockSignals(True)
        box.clear()
        for title, name in entries:
            box.addItem(title, name)
        box.setCurrentIndex(max(0, box.findData(before)))
        box.blockSignals(False)
