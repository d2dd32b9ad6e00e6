"""The range of the colours: a person's own, one that follows the values, and that of an angle, which has no other."""

from __future__ import annotations

import time as clock
from dataclasses import replace

import numpy as np
import pytest

from engines.api import FieldInfo
from tests.ui.scene.meshes import VOLTAGE, info, kuhn_cube
from ui.scene.cameras.following import FEW, beyond, followed, span_of
from ui.scene.overlays.hud import beyond_lines
from ui.scene.scene import Scene
from ui.scene.shapes.vertex_means import NO_DATA
from workbench.project.project import ViewSettings

AMPLITUDE = replace(VOLTAGE, title="Amplitude", range=(-1.0, 1.0))
ANGLE = replace(AMPLITUDE, range=(-180.0, 180.0), cyclic=True)


def shown(field: FieldInfo, cells: int = 2, **view) -> Scene:
    mesh = kuhn_cube(cells)
    scene = Scene()
    scene.set_geometry(mesh)
    scene.info = replace(info(mesh), fields=(field,))
    scene.apply_view(ViewSettings(field="voltage", **view), 1.0)
    return scene


def show(scene: Scene, peak: float) -> tuple[float, float]:
    """The range once every other value is ``peak`` and the others are its opposite."""
    values = np.full(kuhn_cube(2).n_cells, peak, np.float32)
    values[::2] *= -1
    scene.show_fields({"voltage": values}, 0.0)
    return scene.limits(scene.shown_field)


def test_a_range_that_follows_grows_stays_and_shrinks_with_the_values():
    scene = shown(AMPLITUDE, follow=True)
    assert show(scene, 0.9) == (-1.0, 1.0)
    assert show(scene, 3.8) == (-5.0, 5.0)
    assert show(scene, 2.0) == (-5.0, 5.0), "while the values fill a good part of it, the bar stays calm"
    assert show(scene, 40.0) == (-50.0, 50.0)
    assert show(scene, 0.02) == (-0.02, 0.02)


def test_a_guessed_range_stays_around_zero_where_it_is_anchored_there():
    """As displacements, which grow with the time that a body flies."""
    field = replace(AMPLITUDE, guessed=True, anchored=True)
    scene = shown(field)
    assert show(scene, 0.0) == AMPLITUDE.range
    assert show(scene, 3.8) == (-5.0, 5.0)
    scene.apply_view(ViewSettings(field="voltage", range=(0.0, 7.0)), 1.0)
    assert show(scene, 40.0) == (0.0, 7.0), "until a person says another"
    assert show(shown(replace(field, range=(0.0, 1.0))), 30.0) == (0.0, 30.0)
    assert show(shown(replace(field, anchored=False)), 30.0) == pytest.approx((-30.0, 30.0), rel=0.5)


def test_a_persons_own_range_counts_where_nothing_is_followed():
    scene = shown(AMPLITUDE, range=(0.0, 7.0))
    assert show(scene, 40.0) == (0.0, 7.0)
    scene = shown(AMPLITUDE)
    assert show(scene, 40.0) == AMPLITUDE.range


@pytest.mark.parametrize("end", [0.0, -3.0])
def test_a_range_of_one_value_begins_there(end):
    """As where a field has one value everywhere: what is beyond it has the other colours."""
    assert show(shown(replace(AMPLITUDE, range=(end, end))), 1.0) == (end, end + 1.0)


def test_a_persons_range_goes_with_its_field():
    """Another set of fields came, in which the one that was fitted is not."""
    scene = shown(AMPLITUDE, range=(0.0, 7.0))
    scene.apply_view(ViewSettings(field="gone", range=(0.0, 7.0)), 1.0)
    assert show(scene, 40.0) == AMPLITUDE.range
    scene.apply_view(ViewSettings(range=(0.0, 7.0)), 1.0)
    assert show(scene, 40.0) == (0.0, 7.0), "a project may leave the field to its engine"


@pytest.mark.parametrize("view", [{"range": (0.0, 7.0)}, {"follow": True}, {}])
def test_an_angle_has_the_whole_circle_whatever_is_asked(view):
    assert show(shown(ANGLE, **view), 40.0) == (-180.0, 180.0)


def test_a_symmetric_range_and_a_logarithmic_one() -> None:
    scene = shown(VOLTAGE, range=(-90.0, 40.0), symmetric=True)
    assert show(scene, 1.0) == (-90.0, 90.0)
    amount = replace(AMPLITUDE, range=(0.0, 2.0))
    scene = shown(amount, logarithmic=True)
    assert show(scene, 1.0) == (0.0002, 2.0)
    assert scene.look().log
    assert not shown(AMPLITUDE, logarithmic=True).logarithmic(AMPLITUDE), "there is no logarithm of what has a sign"


def test_one_particle_far_out_does_not_take_the_colours_from_all_others() -> None:
    """A thousand values around 10 and one of 4000."""
    values = np.append(np.linspace(5.0, 15.0, 1000), 4000.0).astype(np.float32)
    assert followed([values], (0.0, 1.0), None, share=96.0) == (0.0, 15.0)
    assert followed([values], (-3.0, 1.0), None) == (5.0, 4000.0)
    low, high = followed([values], (-3.0, 1.0), None, share=96.0)
    assert (low, high) == pytest.approx((5.2, 14.8), abs=0.02)
    few = np.zeros(1000, np.float32)
    few[:5] = 3.0
    assert followed([few], (0.0, 1.0), None, share=96.0) == (0.0, 3.0), "the few that are not zero are what there is"
    assert span_of(few, 90.0) == (0.0, 3.0)


def test_a_field_that_begins_the_same_everywhere_lies_in_the_middle_and_is_followed_once_it_varies() -> None:
    flat = replace(VOLTAGE, title="u", range=(0.5, 1.5), guessed=True)
    scene, ones = shown(flat), np.ones(kuhn_cube(2).n_cells, np.float32)

    def limits(values) -> tuple[float, float]:
        scene.show_fields({"voltage": values.astype(np.float32)}, 0.0)
        return scene.limits(scene.shown_field)

    assert limits(ones) == (0.5, 1.5)
    noise = ones.copy()
    noise[::2] += 5e-7  # the last digits of fp32 get no colours
    assert limits(noise) == (0.5, 1.5)
    ramp = np.linspace(0.0, 1.0, len(ones))
    wide = limits(0.9 + 0.3 * ramp)
    drawn = np.concatenate([each.ravel() for each in scene.layer.drawn_values])  # means at corners
    assert wide == pytest.approx((drawn.min(), drawn.max()))
    assert limits(0.98 + 0.15 * ramp) == wide, "the bar stays calm"
    assert limits(1.0 + 9.0 * ramp)[1] > 5.0
    scene.apply_view(ViewSettings(field="voltage", range=(0.0, 2.0)), 1.0)
    assert limits(1.0 + 9.0 * ramp) == (0.0, 2.0), "a person's own counts"


def test_values_beyond_fixed_limits_are_counted_and_what_is_left_out_on_purpose_is_not() -> None:
    known = np.linspace(-1.0, 9.0, 1000, dtype=np.float32)  # a tenth is below 0, three twentieths above 7.5
    known[-1] = NO_DATA
    assert beyond([known[:500], known[500:]], 0.0, 7.5) == (10, 15)
    assert beyond([known], -1.0, 8.87) == (0, 1)
    assert beyond([], 0.0, 1.0) == beyond([known[-1:]], 0.0, 1.0) == (0, 0)
    scene = shown(AMPLITUDE, range=(0.0, 7.0))

    def told(value: float, alone: bool = False, **view) -> tuple[int, int]:
        scene.apply_view(ViewSettings(field="voltage", **view), 1.0)
        values = np.zeros(kuhn_cube(2).n_cells, np.float32)
        values[0 if alone else slice(None)] = value
        scene.show_fields({"voltage": values}, 0.0)
        return scene.beyond

    assert told(7.1, range=(0.0, 7.0)) == (0, 0), "it looks like the end of the range"
    assert told(7.3, range=(0.0, 7.0)) == (0, 100)
    assert told(-0.3, range=(0.0, 7.0)) == (100, 0)
    share = told(1e3, alone=True, range=(0.0, 7.0))[1]
    assert 0 < share < 40
    assert told(1e3, alone=True, range=(0.0, 7.0), outliers=share) == (0, 0)
    assert told(7.3, follow=True) == (0, 0)
    for low, below in ((0.0, 0), (1.0, 100)):
        scene.info = replace(scene.info, fields=(replace(AMPLITUDE, range=(low, 7.0)),))
        assert told(1e-5, logarithmic=True) == (below, 0), "a range from zero has no lower end"
        assert told(9.0, logarithmic=True) == (0, 100)
    scene.info = replace(scene.info, fields=(ANGLE,))
    assert told(400.0) == (0, 0)


@pytest.mark.parametrize(
    ("value", "left_out", "lines"),
    [(1e3, 0.0, ("", "< 1 % above")), (-1e3, 0.0, ("< 1 % below", "")), (1e3, 0.2, ("", "")), (1.0, 0.0, ("", ""))],
)
def test_a_few_values_beyond_the_range_are_told_unless_they_are_left_out(value, left_out, lines) -> None:
    scene = shown(AMPLITUDE, 20, range=(0.0, 7.0), outliers=left_out)
    values = np.zeros(kuhn_cube(20).n_cells, np.float32)
    values[0] = value
    scene.show_fields({"voltage": values}, 0.0)
    assert beyond_lines(scene.beyond) == lines


def test_not_one_value_among_many_is_passed_over() -> None:
    values = np.zeros(1_000_000, np.float32)
    values[123_457] = 2.0
    assert beyond([values], 0.0, 1.0) == (0, FEW)
    assert beyond([-values], -1.0, 0.0) == (FEW, 0)


def test_counting_what_is_beyond_a_range_is_cheap() -> None:
    values = [np.linspace(0.0, 1.0, 1_000_000, dtype=np.float32)] * 3
    seconds = []
    for _ in range(20):
        began = clock.thread_time()
        beyond(values, 0.2, 0.9)
        seconds.append(clock.thread_time() - began)
    assert min(seconds) < 2e-3
