"""Every file of a run that was killed and went on is that of an unbroken one, in all engines.

The short form copies the folder of a run as a kill would leave it. The long form, ``python -m tests.long kills``, runs
in processes that are killed at random moments, again and again.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import time as clock
from pathlib import Path

import pytest

from engines.api import Simulation
from tests.resuming.folders import differences, resumed_as_unbroken
from workbench.cli import main
from workbench.project.document import open_document
from workbench.run.frames import RunState
from workbench.run.recording import Recorder
from workbench.run.session import start

ROOT = Path(__file__).parents[2]
SHORT = {
    # preset: (end, fields every) in its unit of time, and the steps of the checkpoint and of the kill
    "one_particle": ("5769", "900", (900, 1500)),
    "hundred_cycles": ("9000", "2000", (101, 200)),
    "small_slab": ("6", "1", (37, 85)),
    "fdtd_slab": ("20", "3.5", (150, 290)),
    "notched_concrete_beam": ("200", "45", (83, 147)),
    "cuba_4000": ("60", "13", (213, 444)),
    "gray_scott_coral": ("60", "14", (17, 41)),
}

FURTHER = {
    # preset: an end between two samples, the later one, and fields every, in its unit of time
    "one_particle": ("1237", "3000", "900"),
    "thousand_cells": ("1234", "4000", "900"),
    "particle_sizes": ("1237", "3000", "900"),
    "pack_cooling": ("123", "700", "100"),
    "small_slab": ("2.345", "4", "1"),
    "fdtd_slab": ("7.77", "20", "3.5"),
    "notched_concrete_beam": ("83", "200", "45"),
    "brazilian_disc": ("5.137", "12", "3.1"),
    "cuba_4000": ("21.3", "40", "13"),
    "gray_scott_coral": ("17", "60", "14"),
}


def device_arguments(device: str) -> list[str]:
    return ["--device", device, "--no-pictures"]


@pytest.mark.parametrize("preset", SHORT)
def test_a_run_that_was_killed_and_went_on_leaves_the_files_of_an_unbroken_one(preset, tmp_path, monkeypatch):
    until, every, steps = SHORT[preset]
    arguments = ["--until", until, "--snapshot-every", every, *device_arguments("cpu")]
    assert resumed_as_unbroken(preset, arguments, steps, tmp_path, monkeypatch) == []


@pytest.mark.parametrize(("preset", "form"), [("small_slab", "vtkhdf"), ("small_slab", "igb"), ("fdtd_slab", "vtkhdf")])
def test_so_do_files_that_grow(preset, form, tmp_path, monkeypatch):
    until, every, steps = SHORT[preset]
    arguments = ["--until", until, "--set", f"recording.fields.interval={every}", *device_arguments("cpu")]
    arguments += ["--set", f"recording.fields.format={form}"]
    assert resumed_as_unbroken(preset, arguments, steps, tmp_path, monkeypatch) == []


def test_so_do_synapses_that_each_have_a_delay_of_their_own(tmp_path, monkeypatch):
    """Spikes that are under way for 30 ms when it is killed, to synapses that change."""
    delay = 'connections.0.delay={"kind": "formula", "formula": "clip(12*ms*randn(), 0*ms, 30*ms)"}'
    arguments = ["--until", "60", "--snapshot-every", "13", "--set", delay, *device_arguments("cpu")]
    assert resumed_as_unbroken("typed_stdp", arguments, (213, 444), tmp_path, monkeypatch) == []


PROBED = [{"name": name, "position": [x, 0.5, 0.0]} for name, x in (("P1", 0.3), ("P2", 0.8))]


def probed(folder: Path) -> str:
    """A network whose voltages are followed at two neurons in each step."""
    project = shutil.copytree(Path("engines/spiking/presets/cuba_4000"), folder / "probed") / "project.json"
    content = json.loads(project.read_text())
    project.write_text(json.dumps(content | {"probes": PROBED}))
    return str(project.parent)


@pytest.mark.parametrize("steps", [(200, 444), (213, 444), (200, 230)])
def test_so_do_voltages_of_each_step(steps, tmp_path, monkeypatch):
    """The row of the step that it went on from was lost, where that is between two samples."""
    arguments = ["--until", "60", *device_arguments("cpu")]
    told = resumed_as_unbroken(probed(tmp_path), arguments, steps, tmp_path, monkeypatch)
    assert told == []
    rows = (tmp_path / "whole" / "traces.csv").read_text().splitlines()
    assert len(rows) == 602


def test_so_do_voltages_of_a_run_that_was_interrupted_between_two_samples(tmp_path, monkeypatch):
    """What had been recorded since the latest one was lost."""
    project = probed(tmp_path)
    whole, ended = tmp_path / "whole", tmp_path / "ended"

    class Interrupted(Recorder):
        def next_step(self, after: int) -> int | None:
            return min(each for each in (super().next_step(after), 213, 10_000) if each is not None and each > after)

        def observe(self, simulation: Simulation) -> None:
            super().observe(simulation)
            if simulation.step == 213:
                os.kill(os.getpid(), signal.SIGINT)
                clock.sleep(0.5)  # who watches hears of it meanwhile

    with monkeypatch.context() as patch:
        patch.setattr("workbench.cli.runs.run.Recorder", Interrupted)
        assert main(["run", project, "--until", "40", "--out", str(ended), *device_arguments("cpu")]) == 130
    assert (ended / "traces.csv").read_text().splitlines()[-1].startswith("21.3,")
    assert main(["run", project, "--until", "40", "--out", str(whole), *device_arguments("cpu")]) == 0
    assert main(["resume", str(ended)]) == 0
    assert differences(whole, ended) == []


def test_where_each_step_is_recorded_checkpoints_are_taken_at_samples(tmp_path):
    """A run that is killed has all rows up to there."""
    network = open_document(Path(probed(tmp_path)))
    recorder = Recorder(tmp_path / "out", network, checkpoint_seconds=0.0)
    runner = start(network, "cpu", (recorder,), autostart=False)
    try:
        assert runner.wait(RunState.READY, timeout=60) is RunState.READY
        taken = runner.post(lambda simulation: (simulation.sample_steps, recorder.next_step(3))).result(60)
    finally:
        runner.close()
    assert taken == (50, 50)


@pytest.mark.parametrize("end", ["21.3", "20"])
def test_so_do_voltages_of_a_run_that_goes_further(end, tmp_path):
    project = probed(tmp_path)
    whole, ended = tmp_path / "whole", tmp_path / "ended"
    assert main(["run", project, "--until", "40", "--out", str(whole), *device_arguments("cpu")]) == 0
    assert main(["run", project, "--until", end, "--out", str(ended), *device_arguments("cpu")]) == 0
    assert main(["resume", str(ended), "--until", "40"]) == 0
    assert differences(whole, ended) == []


@pytest.mark.parametrize("preset", FURTHER)
def test_so_does_a_run_that_had_come_to_its_end_between_two_samples_and_goes_further(preset, tmp_path):
    end, later, every = FURTHER[preset]
    command = ["run", preset, "--snapshot-every", every, *device_arguments("cpu")]
    whole, ended = tmp_path / "whole", tmp_path / "ended"
    assert main([*command, "--until", later, "--out", str(whole)]) == 0
    assert main([*command, "--until", end, "--out", str(ended)]) == 0
    assert main(["resume", str(ended), "--until", later]) == 0
    assert differences(whole, ended) == []


@pytest.mark.gpu
@pytest.mark.parametrize("preset", SHORT)
def test_so_it_does_on_a_gpu(preset, tmp_path, monkeypatch):
    until, every, steps = SHORT[preset]
    arguments = ["--until", until, "--snapshot-every", every, *device_arguments("cuda:0")]
    assert resumed_as_unbroken(preset, arguments, steps, tmp_path, monkeypatch) == []
