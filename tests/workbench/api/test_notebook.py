"""What a notebook and a prompt show: curves as drawings, lists as tables, an estimate, a bar that needs no widgets."""

from __future__ import annotations

import dataclasses
import re
import sys
import types
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import numpy as np
import pytest

import workbench as wb
from engines.api import FieldInfo, Finding, Remedy
from engines.api.charts import ChartData, ChartInfo, Fact
from engines.api.charts import Curve as Points
from engines.api.errors import ProblemError
from workbench.api.arrays import Quantity
from workbench.api.names import Named
from workbench.api.notebook import Listed
from workbench.api.plot import HEIGHT, LEFT, LEGEND, MOST_DRAWN, RIGHT, TOP, WIDTH
from workbench.api.runs import curves
from workbench.api.runs.curves import Chart, Curve, Curves, curves_of_chart
from workbench.api.runs.ended import EndedRun
from workbench.api.runs.picture import Picture
from workbench.api.runs.progress import shown
from workbench.sweep.running import Row


def curve(values, x=None, title="Voltage", **more):
    places = np.arange(len(values)) if x is None else x
    return Curve("v", title, Quantity(places, "s", "Time"), Quantity(np.array(values, float), "mV"), **more)


def paths(html):
    """Points of what is drawn in a colour, in pixels; a list for each stretch without a gap."""
    found = [each.get("d") for each in ET.fromstring(html).iter("path") if each.get("stroke", "").startswith("#")]
    return [
        [[tuple(map(float, point.split())) for point in part.split("L")] for part in one.split("M")[1:]]
        for one in found
        if "h" not in one
    ]


def test_a_curve_is_drawn_within_its_axes_with_title_and_unit():
    html = curve([-80.0, 20.0, -60.0])._repr_html_()
    (((first, top, last),),) = paths(html)
    assert first[0] == LEFT
    assert last[0] == WIDTH - RIGHT
    assert TOP < top[1] < last[1] < first[1] < HEIGHT
    texts = [each.text for each in ET.fromstring(html).iter("text")]
    assert {"Voltage [mV]", "Time [s]", "−40", "0"} <= set(texts)


def test_what_is_missing_interrupts_it_and_texts_are_escaped():
    html = curve([1.0, 2.0, np.nan, 4.0, 5.0], title="<b>")._repr_html_()
    assert [len(part) for part in paths(html)[0]] == [2, 2]
    assert "&lt;b&gt;" in html


@pytest.mark.parametrize("values", [[], [1.0], [np.nan] * 9, [np.inf, 2.0]])
def test_what_cannot_be_drawn_is_told_in_words(values):
    assert curve(values)._repr_html_() is None


@pytest.mark.parametrize("values", [[3.0, 3.0], [0.0, 0.0], [1e-30, 2e-30], [-1e30, 1e30]])
def test_any_range_has_ticks(values):
    html = curve(values)._repr_html_()
    assert len(re.findall('text-anchor="end"', html)) >= 2
    assert "nan" not in html


@pytest.mark.parametrize(
    ("low", "high"), [(785.7349132, 785.7349534), (1e6, 1e6 + 0.5), (1, 1 + 3e-8), (1e20, 1e20 * (1 + 1e-8)), (-5, 5)]
)
def test_ticks_of_what_hardly_changes_are_told_apart(low, high):
    """An energy that is conserved to its seventh digit."""
    labels = re.findall('text-anchor="end">([^<]*)<', curve([low, high])._repr_html_())
    assert len(labels) > 2
    assert len(set(labels)) == len(labels)


def test_a_long_curve_keeps_its_spikes():
    values = np.zeros(100_000)
    values[54_321] = 1.0
    ((points,),) = paths(curve(values)._repr_html_())
    assert len(points) <= MOST_DRAWN + 2
    assert min(y for _, y in points) < HEIGHT / 4


def test_bars_bands_and_charts_are_drawn():
    bars = curve([1.0, 2.0], x=np.array([0.0, 1.0, 2.0]))
    ((outline,),) = paths(bars._repr_html_())
    assert len(outline) == 4
    band = curve([1.0, 2.0], low=Quantity([0.0, 1.0]), high=Quantity([2.0, 9.0]))
    assert 'opacity="0.2"' in band._repr_html_()
    html = Chart([curve([1.0, 2.0], title="one"), curve([2.0, 3.0], title="two"), curve([2.0], title="none")])
    texts = [each.text for each in ET.fromstring(html._repr_html_()).iter("text")]
    assert [text for text in texts if text in ("one", "two", "none")] == ["one", "two"]
    for count, rows in ((1, 0), (2, 1), (3, 2), (5, 3)):
        drawing = ET.fromstring(Chart([curve([1.0, 2.0], title=f"No. {k}") for k in range(count)])._repr_html_())
        assert drawing.get("viewBox") == f"0 0 {WIDTH} {HEIGHT + rows * LEGEND}"
        named = [each for each in drawing.iter("text") if rows and (each.text or "").startswith("No.")]
        assert len({(each.get("x"), each.get("y")) for each in named}) == (count if rows else 0)
        assert all(HEIGHT < float(each.get("y")) < HEIGHT + rows * LEGEND for each in named), "below the axis"
    assert Chart()._repr_html_() is None


def test_curves_of_several_units_have_axes_of_their_own():
    """All had the first one's unit, and its axis."""
    volts = Curve("u", "Volts", Quantity(np.arange(2), "s", "Time"), Quantity(np.array([0.0, 4.0]), "V"))
    chart = Chart([curve([1000.0, 2000.0], title="one"), volts, curve([3000.0, 2000.0], title="two")])
    drawings = ET.fromstring(chart._repr_html_()).findall("svg")
    texts = [[each.text for each in drawing.iter("text")] for drawing in drawings]
    assert ["[mV]" in told for told in texts] == [True, False]
    assert [{"one", "two"} <= set(told) for told in texts] == [True, False]
    assert {"Volts [V]", "4"} <= set(texts[1])
    assert "4" not in texts[0]


def test_what_is_to_be_known_of_a_chart_stands_below_it_and_in_its_words():
    info = ChartInfo("spectrum", "Power", "1", x_title="Frequency", x_unit="Hz")
    points = tuple(Points(title, np.arange(3.0), np.arange(3.0)) for title in "EI")
    chart = curves_of_chart(info, ChartData(points, note="It has not settled.", part="one neuron in 8"))
    told = "one neuron in 8. It has not settled."
    assert [each.text for each in ET.fromstring(chart._repr_html_()).findall("p")] == [told]
    assert repr(chart[0]).endswith(f"3 values: {told}>")
    assert len(ET.fromstring(chart._repr_html_()).findall("svg")) == 1


def test_in_xarray_bars_stand_at_their_middles(monkeypatch):
    monkeypatch.setattr(
        curves, "needed", lambda name: types.SimpleNamespace(DataArray=lambda values, **how: (values, how))
    )
    for x, middles in ((np.array([0.0, 1.0, 4.0]), [0.5, 2.5]), (np.array([0.0, 1.0]), [0.0, 1.0])):
        values, how = curve([3.0, 5.0], x=x).to_xarray()
        (dim, places, units) = how["coords"]["time"]
        assert (values.tolist(), places.tolist()) == ([3.0, 5.0], middles)
        assert (dim, how["dims"], units, how["attrs"]["units"]) == ("time", ("time",), {"units": "s"}, "mV")


def test_values_of_a_curve_know_their_abscissa():
    """``run.curves["voltage"].values.to_xarray()`` had an axis without a name."""
    band = {end: Quantity(np.array([3.0, 5.0]), "mV") for end in ("low", "high")}
    for x, middles in ((np.array([0.0, 1.0, 4.0]), [0.5, 2.5]), (np.array([0.0, 1.0]), [0.0, 1.0])):
        found = curve([3.0, 5.0], x=x, **band)
        for values in (found.values, found.low, found.high):
            assert values.dims == ("time",)
            assert values.coordinates["time"].tolist() == middles
            assert values.coordinates["time"].unit == "s"


def test_a_raster_has_dots_that_no_line_joins_and_a_matrix_is_not_drawn():
    html = curve([1.0, 5.0, 2.0], marks="dots")._repr_html_()
    (dots,) = [each.get("d") for each in ET.fromstring(html).iter("path") if each.get("stroke-linecap") == "round"]
    assert (dots.count("M"), dots.count("h0"), dots.count("L")) == (3, 3, 0)
    assert curve([1.0, 2.0], marks="none")._repr_html_() is None
    info = ChartInfo("raster", "Raster", "1", kind="raster", x_title="Time", x_unit="ms")
    (found,) = curves_of_chart(info, ChartData((Points("E", np.arange(3.0), np.arange(3.0)),)))
    assert found.marks == "dots"


def test_lists_are_shown_by_names_and_sentences():
    listed = Listed(
        [FieldInfo("u", "Temperature", "1", "cell", (0, 1)), FieldInfo("q", "<Heat>", "W/m³", "cell", (0, 1))]
    )
    assert repr(listed) == "u  Temperature\nq  <Heat>  W/m³"
    assert "&lt;Heat&gt;" in listed._repr_html_()
    assert listed[1].name == "q"
    assert listed == tuple(listed)
    finding = Finding("Too coarse.", place=("grid", "cells_x"), remedy=Remedy("Refine", {("grid", "cells_x"): 8}))
    assert repr(Listed([finding])) == "Warning  Too coarse. [grid.cells_x] Refine with set({'grid.cells_x': 8})."
    assert repr(Listed()) == "<none>"


def test_an_estimate_says_what_a_run_will_need():
    plate = wb.open("heat_on_a_plate").set({"grid.cells_x": 64, "grid.cells_y": 64})
    found = plate.estimate("cpu")
    text, html = repr(found), found._repr_html_()
    for words in ("Memory", f"{found.step:.4g} s", "to 10 s"):
        assert words in text
        assert words in html
    assert repr(wb.open("voltage_losses").estimate("cpu")).splitlines()[-1].startswith("Info: ")
    told = dataclasses.replace(found, facts=(Fact("On disk", 2500.0, "MB"), Fact("Off by", 0.01234, "mV")))
    assert ("2.50 GB" in repr(told), "0.01234 mV" in repr(told)) == (True, True)


@pytest.fixture
def kernel(monkeypatch):
    """What a notebook's kernel was given to show."""
    told: list[str] = []
    handle = types.SimpleNamespace(update=told.append)
    ipython, display = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    display.HTML = str
    display.display = lambda html, display_id: told.append(html) or handle
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return told


def test_a_notebook_has_a_bar_of_its_own(kernel, monkeypatch):
    monkeypatch.setattr("workbench.api.runs.progress.BETWEEN", 0.0)
    with shown(True) as show:
        assert "Getting ready" in kernel[0]
        show("<1 ms>", 0.25)
        assert 'value="0.2500"' in kernel[-1]
        assert "&lt;1 ms&gt;" in kernel[-1]
        assert kernel[-1].count(" left") == 1
        show("4 ms", 1.0)
    assert "100 % · 4 ms · took " in kernel[-1]
    with shown(True) as show:
        show("7 ms", 0.0)
    assert kernel[-1].startswith("<small>7 ms · took ")


def test_a_bar_is_drawn_no_more_often_than_it_is_seen(kernel, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("workbench.api.runs.progress.time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr("workbench.api.runs.progress.BETWEEN", 0.5)
    with shown(True) as show:
        before = len(kernel)
        for at in (0.0, 0.25, 0.5, 0.75, 1.0):
            now[0] = 100.0 + at
            show("1 ms", 0.25)
        assert len(kernel) - before == 3


def test_the_bar_is_there_while_the_run_is_made_ready(kernel):
    wb.open("heat_on_a_plate").set({"grid.cells_x": 32, "grid.cells_y": 32}).run(until=0.1, device="cpu", progress=True)
    assert "Getting ready" in kernel[0]
    assert "100 %" in kernel[-1]
    assert sum("Getting ready" in line for line in kernel) <= 2


def test_things_say_what_they_are():
    time, voltage = Quantity(np.arange(5.0), "ms", "Time"), Quantity(np.ones(5), "mV")
    over_time, bare = Curve("v", "Voltage", time, voltage), Curve("n", "Count", Quantity([1.0]), Quantity([2.0]))
    slab = SimpleNamespace(title="Slab")
    told = [
        (over_time, 5, "<Curve 'v': Voltage [mV] over Time [ms], 5 values>"),
        (bare, 1, "<Curve 'n': Count over x, 1 values>"),
        (Curves({"v": over_time, "n": bare}, (), None), 2, f"{over_time!r}\n{bare!r}"),
        (Curves({}, (), None), 0, "<no curves>"),
        (Named("chart", ["a", "b"], str), 2, "<2: a, b>"),
        (Named("chart", [], str), 0, "<none>"),
        (EndedRun(Row(0, (), 2.5, 1234), "ms"), None, "<EndedRun at 2.5 ms after 1,234 steps>"),
        (Picture(np.zeros((3, 4, 4), np.uint8), slab), None, "<Picture of 'Slab', 4 × 3>"),
    ]
    for thing, count, said in told:
        assert repr(thing) == said
        assert count is None or len(thing) == count


def test_a_case_of_a_sweep_has_the_curves_and_charts_that_it_brought_back():
    points = Points("Mean", np.arange(3.0), np.ones(3)), Points("Largest", np.arange(3.0), 2 * np.ones(3))
    series = ChartInfo("voltage", "Voltage", "mV", ("mean", "most", "not kept"))
    bars = ChartInfo("sizes", "Sizes", "1", kind="bar", x_title="Size", x_unit="um")
    of_bars = Points("All", np.arange(4.0), np.ones(3))
    run = EndedRun(Row(0, (), charts=((series, ChartData(points), None), (bars, ChartData((of_bars,)), None))), "ms")
    assert [curve.name for curve in run.charts["voltage"]] == ["mean", "most"]
    assert [curve.name for curve in run.charts["sizes"]] == ["sizes/All"]
    assert [(curve.title, curve.time.unit, curve.unit) for curve in run.charts["voltage"]] == [
        ("Mean", "ms", "mV"), ("Largest", "ms", "mV"),
    ]  # fmt: skip
    assert run.curves["sizes"].x.unit == "µm"
    assert list(run.charts) == ["voltage", "sizes"]


def test_a_case_of_a_sweep_that_is_kept_in_a_folder_says_that_the_folder_is_why_its_spikes_are_not_here() -> None:
    with pytest.raises(ProblemError, match="sweep without 'workers' and 'out'"):
        _ = EndedRun(Row(0, (), 2.5, 1234), "ms").spikes
