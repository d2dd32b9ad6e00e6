"""A device that fails at any moment ends a run in a sentence, and what is left goes on to the files of a whole one."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path

import pytest

from tests.faults.devices import FAULTS, FaultyBackend
from tests.faults.folders import differing
from tests.resuming.test_resuming import SHORT, device_arguments
from workbench.cli import RUN_FAILED, main

ENDS = {"hundred_cycles": "3000", "cuba_4000": "20", "notched_concrete_beam": "60", "gray_scott_coral": "20"}
"""Of runs that are cut shorter than SHORT's, for each is made again and again."""
PRESETS = [name for name in SHORT if name != "one_particle"]


def arguments(preset: str) -> list[str]:
    until, every, _ = SHORT[preset]
    return [
        "run", preset, "--until", ENDS.get(preset, until), "--snapshot-every", every, "--checkpoint-every", "0.05",
        *device_arguments("cpu"),
    ]  # fmt: skip


def run_on(backend: FaultyBackend, preset: str, out: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    def opened(name: str, reserve_core: bool = False) -> FaultyBackend:
        return backend

    def built(report: object, *rest: object) -> None:
        backend.arm()

    with monkeypatch.context() as patch:
        patch.setattr("engines.backend.devices.select.open_backend", opened)
        patch.setattr("workbench.run.runner.Runner._report", built)
        return main([*arguments(preset), "--out", str(out)])


@pytest.mark.parametrize("preset", PRESETS)
def test_a_fault_ends_the_run_and_what_is_left_goes_on(preset, tmp_path, monkeypatch, capsys):
    chance = random.Random(f"{preset} {os.environ.get('SEED', 1)}")
    whole = tmp_path / "whole"
    counting = FaultyBackend()
    assert run_on(counting, preset, whole, monkeypatch) == 0
    times = int(os.environ.get("FAULTS", "0"))
    faults = list(FAULTS) * times or [chance.choice(list(FAULTS))]
    broken = tmp_path / "broken"
    for fault in faults:
        at, raised = chance.randrange(int(0.8 * counting.calls)), False
        while not raised:  # how many calls there are is a matter of the clock: batches and checkpoints go by it
            shutil.rmtree(broken, ignore_errors=True)
            backend = FaultyBackend(fault, at)
            capsys.readouterr()
            code = run_on(backend, preset, broken, monkeypatch)
            told = capsys.readouterr().err.splitlines()
            raised = backend.raised
            assert raised or code == 0
            at //= 2
        assert code == RUN_FAILED, (fault, told)
        assert not any("Traceback" in line or "unexpected" in line for line in told), told
        if (broken / "run.json").is_file():
            record = json.loads((broken / "run.json").read_text())
            assert record["outcome"]["state"] == "failed"
            assert main(["resume", str(broken)]) == 0, capsys.readouterr().err
            assert differing(whole, broken) == [], fault
