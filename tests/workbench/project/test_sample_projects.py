"""The projects that come with the application open, with the real reader and the real engine."""

import subprocess
import sys
from pathlib import Path

import pytest

from workbench.project.document import open_document, save_document
from workbench.project.presets import open_preset, presets
from workbench.run.session import start

ROOT = Path(__file__).parents[3]
SEEN = 8.0
"""Seconds that a run goes on at least, so that its first picture is not its last."""
SAMPLES = {preset.id: preset for preset in presets()}


def test_there_are_samples():
    assert {"biventricular", "niederer_slab", "small_slab"} <= set(SAMPLES)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_sample_opens_and_is_complete(name):
    document = open_preset(SAMPLES[name])
    assert document.path is None
    assert SAMPLES[name].title
    assert SAMPLES[name].summary
    assert document.project.run.until is not None or document.engine.ends(document.problem)
    assert document.geometry.n_cells > 0
    assert not [finding for finding in document.findings if finding.severity == "warning"]


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_a_sample_is_not_over_in_a_moment_in_the_window(name):
    """Whatever the device makes of it; where it ends by itself, its pace was chosen by eye."""
    run = open_preset(SAMPLES[name]).project.run
    assert run.pace is not None
    assert run.until is None or run.until / run.pace >= SEEN


def test_without_a_window_a_sample_keeps_no_pace():
    runner = start(open_preset(SAMPLES["small_slab"]), "cpu")
    try:
        assert runner.pace is None
    finally:
        runner.close()


@pytest.mark.parametrize("target", ["mine", "mine.zip"])
def test_a_sample_becomes_a_project_of_ones_own(tmp_path, target):
    document = open_preset(SAMPLES["small_slab"])
    save_document(document, tmp_path / target)
    again = open_document(tmp_path / target)
    assert again.parameters == document.parameters
    assert again.mesh.is_file()
    assert again.findings == document.findings


@pytest.mark.parametrize(("name", "engine"), [("small_slab", "cardiac"), ("waves", "spiking")])
def test_the_other_engines_are_not_loaded_for_a_preset(name, engine):
    """Which took longer than the preset's own run."""
    code = (
        "import sys; from workbench.project.presets import open_preset, preset_called; open_preset(preset_called"
        "(sys.argv[1])); print(*(name for name in sys.modules if name.count('.') == 2 and name.endswith('.engine')))"
    )
    told = subprocess.run([sys.executable, "-c", code, name], capture_output=True, text=True, check=True, cwd=ROOT)
    assert set(told.stdout.split()) == {"engines.api.engine", f"engines.{engine}.engine"}
