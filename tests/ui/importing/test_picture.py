"""The picture of what is imported: the pointer turns it, no further than over the top, and roughly while it moves."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from ui.importing import picture as module
from ui.importing.picture import Picture

# Written out: what the sources have is held against these.
FINE = 2
SIDE = 300

TRIANGLE = np.array([[[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]])
COLOURS = np.array([[200, 10, 10]], np.uint8)


@pytest.fixture
def seen(qtbot, monkeypatch):
    """The picture, and what was asked of the one that draws."""
    asked, plain = [], module.drawn

    def noted(triangles, colours, side, back, *, turn, tilt, fine):
        asked.append((side, round(turn, 6), round(tilt, 6), fine))
        return plain(triangles, colours, side, back, turn=turn, tilt=tilt, fine=fine)

    monkeypatch.setattr(module, "drawn", noted)
    window = QWidget()
    qtbot.addWidget(window)
    picture = Picture(window)
    window.show()
    yield picture, asked
    window.close()


def test_on_a_fine_screen_it_is_drawn_in_its_pixels_at_rest_and_in_points_while_it_turns(seen, qtbot, monkeypatch):
    picture, asked = seen
    monkeypatch.setattr(picture, "devicePixelRatioF", lambda: 2.0)
    picture.show_triangles(TRIANGLE, COLOURS)
    qtbot.mousePress(picture, Qt.MouseButton.LeftButton, pos=QPoint(100, 100))
    qtbot.mouseMove(picture, QPoint(140, 130))
    qtbot.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=QPoint(140, 130))
    assert [(side, fine) for side, _, _, fine in asked] == [(600, 2), (300, 1), (600, 2)]


def test_it_is_turned_by_dragging_and_drawn_finely_at_rest(seen, qtbot):
    picture, asked = seen
    qtbot.mouseMove(picture, QPoint(90, 90))
    assert asked == []
    picture.show_triangles(TRIANGLE, COLOURS)
    assert asked == [(SIDE, 0.7, 0.4, FINE)]
    assert picture.pixmap().width() == SIDE
    assert (picture.pixmap().toImage().pixelColor(SIDE // 2, SIDE // 2).red()) > 60
    qtbot.mousePress(picture, Qt.MouseButton.RightButton, pos=QPoint(100, 100))
    qtbot.mouseMove(picture, QPoint(120, 100))
    qtbot.mouseRelease(picture, Qt.MouseButton.RightButton, pos=QPoint(120, 100))
    assert len(asked) == 1
    qtbot.mousePress(picture, Qt.MouseButton.LeftButton, pos=QPoint(100, 100))
    for to in (QPoint(140, 130), QPoint(140, 290), QPoint(130, 290)):
        qtbot.mouseMove(picture, to)
    qtbot.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=QPoint(130, 290))
    assert asked[1:] == [(SIDE, 0.3, 0.7, 1), (SIDE, 0.3, 1.5, 1), (SIDE, 0.4, 1.5, 1), (SIDE, 0.4, 1.5, FINE)]
    qtbot.mouseMove(picture, QPoint(10, 10))
    assert len(asked) == 5
    qtbot.mousePress(picture, Qt.MouseButton.LeftButton, pos=QPoint(100, 290))
    qtbot.mouseMove(picture, QPoint(100, -290))
    assert asked[-1] == (SIDE, 0.4, -1.5, 1)
    qtbot.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=QPoint(100, 10))
