"""Runs in processes that are killed at random moments, and go on until they end."""

from __future__ import annotations

import math
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.resuming.folders import contents, differences
from workbench.run.earlier import CHECKPOINT, was_finished
from workbench.run.states.checkpoint import checkpoints_at

ROOT = Path(__file__).parents[2]
PROBLEMS = {
    # preset: (end, fields every) in its unit of time
    "one_particle": (60000.0, 9000.0),
    "voltage_losses": (13000.0, 2000.0),
    "thousand_cells": (13000.0, 2000.0),
    "pack_cooling": (3600.0, 400.0),
    "small_slab": (60.0, 10.0),
    "scarred_slab": (40.0, 10.0),
    "fdtd_slab": (150.0, 40.0),
    "fdtd_bend": (30.0, 11.0),
    "brazilian_disc": (12.0, 3.1),
    "notched_concrete_beam": (3000.0, 700.0),
    "cuba_4000": (3000.0, 500.0),
    "izhikevich_2003": (3000.0, 500.0),
    "gray_scott_box": (900.0, 200.0),
    "composite_heat": (0.4, 0.1),
}
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM) if sys.platform != "win32" else ()
MOST_SIGNALS = 8
"""That one run is ended by, before it goes on undisturbed."""
SHORTEST, MOST_LONGER = 1.5, 8.0
"""[s] A run that steps for less has another ``until``, by this factor at most, so that kills find it stepping."""
LONGEST = 900.0
ANYWHERE = 0.2
"""Share of the kills that come at any moment of the process; the others come while it steps."""


@dataclass(frozen=True)
class Unbroken:
    """A run that nobody disturbed."""

    folder: Path
    arguments: tuple[str, ...]
    first: float
    """[s] to the first checkpoint."""
    seconds: float
    """[s] of the process."""


@dataclass
class Killed:
    """What became of a run that was killed again and again."""

    signals: dict[str, int] = field(default_factory=dict)
    before_run_json: int = 0
    before_checkpoint: int = 0
    files: int = 0
    different: list[str] = field(default_factory=list)

    def kills(self, name: str = "SIGKILL") -> int:
        return self.signals.get(name, 0)


def workbench(*arguments: str, log: Path) -> subprocess.Popen[bytes]:
    """The command in a process of its own, as ``python -m workbench`` begins it."""
    with log.open("ab") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.resuming.command", *arguments],
            cwd=log.parent,
            stdout=file,
            stderr=file,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        )


def unbroken(preset: str, device: str, folder: Path) -> Unbroken:
    """Run ``preset`` to its end in ``folder``. Raises RuntimeError with what it said if it fails.

    Twice: the first one may compile kernels, and says how long it steps.
    """
    until, every = PROBLEMS[preset]
    run = _unbroken(preset, device, folder, until, every)
    factor = min(MOST_LONGER, max(1.0, SHORTEST / max(run.seconds - run.first, 1e-3)))
    return _unbroken(preset, device, folder, until * factor, every * factor)


def _unbroken(preset: str, device: str, folder: Path, until: float, every: float) -> Unbroken:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    out, log, began = folder / "whole", folder / "log", time.monotonic()
    arguments: tuple[str, ...] = (
        "run",
        preset,
        "--until",
        f"{until:g}",
        "--snapshot-every",
        f"{every:g}",
        "--device",
        device,
    )
    arguments += ("--no-pictures", "--checkpoint-every", "0.05")
    process = workbench(*arguments, "--out", str(out), log=log)
    while process.poll() is None and not checkpoints_at(out / CHECKPOINT):
        time.sleep(0.01)
    first = time.monotonic() - began
    _ended(process, log)
    return Unbroken(out, arguments, first, time.monotonic() - began)


def _ended(process: subprocess.Popen[bytes], log: Path) -> None:
    try:
        code = process.wait(LONGEST)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise RuntimeError(f"not done after {LONGEST:.0f} s: {_last(log)}") from None
    if code != 0:
        raise RuntimeError(f"ended with {code}: {_last(log)}")


def _last(log: Path) -> str:
    return " ".join(log.read_text("utf-8", errors="replace").split())[-600:]


def killed_until_it_ends(
    run: Unbroken, out: Path, chance: random.Random, most: int = MOST_SIGNALS, until: float = math.inf
) -> Killed:
    """The same run into ``out``, killed at most ``most`` times and not after ``until`` (time.monotonic), each time
    going on as the folder says; all its files are held against those of the unbroken one. Raises RuntimeError where it
    does not come to its end."""
    told, log = Killed(), out.with_suffix(".log")
    while True:
        begun = (out / "run.json").exists()
        given = ("resume", str(out)) if begun else (*run.arguments, "--out", str(out))
        before = checkpoint_time(out)
        process = workbench(*given, log=log)
        if sum(told.signals.values()) >= most or time.monotonic() > until:
            _ended(process, log)
            break
        _wait_for_a_moment(process, run, out, chance)
        if process.poll() is not None:
            _ended(process, log)
            break
        number = chance.choice(SIGNALS)
        process.send_signal(number)
        process.wait(LONGEST)
        if was_finished(out):  # before the signal came
            break
        told.signals[number.name] = told.signals.get(number.name, 0) + 1
        told.before_run_json += not (out / "run.json").exists()
        told.before_checkpoint += checkpoint_time(out) == before
    told.different = differences(run.folder, out)
    told.files = len(contents(out))
    return told


def _wait_for_a_moment(process: subprocess.Popen[bytes], run: Unbroken, out: Path, chance: random.Random) -> None:
    if chance.random() < ANYWHERE:
        time.sleep(chance.random() * run.seconds)
        return
    before = checkpoint_time(out)
    while process.poll() is None and checkpoint_time(out) == before:
        time.sleep(0.005)
    time.sleep(chance.random() * max(0.05, (run.seconds - run.first) / 3))


def checkpoint_time(out: Path) -> float:
    try:
        return (out / CHECKPOINT).stat().st_mtime
    except FileNotFoundError:  # between two renames, too
        return 0.0
