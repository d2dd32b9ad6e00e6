"""The variants table as a model: rows of one study, sorted by any column, refused ones last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from engines.api.lab import Study
from ui.lab.findings import Key, key, published_figure, shape_text, winners
from ui.widgets.fonts import STRONG
from ui.widgets.formatting import count_text, duration_text
from ui.widgets.theme import theme
from workbench.bench.records import LabRecord, VariantRecord, device_text
from workbench.words.numbers import printed
from workbench.words.units import percent, seconds_of

Index = QModelIndex | QPersistentModelIndex
FRACTION = Qt.ItemDataRole.UserRole
"""The fraction that a cell shows as a bar, or None."""
REASON = Qt.ItemDataRole.UserRole + 1
"""Why a row has no figures, or an empty text."""
BEST = Qt.ItemDataRole.UserRole + 2
"""Whether this is the fastest of its size."""


@dataclass(frozen=True)
class Column:
    """``value``: what a row is sorted by, None where it has none; ``text``: what is shown of a value."""

    title: str
    tip: str
    value: Callable[[VariantRecord], Any]
    text: Callable[[VariantRecord], str]
    width: int
    numeric: bool = True


def _optional(value: float | None, text: str) -> str:
    return "" if value is None else text.format(value)


def _time(record: VariantRecord) -> str:
    return f"{duration_text(record.seconds)}   {_range(record)}"


def _range(record: VariantRecord) -> str:
    """The 5th and 95th percentile in the unit of the median."""
    number, unit = duration_text(record.seconds).split(" ", 1)
    digits = len(number.partition(".")[2])
    of = seconds_of(unit) or 1.0
    return f"({record.seconds_p5 / of:.{digits}f}–{record.seconds_p95 / of:.{digits}f})"


COLUMNS = (
    Column("Variant", "One way to write the computation", lambda r: r.title.lower(), lambda r: r.title, 178, False),
    Column("Language", "What the kernel is written in", lambda r: r.language, lambda r: r.language, 66, False),
    Column(
        "Size",
        "Problem size. Cold: the buffers rotate, so that the cache does not hold the input; warm: it may",
        lambda r: r.points,
        lambda r: r.case + (" warm" if r.cache == "warm" else ""),
        70,
        False,
    ),
    Column(
        "Block",
        "Threads of a block along x, y, … (the launch shape)",
        lambda r: r.shape,
        lambda r: shape_text(r.shape),
        58,
        False,
    ),
    Column("Time", "Median of one launch, and its 5th to 95th percentile", lambda r: r.seconds, _time, 140),
    Column(
        "GB/s",
        "Bytes that the algorithm must move (each input read once, each output written once) per second",
        lambda r: r.bytes_per_second,
        lambda r: count_text(r.bytes_per_second / 1e9),
        56,
    ),
    Column(
        "Of ceiling",
        "Against the best bandwidth measured on this device at the same working set",
        lambda r: r.fraction,
        lambda r: percent(r.fraction),
        84,
    ),
    Column(
        "Gpoint/s",
        "Point updates per second: points times time steps of a launch",
        lambda r: r.points_per_second,
        lambda r: count_text(r.points_per_second / 1e9),
        64,
    ),
    Column(
        "Max error",
        "Largest difference from the float64 reference, relative to its largest value",
        lambda r: r.error,
        lambda r: printed(f"{r.error:.1e}"),
        80,
    ),
    Column(
        "Registers",
        "Registers of one thread: many of them leave room for fewer threads",
        lambda r: r.registers,
        lambda r: _optional(r.registers, "{}"),
        68,
    ),
    Column(
        "Occupancy",
        "Resident threads over the most that there could be; more is not always faster",
        lambda r: r.occupancy,
        lambda r: "" if r.occupancy is None else percent(r.occupancy),
        74,
    ),
)
TIME, CEILING, BESIDE = 4, 6, 8
"""Where the columns of time and ceiling are, and before which one published and compared figures stand."""


class VariantModel(QAbstractTableModel):
    """Rows are records; extra columns hold published figures and the record that is compared with."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[VariantRecord] = []
        self.columns: tuple[Column, ...] = COLUMNS
        self._best: set[Key] = set()
        self._sorted: tuple[str, Qt.SortOrder] | None = None

    def set_data(self, study: Study | None, records: Sequence[VariantRecord], other: LabRecord | None = None) -> None:
        self.beginResetModel()
        self.records = list(records)
        self._best = winners(records)
        self.columns = (*COLUMNS[:BESIDE], *_published(study), *_compared(other), *COLUMNS[BESIDE:])
        self._sort()
        self.endResetModel()

    def empty_columns(self) -> set[int]:
        """Those that have nothing to say of any row, such as registers on a processor."""
        good = [record for record in self.records if not record.refused]
        if not good:
            return set()
        return {p for p, column in enumerate(self.columns) if not any(column.text(record) for record in good)}

    def row_of(self, wanted: Key | None) -> int:
        """The row of a record, -1 if it is not here."""
        return next((row for row, record in enumerate(self.records) if key(record) == wanted), -1)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.beginResetModel()
        self._sorted = (self.columns[column].title, order) if column >= 0 else None
        self._sort()
        self.endResetModel()

    @property
    def sorted_column(self) -> int:
        """Where the column is that rows are sorted by, -1: by size."""
        titles = [column.title for column in self.columns]
        return titles.index(self._sorted[0]) if self._sorted is not None and self._sorted[0] in titles else -1

    @property
    def sort_order(self) -> Qt.SortOrder:
        return Qt.SortOrder.AscendingOrder if self._sorted is None else self._sorted[1]

    def _sort(self) -> None:
        if self.sorted_column < 0 or self._sorted is None:
            self.records.sort(key=lambda record: (bool(record.refused), record.points))
            return
        value = self.columns[self.sorted_column].value
        values = [(value(record), record) for record in self.records]
        known = [pair for pair in values if pair[0] is not None and not pair[1].refused]
        known.sort(key=lambda pair: pair[0], reverse=self._sorted[1] == Qt.SortOrder.DescendingOrder)
        unknown = [record for given, record in values if given is None and not record.refused]
        self.records = [record for _, record in known] + unknown + [r for r in self.records if r.refused]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self.records)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        record, place = self.records[index.row()], index.column()
        column = self.columns[place]
        if role == Qt.ItemDataRole.DisplayRole:
            if not record.refused:
                return column.text(record)
            return record.refused if place == TIME else column.text(record) if place < TIME else ""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.numeric else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ForegroundRole and record.refused:
            return theme().palette.color("disabled")
        if role == Qt.ItemDataRole.FontRole and key(record) in self._best and place == 0:
            font = QFont()
            font.setWeight(STRONG)
            return font
        if role == Qt.ItemDataRole.ToolTipRole:
            if record.refused:
                return f"Refused: {record.refused}"
            best = " (the fastest at this size)" if key(record) in self._best else ""
            return record.title + best if place == 0 else None
        if role == FRACTION:
            return record.fraction if place == CEILING and not record.refused else None
        if role == REASON:
            return record.refused
        if role == BEST:
            return key(record) in self._best
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and section < len(self.columns):
            column = self.columns[section]
            if role == Qt.ItemDataRole.DisplayRole:
                return column.title
            if role == Qt.ItemDataRole.ToolTipRole:
                return column.tip
            if role == Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if column.numeric else Qt.AlignmentFlag.AlignLeft
                return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None


def _published(study: Study | None) -> list[Column]:
    """A column for each published table, its device in the header."""
    columns = []
    for table in study.published if study is not None else ():

        def value(record: VariantRecord, table: Any = table) -> float | None:
            return published_figure(table, record)

        def text(record: VariantRecord, table: Any = table) -> str:
            figure = published_figure(table, record)
            return "" if figure is None else count_text(figure)

        columns.append(Column(f"{table.device}\n{table.unit}", f"Published: {table.source}", value, text, 78))
    return columns


def _compared(other: LabRecord | None) -> list[Column]:
    if other is None:
        return []
    rates = {key(record): record.bytes_per_second for record in other.variants if not record.refused}

    def text(record: VariantRecord) -> str:
        rate = rates.get(key(record))
        return "" if rate is None else count_text(rate / 1e9)

    name = device_text(other.machine)
    title = f"{other.machine.device.get('name', 'Other')}\nGB/s"
    return [Column(title, f"The same variant, size and block on {name}", lambda r: rates.get(key(r)), text, 92)]
