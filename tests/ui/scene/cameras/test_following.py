"""Colour ranges that follow the values in the picture."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import FieldInfo
from engines.geometry.grid import Grid
from tests.ui.scene.grids import gather, info
from ui.scene.cameras.following import FEW, beyond, drawn_range, followed, ladder
from ui.scene.scene import Scene
from workbench.project.project import ViewSettings
from workbench.run.frames import Frame

FIELD = FieldInfo("Ez", "Ez", "V/m", "cell", (-1.5, 1.5), "diverging")


def test_a_range_follows_its_values_in_steps() -> None:
    assert [ladder(value) for value in (0.9, 1.0, 1.2, 4e-5, 2.1e9)] == [1.0, 1.0, 1.5, 5e-5, 3e9]
    values = np.linspace(-1.0, 1.0, 1001)
    natural, before, ranges = (-5.0, 5.0), None, []
    for strength in 0.8 ** np.arange(30):
        before = followed([strength * values], natural, before)
        ranges.append(before)
        assert before[0] == -before[1]
        assert 0.3 * before[1] <= strength <= 1.01 * before[1], "the colours are used"
    assert len(set(ranges)) < 10, "and the bar stays calm"
    for nothing in ([0 * values], [], [values[:0]]):
        assert followed(nothing, natural, before) == before
        assert followed(nothing, (-85.0, 40.0), before) == before
    assert followed([np.abs(values)], (0.0, 5.0), None) == (0.0, 1.0)
    assert followed([values], (-85.0, 40.0), None) == (-1.0, 1.0)


def test_a_scene_follows_where_the_view_says_so() -> None:
    scene, values = Scene(), np.linspace(-0.04, 0.02, 6**3, dtype=np.float32)
    request = scene.set_simulation(info(Grid((6, 6, 6), (1.0, 1.0, 1.0)), FIELD))
    taken = {name: gather(values, selection) for name, (_, selection) in request.parts.items()}
    assert scene.show_frame(Frame(request.serial, 1, 0.1, taken))
    assert scene.limits(FIELD) == (-1.5, 1.5)
    scene.apply_view(ViewSettings(follow=True), 1.5)
    assert scene.limits(FIELD) == (-0.05, 0.05), "at once, from the values that are there"
    scene.show_frame(Frame(request.serial, 2, 0.2, {name: 0.1 * each for name, each in taken.items()}))
    assert scene.limits(FIELD) == (-0.005, 0.005)
    scene.apply_view(ViewSettings(range=(-1.0, 1.0)), 1.5)
    assert scene.limits(FIELD) == (-1.0, 1.0)


@pytest.mark.parametrize(
    ("given", "drawn"),
    [
        ((3.0, 3.0 + 1e-8), (2.99997, 3.00003)),
        ((-3.0 - 1e-8, -3.0), (-3.00003, -2.99997)),
        ((1e5, 1e5 + 0.5), (1e5, 1e5 + 0.5)),  # 64 steps of fp32
        ((0.0, 1e-20), (0.0, 1e-20)),
        ((2.0, 2.0), (2.0, 3.0)),
        ((1e9, 1e9), (1e9 - 1e4, 1e9 + 1e4)),
    ],
)
def test_a_range_is_one_that_colours_can_tell_apart(given, drawn) -> None:
    """A plate of one colour is not said to be 3.000000000 everywhere where it goes to 3.00000001."""
    assert drawn_range(*given) == pytest.approx(drawn, rel=1e-8)
    field = FieldInfo("T", "T", "K", "cell", given)
    scene = Scene()
    scene.set_simulation(info(Grid((6, 6, 6), (1.0, 1.0, 1.0)), field))
    assert scene.limits(field) == drawn_range(*given)


def test_what_lies_beyond_the_colours_is_told_in_per_cent_and_in_fives_from_ten_on() -> None:
    assert beyond([np.array([5.0])], 0.0, 1.0) == (0, 100)
    assert beyond([], 0.0, 1.0) == (0, 0)
    assert beyond([np.array([-1.0, 0.0]), np.array([[1.0, np.inf]])], 0.0, 1.0) == (35, 0)  # of three known ones
    assert beyond([np.r_[np.full(9, -1.0), np.full(12, 2.0), np.full(79, 0.5)]], 0.0, 1.0) == (9, 10)


@pytest.mark.parametrize(
    ("thousandths", "told"),
    [(0, 0), (1, FEW), (4, FEW), (6, 1), (94, 9), (99, 10), (106, 10), (124, 10), (126, 15), (996, 100)],
)
def test_shares_beyond_the_colours_are_rounded_to_whole_per_cent_and_above_ten_to_fives(thousandths, told) -> None:
    values = np.full(1000, 0.5)
    values[:thousandths] = -1.0
    assert beyond([values], 0.0, 1.0) == (told, 0)
    assert beyond([-values], -1.0, 0.0) == (0, told)
