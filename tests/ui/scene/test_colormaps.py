"""Colour maps are whole, lightness of sequential ones rises, and ticks are round."""

import numpy as np
import pytest

from ui.scene.colormaps import categories, colormap, distinct_colours, lightness, names
from ui.scene.visuals.plates import DARK, LIGHT, log_ticks, nice_step, ticks
from workbench.words.numbers import tick_texts

# Written out: what the sources have is held against these.
DARKEST = 0.33


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
    assert tick_texts([-75.0, 0.0]) == ["−75", "0"]
    assert tick_texts([0.0, 0.25, 0.5]) == ["0.00", "0.25", "0.50"]
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
        assert np.ptp(middle.astype(int)) < 16, "and grey: neither of the two sides"
    left, right = (colormap("diverging", dark=True)[end].astype(int) for end in (40, 215))
    assert left[2] > left[0] + 60, "blue below zero"
    assert right[0] > right[2] + 60, "red above it"


def test_lightness_of_known_colours() -> None:
    """Ottosson (2020): white 1, black 0; sRGB's red 0.628."""
    assert lightness(np.array([[255, 255, 255], [0, 0, 0], [255, 0, 0]])) == pytest.approx([1, 0, 0.628], abs=1e-3)


@pytest.mark.parametrize(
    ("level", "linear"), [(5, 0.00151764), (10, 0.00303527), (11, 0.00334654), (15, 0.00477695), (20, 0.00699541)]
)
def test_lightness_of_the_darkest_greys(level: int, linear: float) -> None:
    """IEC 61966-2-1: linear light of a level, straight up to 0.04045 of 255, a power above; of greys the cube root."""
    assert lightness(np.full(3, level)) == pytest.approx(linear ** (1 / 3), abs=2e-5)


def test_ticks_of_a_logarithm() -> None:
    assert log_ticks(2e-4, 2.0) == pytest.approx([1e-3, 1e-2, 0.1, 1.0])
    assert log_ticks(3.0, 40.0) == pytest.approx([5.0, 10.0, 20.0])
    assert log_ticks(3.0, 4.0) == [3.0, 4.0]


def oklab(srgb):
    """Lightness, chroma and hue [°] by Ottosson's forward matrices, from linear sRGB."""
    encoded = np.asarray(srgb, float) / 255
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    lms = np.cbrt(
        linear
        @ np.array(
            [
                [0.4122214708, 0.2119034982, 0.0883024619],
                [0.5363325363, 0.6806995451, 0.2817188376],
                [0.0514459929, 0.1073969566, 0.6299787005],
            ]
        )
    )
    light = lms @ [0.2104542553, 0.7936177850, -0.0040720468]
    a, b = lms @ [1.9779984951, -2.4285922050, 0.4505937099], lms @ [0.0259040371, 0.7827717662, -0.8086757660]
    return light, np.hypot(a, b), np.degrees(np.arctan2(b, a)) % 360


@pytest.mark.parametrize("light", [0.5, 0.74])
def test_region_colours_have_their_lightness_and_chroma_and_turn_by_the_golden_angle(light: float) -> None:
    found = oklab(distinct_colours(12, light, 0.075))
    np.testing.assert_allclose(found[0], light, atol=0.004)
    np.testing.assert_allclose(found[1], 0.075, atol=0.004)
    turn = (found[2] - 35 - 360 * (1 - 2 / (1 + 5**0.5)) * np.arange(12) + 180) % 360 - 180
    np.testing.assert_allclose(turn, 0, atol=3)
    assert (distinct_colours(12) == distinct_colours(40)[:12]).all()


@pytest.mark.parametrize("count", [1, 2, 5, 40])
def test_categories_are_even_steps(count: int) -> None:
    lut = categories(count)
    steps = np.flatnonzero(np.diff(lut.astype(int), axis=0).any(axis=1)) + 1
    assert steps == pytest.approx(256 * np.arange(1, count) / count, abs=1)
    np.testing.assert_allclose(oklab(lut)[0], 0.70, atol=0.008)  # a screen has not all of these hues


@pytest.mark.parametrize("name", ["voltage", "grey", "damage", "diverging", "cycle"])
@pytest.mark.parametrize("dark", [False, True])
def test_equal_steps_of_a_value_look_about_equally_large(name: str, dark: bool) -> None:
    """In OKLab, over a sixteenth of the map: none is a third of the mean or three times as large."""
    light, chroma, hue = oklab(colormap(name, dark))
    lab = np.stack([light, chroma * np.cos(np.radians(hue)), chroma * np.sin(np.radians(hue))], axis=1)
    steps = np.linalg.norm(lab[16:] - lab[:-16], axis=1)
    assert steps.min() > 0.3 * steps.mean()
    assert steps.max() < 2.2 * steps.mean()
    assert np.linalg.norm(np.diff(lab, axis=0), axis=1).max() < 0.04, "no seam"


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("voltage", [(0.30, 305), (0.965, 102)]),
        ("diverging", [(0.40, 258), (0.40, 25)]),
        ("cycle", [(0.42, 275), (0.42, 275)]),
        ("damage", [(0.74, 250), (0.36, 15)]),
        ("grey", [(0.15, None), (0.97, None)]),
    ],
)
def test_made_maps_begin_and_end_as_they_are_described(name: str, ends) -> None:
    """Aubergine to warm white, blue to red, grey to deep red; a cycle where it began."""
    lut = colormap(name)
    for row, (light, hue) in zip((0, 255), ends, strict=True):
        found = oklab(lut[row])
        assert found[0] == pytest.approx(light, abs=0.025)
        if hue is None:
            assert np.ptp(lut.astype(int), axis=1).max() == 0
        elif found[1] > 0.03:
            assert abs((found[2] - hue + 180) % 360 - 180) < 12


def test_viridis_is_that_of_its_makers() -> None:
    """Smith and van der Walt (2015), as published."""
    lut = colormap("viridis")
    assert [tuple(int(part) for part in lut[row]) for row in (0, 128, 255)] == [
        (68, 1, 84),
        (33, 145, 140),
        (253, 231, 37),
    ]
