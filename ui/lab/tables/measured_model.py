"""Lines of a measured table as a model: groups stay together however they are sorted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Literal

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from engines.api.lab import Column, Value
from ui.widgets.fonts import STRONG
from ui.widgets.theme import theme
from workbench.bench.table_lines import Group, Line, number, ratio_text, value_text

Index = QModelIndex | QPersistentModelIndex
BEGINS = Qt.ItemDataRole.UserRole
"""Whether a group of several lines begins or ends above this one."""
HEADER_LETTERS = 13
"""Longer titles take more lines, so that many columns stand side by side."""


@dataclass(frozen=True)
class Shown:
    """One column that is seen: a column of the table, its ratio, or the device (``place`` -1)."""

    kind: Literal["value", "device", "ratio"]
    place: int = -1


class LinesModel(QAbstractTableModel):
    """``shown``: what the columns are; ``lines``: what the rows are, in the order in which they stand."""

    def __init__(self) -> None:
        super().__init__()
        self.columns: tuple[Column, ...] = ()
        self.shown: tuple[Shown, ...] = ()
        self.lines: list[Line] = []
        self._first: list[bool] = []
        self._begins: list[bool] = []
        self._words: list[bool] = []
        self._given: Sequence[Group] = ()
        self._sorted: tuple[Shown, Qt.SortOrder] | None = None

    def set_data(self, columns: Sequence[Column], groups: Sequence[Group]) -> None:
        self.beginResetModel()
        self.columns, self._given = tuple(columns), groups
        lines = [line for group in groups for line in group]
        self._words = [any(isinstance(line.values[place], str) for line in lines) for place in range(len(columns))]
        self.shown = _shown(columns, lines)
        if self._sorted is not None and self._sorted[0] not in self.shown:
            self._sorted = None
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """By the first line of each group; -1: as measured."""
        self.beginResetModel()
        self._sorted = (self.shown[column], order) if 0 <= column < len(self.shown) else None
        self._arrange()
        self.endResetModel()

    @property
    def sorted_by(self) -> tuple[int, Qt.SortOrder]:
        """(column, -1: as measured; order)"""
        if self._sorted is None:
            return -1, Qt.SortOrder.AscendingOrder
        return self.shown.index(self._sorted[0]), self._sorted[1]

    def _arrange(self) -> None:
        groups = list(self._given)
        if self._sorted is not None:
            shown, order = self._sorted
            known = [(value, group) for group in groups if (value := _value(group, shown)) is not None]
            known.sort(key=lambda pair: _rank(pair[0]), reverse=order == Qt.SortOrder.DescendingOrder)
            groups = [group for _, group in known] + [group for group in groups if _value(group, shown) is None]
        self.lines, self._first, self._begins = [], [], []
        before = 1
        for group in groups:
            self._first += [place == 0 for place in range(len(group))]
            self._begins += [place == 0 and max(before, len(group)) > 1 for place in range(len(group))]
            self.lines += group
            before = len(group)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self.shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        line, shown = self.lines[index.row()], self.shown[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(index.row(), shown)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(shown)
        if role == Qt.ItemDataRole.ForegroundRole:
            return theme().palette.color("muted") if line.source else None
        if role == Qt.ItemDataRole.FontRole and shown.kind == "device" and not line.source:
            font = QFont()
            font.setWeight(STRONG)
            return font
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{line.device}: {line.source}" if line.source else f"Measured on {line.device}"
        if role == BEGINS:
            return index.row() > 0 and self._begins[index.row()]
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self.shown):
            return None
        shown = self.shown[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(shown)
        if role == Qt.ItemDataRole.DisplayRole:
            if shown.kind != "value":
                return {"device": "Device", "ratio": "Ratio"}[shown.kind]
            column = self.columns[shown.place]
            lines = wrap(column.title, HEADER_LETTERS, break_long_words=False) or [""]
            return "\n".join([*lines, column.unit] if column.unit else lines)
        if role == Qt.ItemDataRole.ToolTipRole:
            if shown.kind == "ratio":
                return f"{self.columns[shown.place].title}: the measured figure over this published one"
            return "Where the figures come from; published ones are grey" if shown.kind == "device" else None
        return None

    def _text(self, row: int, shown: Shown) -> str:
        line = self.lines[row]
        if shown.kind == "device":
            return line.device
        if shown.kind == "ratio":
            return ratio_text(line.ratios[shown.place])
        column = self.columns[shown.place]
        if not column.result and not self._first[row]:
            return ""  # what the group is about stands in its first line
        return value_text(line.values[shown.place], column, measured=not line.source)

    def _side(self, shown: Shown) -> int:
        right = shown.kind == "value" and not self._words[shown.place]  # a ratio stands close to its figure
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        return int(side | Qt.AlignmentFlag.AlignVCenter)


def _shown(columns: Sequence[Column], lines: Sequence[Line]) -> tuple[Shown, ...]:
    """What rows are about, the device, then each result with its ratio if there is any."""
    shown = [Shown("value", place) for place, column in enumerate(columns) if not column.result]
    shown.append(Shown("device"))
    for place, column in enumerate(columns):
        if column.result:
            shown.append(Shown("value", place))
            if any(line.ratios[place] is not None for line in lines):
                shown.append(Shown("ratio", place))
    return tuple(shown)


def _value(group: Group, shown: Shown) -> Value:
    """What a group is sorted by: its first line's value, its first ratio."""
    if shown.kind == "device":
        return group[0].device
    if shown.kind == "ratio":
        return next((line.ratios[shown.place] for line in group if line.ratios[shown.place] is not None), None)
    return group[0].values[shown.place]


def _rank(value: Value) -> tuple[bool, float, str]:
    """Numbers by size, then words."""
    known = number(value)
    return known is None, known or 0.0, str(value).lower() if known is None else ""
