"""What lies behind and over a scene: sent once, drawn over what there is, in the colours that were asked for."""

import numpy as np
import pytest

from tests.ui.scene.visuals.test_told_to_shaders import GLASSY, Graphics
from ui.scene.visuals import screen
from ui.scene.visuals.plates import DARK
from ui.scene.visuals.screen import Background, Sprites, Stroke, Strokes, Target

OVER = {**GLASSY, "depth_test": False, "cull_face": False}
OVER.pop("depth_mask")  # without a test of depth nothing is written of it
SQUARE = [[0, 0], [1, 0], [0, 1], [1, 1]]
SIZE = (640, 480)


class Screen(Graphics):
    """With a buffer to draw into and a window."""

    def __init__(self):
        super().__init__()
        self.viewport, self.cleared = None, None

    def set_viewport(self, *place):
        self.viewport = place

    def clear(self, **what):
        self.cleared = what, dict(self.state)

    def RenderBuffer(self, shape, kind):  # as it is called there
        return shape, kind

    def FrameBuffer(self, colour, depth):
        graphics = self

        class Made:
            size, gone, active = (colour.shape[:2], depth), False, False

            def activate(self):
                self.active = True

            def deactivate(self):
                self.active = False

            def delete(self):
                self.gone = True

            __enter__ = activate

            def __exit__(self, *_):
                self.active = False

        graphics.buffer = Made()
        return graphics.buffer

    def read_pixels(self, place, alpha):
        assert self.buffer.active
        return place, alpha


@pytest.fixture
def graphics(monkeypatch):
    made = Screen()
    monkeypatch.setattr(screen, "gloo", made)
    monkeypatch.setattr(screen, "program", made.program)
    return made


def test_the_background_is_where_nothing_is(graphics):
    """Drawn after the scene: behind all that has a depth, and without one of its own."""
    Background().draw(DARK, *SIZE)
    (done,) = graphics.drawn
    for name, colour in (("u_top", DARK.top), ("u_bottom", DARK.bottom), ("u_glow", DARK.glow)):
        np.testing.assert_allclose(255 * done.told[name], colour, rtol=1e-6)
    assert (done.told["u_size"], done.told["u_place"]) == (SIZE, (0, 0, *SIZE))
    assert done.state == {"blend": False, "depth_test": True, "depth_func": "lequal", "depth_mask": False,
                          "cull_face": False}  # fmt: skip
    assert done.kind == "triangle_strip"
    np.testing.assert_array_equal(done.told["a_corner"].data, SQUARE)


def test_a_picture_off_the_screen_is_made_anew_only_at_another_size_and_fills_the_window(graphics):
    target = Target()
    target.begin(*SIZE)
    buffer = graphics.buffer
    assert buffer.active
    assert buffer.size == ((480, 640), ((480, 640), "depth"))
    assert graphics.viewport == (0, 0, *SIZE)
    assert graphics.cleared == ({"color": False, "depth": True}, {"depth_mask": True}), "else depth stays"
    target.end()
    assert not buffer.active
    assert target.read() == ((0, 0, *SIZE), True)
    target.begin(*SIZE)
    assert graphics.buffer is buffer
    target.begin(320, 240)
    assert buffer.gone
    assert graphics.buffer is not buffer
    target.show(800, 600)
    (done,) = graphics.drawn
    assert graphics.viewport == (0, 0, 800, 600)
    assert (done.told["u_place"], done.told["u_size"], done.told["u_flip"]) == ((0, 0, 800, 600), (800, 600), 1.0)
    assert done.told["u_texture"].interpolation == "linear"
    assert {name: done.state[name] for name in ("blend", "depth_test", "cull_face")} == dict.fromkeys(
        ("blend", "depth_test", "cull_face"), False
    )
    np.testing.assert_array_equal(done.told["a_corner"].data, SQUARE)
    last = graphics.buffer
    target.release()
    assert last.gone
    target.release()
    target.begin(320, 240)
    assert graphics.buffer is not last


def test_plates_are_sent_once_lie_where_they_were_placed_and_are_forgotten(graphics):
    sprites = Sprites()
    images = [np.full((20, 30, 4), number, np.uint8) for number in range(3)]
    sprites.draw([("a", images[0], 5, 6), ("b", images[1], 50, 60)], *SIZE)
    first, second = graphics.drawn
    assert [each.told["u_place"] for each in graphics.drawn] == [(5, 6, 30, 20), (50, 60, 30, 20)]
    assert first.told["u_size"] == SIZE
    assert first.told["u_flip"] == 0.0
    assert first.state == OVER
    np.testing.assert_array_equal(first.told["u_texture"].data, images[0])
    np.testing.assert_array_equal(second.told["a_corner"].data, SQUARE)
    sprites.draw([("a", images[0], 7, 8)], *SIZE)
    assert graphics.drawn[2].told["u_texture"] is first.told["u_texture"], "moved, not sent"
    assert second.told["u_texture"].gone
    sprites.draw([("a", images[2], 7, 8)], *SIZE)
    np.testing.assert_array_equal(graphics.drawn[3].told["u_texture"].data, images[2])


def test_strokes_are_smooth_lines_of_their_own_width_and_colour_and_none_of_before_stays(graphics):
    strokes = Strokes()
    strokes.draw([], *SIZE)
    assert not graphics.drawn
    strokes.draw(
        [Stroke((1, 2), (3, 4), 5.0, (200, 100, 50, 51)), Stroke((6, 7), (8, 9), 2.0, (0, 0, 255, 255))], *SIZE
    )
    (done,) = graphics.drawn
    assert done.told["u_size"] == SIZE
    assert (done.kind, done.state) == ("triangles", OVER)
    data = done.of.buffer.data.reshape(2, 4)
    np.testing.assert_array_equal(data["a_from"], np.repeat([[[1, 2]], [[6, 7]]], 4, axis=1))
    np.testing.assert_array_equal(data["a_to"], np.repeat([[[3, 4]], [[8, 9]]], 4, axis=1))
    np.testing.assert_array_equal(data["a_radius"], [[5] * 4, [2] * 4])
    np.testing.assert_array_equal(data["a_corner"][0], 2 * np.array(SQUARE) - 1)
    np.testing.assert_allclose(255 * data["a_colour"][:, 0], [[40, 20, 10, 51], [0, 0, 255, 255]], rtol=1e-5)
    np.testing.assert_array_equal(done.index.data, [0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7])
    strokes.draw([Stroke((1, 2), (3, 4), 5.0, (200, 100, 50, 51))], *SIZE)
    np.testing.assert_array_equal(graphics.drawn[1].index.data, [0, 1, 2, 2, 1, 3])
    assert len(graphics.drawn[1].of.buffer.data) == 4
