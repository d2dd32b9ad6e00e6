"""Every file of a run that was killed and went on is that of an unbroken one, in all engines.

The short form copies the folder of a run as a kill would leave it. The long form (``--slow``) runs in processes that
are killed at random moments, again and again; ``KILLS`` of the environment says how many (default 60).
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.resuming.folders import differences, resumed_as_unbroken
from workbench.run.earlier import was_finished

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


@pytest.mark.gpu
@pytest.mark.parametrize("preset", SHORT)
def test_so_it_does_on_a_gpu(preset, tmp_path, monkeypatch):
    until, every, steps = SHORT[preset]
    arguments = ["--until", until, "--snapshot-every", every, *device_arguments("cuda:0")]
    assert resumed_as_unbroken(preset, arguments, steps, tmp_path, monkeypatch) == []


LONG = {
    "one_particle": ("60000", "9000"),
    "voltage_losses": ("13000", "2000"),
    "thousand_cells": ("13000", "2000"),
    "pack_cooling": ("3600", "400"),
    "small_slab": ("60", "10"),
    "scarred_slab": ("40", "10"),
    "fdtd_slab": ("150", "40"),
    "fdtd_bend": ("30", "11"),
    "brazilian_disc": ("12", "3.1"),
    "notched_concrete_beam": ("3000", "700"),
    "cuba_4000": ("3000", "500"),
    "izhikevich_2003": ("3000", "500"),
    "gray_scott_box": ("900", "200"),
    "composite_heat": ("0.4", "0.1"),
}
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP) if sys.platform != "win32" else ()


def workbench(*arguments: str, log: Path) -> subprocess.Popen[bytes]:
    with log.open("ab") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "workbench", *arguments],
            stdout=file,
            stderr=file,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )


def killed_until_it_ends(out: Path, log: Path, chance: random.Random, most: int) -> dict[str, int]:
    """Kill the run in ``out`` at most ``most`` times, each time a while after it has begun; how often by signal."""
    kills: dict[str, int] = {}
    while sum(kills.values()) < most:
        process = workbench("resume", str(out), log=log)
        before = checkpoint_time(out)
        while process.poll() is None and checkpoint_time(out) == before:
            time.sleep(0.005)
        time.sleep(chance.random() * 0.4)
        if process.poll() is not None:
            break
        number = chance.choice(SIGNALS)
        process.send_signal(number)
        process.wait(60)
        if was_finished(out):  # before the signal came
            return kills
        kills[number.name] = kills.get(number.name, 0) + 1
    else:
        process = workbench("resume", str(out), log=log)
    assert process.wait(600) == 0, log.read_text()
    return kills


def checkpoint_time(out: Path) -> float:
    file = out / "checkpoint.npz"
    try:
        return file.stat().st_mtime
    except FileNotFoundError:  # between two renames, too
        return 0.0


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.skipif(sys.platform == "win32", reason="signals are of POSIX")
@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)])
def test_runs_that_are_killed_again_and_again_leave_the_files_of_unbroken_ones(device, tmp_path, capsys):
    wanted, seed = int(os.environ.get("KILLS", "60")), int(os.environ.get("SEED", "1"))
    chance, told, total, trouble = random.Random(seed), [], 0, {}
    while total < wanted:
        for preset, (until, every) in LONG.items():
            if total >= wanted:
                break
            folder = tmp_path / preset
            arguments = ["run", preset, "--until", until, "--snapshot-every", every, *device_arguments(device)]
            arguments += ["--checkpoint-every", "0.05"]
            if not (folder / "whole").exists():
                folder.mkdir()
                process = workbench(*arguments, "--out", str(folder / "whole"), log=folder / "log")
                assert process.wait(600) == 0, (folder / "log").read_text()
            shutil.rmtree(folder / "killed", ignore_errors=True)
            process = workbench(*arguments, "--out", str(folder / "killed"), log=folder / "log")
            while process.poll() is None and not (folder / "killed" / "run.json").exists():
                time.sleep(0.01)
            process.kill()
            process.wait(60)
            kills = {"SIGKILL": 1}
            for name, count in killed_until_it_ends(folder / "killed", folder / "log", chance, 4).items():
                kills[name] = kills.get(name, 0) + count
            total += sum(kills.values())
            found = differences(folder / "whole", folder / "killed")
            told.append(f"{preset}: {kills} {found or 'the same'}")
            if found:
                trouble[preset] = found
            with capsys.disabled():
                print(told[-1], flush=True)
    assert not trouble
