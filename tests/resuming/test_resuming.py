"""Every file of a run that was killed and went on is that of an unbroken one, in all engines.

The short form copies the folder of a run as a kill would leave it. The long form, ``python -m tests.long kills``, runs
in processes that are killed at random moments, again and again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.resuming.folders import differences, resumed_as_unbroken
from workbench.cli import main

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
