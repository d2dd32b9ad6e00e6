"""What is made of records without a window: the best, the levels of the curve, notes, published figures, labels."""

from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from tests.ui.lab.doubles import CACHE_BYTES, MEMORY, SIZES, STUDY, WAYS, machine, plausible_record, variant_record
from ui.lab.figures.axes import LogAxis, binary_text, rate_tick, seconds_tick
from ui.lab.figures.bandwidth import BandwidthCurve
from ui.lab.figures.blocks import cells
from ui.lab.figures.chart import spread
from ui.lab.figures.roofline import Roofline
from ui.lab.findings import (
    accepted,
    best_blocks,
    cases_of,
    did_not_help,
    fastest,
    key,
    left_out,
    levels,
    published_figure,
    published_line,
    winners,
)
from ui.lab.source import line_of
from ui.lab.views import most_blocks
from workbench.bench.records import BandwidthPoint


def test_the_best_block_of_each_variant_is_its_fastest_and_refusals_remain():
    records = plausible_record().variants
    best = best_blocks(records)
    assert len(best) == len(WAYS) * len(SIZES)
    for record in best:
        same = [r for r in accepted(records) if (r.variant, r.case) == (record.variant, record.case)]
        assert record.seconds == min((r.seconds for r in same), default=0.0)
    assert {record.variant for record in best if record.refused} == {"broken"}
    assert all(not record.refused for record in fastest(records).values())


def test_one_winner_for_each_size_and_it_updates_most_points():
    records = plausible_record().variants
    won = [record for record in records if key(record) in winners(records)]
    assert sorted(record.case for record in won) == sorted(cases_of(records))
    assert {record.variant for record in won} == {"temporal"}


def test_levels_find_the_cache_and_the_memory_but_no_launch_cost():
    found = levels(machine().curve)
    assert [level.name for level in found] == ["Cache", "Memory"]
    assert CACHE_BYTES / 2 < found[0].reach <= 2 * CACHE_BYTES
    assert found[1].rate == pytest.approx(MEMORY, rel=0.02)  # the double's curve is 0.4 % below it at its end


def test_levels_of_three_caches_and_of_no_curve():
    rates = (400, 400, 200, 200, 90, 88, 30, 20, 20)
    powers = (15, 17, 19, 20, 22, 24, 26, 28, 30)
    found = levels(BandwidthPoint("copy", 1 << n, rate * 1e9) for n, rate in zip(powers, rates, strict=True))
    assert found[0].rate == 400e9
    assert found[-1].name == "Memory"
    assert found[-1].rate == 20e9
    assert levels([]) == []


def test_a_steep_curve_ends_in_the_memory():
    points = [BandwidthPoint("copy", 1 << 20, 100e9), BandwidthPoint("copy", 1 << 30, 10e9)]
    assert [(level.name, level.rate) for level in levels(points)] == [("Cache", 100e9), ("Memory", 10e9)]


def test_what_did_not_help_names_slower_variants_with_their_notes():
    lines = did_not_help(STUDY, plausible_record().variants, "4096²")
    titles = [title for title, _, _ in lines]
    assert titles[:2] == ["Texture object", "Shared-memory tile"]
    assert "float4 × 4 rows" not in titles
    assert "CuPy array expression" not in titles  # the first of its language is what the others are held against
    ratios = {title: ratio for title, ratio, _ in lines}
    assert ratios["Texture object"] == pytest.approx(0.43 / 0.55, rel=0.05)  # the double scatters by 1 %


def test_published_figures_by_block_and_by_size():
    table = STUDY.published[0]
    naive, tile = WAYS[0], WAYS[3]
    assert published_figure(table, variant_record(naive, 4096, (32, 8))) == 815.0
    assert published_figure(table, variant_record(naive, 4096, (64, 8))) is None
    assert published_figure(table, variant_record(tile, 4096, (16, 8))) == 340.0
    assert published_line(table, "naive", STUDY.cases) == [(4096**2, 836e9)]


def test_cells_of_a_map_take_the_best_of_deeper_shapes():
    way = WAYS[0]
    slow = variant_record(way, 4096, (32, 8, 1))
    fast = replace(variant_record(way, 4096, (32, 8, 4)), seconds=slow.seconds / 2)
    refused = replace(variant_record(way, 4096, (64, 8)), refused="too many registers")
    found = cells([slow, fast, refused, variant_record(way, 4096, None)])
    assert found == {(32, 8): fast, (64, 8): refused}


def test_labels_do_not_cover_each_other_and_stay_below_the_top():
    points = [(0.0, float(y)) for y in (10, 11, 12, 96, 97, 98)] + [(500.0, 98.5)]
    heights = spread(points, [15] * len(points), near=100, top=100)
    assert all(b - a >= 15 - 1e-9 for a, b in pairwise(heights[:6]))
    assert max(heights) <= 100 - 15 / 2
    assert heights[0] == 10.0
    assert heights[6] == 92.5  # far away along x: it makes way for the top alone


@pytest.mark.parametrize("width", [330, 406, 1400])
def test_labels_of_plots_stand_in_them_whole(qtbot, width):
    """In a window of 1024 pixels, two of its panels beside it, they take several lines."""
    title = "A thread per particle, transposed tiles in shared memory {}"
    ways = {way[0]: title.format(place) for place, way in enumerate(WAYS[:5])}
    record = plausible_record()
    shown = [replace(each, title=ways[each.variant]) for each in record.variants if each.variant in ways]
    page = QWidget()
    qtbot.addWidget(page)
    chart = Roofline(parent=page)
    chart.set_data(record.machine, shown, {way: place for place, way in enumerate(ways)})
    chart.image(QSize(width, 380))
    area = chart.getPlotItem().getViewBox().sceneBoundingRect()
    texts = [item.textItem for _, item in chart._labels]
    assert {text.toPlainText().partition(",")[0] for text in texts} == {"A thread per particle"}
    places = [text.sceneBoundingRect() for text in texts]
    assert all(place.right() <= area.right() for place in places)
    assert all(place.height() > 30 for place in places) == (width < 1000)
    inner = [place.adjusted(5, 5, -5, -5) for place in places]
    assert not [pair for pair in combinations(inner, 2) if pair[0].intersects(pair[1])]
    curve = BandwidthCurve(parent=page)
    curve.set_data(record.machine)
    curve.image(QSize(width, 380))
    area = curve.getPlotItem().getViewBox().sceneBoundingRect()
    assert all(item.textItem.sceneBoundingRect().right() <= area.right() for _, item in curve._labels)


@pytest.mark.parametrize("width", [420, 1200])
def test_names_of_levels_are_whole_and_stand_beside_or_below_each_other(qtbot, width):
    """A first cache at the left edge was called "KB"."""
    rates = {15: 185, 17: 49, 19: 98, 21: 72, 23: 57, 25: 59, 27: 18, 29: 13}
    points = tuple(BandwidthPoint("copy", 1 << power, rate * 1e9) for power, rate in rates.items())
    curve = BandwidthCurve()
    qtbot.addWidget(curve)
    curve.set_data(replace(plausible_record().machine, curve=points))
    curve.image(QSize(width, 420))
    area = curve.getPlotItem().getViewBox().sceneBoundingRect()
    texts = [item.textItem for _, item in curve._levels]
    assert [text.toPlainText().split(",")[0].split("\n")[0] for text in texts] == [
        "Cache 1",
        "Cache 2",
        "Cache 3",
        "Memory",
    ]
    places = [text.sceneBoundingRect() for text in texts]
    assert all(area.adjusted(-1, -1, 1, 1).contains(place) for place in places)
    inner = [place.adjusted(1, 1, -1, -1) for place in places]
    assert not [pair for pair in combinations(inner, 2) if pair[0].intersects(pair[1])]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [(binary_text(32768), "32 KB"), (binary_text(2**32), "4 GB"), (rate_tick(2e11), "200 GB/s"),
     (rate_tick(5e12), "5 TB/s"), (seconds_tick(2e-5), "20 µs"), (seconds_tick(1e-3), "1 ms")],
)  # fmt: skip
def test_ticks_as_text(text, wanted):
    assert text == wanted


@pytest.mark.parametrize("size", [200, 600, 1400])
@pytest.mark.parametrize(("low", "high"), [(3.0, 3.2), (5.0, 9.0), (-6.5, -2.1), (0.0, 40.0)])
def test_ticks_are_few_enough_to_read_and_at_least_two(qapp, size, low, high):
    axis = LogAxis("bottom", str)
    ((_, ticks),) = axis.tickValues(low, high, size)
    assert 2 <= len(ticks) <= max(6, size / 40)
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in ticks)


def test_the_line_of_a_symbol():
    before = '// step\n#define N 4\nextern "C" __global__ void stepper(int n);\n'
    assert line_of(before + 'extern "C" __global__ void step(\n  int n)\n{ }\n', "step") == 3
    python = "import numpy\n\n\n@njit\ndef step(a):\n    return other(a)\n"
    assert line_of(python, "step") == 4
    assert line_of(python, "absent") == 0


def test_the_heat_map_of_all_sizes_takes_the_one_with_most_blocks():
    """Of sizes with equally many the largest; a record may hold all blocks of one size only."""
    way = next(way for way in WAYS if way[0] == "naive")
    few = [variant_record(way, n, (32, 8)) for n in (1024, 4096, 8192)]
    more = variant_record(way, 4096, (32, 4))
    assert most_blocks(few) == "8192²"
    assert most_blocks([*few, more]) == "4096²"
    assert most_blocks([]) == ""


def test_what_a_roofline_leaves_out_and_why():
    way, narrow = WAYS[0], (16, 32)
    records = [variant_record(way, n, (32, 8)) for n in SIZES[:2]]
    records += [variant_record(WAYS[6], 1024, shape) for shape in (narrow, (32, 8))]  # one block refused, another not
    records += [variant_record(WAYS[7], 2048, (32, 8))]
    found = left_out(STUDY, records, "cuda", ["1024²", "2048²"])
    assert found[0].startswith("fp16, one sum at 2048²: wrong answer: ")
    assert found[1].startswith("Read-only cache (__ldg), Texture object, ")
    assert found[1].endswith(": not measured yet.")
    assert found[2] == "4096², 8192², 16384²: not measured yet; check the size and choose Full runs."
    found = left_out(STUDY, [replace(record, flops=0.0) for record in records[:1]], "cpu", ["1024²"])
    assert found[0] == "Naive, one point per thread: no operations are counted."
    assert found[1] == "CUDA, CuPy: 9 ways are for an NVIDIA GPU."
    assert "16384²: more than a processor is given." in found
