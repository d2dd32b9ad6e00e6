"""The checks of pictures find what is wrong, each planted by hand."""

import numpy as np
import pytest
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QPushButton,
    QTabBar,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from tests.ui.pictures.contrast import contrast, faint_texts, left_of, picture_of
from tests.ui.pictures.walk import beyond, covered, cut_texts, faults, words_of_programs
from ui.widgets.elided import ElidedLabel
from ui.widgets.theme import palette, theme


@pytest.fixture
def page(qtbot, qapp):
    theme().apply("dark", qapp)
    page = QWidget()
    qtbot.addWidget(page)
    page.setObjectName("panel")
    page.resize(400, 300)
    return page


def shown(page, *widgets):
    for widget in widgets:
        widget.setParent(page)
    page.show()
    return page


def test_a_page_without_faults(page):
    layout = QVBoxLayout(page)
    for widget in (QLabel("Length [mm]"), QPushButton("Run"), ElidedLabel("Short")):
        layout.addWidget(widget)
    assert not faults(shown(page))
    assert not faint_texts(page, picture_of(page))


@pytest.mark.parametrize("kind", [QLabel, QPushButton, ElidedLabel])
def test_texts_without_room(page, kind):
    widget = kind("A text that has no room in forty points")
    widget.setGeometry(10, 10, 40, 30)
    (told,) = cut_texts(shown(page, widget))
    assert "A text that has no room" in told


def test_a_sentence_that_is_one_line_too_high_and_a_choice_that_is_too_long(page):
    label, choice = QLabel("words " * 20), QComboBox()
    label.setWordWrap(True)
    label.setGeometry(10, 10, 100, 40)
    choice.addItem("Leaky integrate-and-fire neurons")
    choice.setGeometry(10, 100, 100, 30)
    assert len(cut_texts(shown(page, label, choice))) == 2


def test_a_tab_without_room(page):
    tabs = QTabBar()
    tabs.setUsesScrollButtons(False)
    for text in ("Particles and their sizes", "Electrodes", "Charts of this run"):
        tabs.addTab(text)
    tabs.setGeometry(0, 0, 150, 30)
    assert cut_texts(shown(page, tabs))


def test_widgets_over_each_other_and_out_of_their_parent(page):
    one, other, out = QPushButton("One"), QPushButton("Other"), QPushButton("Out")
    one.setGeometry(10, 10, 100, 30)
    other.setGeometry(60, 20, 100, 30)
    out.setGeometry(350, 200, 100, 30)
    assert len(covered(shown(page, one, other, out))) == 1
    assert len(beyond(page)) == 1


@pytest.mark.parametrize(
    ("text", "wrong"),
    [("negative_particle_radius", True), ("grid.cells_x", True), ("7.336e-05 s", True), (".00000", True),
     ("None", True), ("53480.00 s", True), ("Built on AMD EPYC.", False), ("run.json", False), ("73.36 µs", False),
     ("U.S. units", False), ("None yet.", False), ("e.g. this", False), ("14 h 51 min", False)],
)  # fmt: skip
def test_words_that_only_programmers_write(page, text, wrong):
    assert bool(words_of_programs(shown(page, QLabel(text)))) == wrong


def test_such_words_in_a_tree(page):
    tree = QTreeWidget()
    tree.setGeometry(0, 0, 300, 200)
    branch = QTreeWidgetItem(tree, ["Material"])
    QTreeWidgetItem(branch, ["fracture_energy"])
    shown(page, tree)
    assert not words_of_programs(page)
    branch.setExpanded(True)
    assert words_of_programs(page)


def test_faint_texts(page):
    label = QLabel("Hardly to be read")
    label.setGeometry(10, 10, 200, 30)
    label.setStyleSheet("color: #3a4048")
    (told,) = faint_texts(shown(page, label), picture_of(page))
    assert "Hardly to be read" in told
    label.setEnabled(False)
    assert not faint_texts(page, picture_of(page))


def test_contrast_is_that_of_wcag():
    black, grey, white = (np.uint32(each) for each in (0xFF000000, 0xFF767676, 0xFFFFFFFF))
    assert float(contrast(black, white)) == pytest.approx(21.0)
    assert float(contrast(grey, white)) == pytest.approx(4.54, abs=0.005)


def test_what_another_theme_left(page):
    left = QWidget()
    left.setGeometry(0, 0, 100, 100)
    left.setStyleSheet(f"background: {palette('light').surface}")
    picture = picture_of(shown(page, left))
    assert left_of(palette("light"), palette("dark"), picture)
    assert not left_of(palette("dark"), palette("light"), picture_of(left))
