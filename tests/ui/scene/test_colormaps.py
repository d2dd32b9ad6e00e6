"""Colour maps are whole, lightness of sequential ones rises, and ticks are round."""

import numpy as np
import pytest

from ui.scene.colormaps import DARKEST, colormap, distinct_colours, lightness, names
from ui.scene.visuals.plates import DARK, LIGHT, log_ticks, nice_step, tick_labels, ticks


def luminance(lut):
    linear = (lut / 255.0) ** 2.2
    return linear @ [0.2126, 0.7152, 0.0722]


def test_all_maps_are_there_and_whole() -> None:
    assert {"viridis", "inferno", "voltage", "diverging"} <= set(names())
    for name in names():
        assert colormap(name).shape == (256, 3)
        assert colormap(name).dtype == np.uint8


@pytest.mark.parametrize("name", ["viridis", "inferno", "voltage", "grey"])
def test_sequential_maps_rise_from_dark_to_bright(name: str) -> None:
    bright = luminance(colormap(name))
    assert (np.diff(bright) > -0.004).all()  # one step of 8-bit rounding
    assert bright[-1] > bright[0] + 0.5


def test_diverging_map_is_brightest_in_the_middle() -> None:
    assert abs(int(luminance(colormap("diverging")).argmax()) - 127) <= 8


def test_unknown_names_give_viridis() -> None:
    assert (colormap("no such map") == colormap("viridis")).all()


def test_region_colours_differ() -> None:
    colours = distinct_colours(9).astype(int)
    apart = np.abs(colours[:, None] - colours[None]).sum(axis=2) + 999 * np.eye(9, dtype=int)
    assert apart.min() > 20


def test_ticks_are_round_and_within() -> None:
    assert ticks(-90, 40) == pytest.approx([-75, -50, -25, 0, 25])
    assert tick_labels([-75.0, 0.0]) == ["−75", "0"]
    assert tick_labels([0.0, 0.25, 0.5]) == ["0.00", "0.25", "0.50"]
    assert nice_step(0.13) == pytest.approx(0.2)


def test_the_cyclic_map_closes() -> None:
    lut = colormap("cycle").astype(int)
    steps = np.abs(np.diff(lut, axis=0)).max()
    assert np.abs(lut[0] - lut[-1]).max() <= steps


@pytest.mark.parametrize("name", names())
def test_what_is_at_rest_is_seen_on_a_dark_view(name: str) -> None:
    """The ends of every map, and the middle of the diverging one, stand off the background; none of them shines."""
    ground = lightness(np.array([DARK.top, DARK.bottom])).max()
    lut = colormap(name, dark=True)
    assert lightness(lut)[[0, 255]].min() >= (DARKEST if name != "cycle" else 0.3) - 0.01
    assert lightness(lut).min() > ground + 0.04
    assert (colormap(name, dark=True, reverse=True) == lut[::-1]).all()
    assert colormap(name, dark=True, reverse=True) is colormap(name, dark=True, reverse=True), "compared by identity"


def test_zero_of_a_diverging_map_is_near_the_background_in_both_themes() -> None:
    for theme, dark in ((DARK, True), (LIGHT, False)):
        middle = colormap("diverging", dark)[127]
        ground = lightness(np.array([theme.top, theme.bottom]))
        assert np.abs(lightness(middle) - ground).min() < 0.1
    left, right = (colormap("diverging", dark=True)[end].astype(int) for end in (40, 215))
    assert left[2] > left[0] + 60, "blue below zero"
    assert right[0] > right[2] + 60, "red above it"


def test_lightness_of_known_colours() -> None:
    """Ottosson (2020): white 1, black 0; sRGB's red 0.628."""
    assert lightness(np.array([[255, 255, 255], [0, 0, 0], [255, 0, 0]])) == pytest.approx([1, 0, 0.628], abs=1e-3)


def test_ticks_of_a_logarithm() -> None:
    assert log_ticks(2e-4, 2.0) == pytest.approx([1e-3, 1e-2, 0.1, 1.0])
    assert log_ticks(3.0, 40.0) == pytest.approx([5.0, 10.0, 20.0])
    assert log_ticks(3.0, 4.0) == [3.0, 4.0]
