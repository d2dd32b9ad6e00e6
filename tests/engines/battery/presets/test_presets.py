"""The gallery's problems: each opens, has nothing to warn of, is estimated and takes its first steps."""

from pathlib import Path

import numpy as np
import pytest

from engines.battery.engine import BatteryEngine
from workbench.project.presets import open_preset

ENGINE = BatteryEngine()
PRESETS = {preset.id: preset for preset in ENGINE.presets()}
MODELS = {"particles", "SPM", "SPMe", "MPM", "pack"}


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_preset_opens_and_runs(cpu, name):
    document = open_preset(PRESETS[name])
    problem, project = document.complete_problem(), document.project
    assert all(finding.severity == "info" for finding in ENGINE.estimate(problem, cpu).findings)
    assert project.run.until is not None or ENGINE.ends(problem)
    simulation = ENGINE.build(problem, cpu)
    simulation.advance(3)
    seen = simulation.observe()
    fields = {field.name: field for field in simulation.fields}
    assert set(seen) >= {series.name for series in simulation.series}
    assert np.isfinite(list(seen.values())).all()
    assert project.view.field in fields
    assert np.isfinite(simulation.field(project.view.field)).all()
    low, high = project.view.range or fields[project.view.field].range
    assert low <= np.median(simulation.field(project.view.field)) <= high
    for chart in simulation.charts:
        if not chart.series:
            simulation.chart(chart.name)
    assert simulation.inspect(0) is not None
    simulation.close()
    assert PRESETS[name].picture is not None


def test_the_presets_show_each_model():
    found = {open_preset(preset).parameters.model for preset in PRESETS.values()}
    assert found == MODELS


def test_the_drive_cycle_is_the_sample():
    """A preset carries its files with it: this one is a copy."""
    sample = Path(__file__).parents[4] / "sample_data" / "drive_cycles" / "motorway_power.csv"
    assert Path(str(PRESETS["motorway"].project), sample.name).read_bytes() == sample.read_bytes()
