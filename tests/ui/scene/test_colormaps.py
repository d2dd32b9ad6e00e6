"""Colour maps are whole, lightness of sequential ones rises, and ticks are round."""

import numpy as np
import pytest

from ui.scene.colormaps import colormap, distinct_colours, names
from ui.scene.visuals.plates import nice_step, tick_labels, ticks


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
