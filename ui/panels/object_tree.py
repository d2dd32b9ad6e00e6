"""The list of what stands in space, by group: choosing one shows it in the 3D view and in the form."""

from __future__ import annotations

from functools import lru_cache, partial

from PySide6.QtCore import QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QBrush, QColor, QContextMenuEvent, QIcon, QKeySequence, QPainter, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engines.api.placing import Path, PlacedGroup, PlacedItem
from ui.forms.editor import LOCK_HINT
from ui.scene.overlays.placed import Colour, colour_of
from ui.session.placing import Placing
from ui.widgets.icons import dress
from ui.widgets.theme import theme

PATH = Qt.ItemDataRole.UserRole


class ObjectTree(QWidget):
    """Shows a :class:`Placing`; hidden where nothing stands in space."""

    def __init__(self, placing: Placing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._placing = placing
        self._folded: set[Path] = set()
        self._filling = False
        self._pressed: Path | None = None
        """The row under the mouse: it stays there."""
        self._shown: Path | None = None
        """What was chosen when the tree was filled."""
        self.tree = QTreeWidget(self)
        self.tree.setObjectName("objects")
        self.tree.setAccessibleName("Objects, sources and what else stands in space")
        self.tree.setColumnCount(2)
        self.tree.setHeaderHidden(True)
        self.tree.setIndentation(14)
        self.tree.setIconSize(QSize(12, 12))
        self.tree.setUniformRowHeights(True)
        self.tree.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        triggers = QAbstractItemView.EditTrigger
        self.tree.setEditTriggers(triggers.EditKeyPressed | triggers.DoubleClicked)
        self.tree.setAutoScroll(False)
        self.tree.itemPressed.connect(lambda row: setattr(self, "_pressed", tuple(row.data(0, PATH))))
        self.tree.currentItemChanged.connect(self._chosen)
        self.tree.itemClicked.connect(self._clicked)
        self.tree.itemChanged.connect(self._renamed)
        self.tree.itemExpanded.connect(lambda row: self._folded.discard(row.data(0, PATH)))
        self.tree.itemCollapsed.connect(lambda row: self._folded.add(row.data(0, PATH)))
        self.menu = QMenu(self)
        self.menu.aboutToShow.connect(self._fill_menu)
        top = QHBoxLayout()
        top.setContentsMargins(12, 2, 8, 0)
        top.setSpacing(0)
        heading = QLabel("Scene", self)
        heading.setObjectName("heading")
        top.addWidget(heading)
        top.addStretch(1)
        self.add_button = self._tool(top, "plus", "Add…")
        self.add_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.add_button.setMenu(self.menu)
        self.slice_button = self._tool(top, "clip", "Slices through its middle")
        self.duplicate_button = self._tool(top, "duplicate", "Duplicate (Ctrl+D)")
        self.up_button = self._tool(top, "up", "Move up")
        self.down_button = self._tool(top, "down", "Move down: where objects overlap the later one counts")
        self.remove_button = self._tool(top, "trash", "Remove (Delete)")
        self.duplicate_button.clicked.connect(placing.duplicate)
        self.up_button.clicked.connect(lambda: placing.shift(-1))
        self.down_button.clicked.connect(lambda: placing.shift(1))
        self.remove_button.clicked.connect(placing.remove)
        for keys, call in (
            (QKeySequence(QKeySequence.StandardKey.Delete), placing.remove),
            (QKeySequence("Ctrl+D"), placing.duplicate),
        ):
            action = QAction(self.tree)
            action.setShortcut(keys)
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(lambda _=False, call=call: call())
            self.tree.addAction(action)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(top)
        layout.addWidget(self.tree, 1)
        self.setMinimumHeight(84)
        placing.changed.connect(self._show)
        theme().changed.connect(self._show)
        self._show()

    def _tool(self, row: QHBoxLayout, icon_name: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("small")
        dress(button, icon_name, "muted")
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        row.addWidget(button)
        return button

    def sizeHint(self) -> QSize:
        return QSize(300, 216)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What the buttons do, at the row that was clicked."""
        menu = QMenu(self)
        for button, text in (
            (self.slice_button, "Slices through its middle"),
            (self.duplicate_button, "Duplicate"),
            (self.up_button, "Move up"),
            (self.down_button, "Move down"),
            (self.remove_button, "Remove"),
        ):
            action = menu.addAction(button.icon(), text)
            action.setEnabled(button.isEnabled())
            action.triggered.connect(button.click)
        menu.addSeparator()
        add = menu.addMenu("Add")
        add.setEnabled(self._placing.editable)
        self._fill(add)
        menu.exec(event.globalPos())

    # Inside.

    def _show(self) -> None:
        placing = self._placing
        placement = placing.placement
        self.setVisible(placement is not None)
        self._filling = True
        scrolled = self.tree.verticalScrollBar().value()
        self.tree.clear()
        if placement is not None:
            for group in placement.groups:
                self._add_group(group)
        self.tree.doItemsLayout()  # without its rows there is nowhere to scroll to
        self.tree.verticalScrollBar().setValue(scrolled)
        current = self.tree.currentItem()
        if current is not None and placing.chosen not in (self._shown, self._pressed):
            self.tree.scrollToItem(current)
        self._shown, self._pressed = placing.chosen, None
        self._filling = False
        listed = placing.editable and placing.in_list
        hint = LOCK_HINT if placing.locked else "Add…"
        self.add_button.setEnabled(placing.editable)
        self.add_button.setToolTip(hint)
        self.slice_button.setEnabled(placing.middle() is not None)
        for button in (self.duplicate_button, self.up_button, self.down_button, self.remove_button):
            button.setEnabled(listed)

    def _add_group(self, group: PlacedGroup) -> None:
        if not group.items and not group.new:
            return
        row = QTreeWidgetItem([group.title, str(len(group.items)) if group.new else ""])
        row.setData(0, PATH, group.path)
        row.setFlags(Qt.ItemFlag.ItemIsEnabled)
        muted = QBrush(QColor(theme().palette.muted))
        row.setForeground(0, muted)
        row.setForeground(1, muted)
        self.tree.addTopLevelItem(row)
        for item in group.items:
            self._add_item(row, group, item)
        row.setExpanded(group.path not in self._folded)

    def _add_item(self, above: QTreeWidgetItem, group: PlacedGroup, item: PlacedItem) -> None:
        row = QTreeWidgetItem(above, [item.title, item.detail])
        row.setData(0, PATH, item.path)
        row.setIcon(0, swatch(colour_of(group, item), group.role))
        row.setForeground(1, QBrush(QColor(theme().palette.muted)))
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if item.renamed is not None and self._placing.editable:
            flags |= Qt.ItemFlag.ItemIsEditable
            row.setToolTip(0, "Rename: F2 or a double click")
        row.setFlags(flags)
        if item.path == self._placing.chosen:
            self.tree.setCurrentItem(row)

    def _chosen(self, row: QTreeWidgetItem | None) -> None:
        if not self._filling and row is not None and row.parent() is not None:
            path: Path = tuple(row.data(0, PATH))
            # The tree is filled anew, and must not be while it deals with the click.
            QTimer.singleShot(0, self, lambda: self._placing.choose(path))

    def _clicked(self, row: QTreeWidgetItem) -> None:
        """The row that is chosen already leads to its place in the form again."""
        if row.parent() is not None and tuple(row.data(0, PATH)) == self._placing.chosen:
            self._chosen(row)

    def _renamed(self, row: QTreeWidgetItem, column: int) -> None:
        if not self._filling and column == 0:
            path, name = tuple(row.data(0, PATH)), row.text(0)
            QTimer.singleShot(0, self, lambda: self._placing.rename(path, name))

    def _fill_menu(self) -> None:
        self.menu.clear()
        self._fill(self.menu)

    def _fill(self, menu: QMenu) -> None:
        """What may be added: where a group offers several things they stand in a menu of their own, for all of them
        below each other are taller than a screen."""
        placement = self._placing.placement
        for group in () if placement is None else placement.groups:
            under = menu.addMenu(group.title) if len(group.new) > 1 else menu
            for new in group.new:
                under.addAction(new.title).triggered.connect(
                    lambda _=False, group=group, new=new: self._placing.add(group, new)
                )


@lru_cache(256)
def swatch(colour: Colour, role: str) -> QIcon:
    """A mark in the colour of an outline: a square for bodies, a dot for materials, a ring for what only limits, a
    triangle for sources. One for each: Qt remembers how each icon is drawn, up to 10 MB."""
    picture = QPixmap(24, 24)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(*colour))
    marks = {
        "material": partial(painter.drawEllipse, 4, 4, 16, 16),
        "object": partial(painter.drawRoundedRect, 3, 3, 18, 18, 4, 4),
        "source": partial(painter.drawPolygon, _polygon((3, 3), (22, 12), (3, 21))),
        "monitor": partial(painter.drawPolygon, _polygon((12, 1), (23, 12), (12, 23), (1, 12))),
    }
    if role in marks:
        marks[role]()
    else:
        painter.drawRect(3, 3, 18, 3)
        painter.drawRect(3, 18, 18, 3)
        painter.drawRect(3, 3, 3, 18)
        painter.drawRect(18, 3, 3, 18)
    painter.end()
    icon = QIcon()
    for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):
        icon.addPixmap(picture, mode)
    return icon


def _polygon(*corners: tuple[int, int]) -> list[QPoint]:
    return [QPoint(*corner) for corner in corners]
