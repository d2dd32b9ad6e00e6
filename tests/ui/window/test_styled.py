"""What the style sheet gives a background is painted: a plain widget of ours needs an attribute for it."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCompleter, QFrame, QLineEdit, QWidget

from ui.widgets.theme import THEMES, theme

RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
SIMPLE = re.compile(r"#(\w+)$|^(?:\.)?([A-Z]\w+)$")


def with_a_background() -> set[str]:
    """Names of objects, and of classes, that a rule gives one of their own."""
    found = set()
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    for selectors, body in RULE.findall(re.sub(r"/\*.*?\*/", "", application.styleSheet(), flags=re.S)):
        if re.search(r"background(-color)?\s*:\s*(?!transparent|none)", body):
            for selector in selectors.split(","):
                if match := SIMPLE.search(selector.strip().split()[-1]):
                    found.add(match[1] or match[2])
    return found


def is_plain(widget: QWidget) -> bool:
    """Whether it is a QWidget of ours, and of no kind of Qt's that paints its own background."""
    qt = next(each for each in type(widget).__mro__ if each.__module__.startswith("PySide6"))
    return qt is QWidget and type(widget) is not QWidget


def test_plain_widgets_with_a_background_paint_it(opened):
    named = with_a_background()
    assert len(named) > 5
    widgets = [each for each in opened.findChildren(QWidget) if is_plain(each) and not isinstance(each, QFrame)]
    styled = [each for each in widgets if named & {each.objectName(), type(each).__name__}]
    assert len(styled) > 5
    bare = [each for each in styled if not each.testAttribute(Qt.WidgetAttribute.WA_StyledBackground)]
    assert not {f"{type(each).__name__} {each.objectName()}" for each in bare}


@pytest.mark.parametrize("name", THEMES)
def test_what_a_line_proposes_is_legible(qtbot, qapp, name):
    """Under a file dialog's line it was dark on black in the light theme: lists were transparent, windows or not."""
    theme().apply(name, qapp)
    line = QLineEdit()
    qtbot.addWidget(line)
    completer = QCompleter(["one", "two"], line)
    line.setCompleter(completer)
    line.show()
    qtbot.keyClicks(line, "o")
    popup = completer.popup()
    qtbot.waitUntil(popup.isVisible)
    ground = popup.grab().toImage().pixelColor(popup.width() - 12, popup.height() // 2)
    assert ground.name() in {theme().palette.color(each).name() for each in ("raised", "hover", "accent_soft")}
    popup.hide()
