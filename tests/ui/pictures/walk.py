"""What of a window is wrong by itself: texts that are cut, widgets over each other or beyond their parents, words that
only programmers write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from PySide6.QtCore import QModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QBrush
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QComboBox,
    QGroupBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListView,
    QMainWindow,
    QPlainTextEdit,
    QScrollArea,
    QStyle,
    QStyleOptionComboBox,
    QStyleOptionFrame,
    QTabBar,
    QToolButton,
    QTreeView,
    QWidget,
)

from ui.widgets.banner import Banner
from ui.widgets.theme import theme

MARK_PIXELS = 24
"""What a check mark or an icon takes before its text."""
MOST_ROWS = 60
SLACK = 2
"""Pixels by which rounding may move an edge."""
IDENTIFIER = re.compile(r"(?<![\w/\\.])(?:[a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+)\b(?!\.)")
"""``negative_particle_radius``, ``grid.cells_x``."""
RAW_NUMBER = re.compile(
    r"(?<![\w.])\.\d+\b|\d\.?\d*e[+-]?\d+\b|\b\d{4,}\.\d\d+ s\b|\d\.\d{8,}|\b(?:nan|inf)\b|^(?:None|True|False)$"
)
"""``.00000``, ``7.336e-05``, ``53480.00 s`` and what Python says of values."""
RATES = re.compile(r"\b[a-z]_t\b")
"""``u_t``, the rate of a field u as typed equations write it."""
FILE_NAMES = re.compile(
    r"\S+\.(?:json|vtu|vtkhdf|png|py|cu|csv|zip|msh|mp4|gif|pts|elem|in|mmt|toml|md|h5)\b|\S*/\S+|www\.\S+"
)


def seen(root: QWidget) -> Iterator[QWidget]:
    """The widgets that show, parents first; of a window that is another no more than itself."""
    yield root
    for child in shown_children(root):
        yield from seen(child)


def shown_children(parent: QWidget) -> list[QWidget]:
    """Lower docks of a tab, and tabs of docks that are closed, are parked outside of the window by Qt."""
    children = [child for child in parent.children() if isinstance(child, QWidget)]
    shown = [child for child in children if child.isVisible() and not child.isWindow() and not child.size().isEmpty()]
    return [
        child for child in shown if not isinstance(parent, QMainWindow) or parent.rect().intersects(child.geometry())
    ]


def name_of(widget: QWidget) -> str:
    """Where it stands, for whoever has to find it."""
    parts: list[str] = []
    at: QWidget | None = widget
    while at is not None and len(parts) < 5:
        parts.append(at.objectName() or type(at).__name__)
        at = at.parentWidget()
    return " < ".join([f"{type(widget).__name__} '{text_of(widget)[:60]}'", *parts[1:]])


def text_of(widget: QWidget) -> str:
    """What it says, in full."""
    if hasattr(widget, "full_text"):
        return str(widget.full_text())
    if isinstance(widget, QLabel | QLineEdit | QAbstractButton):
        return widget.text()
    if isinstance(widget, QComboBox):
        return widget.currentText()
    return widget.title() if isinstance(widget, QGroupBox) else ""


def all_texts(root: QWidget) -> Iterator[tuple[QWidget, str]]:
    """Whatever can be read, of tables and lists, too."""
    for widget in seen(root):
        if isinstance(widget, QTabBar):
            yield from ((widget, widget.tabText(place)) for place in range(widget.count()))
        elif isinstance(widget, QHeaderView):
            model = widget.model()
            for place in range(widget.count() if model is not None else 0):
                yield widget, str(model.headerData(place, widget.orientation()) or "")
        elif isinstance(widget, QAbstractItemView):
            yield from ((widget, text) for text, _ in cells(widget))
        elif isinstance(widget, QPlainTextEdit):
            continue  # source and reports
        elif text := text_of(widget):
            yield widget, re.sub(r"<[^<>]+>", " ", text)
        if isinstance(widget, QLineEdit) and not widget.text() and widget.placeholderText():
            yield widget, widget.placeholderText()


def cells(view: QAbstractItemView) -> Iterator[tuple[str, QRect]]:
    """Text and place in the viewport of the cells of a list, tree or table that show in full and are not disabled."""
    model, inside = view.model(), view.viewport().visibleRegion().boundingRect()
    if model is None:
        return
    waiting = [QModelIndex()]
    while waiting:
        parent = waiting.pop()
        columns = 1 if isinstance(view, QListView) else model.columnCount(parent)
        for row in range(min(model.rowCount(parent), MOST_ROWS)):
            for column in range(columns):
                cell = model.index(row, column, parent)
                rect = view.visualRect(cell)
                pale = cell.data(Qt.ItemDataRole.ForegroundRole)
                enabled = bool(cell.flags() & Qt.ItemFlag.ItemIsEnabled) and (
                    pale is None or QBrush(pale).color() != theme().palette.color("disabled")
                )
                if enabled and not rect.isEmpty() and inside.contains(rect) and cell.data():
                    marked = cell.data(Qt.ItemDataRole.CheckStateRole), cell.data(Qt.ItemDataRole.DecorationRole)
                    before = MARK_PIXELS * sum(mark is not None for mark in marked)
                    yield str(cell.data()), rect.adjusted(before, 0, 0, 0)
            if isinstance(view, QTreeView) and view.isExpanded(model.index(row, 0, parent)):
                waiting.append(model.index(row, 0, parent))


def cut_texts(root: QWidget) -> list[str]:
    """Texts outside of lists that have less room than they need, or end in dots for want of it."""
    return [f"cut: {name_of(widget)} ({why})" for widget in seen(root) if (why := _cut(widget))]


def _cut(widget: QWidget) -> str:
    metrics = widget.fontMetrics()
    if isinstance(widget, QTabBar):
        for place in range(widget.count()):
            needed = metrics.horizontalAdvance(widget.tabText(place).replace("&", ""))
            room = (widget.tabRect(place) & widget.rect()).width()
            if not widget.usesScrollButtons() and room < needed:
                return f"tab '{widget.tabText(place)}'"
        return ""
    if isinstance(widget, QHeaderView):
        return _cut_header(widget)
    text = text_of(widget)
    if not text:
        return ""
    if hasattr(widget, "full_text"):
        needed = metrics.horizontalAdvance(text)
        return f"{needed} in {widget.width()}" if needed > widget.width() + SLACK else ""
    if isinstance(widget, QLabel):
        return _cut_label(widget)
    if isinstance(widget, QLineEdit):
        option = QStyleOptionFrame()
        widget.initStyleOption(option)
        room = widget.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, widget).width()
        return _less(room, metrics.horizontalAdvance(text))
    if isinstance(widget, QComboBox):
        choice = QStyleOptionComboBox()
        widget.initStyleOption(choice)
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = widget.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, choice, part, widget).width()
        return _less(room, metrics.horizontalAdvance(text))
    if isinstance(widget, QToolButton) and widget.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly:
        return ""
    if isinstance(widget, QAbstractButton):
        return _less(widget.width(), widget.minimumSizeHint().width()) or _less(
            widget.height(), widget.minimumSizeHint().height()
        )
    return ""


def _less(room: int, needed: int) -> str:
    return f"{needed} in {room}" if needed > room + SLACK else ""


def _cut_label(label: QLabel) -> str:
    if label.wordWrap():
        return _less(label.height(), label.heightForWidth(label.width()))
    hint: QSize = QLabel.sizeHint(label)
    return _less(label.width(), hint.width()) or _less(label.height(), QLabel.minimumSizeHint(label).height())


def _cut_header(header: QHeaderView) -> str:
    model = header.model()
    if model is None or header.orientation() is Qt.Orientation.Vertical:
        return ""
    for place in range(header.count()):
        text = str(model.headerData(place, header.orientation()) or "")
        widest = max((header.fontMetrics().horizontalAdvance(line) for line in text.split("\n")), default=0)
        if not header.isSectionHidden(place) and widest > header.sectionSize(place):
            return f"column '{text}': {widest} in {header.sectionSize(place)}"
    return ""


def covered(root: QWidget) -> list[str]:
    """Siblings over each other."""
    found = []
    for parent in seen(root):
        children = [child for child in shown_children(parent) if not _over_by_wish(child)]
        for first, second in combinations(children, 2):
            shared = first.geometry() & second.geometry()
            if shared.width() > SLACK and shared.height() > SLACK:
                found.append(f"over each other by {_size(shared)}: {name_of(first)} and {name_of(second)}")
    return found


def _over_by_wish(child: QWidget) -> bool:
    return isinstance(child, Banner) or child.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)


def beyond(root: QWidget) -> list[str]:
    """Widgets that reach out of their parents, other than what is scrolled."""
    found = []
    for widget in seen(root):
        parent = widget.parentWidget()
        if widget is root or parent is None or isinstance(parent.parentWidget(), QAbstractScrollArea):
            continue
        room = parent.rect().adjusted(-SLACK, -SLACK, SLACK, SLACK)
        if not room.contains(widget.geometry()):
            found.append(f"out of its parent ({_size(parent.rect())}): {name_of(widget)} at {widget.geometry()}")
    return found + _sideways(root)


def _sideways(root: QWidget) -> list[str]:
    """What is wider than its scroll area, which does not scroll sideways."""
    never = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    return [
        f"wider than its scroll area: {name_of(area)} {area.widget().width()} in {area.viewport().width()}"
        for area in seen(root)
        if isinstance(area, QScrollArea) and area.widget() is not None
        if area.horizontalScrollBarPolicy() == never and area.widget().width() > area.viewport().width() + SLACK
    ]


def _size(rect: QRect) -> str:
    return f"{rect.width()} × {rect.height()}"


def words_of_programs(root: QWidget) -> list[str]:
    """Identifiers and numbers as Python prints them; names of files may stand, and rates of fields that were typed."""
    found = []
    for widget, text in all_texts(root):
        typed = isinstance(widget, QLineEdit) and not widget.isReadOnly()
        if typed or (isinstance(widget, QComboBox) and widget.isEditable()):
            continue  # what a person types
        plain = RATES.sub("", FILE_NAMES.sub("", text))
        for pattern, kind in ((IDENTIFIER, "identifier"), (RAW_NUMBER, "number")):
            if match := pattern.search(plain):
                found.append(f"{kind} '{match.group()}' in {name_of(widget)}: {text[:80]!r}")
    return found


def faults(root: QWidget) -> list[str]:
    """All of the above."""
    return [*cut_texts(root), *covered(root), *beyond(root), *words_of_programs(root)]
