"""What was typed into fields and is no value: it stands there, marked, and is nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from ui.forms.editor import Editor
from ui.forms.fields.line import Line
from ui.forms.fields.lines import LineText


def refusing(root: QWidget) -> Iterator[Line | LineText]:
    """The fields inside of ``root`` whose text is not their value."""
    yield from (field for field in root.findChildren(Line) if field.refusal)
    yield from (field for field in root.findChildren(LineText) if field.refusal)


def enter_typed(roots: Iterable[QWidget]) -> None:
    """What is still being typed inside of one of ``roots`` becomes its field's value, or is refused there; typing goes
    on."""
    typed = QApplication.focusWidget()
    if isinstance(typed, Line | LineText) and any(root.isAncestorOf(typed) for root in roots):
        typed.clearFocus()
        if isValid(typed) and typed.isVisible() and typed.isEnabled():
            typed.setFocus(Qt.FocusReason.OtherFocusReason)


def told(field: Line | LineText) -> str:
    """``In 'Source': '0.080.37' is not a number.``"""
    name, above = field.accessibleName(), field.parentWidget()
    while not name and above is not None:
        name = above.spec.title if isinstance(above, Editor) else ""
        above = above.parentWidget()
    return f"In '{name}': {field.refusal}"


def forget(root: QWidget) -> None:
    """What was typed is of another problem; the values that are shown next take its place."""
    for field in refusing(root):
        field.refusal = ""
