"""The Lab's export menu: JSON, CSV, the table that is seen as CSV and Markdown, all plots, the plot that is seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from engines.api.errors import WorkbenchError
from engines.api.lab import LabTable, Study
from ui.lab.plots import plots, png
from ui.widgets.parts import completed, folder_for, replaces
from workbench.bench.plots import called_as_plots
from workbench.bench.record_files import write_csv, write_json
from workbench.bench.records import LabRecord, TableRecord
from workbench.bench.table_lines import of_record
from workbench.bench.table_text import as_csv, markdown
from workbench.storage.atomic import write_bytes, write_text
from workbench.words.units import counted

TableWriter = Callable[[LabRecord, TableRecord, LabTable | None], str]
NOTHING = "There is nothing to export yet: measure something, or show a kept record."


class LabExport(QObject):
    """Asks where, writes, and says so in one sentence."""

    done = Signal(str)
    failed = Signal(str)

    def __init__(
        self,
        record: Callable[[], LabRecord | None],
        studies: Callable[[], list[Study]],
        table: Callable[[], LabTable | None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._parent = parent
        self._record = record
        self._studies = studies
        self._table = table
        self._left: Iterator[Path] = iter(())
        self._written = 0
        self._folder = Path()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._next_plot)

    def menu(self, picture: Callable[[], object]) -> QMenu:
        """``picture``: called for the plot that is seen, None where a table is."""
        menu = QMenu(self._parent)
        menu.addAction("Record as &JSON…", lambda: self._ask("Record (*.json)", "record.json", self.json))
        self._figures = menu.addAction("Figures as &CSV…", lambda: self._ask("Table (*.csv)", "figures.csv", self.csv))
        self._tables = [
            menu.addAction("&Table as CSV…", lambda: self._ask("Table (*.csv)", self._named("csv"), self.table_csv)),
            menu.addAction(
                "Table as &Markdown…", lambda: self._ask("Markdown (*.md)", self._named("md"), self.table_markdown)
            ),
        ]
        menu.addAction("All plots as &PNG…", self._ask_folder)
        self._seen = menu.addAction("&This plot as PNG…", lambda: self._ask("Picture (*.png)", "plot.png", self._plot))
        self._picture = picture
        menu.aboutToShow.connect(self._about_to_show)
        return menu

    def _about_to_show(self) -> None:
        """Of the actions those that write what is there."""
        self._seen.setEnabled(self._picture() is not None)
        self._figures.setVisible(self._table() is None)
        for action in self._tables:
            action.setVisible(self._table() is not None)
            action.setEnabled(self._measured() is not None)

    def _measured(self) -> TableRecord | None:
        """The measurement of the table that is looked at, in the record that is shown."""
        table = self._table()
        return None if table is None else of_record(self._record(), table.id)

    def _named(self, ending: str) -> str:
        table = self._table()
        return f"{'table' if table is None else table.id}.{ending}"

    def json(self, path: Path) -> None:
        self._write(path, lambda record: write_json(record, path))

    def csv(self, path: Path) -> None:
        self._write(path, lambda record: write_csv(record, path))

    def table_csv(self, path: Path) -> None:
        self._write_table(path, as_csv)

    def table_markdown(self, path: Path) -> None:
        self._write_table(path, markdown)

    def _write_table(self, path: Path, text: TableWriter) -> None:
        measured = self._measured()
        if measured is None:
            self.failed.emit(NOTHING)
        else:
            self._write(path, lambda record: write_text(path, text(record, measured, self._table())))

    def plots(self, folder: Path) -> None:
        """All plots, one at a turn of the event loop, so that the window answers meanwhile."""
        record = self._record()
        if record is None:
            self.failed.emit(NOTHING)
            return
        self._folder = folder
        self._left = plots(record, folder, self._studies())
        self._written = 0
        self._timer.start()

    def stop(self) -> None:
        """The window closes: what is not yet written is left out."""
        self._timer.stop()

    def _next_plot(self) -> None:
        try:
            next(self._left)
            self._written += 1
        except StopIteration:
            self._timer.stop()
            self.done.emit(f"Exported {self._written} plots to {self._folder}.")
        except WorkbenchError as error:
            self._timer.stop()
            self.failed.emit(str(error))

    def _plot(self, path: Path) -> None:
        image = self._picture()
        self._write(path, lambda record: write_bytes(path, png(image)))  # type: ignore[arg-type]  # enabled for one only

    def _write(self, path: Path, write: Callable[[LabRecord], object]) -> None:
        record = self._record()
        if record is None:
            self.failed.emit(NOTHING)
            return
        try:
            write(record)
        except WorkbenchError as error:
            self.failed.emit(str(error))
        else:
            self.done.emit(f"Exported to {path}.")

    def _ask(self, kind: str, name: str, write: Callable[[Path], None]) -> None:
        chosen, _ = QFileDialog.getSaveFileName(self._parent, "Export", str(Path.home() / name), kind)
        path = completed(chosen, Path(name).suffix, self._parent) if chosen else None
        if path is not None:
            write(path)

    def _ask_folder(self) -> None:
        chosen = folder_for(self._parent, "Folder for the plots", str(Path.home()))
        if chosen is not None and self._may_replace(chosen):
            self.plots(chosen)

    def _may_replace(self, folder: Path) -> bool:
        """Asked where pictures are called as the plots."""
        record = self._record()
        if record is None:
            return True
        there = called_as_plots(folder, {one.study for one in record.variants}, {one.table for one in record.tables})
        more = f" and {counted(len(there) - 1, 'other')}" if there[1:] else ""
        return not there or replaces(f"'{there[0].name}'{more}", self._parent, many=bool(more))
