"""Every preset opens with the charts that its user came for: they exist, and the first has something to show after a
short run. Those that take long to build or to begin are slow."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from engines.api.charts import ChartInfo
from engines.backend import open_backend
from tests.ui.pictures.walk import IDENTIFIER
from ui.charts.contents import charts_of
from ui.charts.plots.plot import ChartPlot
from workbench.project.presets import open_preset, presets
from workbench.run.lines import PREFIX, line_charts, line_results
from workbench.words.units import unit_text

PRESETS = {preset.id: preset for preset in presets()}
SLOW = {
    "biventricular", "brunel", "composite_heat", "fdtd_bend", "fdtd_dipole", "fdtd_patch", "fdtd_ring", "fdtd_slab",
    "fdtd_sphere", "fragmenting_cylinder", "hundred_cycles", "ischaemic_zone", "niederer_slab", "notched_concrete_beam",
    "potjans_diesmann", "scarred_slab", "spiral_wave", "waves",
}  # fmt: skip
NAMED = re.compile(r"[A-ZΑ-Ωα-ω|∇]|[a-z]+[A-Z]|[a-z](?![a-z])")
"""How a name begins: as a sentence does, or with a symbol."""
SYMBOL = re.compile(r"\b[A-Za-z]_[A-Za-z]\b")
"""Of a typed equation: ``u_t``."""
UNIT = re.compile(r"[^\W_]*(?:[%°·/²³⁻¹ ()]|[^\W_])*")
TWO_QUANTITIES = re.compile(r", by |, line | by | over (?!that|Rayleigh)| and ")
BATCH, MOST = 50, 4000
"""Steps; the longest way to something to show is that to the end of a battery's first cycle."""


def faults_of(chart, titles):
    """What of a chart is no quantity's name with its unit, and what of a legend is none for people."""
    abscissa, ordinate = "Time" if chart.series else chart.x_title, chart.y_title or chart.title
    unit = unit_text(chart.unit)
    curves = [titles[name] for name in (*chart.series, *chart.lines)]
    names = [chart.title, abscissa, ordinate, *curves, *([chart.across_title] if chart.kind == "pattern" else [])]
    faults = [
        f"{chart.name}: '{name}'" for name in names if IDENTIFIER.search(SYMBOL.sub("", name)) or not NAMED.match(name)
    ]
    faults += [f"{chart.name}: unit '{each}'" for each in (unit, unit_text(chart.x_unit)) if not UNIT.fullmatch(each)]
    if TWO_QUANTITIES.search(ordinate):
        faults.append(f"{chart.name}: '{ordinate}' is what it shows over what, give the ordinate its name in y_title")
    return faults


@pytest.mark.parametrize(
    ("info", "wrong"),
    [
        (ChartInfo("a", "Mean rate", "Hz", ("rate_e",)), 0),
        (ChartInfo("a", "Mean rate", "Hz", ("bare",)), 1),
        (ChartInfo("a", "Neurons, by rate", "1", kind="bar", x_title="Rate", x_unit="Hz"), 1),
        (ChartInfo("a", "Neurons, by rate", "1", kind="bar", x_title="Rate", x_unit="Hz", y_title="Neurons"), 0),
        (ChartInfo("a", "Gain", "dB", x_unit="Hz"), 1),
        (ChartInfo("a", "Gain", "in_db", x_title="frequency", x_unit="Hz"), 2),
    ],
)
def test_what_is_no_name_of_a_quantity_is_found(info, wrong):
    assert len(faults_of(info, {"rate_e": "Rate, excitatory", "bare": "rate_e"})) == wrong


@pytest.mark.parametrize(("title", "height", "said"), [("", 90, "[N]"), ("Load", 90, "[N]"), ("Load", 160, "Load [N]")])
def test_both_axes_say_what_they_are_as_far_as_there_is_room(qtbot, title, height, said):
    """The ordinate's name stands above the chart too, the abscissa's nowhere else."""
    plot = ChartPlot(ChartInfo("a", "Load and time", "N", ("force",), y_title=title), "ms")
    qtbot.addWidget(plot)
    plot.resize(150, height)
    plot.show()
    bottom, left = (plot.getAxis(side).label for side in ("bottom", "left"))
    assert bottom.toPlainText().strip() == "Time [ms]"
    assert left.toPlainText().strip() == said
    assert bottom.boundingRect().width() < plot.getAxis("bottom").width()
    assert left.boundingRect().width() < plot.getAxis("left").height()
    plot.set_title("Force")  # of another length, in the middle of the axis too
    placed = left.mapRectToParent(left.boundingRect())
    assert placed.center().y() == pytest.approx(plot.getAxis("left").height() / 2, abs=2)


def filled(simulation, chart, lines):
    """Whether there is a number in a chart."""
    if chart.series:
        observed = simulation.observe()
        return all(np.isfinite(observed[name]) for name in chart.series if name in observed)
    if chart.name.startswith(PREFIX):
        data = {info.name: data for info, data in line_results(simulation, lines)}[chart.name]
    else:
        data = simulation.chart(chart.name)
    return any(np.isfinite(curve.y).any() for curve in data.curves)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in PRESETS]
)
def test_the_charts_of_a_preset_exist_and_its_first_one_is_not_empty_after_a_short_run(name):
    document = open_preset(PRESETS[name])
    if name == "fdtd_gold_sphere":  # of half as many cells along each axis: its charts hang on boxes and cuts
        grid, faces = document.parameters.grid, document.parameters.faces
        grid.cells_x, grid.cells_y, grid.cells_z = grid.cells_x // 2, grid.cells_y // 2, grid.cells_z // 2
        faces.layer //= 2
    backend = open_backend("cpu")
    simulation = document.engine.build(document.complete_problem(), backend)
    try:
        lines, views = document.project.lines, document.project.view.charts
        found = charts_of(SimpleNamespace(charts=simulation.charts, series=simulation.series))
        found += line_charts(lines, simulation.fields, simulation.geometry.length_unit)
        charts = {chart.name: chart for chart in found}
        titles = {one.name: one.title for one in simulation.series}
        assert [fault for chart in found for fault in faults_of(chart, titles)] == []
        assert views
        assert [view.name for view in views if view.name not in charts] == []
        assert [line.name for line in lines if PREFIX + line.name not in charts] == []
        while not filled(simulation, charts[views[0].name], lines):
            assert simulation.step < MOST, "nothing to show"
            assert not simulation.finished
            simulation.advance(BATCH)
    finally:
        simulation.close()
        backend.close()


def test_presets_of_every_engine_are_quick():
    assert set(PRESETS) > SLOW
    assert {PRESETS[name].engine for name in PRESETS if name not in SLOW} == {one.engine for one in PRESETS.values()}
