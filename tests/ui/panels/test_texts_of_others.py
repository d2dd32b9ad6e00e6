"""What a project or a preset says of itself is text, whatever it looks like."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from engines.api import Preset
from tests.ui.doubles import FakeServices
from ui.panels.gallery import Card
from ui.panels.problem import ProblemPanel
from ui.session.model import DocumentModel
from ui.session.placing import Placing

MARKED = "<b>bold</b><img src='file:///somewhere/private.png'>"


def formats(widget: QWidget) -> set[Qt.TextFormat]:
    """Of all labels that show the marked text, of which there has to be one."""
    found = {label.textFormat() for label in widget.findChildren(QLabel) if MARKED in label.text()}
    assert found
    return found


def test_the_summary_of_a_project_is_plain_text(qtbot):
    model = DocumentModel()
    panel = ProblemPanel(model, Placing(model), QWidget())
    qtbot.addWidget(panel)
    document = FakeServices().document()
    document.project.title = document.project.summary = MARKED
    model.open(document)
    assert formats(panel) == {Qt.TextFormat.PlainText}


def test_the_title_and_the_summary_of_a_preset_are_plain_text(qtbot):
    card = Card(Preset("a", MARKED, MARKED, Path("nowhere"), engine="wave"))
    qtbot.addWidget(card)
    assert formats(card) == {Qt.TextFormat.PlainText}
