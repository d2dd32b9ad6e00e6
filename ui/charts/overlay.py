"""Asks for measured data and reads them on another thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from engines.api.charts import ChartInfo
from engines.api.errors import WorkbenchError
from engines.tables.columns import Axis
from ui.charts.panel import ChartsPanel
from ui.importing.table_dialog import TableDialog
from ui.session.model import DocumentModel
from ui.widgets.background import Background
from workbench.importing.choice import Choice, choice_of
from workbench.project.measured import read_curves
from workbench.project.project import MeasuredData
from workbench.project.reading.commas import commas_told
from workbench.words.units import unit_text

KINDS = "Measured data (*.csv *.txt *.tsv *.dat);;All files (*)"


class Overlay(QObject):
    """Serves :attr:`ChartsPanel.overlay_asked`."""

    problem = Signal(str)
    """One sentence: what is wrong with a file, and where."""
    doubt = Signal(str)
    """One sentence: how a file was read that can be read otherwise."""

    def __init__(self, panel: ChartsPanel, model: DocumentModel, background: Background, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self._panel = panel
        self._model = model
        self._background = background
        self.dialog: TableDialog | None = None
        """While it is shown."""
        panel.overlay_asked.connect(self.read)

    def read(self, chart: ChartInfo, path: str) -> None:
        """Lay the points of the file over the chart; without a path, ask for one."""
        axes, over = self._panel.axes_of(chart), self._panel.series_under(chart.name)
        if not path:
            x, y = (f"{axis.title} [{'dB' if axis.decibels else unit_text(axis.unit) or '1'}]" for axis in axes)
            title = f"Measured {chart.title}: columns {x} and {y}, or with headings that say so"
            path, _ = QFileDialog.getOpenFileName(self._parent, title, self._folder(), KINDS)
        if path:
            document, file = self._model.document, Path(path)
            add = partial(self._add, over=over, document=document)

            def looked(found: tuple[Choice | None, str]) -> None:
                choice, doubt = found
                if doubt:
                    self.doubt.emit(doubt)
                if choice is not None:
                    self._choose(file, chart, axes, choice, document, add)
                    return
                read = partial(read_curves, file, chart.name, axes)
                self._background.submit("imports", read, add, self._failed)

            def look() -> tuple[Choice | None, str]:
                return choice_of(file, axes), commas_told(file)

            self._background.submit("imports", look, looked, self._failed)

    def _choose(
        self,
        path: Path,
        chart: ChartInfo,
        axes: tuple[Axis, Axis],
        choice: Choice,
        document: object,
        add: Callable[[Sequence[MeasuredData]], None],
    ) -> None:
        """Several columns: a person sees which are meant, and may say others."""
        if self._model.document is document:
            self.dialog = TableDialog(path, chart.name, axes, choice, self._background, self._parent)
            self.dialog.used.connect(add)
            self.dialog.finished.connect(self._forget)
            self.dialog.open()

    def _forget(self) -> None:
        self.dialog = None

    def _add(self, measured: Sequence[MeasuredData], over: str, document: object) -> None:
        if self._model.document is document:  # not another that was opened meanwhile
            self._panel.add_measured(*(each.model_copy(update={"over": over}) for each in measured))

    def _failed(self, error: BaseException) -> None:
        known = isinstance(error, WorkbenchError)
        self.problem.emit(str(error) if known else f"The file cannot be read ({type(error).__name__}: {error}).")

    def _folder(self) -> str:
        document = self._model.document
        return str(document.path.parent if document is not None and document.path is not None else Path.home())
