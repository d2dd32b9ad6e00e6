"""Where the entries of a legend stand, what they need, and how each mark is drawn."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint

from engines.api.charts import ChartData, ChartInfo, Curve
from ui.charts.plots.cell import ChartCell
from ui.charts.plots.layers import shade_color
from ui.charts.plots.legend import CHIP_PIXELS, GAP_PIXELS, LINE_PIXELS, SCALE_PIXELS, SWATCH_PIXELS, Entry, Legend
from ui.widgets.theme import theme

# Written out: what the sources have is held against these.
SHARE = 4


@pytest.fixture
def legend(qtbot, qapp):
    theme().apply("dark", qapp)
    made = Legend()
    qtbot.addWidget(made)
    made.resize(300, 60)
    return made


def spots(legend, width):
    return [(entry.title, spot.x(), spot.y()) for entry, spot in legend._placed(width)]


def wide(legend, text):
    return legend.fontMetrics().horizontalAdvance(text)


def near(colour, wanted, by=40):
    return max(abs(a - b) for a, b in zip(colour.getRgb()[:3], wanted.getRgb()[:3], strict=True)) <= by


def test_entries_flow_from_line_to_line_as_there_is_room(legend):
    names = ("first", "second", "third")
    legend.set_entries([Entry(name, place) for place, name in enumerate(names)])
    widths = [SWATCH_PIXELS + 5 + wide(legend, name) for name in names]
    second = widths[0] + GAP_PIXELS
    third = second + widths[1] + GAP_PIXELS
    assert spots(legend, 10_000) == [("first", 0, 0), ("second", second, 0), ("third", third, 0)]
    assert spots(legend, third + widths[2]) == spots(legend, 10_000), "it fits exactly"
    assert spots(legend, third + widths[2] - 1)[2] == ("third", 0, LINE_PIXELS)
    assert spots(legend, 10) == [(name, 0, row * LINE_PIXELS) for row, name in enumerate(names)]
    assert [legend.heightForWidth(each) / LINE_PIXELS for each in (10_000, third, 10)] == [1, 2, 3]
    assert legend.minimumSizeHint().height() == LINE_PIXELS
    legend.set_entries([])
    assert legend.heightForWidth(300) == 0 or legend.isHidden()
    assert (legend.minimumSizeHint().height(), legend.isHidden()) == (0, True)


def test_values_have_room_for_the_widest_and_are_short_where_lines_would_be_many(legend):
    entries = [Entry(f"c{n}", n, "line", "3.60 V", "-8.888 V", "3.6", "-8.88") for n in range(3)]
    legend.set_entries(entries)
    full, short = (SWATCH_PIXELS + 5 + wide(legend, "c0") + 6 + wide(legend, text) for text in ("-8.888 V", "-8.88"))
    assert spots(legend, 10_000)[1][1] == full + GAP_PIXELS
    shown = legend._placed(full + 1)
    assert [entry.value for entry, _ in shown] == ["3.6"] * 3, "three lines would be too many"
    assert [entry.value for entry, _ in legend._placed(2 * full + GAP_PIXELS)] == ["3.60 V"] * 3
    assert legend.toolTip() == "c0  3.60 V\nc1  3.60 V\nc2  3.60 V"
    assert short < full


def test_where_values_leave_no_room_for_all_names_the_names_stand_alone(legend):
    """A decomposition of a voltage: eight areas in a chart of half the window, each with its name."""
    names = [f"Diffusion in negative particles {n}" for n in range(8)]
    legend.set_entries(
        [Entry(name, n, "area", "0.3600 V", "−8.888 V", "0.360", "−8.88") for n, name in enumerate(names)]
    )
    titles_beside_each_other = 2 * (SWATCH_PIXELS + 5 + wide(legend, names[0])) + 2 * GAP_PIXELS
    shown = legend._placed(titles_beside_each_other)
    assert [(entry.title, entry.value) for entry, _ in shown] == [(name, "") for name in names]
    assert max(spot.y() for _, spot in shown) < legend.heightForWidth(titles_beside_each_other)
    assert [entry.value for entry, _ in legend._placed(4000)] == ["0.3600 V"] * 8


@pytest.mark.parametrize(("height", "lines"), [(186, 2), (100, 1), (400, 5), (1000, 8)])
def test_a_legend_takes_a_quarter_of_a_chart_and_folds_names_to_their_colours_and_number(legend, height, lines):
    """Eight names, each as wide as the chart is: as many as there are lines but the last, which stands for the rest."""
    names = [f"Diffusion in negative particles {n}" for n in range(8)]
    legend.set_entries([Entry(name, n, "area", "0.36 V", "−8.888 V", "0.360", "−8.88") for n, name in enumerate(names)])
    legend.stand_in(height)
    width = SWATCH_PIXELS + 5 + wide(legend, names[0])
    assert legend.heightForWidth(width) == lines * LINE_PIXELS <= max(height / SHARE, LINE_PIXELS)
    shown = [entry for entry, _ in legend._placed(width)]
    if lines == len(names):
        assert [entry.title for entry in shown] == names
        return
    rest = len(names) - (lines - 1)
    assert [entry.title for entry in shown] == [*names[: lines - 1], f"{rest} {'more' if lines > 1 else 'in all'}"]
    assert shown[-1].folded == tuple(range(lines - 1, len(names)))
    assert all(name in legend.toolTip() for name in names)
    legend.resize(width, lines * LINE_PIXELS)
    image, row = legend.grab().toImage(), lines * LINE_PIXELS - LINE_PIXELS // 2
    for chip, place in enumerate(shown[-1].folded):
        assert near(image.pixelColor(CHIP_PIXELS * chip + 3, row), theme().palette.trace(place))


def test_a_bar_alone_is_named(qtbot):
    """Frequency and Q of the only resonance stand nowhere else."""
    cell = ChartCell(ChartInfo("resonances", "Resonances", "V/m", kind="bar", x_title="Frequency", x_unit="THz"), "fs")
    qtbot.addWidget(cell)
    for bins in (1, 2):
        cell.show_data(ChartData((Curve("249.75, Q 5.1", 249.0 + np.arange(bins + 1), np.ones(bins)),)))
        assert [entry.title for entry in cell.legend.entries] == ["249.75, Q 5.1"] * (bins == 1)


@pytest.mark.parametrize("note", ["", "Not settled: 0.43 % of the field energy is left, and this takes two lines."])
def test_a_note_takes_its_lines_from_the_legend_and_not_from_the_curve(qtbot, note):
    """Of 180 pixels, as in a window of 768, two lines each for legend and note left the curve a quarter."""
    cell = ChartCell(ChartInfo("power", "Part of the incident power", "1", x_title="Wavelength", x_unit="um"), "fs")
    qtbot.addWidget(cell)
    cell.resize(300, 180)
    cell.show()
    x = np.linspace(1.0, 1.4, 20)
    titles = ("Reflection of the slab", "Transmission", "R + T of both", "A = 1 − R − T")
    cell.show_data(ChartData(tuple(Curve(title, x, x) for title in titles), note=note))
    qtbot.waitUntil(lambda: cell.note.isVisible() == bool(note))
    qtbot.waitUntil(lambda: cell.legend.height() == (1 if note else 2) * LINE_PIXELS)
    cell.show_data(ChartData(tuple(Curve(title, x, x) for title in titles)))
    qtbot.waitUntil(lambda: cell.legend.height() == 2 * LINE_PIXELS)


def test_other_values_alone_move_nothing(legend, monkeypatch):
    told = []
    monkeypatch.setattr(legend, "updateGeometry", lambda: told.append(1))
    legend.set_entries([Entry("a", 0, value="1.0", widest="-8.8")])
    legend.set_entries([Entry("a", 0, value="2.0", widest="-8.8")])
    assert len(told) == 1
    legend.set_entries([Entry("a", 0, value="2.0", widest="-8.88888")])
    assert len(told) == 2


@pytest.mark.parametrize("mark", ["line", "area", "dashed", "dotted"])
def test_a_mark_has_the_colour_of_its_curve_and_the_text_is_beside_it(legend, mark):
    legend.set_entries([Entry("curve", 1, mark)])
    image = legend.grab().toImage()
    ground = image.pixelColor(290, 50)
    row = LINE_PIXELS // 2
    marked = [x for x in range(SWATCH_PIXELS + 4) if near(image.pixelColor(x, row), theme().palette.trace(1), 90)]
    assert marked
    assert max(marked) <= SWATCH_PIXELS
    assert len(marked) >= (10 if mark in ("line", "area") else 2)
    gaps = [x for x in range(2, SWATCH_PIXELS - 2) if near(image.pixelColor(x, row), ground, 90)]
    assert bool(gaps) == (mark in ("dashed", "dotted"))
    high = [y for y in range(LINE_PIXELS) if not near(image.pixelColor(SWATCH_PIXELS // 2, y), ground, 30)]
    assert (len(high) > 5) == (mark == "area")
    seen = ((x, y) for x in range(SWATCH_PIXELS + 3, 290) for y in range(LINE_PIXELS))
    text = [x for x, y in seen if not near(image.pixelColor(x, y), ground, 60)]
    left = SWATCH_PIXELS + 5
    assert left - 1 <= text[0] <= left + 3
    assert left + wide(legend, "curve") - 4 <= text[-1] <= left + wide(legend, "curve") + 1


def test_the_scale_of_shades_runs_from_dark_to_bright(legend):
    legend.set_entries([Entry("how full", mark="scale")])
    image = legend.grab().toImage()
    left = wide(legend, "0") + 3
    row = LINE_PIXELS // 2
    for part in (0.1, 0.5, 0.9):
        assert near(image.pixelColor(round(left + part * SCALE_PIXELS), row), shade_color(part), 25)
    ((_, spot),) = legend._placed(300)
    assert spot == QPoint(0, 0)
    assert legend._width(Entry("how full", mark="scale")) == SCALE_PIXELS + 22 + 5 + wide(legend, "how full")


def test_no_name_is_cut_off_where_there_is_room_for_it(legend):
    """At every width, to the pixel."""
    legend.set_entries([Entry("258, Q 1.04", 0), Entry("298, Q 1.21", 1), Entry("340, Q 2", 2)])
    legend.stand_in(100)
    for width in range(120, 340):
        legend.resize(width, 40)
        for entry, spot in legend._placed(width):
            assert legend.shown(entry, spot) == entry.title, width
