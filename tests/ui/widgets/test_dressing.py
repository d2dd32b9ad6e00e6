"""A theme is put on what is seen at once, and on what is hidden before anybody sees it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QSpinBox,
    QTabWidget,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from tests.ui.pictures.contrast import contrast
from ui.charts.plots.scaled_axis import ScaledAxis, TimeAxis
from ui.widgets.theme import THEMES, Theme, theme


@pytest.fixture
def tabs(qtbot):
    """Two pages, of which the first is seen; labels deep within."""
    theme().apply("dark", QApplication.instance())
    tabs = QTabWidget()
    qtbot.addWidget(tabs)
    for name in ("seen", "hidden"):
        page = outer = QWidget()
        for _ in range(4):
            inner = QWidget()
            QVBoxLayout(outer).addWidget(inner)
            outer = inner
        layout = QVBoxLayout(outer)
        box = QComboBox()
        box.addItems(["one", "two"])
        for part in (QLabel(name, objectName=name), QLineEdit(name), QPushButton(name), box):
            layout.addWidget(part)
        tabs.addTab(page, name)
    tabs.resize(300, 300)
    tabs.show()
    qtbot.waitExposed(tabs)
    return tabs


def colour(tabs: QTabWidget, name: str) -> str:
    label = tabs.findChild(QLabel, name)
    return label.palette().color(label.foregroundRole()).name()


def picture(widget: QWidget) -> np.ndarray:
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1).copy()


def test_what_is_seen_changes_at_once_and_what_is_hidden_when_it_is_shown(tabs, qapp):
    dark = colour(tabs, "seen")
    theme().apply("light", qapp)
    light = theme().palette.color("text").name()
    assert colour(tabs, "seen") == light != dark
    assert colour(tabs, "hidden") == dark
    tabs.setCurrentIndex(1)
    assert colour(tabs, "hidden") == light


def test_every_system_has_the_same_style_which_is_set_once(qapp, monkeypatch):
    """Set again, it would polish every widget once more."""
    styles = []
    monkeypatch.setattr(qapp, "setStyle", styles.append)
    qapp.setStyleSheet("")
    for name in ("light", "dark"):
        theme().apply(name, qapp)
        assert styles == ["Fusion"]


def test_what_is_hidden_follows_by_itself(tabs, qapp, qtbot):
    theme().apply("light", qapp)
    qtbot.waitUntil(lambda: colour(tabs, "hidden") == theme().palette.color("text").name())


def test_the_last_of_two_themes_in_a_moment_stays(tabs, qapp, qtbot):
    theme().apply("light", qapp)
    gone = tabs.widget(1)
    theme().apply("dark", qapp)
    tabs.removeTab(1)
    gone.deleteLater()
    qtbot.wait(100)
    assert colour(tabs, "seen") == theme().palette.color("text").name()


@pytest.mark.parametrize("page", [0, 1])
def test_a_theme_looks_as_if_it_had_been_the_first(tabs, qapp, page):
    """Every pixel, there and back."""
    tabs.setCurrentIndex(page)
    pictures = {}
    for name in THEMES:
        theme().apply(name, qapp)
        sheet = qapp.styleSheet()
        qapp.setStyleSheet("")
        qapp.setStyleSheet(sheet)
        pictures[name] = picture(tabs)
    for name in (*THEMES, *THEMES):
        theme().apply(name, qapp)
        np.testing.assert_array_equal(picture(tabs), pictures[name])
    assert (pictures["dark"] != pictures["light"]).any()


PICTURE = '<img src="/dev/zero">'
"""A name of a stranger's: as markup it would be read for ever, and on Windows from another machine."""


def test_what_a_label_or_a_tip_says_is_no_markup_unless_it_is_meant(qapp):
    theme().apply("dark", qapp)
    box = QWidget()
    plain, meant = QLabel(f"There is no population '{PICTURE}'.", box), QLabel("<b>Keys</b>", box)
    meant.setTextFormat(Qt.TextFormat.RichText)
    asked = QMessageBox(QMessageBox.Icon.Question, "Open", PICTURE, parent=box)
    asked.ensurePolished()
    for label in (plain, meant, *asked.findChildren(QLabel)):
        label.ensurePolished()
    assert plain.textFormat() is Qt.TextFormat.PlainText
    assert meant.textFormat() is Qt.TextFormat.RichText
    (question,) = (label for label in asked.findChildren(QLabel) if label.text())
    assert question.textFormat() is Qt.TextFormat.PlainText
    QToolTip.showText(QPoint(10, 10), "a tip", box)
    tips = [label for label in qapp.topLevelWidgets() if label.metaObject().className() == "QTipLabel"]
    assert tips
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in tips)
    QToolTip.hideText()


def test_titles_of_axes_are_no_markup(qapp):
    scaled, timed = ScaledAxis("left"), TimeAxis("bottom")
    scaled.resize(60, 600)  # where there is room for it
    scaled.set_unit("mV", "#ffffff", PICTURE)
    timed.titled(PICTURE, "mV", "#ffffff", times=False)
    for axis in (scaled, timed):
        assert axis.label.toPlainText().startswith(PICTURE)


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("kind", [QSpinBox, QDoubleSpinBox])
def test_boxes_of_numbers_look_as_other_fields_do(qtbot, qapp, name, kind):
    """Of one height, with one border: of dialogs they stood out, lower and with grey buttons."""
    theme().apply(name, qapp)
    page = QWidget()
    qtbot.addWidget(page)
    number, choice = kind(page), QComboBox(page)
    layout = QVBoxLayout(page)
    layout.addWidget(choice)
    layout.addWidget(number)
    page.resize(200, 90)
    page.show()
    qtbot.waitExposed(page)
    choice.clearFocus()
    number.clearFocus()
    assert number.height() == choice.height()
    pictures = [widget.grab().toImage() for widget in (choice, number)]
    middle, last = number.height() // 2, number.height() - 1
    for spot in (QPoint(60, 0), QPoint(60, last), QPoint(0, middle), QPoint(pictures[0].width() - 1, middle)):
        assert pictures[0].pixelColor(spot) == pictures[1].pixelColor(spot), spot


@pytest.mark.parametrize("name", THEMES)
def test_a_tick_that_is_locked_is_seen(qapp, qtbot, name):
    theme().apply(name, qapp)
    boxes = [QCheckBox(), QCheckBox()]
    boxes[0].setChecked(True)
    for box in boxes:
        qtbot.addWidget(box)
        box.setEnabled(False)
        box.show()
    ticked, empty = (picture(box).view(np.uint32) for box in boxes)
    assert float(contrast(ticked, empty).max()) > 3, "of a figure, WCAG 1.4.11"


@pytest.mark.parametrize("turn", range(2))
def test_every_test_begins_in_the_dark_theme(qapp, turn):
    """Colours and heights of those after one of the light theme were others."""
    assert theme().palette.name == "dark"
    theme().apply("light", qapp)


def test_a_window_changes_its_theme_after_temporary_folders_were_cleaned(qapp):
    """As systems do with what has not been touched for days: the menu's entry ended in an unexpected error."""
    one = Theme()
    shutil.rmtree(one._images.name)
    pictures = re.findall(r"url\((.*?)\)", one._style_sheet())
    assert pictures
    assert all(Path(each.strip("\"'")).is_file() for each in pictures)
