"""What F1 opens: the keys of the window, or what a field means; and a report of this machine to copy."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor, QGuiApplication, QIcon
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from engines.api.parameters import units_of
from engines.explained import Explained, explained
from ui.forms.editor import Editor
from ui.forms.fields.number import told
from ui.forms.schema import FieldSpec, Kind
from ui.forms.section import sections_around
from ui.forms.validation import Path
from ui.window.help.commands import DEEPER, Command
from workbench import __version__
from workbench.cli.doctor import Diagnosis, examine
from workbench.words.failures import dotted
from workbench.words.numbers import printed
from workbench.words.units import unit_text

IN_THE_VIEW = (
    ("Drag", "Turn; in a plane, move"), ("Shift+drag, middle button", "Move"), ("Wheel", "Closer and farther"),
    ("Double click", "Look at this spot"), ("Click", "Look into an element, or follow it with a probe"),
    ("Ctrl+click", "Follow it with a probe"),
    ("Right drag with the brush", "Erase"), ("Click a field, F1", "What it means"),
)  # fmt: skip

PUBLISHED = (
    "The Kernel Lab sets figures of others beside its own: a thesis on a monodomain solver for a DGX-2 (16 V100 "
    "GPUs); <i>Dendrite: 133x faster battery simulation</i>; <i>CUDA for scientific computing: a practical guide</i>; "
    "the report on brainevent's binary matrix-vector kernels (2026-02-21); M. Hobbs, pypd."
)


def field_asked_for() -> Editor | None:
    """The field of a form that has the focus, innermost; else one under the mouse that a run locks: it can have none.

    Where a mouse merely rests says nothing: another field under it is asked for with a click.
    """
    under = _field_around(QApplication.widgetAt(QCursor.pos()))
    locked = under if under is not None and not under.isEnabled() else None
    return _field_around(QApplication.focusWidget()) or locked


def _field_around(widget: QWidget | None) -> Editor | None:
    while widget is not None and not isinstance(widget, Editor):
        widget = widget.parentWidget()
    return widget


class FieldEntry(QFrame):
    """What a field means, beside it; the next click or key closes."""

    def __init__(self, editor: Editor, place: Path = ()) -> None:
        super().__init__(editor.window(), Qt.WindowType.Popup)
        self.setObjectName("card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = QLabel(entry_of(editor, _titles_around(editor), place), self)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setWordWrap(True)
        self.text.setMinimumWidth(440)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 12)
        layout.addWidget(self.text)
        self.move(editor.mapToGlobal(editor.rect().bottomLeft()))

    def keyPressEvent(self, event: object) -> None:
        self.close()

    def mousePressEvent(self, event: object) -> None:
        self.close()


def entry_of(editor: Editor, around: Sequence[str] = (), place: Path = ()) -> str:
    """As HTML: the titles around it in its form and its own, meaning, equation, unit, typical values and the default,
    what is allowed, whether it may change during a run, the source, and its place in files, or its name alone."""
    spec = editor.spec
    more = Explained() if spec.owner is None else explained(spec.owner, spec.key)
    unit = "" if "{" in spec.unit else " or ".join(map(unit_text, units_of(spec.unit)))
    limits = spec.bounds.sentence(unit)
    rows = [
        ("Equation", more.equation),
        ("Unit", unit),
        ("Typical", more.typical),
        ("Default", _default(spec)),
        ("Allowed", limits),
        ("Choices", ", ".join(spec.labels.get(str(choice), str(choice)) for choice in spec.choices)),
        ("During a run", "changes at once" if spec.live else "waits for Reset"),
        ("Source", more.source),
        ("In files and scripts", dotted(place) or spec.key),
    ]
    told = "".join(_row(name, text) for name, text in rows if text)
    title = DEEPER.join((*around, spec.title))
    return f"<h3>{escape(title)}</h3><p>{escape(spec.help)}</p><table>{told}</table>"


def _titles_around(editor: Editor) -> list[str]:
    return [section.header.text() for section in sections_around(editor)]


def _default(spec: FieldSpec) -> str:
    """The default of a number."""
    default = None if spec.owner is None else spec.owner.model_fields[spec.key].default
    if isinstance(default, (int, float)) and spec.kind in (Kind.NUMBER, Kind.INTEGER):
        return printed(told(default))
    return ""


class ShortcutSheet(QDialog):
    """All keys, by menu, made of the commands themselves."""

    def __init__(self, commands: Sequence[Command], window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Keyboard and mouse")
        places: dict[str, list[tuple[str, str]]] = {}
        for command in commands:
            if command.keys:
                places.setdefault(command.place, []).append((command.keys, command.title))
        places["In the view"] = list(IN_THE_VIEW)
        half = (sum(len(rows) + 2 for rows in places.values()) + 1) // 2
        columns, height = ["", ""], 0
        for place, rows in places.items():
            columns[height >= half] += _table(place, rows)
            height += len(rows) + 2
        cells = "".join(f"<td style='padding-right: 36px'>{column}</td>" for column in columns)
        self.text = QLabel(f"<table><tr>{cells}</tr></table>", self)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 12, 20, 16)
        layout.addWidget(self.text)
        layout.addWidget(_closing(self))


class AboutDialog(QDialog):
    """Version, licence, and what helps whoever is asked for help."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("About Workbench")
        self.resize(640, 460)
        about = QLabel(
            f"<h3>Workbench {__version__}</h3><p>Simulations whose kernels say how close they run to what the memory "
            f"of this machine can deliver. BSD 3-clause licence.</p><p>{PUBLISHED}</p>",
            self,
        )
        about.setTextFormat(Qt.TextFormat.RichText)
        about.setWordWrap(True)
        self.report = QPlainTextEdit("Looking at this machine…", self)
        self.report.setReadOnly(True)
        self.report.setObjectName("source")  # the font of code
        self.report.setAccessibleName("Report of this machine")
        buttons = _closing(self)
        self.copy = buttons.addButton("Copy the report", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.setEnabled(False)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.report.toPlainText()))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 12, 20, 16)
        layout.addWidget(about)
        layout.addWidget(self.report, 1)
        layout.addWidget(buttons)

    def show_report(self, text: str) -> None:
        self.report.setPlainText(text)
        self.copy.setEnabled(True)


def report_of(found: Sequence[Diagnosis]) -> str:
    """As ``workbench doctor`` prints it."""
    lines = []
    for each in found:
        lines.append(f"{each.subject:<20} {each.found}")
        lines += [f"{'':<20} → {each.remedy}"] if each.remedy else []
    return "\n".join(lines)


def machine_report() -> str:
    """Looks at drivers and packages: not for the GUI thread."""
    return report_of(list(examine()))


def _row(name: str, text: str) -> str:
    strong = f"<span style='font-weight: 600'>{escape(name)}</span>"
    return f"<tr><td style='padding-right: 14px'>{strong}</td><td>{escape(text)}</td></tr>"


def _table(place: str, rows: Sequence[tuple[str, str]]) -> str:
    told = "".join(_row(keys, title) for keys, title in rows)
    return f"<h4>{escape(place)}</h4><table>{told}</table>"


def _closing(dialog: QDialog) -> QDialogButtonBox:
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, dialog)
    buttons.rejected.connect(dialog.reject)
    for button in buttons.buttons():
        button.setIcon(QIcon())  # the style's own is black in either theme
    return buttons
