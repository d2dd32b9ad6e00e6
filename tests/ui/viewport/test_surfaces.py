"""The 3D view without a graphics card: a picture drawn off the screen, with plates and strokes painted over it."""

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QWidget

from ui.scene.visuals.plates import DARK
from ui.scene.visuals.screen import Stroke
from ui.viewport.surfaces import RasterView

RED, GREEN = (220, 20, 20, 255), (20, 200, 20, 255)


@pytest.fixture
def view(qtbot):
    """In a window of 200 by 100 points, with one plate and one dot."""
    host, drawn = QWidget(), []
    qtbot.addWidget(host)
    made = RasterView(host, SimpleNamespace(theme=DARK), lambda *_: 1.0, drawn.append, SimpleNamespace(renderer="soft"))
    made.widget.resize(200, 100)
    made.drawn, made.asked = drawn, []
    made.plate = np.full((20, 30, 4), RED, np.uint8)

    def compose(scene, width, height, ratio):
        made.asked.append((width, height, ratio))
        return [("plate", made.plate, 40, 50)], [Stroke((12.0, 14.0), (12.0, 14.0), 5.0, GREEN)]

    made._painter = SimpleNamespace(hud=SimpleNamespace(compose=compose))
    made._picture = QImage(200, 100, QImage.Format.Format_RGB32)
    made._picture.fill(0)
    yield made
    made._painter = None


def painted(view, ratio):
    """(height, width, 3), as the display has it."""
    view.widget.devicePixelRatioF = lambda: ratio
    image = QImage(round(200 * ratio), round(100 * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    with QPainter(image) as painter:
        view._paint(painter)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)[:, : image.width()]
    return pixels[..., 2::-1].astype(int)


def where(pixels, colour):
    """First and last row and column of a colour."""
    rows, columns = np.nonzero((np.abs(pixels - colour[:3]) < 40).all(axis=2))
    return rows.min(), rows.max() + 1, columns.min(), columns.max() + 1


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_what_lies_over_the_picture_stands_at_its_pixels_on_every_display(view, ratio):
    """Plates and strokes are made of pixels of the display, whatever a point is."""
    pixels = painted(view, ratio)
    assert view.asked == [(200 * ratio, 100 * ratio, ratio)]
    assert where(pixels, RED) == pytest.approx((50, 70, 40, 70), abs=0 if ratio != 1.5 else 1)
    assert where(pixels, GREEN) == pytest.approx((9, 19, 7, 17), abs=1)


def test_a_plate_is_another_picture_as_soon_as_it_is_made_anew(view):
    assert where(painted(view, 1.0), RED) == (50, 70, 40, 70)
    view.plate = np.full((20, 30, 4), GREEN, np.uint8)
    assert where(painted(view, 1.0)[30:], GREEN) == (20, 40, 40, 70)


def test_what_a_picture_took_is_told_once(view):
    view._fresh = 0.25
    painted(view, 1.0)
    painted(view, 1.0)
    (seconds,) = view.drawn
    assert 0.25 < seconds < 5.0


def test_without_a_picture_there_is_the_ground_and_without_opengl_a_sentence(view):
    view._picture = None
    ground = painted(view, 1.0)
    assert (ground == DARK.top).all()
    view._context.renderer = ""
    told = painted(view, 1.0)
    assert (told != DARK.top).any()
    assert not view.asked, "nothing lies over what there is not"
    view.refresh()
    assert view._picture is None
