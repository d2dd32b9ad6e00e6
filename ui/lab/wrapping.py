"""Long titles in a tree: as many lines as they need at the tree's width."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTreeWidget, QWidget

BESIDE = 34
"""Pixels of a row that are not its text: the check box and the margins."""
ABOVE = 6


class WrappingTree(QTreeWidget):
    """Rows grow with their titles; Qt's own wrapping leaves them one line high under a style sheet."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWordWrap(True)
        self.setVerticalScrollMode(QTreeWidget.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(_WrappingDelegate(self))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()


class _WrappingDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        hint = super().sizeHint(option, index)
        tree = self.parent()
        assert isinstance(tree, QTreeWidget)
        depth, above = 0, index.parent()
        while above.isValid():
            depth, above = depth + 1, above.parent()
        width = tree.viewport().width() - depth * tree.indentation() - BESIDE
        area = tree.fontMetrics().boundingRect(
            QRect(0, 0, max(60, width), 1000), Qt.TextFlag.TextWordWrap.value, str(index.data())
        )
        return QSize(hint.width(), max(hint.height(), area.height() + ABOVE))
