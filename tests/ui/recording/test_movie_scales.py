"""A movie has one range of colours and draws displacements equally often, those that hold all of its frames."""

from types import SimpleNamespace

import numpy as np

from tests.ui.scene.layers.test_lattice_layer import lattice, shown
from ui.recording.movie_dialog import MovieWish
from ui.recording.playback import Playback
from ui.recording.reel import write
from ui.recording.shooting import Shooting
from ui.scene.cameras.movie_scales import MovieScales
from ui.scene.layers.particles import MOVED, VALUES
from ui.widgets.background import Background
from workbench.run.frames import Frame

PEAKS, MOVES = (0.0, 0.4, 7.0, 30.0), (0.0, 1e-3, 4e-3, 0.02)
"""Of each frame; the body is 6 mm long between its middles: the largest is drawn as a twentieth of that, or less."""


def frames(reel):
    for step, (peak, moved) in enumerate(zip(PEAKS, MOVES, strict=True)):
        values = {VALUES: np.full(12, peak, np.float32), MOVED: np.full((12, 3), moved / 3**0.5, np.float32)}
        reel.add(*write(Frame(-1, step, float(step), values), reel.begin()))
    return list(reel.frames)


def movie_of(qtbot, scene, kept):
    """The range and the magnification of each of its pictures."""
    seen, background = [], Background()
    playback = Playback(background, None)
    playback.newest = kept[-1].rest
    playback.looked.connect(lambda frame: frame is None or scene.show_frame(frame))

    def image(*_):
        seen.append((scene.limits(scene.shown_field), scene.deformation))
        return np.zeros((4, 4, 4), np.uint8)

    viewport = SimpleNamespace(scene=scene, image=image, set_overlay=lambda lines: None)
    movie = SimpleNamespace(add=lambda picture: None, finish=lambda: None, path="m", frames=len(kept))
    wish = MovieWish(".gif", (4, 4), 25)
    shooting = Shooting(playback, viewport, movie, wish, kept, background, background)
    with qtbot.waitSignal(shooting.ended, timeout=10_000):
        shooting.begin()
    background.close()
    assert scene.movie is None
    return seen


def test_one_movie_keeps_one_magnification_and_one_range(qtbot, reel):
    scene = shown(lattice(4, 3), np.zeros(12), np.zeros((12, 3)), follow=True)
    seen = movie_of(qtbot, scene, frames(reel))
    assert seen == [((0.0, 30.0), 10.0)] * 4


def test_a_persons_own_numbers_count(qtbot, reel):
    scene = shown(lattice(4, 3), np.zeros(12), np.zeros((12, 3)), field="damage", range=(0.0, 5.0), deformation=3.0)
    assert movie_of(qtbot, scene, frames(reel)) == [((0.0, 5.0), 3.0)] * 4


def test_what_is_fixed_is_widened_no_more():
    scales = MovieScales()
    assert [scales.longest_with(one) for one in (0.2, 0.1, 0.5)] == [0.2, 0.2, 0.5]
    scales.fixed = True
    assert (scales.longest_with(9.0), scales.range_with((0.0, 1.0)), scales.deformation_with(7.0)) == (0.5, None, 7.0)
