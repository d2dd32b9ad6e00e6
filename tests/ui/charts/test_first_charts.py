"""Every preset opens with the charts that its user came for: they exist, and the first has something to show after a
short run. Those that take long to build or to begin are slow."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from engines.backend import open_backend
from ui.charts.contents import charts_of
from workbench.project.presets import open_preset, presets
from workbench.run.lines import PREFIX, line_charts, line_results

PRESETS = {preset.id: preset for preset in presets()}
SLOW = {
    "biventricular", "brunel", "composite_heat", "fdtd_bend", "fdtd_dipole", "fdtd_patch", "fdtd_ring", "fdtd_slab",
    "fdtd_sphere", "fragmenting_cylinder", "hundred_cycles", "ischaemic_zone", "niederer_slab", "notched_concrete_beam",
    "potjans_diesmann", "scarred_slab", "spiral_wave", "waves",
}  # fmt: skip
BATCH, MOST = 50, 4000
"""Steps; the longest way to something to show is that to the end of a battery's first cycle."""


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
    backend = open_backend("cpu")
    simulation = document.engine.build(document.complete_problem(), backend)
    try:
        lines, views = document.project.lines, document.project.view.charts
        found = charts_of(SimpleNamespace(charts=simulation.charts, series=simulation.series))
        found += line_charts(lines, simulation.fields, simulation.geometry.length_unit)
        charts = {chart.name: chart for chart in found}
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
