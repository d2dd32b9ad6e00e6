"""Beside the figures: the source of the chosen variant, what it tries, and what did not help."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QTextCursor, QTextFormat
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from engines.api.lab import Study, Variant
from ui.lab.findings import did_not_help, shape_text
from ui.lab.highlighter import Highlighter
from ui.widgets.formatting import bytes_text, duration_text, rate_text
from ui.widgets.freeing import empty
from ui.widgets.icons import dress
from ui.widgets.theme import theme
from workbench.bench.records import VariantRecord
from workbench.words.units import percent

NONE_YET = "Nothing yet: variants that are no faster than the first one in their language stand here."
NONE_SLOWER = "Nothing: no variant is slower than the first one in its own language, which alone it is held against."


class SourcePanel(QFrame):
    """Shows one record; ``again`` asks for its variant alone to be measured."""

    again = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.record: VariantRecord | None = None
        self.title = QLabel("No variant chosen", self)
        self.title.setObjectName("cardTitle")
        self.title.setWordWrap(True)
        self.again_button = QPushButton("Measure again", self)
        self.again_button.setToolTip("Measure this variant alone, at all checked sizes")
        dress(self.again_button, "reset")
        self.again_button.clicked.connect(lambda: self.again.emit(self.record))
        self.again_button.setEnabled(False)
        self.note = QLabel(self)
        self.note.setObjectName("note")
        self.note.setWordWrap(True)
        self.note.hide()
        self.figures = QGridLayout()
        self.figures.setHorizontalSpacing(8)
        self.figures.setVerticalSpacing(2)
        self.file = QLabel(self)
        self.file.setObjectName("muted")
        self.editor = SourceView(self)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.again_button, 0, Qt.AlignmentFlag.AlignTop)
        above = QWidget(self)
        layout = QVBoxLayout(above)
        layout.setContentsMargins(10, 10, 10, 0)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self.note)
        layout.addLayout(self.figures)
        layout.addWidget(self.file)
        layout.addWidget(self.editor, 1)
        self.notes = QPlainTextEdit(self)
        self.notes.setObjectName("notes")
        self.notes.setAccessibleName("What did not help")
        self.notes.setReadOnly(True)
        self.notes.setTabChangesFocus(True)
        heading = QLabel("Notes: what did not help", self)
        heading.setObjectName("heading")
        below = QWidget(self)
        under = QVBoxLayout(below)
        under.setContentsMargins(10, 6, 10, 10)
        under.addWidget(heading)
        under.addWidget(self.notes, 1)
        self.splitter = QSplitter(Qt.Orientation.Vertical, self)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(above)
        self.splitter.addWidget(below)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setSizes([640, 190])
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.splitter)
        self.show_record(None, None)

    def show_record(self, record: VariantRecord | None, study: Study | None) -> None:
        """``study``: of this installation, or None when the record comes from elsewhere."""
        self.record = record
        self._show_figures([] if record is None else figures(record))
        if record is None:
            self.title.setText("No variant chosen")
            self.note.hide()
            self.file.setText("")
            self.editor.show_text("Choose a row of the table\nto see its source here.", "", "")
            self.again_button.setEnabled(False)
            return
        self.title.setText(f"{record.title}  {shape_text(record.shape)}".rstrip())
        variant = next((v for v in study.variants if v.id == record.variant), None) if study is not None else None
        self.again_button.setEnabled(variant is not None)
        note = f"Refused: {record.refused}" if record.refused else variant.note if variant is not None else ""
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self._show_source(variant)

    def show_notes(self, study: Study | None, records: Sequence[VariantRecord], case: str) -> None:
        lines = did_not_help(study, records, case) if study is not None else []
        self.notes.setPlainText(
            "\n".join(f"{title}: {ratio:.2f} × the first at {case}. {note}".rstrip() for title, ratio, note in lines)
            or (NONE_SLOWER if records else NONE_YET)
        )

    def _show_source(self, variant: Variant | None) -> None:
        if variant is None:
            self.file.setText("")
            self.editor.show_text("The source of this variant is not in this installation.", "", "")
            return
        text = source_text(variant.source)
        self.file.setText(variant.source.name)
        self.file.setToolTip(str(variant.source))
        if text is None:
            self.editor.show_text(f"'{variant.source}' could not be read.", "", "")
        else:
            self.editor.show_text(text, variant.source.suffix, variant.symbol)

    def _show_figures(self, pairs: Sequence[tuple[str, str, str]]) -> None:
        empty(self.figures)
        for place, (name, value, tip) in enumerate(pairs):
            row, column = divmod(place, 2)
            for offset, (text, role) in enumerate(((name, "muted"), (value, ""))):
                label = QLabel(text, self)
                label.setObjectName(role)
                label.setToolTip(tip)
                self.figures.addWidget(label, row, 2 * column + offset)
        self.figures.setColumnStretch(3, 1)


class SourceView(QPlainTextEdit):
    """Read-only text at the line of a symbol."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setObjectName("source")
        self.setAccessibleName("Source")
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self._highlighter = Highlighter(self.document())
        self._shown: tuple[str, str, str] | None = None
        theme().changed.connect(self._mark_line)

    def show_text(self, text: str, suffix: str, symbol: str) -> None:
        """``suffix`` of the file tells the language; nothing happens if this is what is shown."""
        if self._shown == (text, suffix, symbol):
            return
        self._shown = (text, suffix, symbol)
        self._highlighter.set_language("python" if suffix == ".py" else "cuda" if suffix in (".cu", ".cuh") else "")
        if text != self.toPlainText():
            self.setPlainText(text)
        line = line_of(text, symbol) if symbol else 0
        cursor = QTextCursor(self.document().findBlockByNumber(line))
        self.setTextCursor(cursor)
        self.verticalScrollBar().setValue(max(0, line - 3))
        self.horizontalScrollBar().setValue(0)
        self._mark_line()

    def _mark_line(self) -> None:
        if self._shown is None or not self._shown[2]:
            self.setExtraSelections([])
            return
        mark = QTextEdit.ExtraSelection()
        mark.format.setBackground(theme().palette.color("accent_soft"))
        mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        mark.cursor = self.textCursor()
        mark.cursor.clearSelection()
        self.setExtraSelections([mark])


def line_of(text: str, symbol: str) -> int:
    """The line (from 0) on which a function is defined, else where its name stands first, else the first."""
    name = re.escape(symbol)
    for pattern in (
        rf"^\s*(?:def|class)\s+{name}\b",
        rf"^(?=[^\n]*__global__)[^\n]*\b{name}\s*\(",
        rf"^[\w\s*&:<>,]*\b{name}\s*\([^;]*$",
        rf"\b{name}\b",
    ):
        match = re.search(pattern, text, re.MULTILINE)
        if match is not None:
            return text.count("\n", 0, match.start() + len(match.group()) - len(match.group().lstrip()))
    return 0


@lru_cache(maxsize=64)
def source_text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return None


def figures(record: VariantRecord) -> list[tuple[str, str, str]]:
    """(name, value, what it means)"""
    if record.refused:
        return [("Size", record.case, "Problem size"), ("Cache", record.cache, "")]
    pairs = [
        ("Time", duration_text(record.seconds), "Median of one launch"),
        ("On the host", duration_text(record.host_seconds), "Time that the host spends to launch once"),
        ("Bandwidth", rate_text(record.bytes_per_second), "Bytes of the algorithm per second"),
        ("Ceiling", rate_text(record.ceiling), "The best bandwidth measured at this working set"),
        ("Working set", bytes_text(record.working_set), "Memory that the buffers take together"),
        (
            "Bytes",
            bytes_text(record.bytes),
            "What one launch must move: each input read once, each output written once",
        ),
        ("Steps", str(record.steps), "Time steps that one launch takes"),
        ("Cache", record.cache, "Cold: the buffers rotate, so that the cache does not hold the input"),
    ]
    if record.shared_bytes is not None:
        pairs.append(("Shared memory", bytes_text(record.shared_bytes), "Shared memory of one block"))
    if record.occupancy is not None:
        pairs.append(("Occupancy", percent(record.occupancy), "Resident threads over the most that there could be"))
    return pairs
