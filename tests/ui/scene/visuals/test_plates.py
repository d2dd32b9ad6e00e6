"""What is written on plates, read back from their pixels: nothing is cut, rows stand under each other, colours and
ticks stand where their values are."""

import math

import numpy as np
import pytest

from engines.api import FieldInfo
from ui.scene.visuals import text
from ui.scene.visuals.plates import (
    DARK,
    LIGHT,
    MISSING,
    bare_text,
    colour_bar,
    label,
    legend,
    log_ticks,
    nice_step,
    plate,
    text_plate,
    ticks,
    wrapped,
    write,
)
from workbench.words.numbers import tick_texts

FIELD = FieldInfo("v", "Voltage", "mV", "cell", (-80.0, 40.0))
HOLED = FieldInfo("a", "Activation", "ms", "cell", (0.0, 60.0), missing=-1.0, missing_title="not yet")
RAMP = np.stack([np.arange(256), np.full(256, 90), 255 - np.arange(256)], axis=1).astype(np.uint8)
"""Colours that tell their row."""
RED, GREEN = (220, 20, 20), (20, 200, 20)


def near(image, colour, by=3):
    """Where a plate has a colour, whatever lies under it."""
    return (np.abs(image[..., :3].astype(int) - colour) <= by).all(axis=-1) & (image[..., 3] == 255)


def ink(image, theme=DARK):
    """Rows and columns that have something on the plate: (top, bottom, left, right)."""
    empty = plate(image.shape[1], image.shape[0], theme, 1.0)
    middle = np.abs(image.astype(int) - empty[image.shape[0] // 2, image.shape[1] // 2]).max(axis=-1)
    corner = 6
    middle[:corner, :corner] = middle[:corner, -corner:] = middle[-corner:, :corner] = middle[-corner:, -corner:] = 0
    rows, columns = np.flatnonzero(middle.max(axis=1) > 60), np.flatnonzero(middle.max(axis=0) > 60)
    return rows[0], rows[-1] + 1, columns[0], columns[-1] + 1


def inked(string, pixels):
    """How much of its line a text covers."""
    return int((text.line(string, pixels) > 128).sum())


def bright(image, theme):
    """How many pixels of a plate are nearer to the ink than to the plate."""
    far = [
        np.abs(image[..., :3] - colour).max(axis=-1)
        for colour in (theme.ink, np.array(theme.plate[:3]) * theme.plate[3] / 255)
    ]
    return int(((far[0] < far[1]) & (image[..., 3] > theme.plate[3])).sum())


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_a_plate_is_even_and_its_four_corners_are_round_alike(theme):
    image = plate(60, 40, theme, 2.0).astype(int)
    np.testing.assert_array_equal(image, image[::-1])
    np.testing.assert_array_equal(image, image[:, ::-1])
    assert (image[0, 0] == 0).all()
    assert (image[12:-12, :, 3] == theme.plate[3]).all()
    assert (image[:, 12:-12, 3] == theme.plate[3]).all()
    covered = (image[:12, :12, 3] / theme.plate[3]).sum()
    assert covered == pytest.approx(math.pi * 12**2 / 4, abs=12), "a quarter of a circle, and half a pixel around"
    premultiplied = np.rint(np.array(theme.plate[:3]) * theme.plate[3] / 255)
    np.testing.assert_array_equal(image[20, 30, :3], premultiplied)


@pytest.mark.parametrize("theme", [DARK, LIGHT])
@pytest.mark.parametrize("string", ["t = 12.5 ms", "Wgjpq"])
def test_a_text_stands_whole_in_the_middle_of_its_plate(string, theme):
    for image, pixels in ((label(string, theme, 1.0), 12), (text_plate([string], theme, 1.0, size=15), 15)):
        assert bright(image, theme) == pytest.approx(inked(string, pixels), rel=0.2)
        _, _, left, right = ink(image, theme)
        assert left == pytest.approx(image.shape[1] - right, abs=3)
        assert left >= 3
    loose = bare_text(string, theme.ink, 1.0)
    assert loose.shape[:2] == text.line(string, 12).shape
    np.testing.assert_array_equal(loose[..., 3], text.line(string, 12))


def test_a_second_column_begins_at_one_place_and_after_the_longest_of_the_first():
    lines = ["Bandwidth\tMMM", "A\tMMM", "whole line"]
    image = text_plate(lines, DARK, 1.0)
    _, step = text.line_metrics(12)
    step += 2
    rows = [image[9 + row * step : 9 + (row + 1) * step] for row in range(3)]
    bright_columns = [np.flatnonzero((row[..., :3].min(axis=-1) > 200).any(axis=0)) for row in rows]
    assert bright_columns[0][0] == bright_columns[1][0] > 9 + text.width("Bandwidth", 12)
    assert bright_columns[0][-1] == bright_columns[1][-1] < image.shape[1] - 9
    assert bright_columns[2][0] < 14, "what has no second column is written in full ink from the margin on"
    assert image.shape[0] - ink(image)[1] == pytest.approx(ink(image)[0], abs=5)


@pytest.mark.parametrize("title", ["", "A rather long title of it"])
def test_a_legend_has_each_name_beside_its_colour_under_the_title(title):
    entries = [("first", RED), ("the second of them", GREEN)]
    image = legend(entries, DARK, 2.0, title)
    places = [np.argwhere(near(image, colour)) for _, colour in entries]
    (red, green), swatch = (each.mean(axis=0) for each in places), 22
    assert red[1] == green[1], "one under the other"
    assert green[0] - red[0] == text.line_metrics(25)[1] + 6
    for each in places:
        assert len(each) == pytest.approx(math.pi * swatch**2 / 4, rel=0.15), "a disc"
    assert image.shape[1] >= 36 + max(text.width(name, 25) for name in (title, entries[1][0]))
    names = image[:, round(red[1]) + swatch // 2 + 8 :]
    for middle in (red[0], green[0]):
        row = names[round(middle) - 10 : round(middle) + 10, :, :3].min(axis=-1)
        assert (row > 200).sum() > 50, "its name stands at the height of its disc"
    above = image[: round(red[0]) - swatch // 2, :, :3].min(axis=-1)
    assert ((above > 200).sum() > 100) == bool(title)
    assert legend([], DARK, 2.0).shape[0] > 0


def bar_of(image):
    """Top, bottom, left and right of the colours on a plate."""
    places = np.argwhere((image[..., 1] == 90) & (image[..., 3] == 255))
    (top, left), (bottom, right) = places.min(axis=0), places.max(axis=0)
    return top, bottom, left, right


@pytest.mark.parametrize(("limits", "log"), [((-80.0, 40.0), False), ((0.0, 7.3), False), ((0.02, 40.0), True)])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_colours_and_ticks_of_a_bar_stand_at_their_values(limits, log, scale):
    image = colour_bar(FIELD, limits, RAMP, DARK, scale, round(240 * scale), log=log)
    top, bottom, left, right = bar_of(image)
    assert image.shape[0] == round(240 * scale)
    column = image[top : bottom + 1, (left + right) // 2]
    rows = column[:, 0].astype(int)
    assert (rows[0], rows[-1]) == (255, 0)
    assert (np.diff(rows) <= 0).all()
    np.testing.assert_allclose(rows, np.linspace(255, 0, len(rows)), atol=1)
    np.testing.assert_array_equal(rows + column[:, 2], 255)
    beside = image[:, right + round(2 * scale)]
    marked = np.flatnonzero(near(beside[:, None], DARK.ink)[:, 0])
    marks = np.split(marked, np.flatnonzero(np.diff(marked) > 1) + 1)
    values = log_ticks(*limits) if log else ticks(*limits)
    low, high = limits
    shares = [math.log(v / low) / math.log(high / low) if log else (v - low) / (high - low) for v in values]
    expected = [bottom - share * (bottom - top) for share in shares]
    assert [each[0] for each in marks] == pytest.approx(sorted(expected), abs=1)
    assert {len(each) for each in marks} == {round(scale)}
    written = image[:, right + round(8 * scale) :, :3].min(axis=-1) > 200
    for place in expected:
        window = written[round(place - 5 * scale) : round(place + 6 * scale)]
        heights = np.flatnonzero(window.any(axis=1))
        assert heights.mean() + round(place - 5 * scale) == pytest.approx(place, abs=2 * scale), "a figure beside it"


def test_what_is_missing_and_lines_of_equal_value_are_named_below_the_colours():
    plain, holed = (colour_bar(field, (0.0, 60.0), RAMP, DARK, 1.0, 260) for field in (FIELD, HOLED))
    lined = colour_bar(HOLED, (0.0, 60.0), RAMP, DARK, 1.0, 260, line_step=5.0)
    assert not near(plain, MISSING).any()
    for image in (holed, lined):
        disc = np.argwhere(near(image, MISSING))
        assert len(disc) == pytest.approx(math.pi * 11**2 / 4, rel=0.15)
        assert disc.min(axis=0)[0] > bar_of(image[:200])[1]
    bottoms = [bar_of(image[: image.shape[0] - 30])[1] for image in (plain, holed)]
    assert bottoms[0] > bottoms[1]
    sample = lined[215:250]
    dark = near(sample, tuple(round(0.35 * int(part)) for part in RAMP[150]))
    assert dark.any(axis=1).sum() in (1, 2), "a thin line on the colour that it lies on"
    assert near(sample, tuple(RAMP[150])).any()


@pytest.mark.parametrize("titled", [False, True])
def test_a_plate_on_a_display_of_more_pixels_has_its_colours_where_they_were_in_points(titled):
    found = []
    for scale in (1.0, 2.0, 4.0):
        key = legend([("first", RED), ("the second", GREEN)], DARK, scale, "Title" if titled else "")
        said = {"line_step": 5.0, "beyond": ("1 % below", "1 % above"), "offer": "Click to fit"} if titled else {}
        bar = colour_bar(HOLED, (0.0, 60.0), RAMP, DARK, scale, round(300 * scale), **said)
        places = [near(key, RED), near(key, GREEN), near(bar, MISSING), (bar[..., 1] == 90) & (bar[..., 3] == 255)]
        found.append([(np.argwhere(each).mean(axis=0) + 0.5) / scale for each in places])
    for larger in found[1:]:
        np.testing.assert_allclose(larger, found[0], atol=1)


@pytest.mark.parametrize("scale", [1.0, 2.0, 3.0, 4.0])
def test_what_is_missing_stands_in_the_middle_under_the_colours_on_every_display(scale):
    image = colour_bar(HOLED, (0.0, 60.0), RAMP, DARK, scale, round(260 * scale), line_step=5.0)
    _, bottom, left, right = bar_of(image[: round(200 * scale)])
    disc = np.argwhere(near(image, MISSING))
    assert disc.min(axis=0)[0] > bottom
    assert disc[:, 1].mean() == pytest.approx((left + right) / 2, abs=0.5)
    sample = np.argwhere(near(image, tuple(RAMP[150])))
    sample = sample[sample[:, 0] > disc[:, 0].max()]
    assert (sample[:, 1].min(), sample[:, 1].max()) == (left, right), "and the sample of a line below it, as wide"


def test_a_bar_is_as_wide_as_its_longest_line():
    """Of title, unit, figures and notes, each of which is whole."""
    widths = {}
    for title, missing in (
        ("V", None),
        ("Voltage of the second electrode", None),
        ("V", "a place that nothing reached"),
    ):
        field = FieldInfo("v", title, "mV", "cell", (0.0, 1.0), missing=None if missing is None else -1.0,
                          missing_title=missing or "none")  # fmt: skip
        image = colour_bar(field, (0.0, 1.0), RAMP, DARK, 1.0, 240)
        widths[title, missing] = image.shape[1]
        lines = wrapped(title, 12, 100)
        assert image.shape[1] >= 20 + max(text.width(line, 12) for line in lines)
        assert ink(image)[3] <= image.shape[1] - 6
    short, long, noted = widths.values()
    assert short < long
    assert noted == 20 + 14 + 9 + text.width("a place that nothing reached", 12)


@pytest.mark.parametrize(
    ("string", "most", "lines"),
    [
        ("", 100, [""]),
        ("one", 1, ["one"]),
        ("one two three", 10_000, ["one two three"]),
        ("one two three", 1, ["one", "two", "three"]),
        ("one two three", text.width("one two", 12), ["one two", "three"]),
    ],
)
def test_titles_break_between_words_where_they_have_to(string, most, lines):
    assert wrapped(string, 12, most) == lines


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (-80.0, 40.0, [-80.0, -60.0, -40.0, -20.0, 0.0, 20.0, 40.0]),
        (3.1, 4.2, [3.2, 3.4, 3.6, 3.8, 4.0, 4.2]),
        (0.0, 1500.0, [0.0, 250.0, 500.0, 750.0, 1000.0, 1250.0, 1500.0]),
    ],
)
def test_ticks_are_round_and_include_the_ends_that_are(low, high, expected):
    assert ticks(low, high) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("rough", "nice"), [(1.0, 1.0), (1.01, 2.0), (2.2, 2.5), (0.026, 0.05), (5.01, 10.0), (700.0, 1000.0)]
)
def test_a_step_is_the_next_round_one(rough, nice):
    assert nice_step(rough) == pytest.approx(nice)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1.0, 1000.0, [1, 10, 100, 1000]),
        (0.02, 40.0, [0.1, 1, 10]),
        (2.0, 15.0, [2, 5, 10]),
        (2.1, 4.0, [2.1, 4.0]),
        (0.9, 100.0, [1, 10, 100]),
    ],
)
def test_ticks_of_a_logarithmic_bar(low, high, expected):
    assert log_ticks(low, high) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([], []),
        ([-0.5, 0.0, 0.5], ["−0.5", "0.0", "0.5"]),
        ([0.0, 20.0], ["0", "20"]),
        ([0.25], ["0.25"]),
        ([0.0], ["0"]),
        ([99_999.0], ["99\u202f999"]),
        ([1e5], ["1 × 10⁵"]),
        ([0.0, 2e-4], ["0", "0.0002"]),
        ([0.001, 0.002], ["0.001", "0.002"]),
        ([-0.0, 1.0], ["0", "1"]),
    ],
)
def test_figures_have_as_few_digits_as_tell_them_apart(values, labels):
    assert tick_texts(values) == labels


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_ends_that_values_are_beyond_point_there_with_words_beside_them(scale):
    plain, told = (
        colour_bar(FIELD, (0.0, 60.0), RAMP, DARK, scale, round(260 * scale), beyond=said)
        for said in (("", ""), ("10 % below", "30 % above"))
    )
    ends = []
    for image in (plain, told):
        coloured = (image[..., 1] == 90) & (image[..., 3] == 255)
        widths = coloured.sum(axis=1)
        rows = np.flatnonzero(widths)
        ends.append(widths[[rows[0], rows[-1]]])
    full = round(14 * scale)
    assert (ends[0] == full).all()
    assert (ends[1] <= 2).all()
    top, bottom, left, right = bar_of(told)
    for row, colour in ((top, RAMP[255]), (bottom, RAMP[0])):
        np.testing.assert_array_equal(told[row, (left + right) // 2, :3], colour)
    point = full // 2
    for inwards in (widths[top:], widths[bottom::-1]):  # of ``told``: two pixels less a row, from the bar's width on
        assert inwards[: point + 2].tolist() == [*(full - 2 * row for row in range(point - 1, -1, -1)), full, full]
    for part in (told[top - round(18 * scale) : top], told[bottom + 1 :]):
        assert (part[..., :3].min(axis=-1) > 200).sum() > 50 * scale, "words"
    below = colour_bar(FIELD, (0.0, 60.0), RAMP, DARK, scale, len(told), beyond=("10 % below", ""))
    words = slice(bottom - point, None), slice(left, left + 3 * full)
    np.testing.assert_array_equal(below[words], told[words])
    said = {"beyond": ("", "2 % above"), "offer": "Fit"}
    foot = colour_bar(FIELD, (0.0, 60.0), RAMP, DARK, scale, round(260 * scale), **said)[-round(24 * scale) :]
    assert near(foot, DARK.faint).any()
    assert not near(plain[-round(24 * scale) :], DARK.faint).any()


@pytest.mark.parametrize(("x", "y"), [(0, 0), (40, 3), (70, 0), (79, 15), (90, 0), (0, 30)])
def test_what_does_not_fit_is_cut_and_the_rest_stands_where_it_should(x, y):
    whole, image = np.zeros((60, 300, 4), np.uint8), np.zeros((20, 80, 4), np.uint8)
    for each in (whole, image):
        write(each, "Membrane voltage", x, y, 14, RED)
    np.testing.assert_array_equal(image, whole[:20, :80])
    assert whole.any()
    assert image.any() == (x < 78 and y < 12)


@pytest.mark.parametrize("pixels", [11, 40, 90])
def test_each_letter_stands_whole_in_its_line(pixels):
    """At its place, but for what would be beyond the edges: those letters begin at the edge."""
    for letter in "jWfyÅ(":
        cover, left, top, _ = text._glyph(letter, pixels)
        seen = np.argwhere(text.line(letter, pixels)).min(axis=0)
        ascent, _ = text.line_metrics(pixels)
        first = np.argwhere(cover).min(axis=0)
        assert tuple(seen) == (max(ascent - top, 0) + first[0], max(1 + left, 0) + first[1]), letter
