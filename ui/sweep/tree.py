"""The numbers of a problem as a tree, in the order of the form: those with a check mark are varied."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from ui.forms.fields.line import Line
from ui.forms.fields.number import told
from workbench.sweep.numbers import NumberParameter
from workbench.sweep.plan import MOST_VARIED
from workbench.words.numbers import printed
from workbench.words.units import unit_text

NAME = Qt.ItemDataRole.UserRole
OPEN_UP_TO = 40
"""Numbers that are all shown at first; of more, groups begin closed."""
MOST_SHOWN = 5000
"""Numbers in the tree (the corners of large polygons); the command line takes the names of all."""


class NumberTree(QWidget):
    """Emits ``chosen`` with the names that are checked, in the order in which they were; at most two are."""

    chosen = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: list[str] = []
        self._leaves: dict[str, QTreeWidgetItem] = {}
        self.search = Line(self)
        self.search.setPlaceholderText("Search the numbers")
        self.search.setAccessibleName("Search the numbers")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.tree = QTreeWidget(self)
        self.tree.setAccessibleName("Numbers that can be varied")
        self.tree.setColumnCount(2)
        self.tree.setHeaderHidden(True)
        self.tree.setIndentation(14)
        self.tree.setUniformRowHeights(True)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.itemChanged.connect(self._changed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.search)
        layout.addWidget(self.tree, 1)

    @property
    def names(self) -> list[str]:
        return list(self._names)

    def set_numbers(self, numbers: Sequence[NumberParameter]) -> None:
        """Show these; what was checked and is still there stays checked."""
        opened = {name for name, item in self._groups() if item.isExpanded()}
        first = not self._leaves
        self.tree.blockSignals(True)
        self.tree.clear()
        self._leaves.clear()
        groups: dict[tuple[str, ...], QTreeWidgetItem] = {}
        for number in numbers[:MOST_SHOWN]:
            leaf = QTreeWidgetItem(self._group(number.titles[:-1], groups), [number.titles[-1]])
            leaf.setData(0, NAME, number.name)
            leaf.setText(1, f"{printed(told(number.value))} {unit_text(number.unit)}".rstrip())
            limits = number.bounds.sentence(number.unit)
            tip = "\n".join(part for part in (number.help, limits, number.name) if part)
            leaf.setToolTip(0, tip)
            leaf.setToolTip(1, tip)
            leaf.setCheckState(0, Qt.CheckState.Unchecked)
            self._leaves[number.name] = leaf
        self._names = [name for name in self._names if name in self._leaves]
        for name in self._names:
            self._leaves[name].setCheckState(0, Qt.CheckState.Checked)
        for name, item in self._groups():
            item.setExpanded(name in opened or (first and len(numbers) <= OPEN_UP_TO))
        for name in self._names:
            self._reveal(self._leaves[name])
        self.tree.blockSignals(False)
        self._filter(self.search.text())

    def set_chosen(self, name: str, on: bool) -> None:
        """Check a number or let go of it."""
        state = Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
        self._leaves[name].setCheckState(0, state)

    def reveal(self, name: str) -> None:
        """Open the groups around a number, and scroll to it."""
        self._reveal(self._leaves[name])
        self.tree.scrollToItem(self._leaves[name])

    def _changed(self, item: QTreeWidgetItem, _column: int) -> None:
        name = item.data(0, NAME)
        on = item.checkState(0) is Qt.CheckState.Checked
        if name is None or on == (name in self._names):
            return
        if on:
            self._names.append(name)
            for other in self._names[:-MOST_VARIED]:  # the one that was chosen first makes way
                self._names.remove(other)
                self._leaves[other].setCheckState(0, Qt.CheckState.Unchecked)
        else:
            self._names.remove(name)
        self.chosen.emit(self.names)

    def _group(self, titles: tuple[str, ...], groups: dict[tuple[str, ...], QTreeWidgetItem]) -> QTreeWidgetItem:
        if not titles:
            return self.tree.invisibleRootItem()
        if titles not in groups:
            item = QTreeWidgetItem(self._group(titles[:-1], groups), [titles[-1]])
            item.setFlags(Qt.ItemFlag.ItemIsEnabled)
            groups[titles] = item
        return groups[titles]

    def _groups(self) -> list[tuple[str, QTreeWidgetItem]]:
        found: list[tuple[str, QTreeWidgetItem]] = []
        waiting = [("", self.tree.invisibleRootItem())]
        while waiting:
            name, item = waiting.pop()
            for place in range(item.childCount()):
                child = item.child(place)
                if child is not None and child.childCount():
                    title = f"{name} › {child.text(0)}"
                    found.append((title, child))
                    waiting.append((title, child))
        return found

    def _filter(self, text: str) -> None:
        words = text.lower().split()
        groups = self._groups()
        for _, group in groups:
            group.setHidden(bool(words))
        for leaf in self._leaves.values():
            whole = self._whole_title(leaf).lower()
            hidden = not all(word in whole for word in words)
            leaf.setHidden(hidden)
            if words and not hidden:
                self._reveal(leaf)

    def _whole_title(self, leaf: QTreeWidgetItem) -> str:
        titles: list[str] = [leaf.data(0, NAME)]
        item: QTreeWidgetItem | None = leaf
        while item is not None:
            titles.append(item.text(0))
            item = item.parent()
        return " ".join(titles)

    def _reveal(self, leaf: QTreeWidgetItem) -> None:
        item = leaf.parent()
        while item is not None:
            item.setHidden(False)
            item.setExpanded(True)
            item = item.parent()
