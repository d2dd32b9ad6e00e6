"""Sentences, titles and dialogs on a small screen."""

import pytest
from PySide6.QtCore import QMargins, QRect, QSize, Qt
from PySide6.QtWidgets import QWidget

from engines.api import Finding
from ui.widgets.banner import Banner
from ui.widgets.findings_banner import FindingsBanner
from ui.widgets.parts import FRAME, bring_within, resize_within

QUESTION = "This run is finished. Run on, or start over from zero? Starting over clears its curves."
ANSWERS = ("Run on to 4000 ms", "Start over", "Start over without asking")


def laid_out(qtbot, banner, width):
    """The banner as high as it asks to be at this width."""
    qtbot.addWidget(banner)
    banner.resize(width, banner.heightForWidth(width))
    banner.arrange()
    banner.resize(width, banner.heightForWidth(width))
    banner.layout().activate()
    return banner


@pytest.mark.parametrize(("width", "beside"), [(630, False), (1500, True)])
def test_a_question_has_the_width_for_itself_where_its_answers_leave_none(qtbot, width, beside):
    banner = Banner()
    banner.ask(QUESTION, {text: lambda: None for text in ANSWERS})
    laid_out(qtbot, banner, width)
    first = banner.answers[0].geometry()
    assert (first.top() < banner.label.geometry().bottom()) == beside
    assert banner.height() < 100, "in a column beside its answers it took 142 points"
    assert [button.text() for button in sorted(banner.answers, key=lambda one: one.x())] == list(ANSWERS)


def test_a_short_finding_is_one_line(qtbot):
    banner = FindingsBanner()
    banner.show_findings((Finding("Few cells.", "info", ("grid",)),))
    laid_out(qtbot, banner, 630)
    assert banner.show_place.geometry().top() < banner.label.geometry().bottom()


@pytest.mark.parametrize(("room", "size"), [((1280, 720), (1240, 720 - FRAME.height())), ((1920, 1080), (1240, 780))])
def test_a_dialog_is_no_larger_than_the_screen(qtbot, room, size):
    dialog = QWidget()
    qtbot.addWidget(dialog)
    resize_within(dialog, QSize(1240, 780), QSize(*room))
    assert dialog.size() == QSize(*size)


class Framed(QWidget):
    """With a frame as a desktop draws one: ``left``, ``top``, ``right`` and ``bottom`` pixels wide."""

    def __init__(self, *margins):
        super().__init__()
        self.margins = QMargins(*margins)
        self.frame = QRect()

    def frameGeometry(self):
        return QRect(self.frame.topLeft(), self.size().grownBy(self.margins))

    def move(self, place):
        self.frame.moveTo(place)


@pytest.mark.parametrize("room", [QRect(0, 0, 1280, 720), QRect(64, 27, 1216, 653), QRect(1920, 0, 1280, 720)])
@pytest.mark.parametrize("margins", [(0, 0, 0, 0), (1, 37, 1, 1), (8, 60, 8, 8)])
@pytest.mark.parametrize("at", [(0, 0), (300, 400), (1900, -20), (2500, 700)])
@pytest.mark.parametrize("size", [(1280, 720), (1264, 672), (400, 300)])
def test_a_window_stands_on_the_screen_with_its_frame(qtbot, room, margins, at, size):
    window = Framed(*margins)
    qtbot.addWidget(window)
    window.resize(*size)
    window.frame.moveTo(*at)
    before = window.frameGeometry()
    bring_within(window, room)
    assert room.contains(window.frameGeometry())
    if room.contains(before):
        assert window.frameGeometry() == before, "it stays where it fits"
    fits = room.size() - before.size()
    if fits.width() >= 0 and fits.height() >= 0:
        assert window.frameGeometry().size() == before.size(), "no smaller than it must be"


def test_a_window_that_fills_its_screen_stays_so(qtbot):
    window = Framed(0, 40, 0, 0)
    qtbot.addWidget(window)
    window.setWindowState(Qt.WindowState.WindowMaximized)
    size = window.size()
    bring_within(window, QRect(0, 0, 100, 100))
    assert window.size() == size
