"""A disk that refuses ends a run in a sentence with the place; what is there is whole, and resumed it lacks nothing."""

from __future__ import annotations

import errno
import json
import os
import random
import resource
import shutil
import sys
from pathlib import Path

import pytest

from engines.api import Simulation
from tests.faults.disks import FaultyDisk, SlowDisk, in_place
from tests.faults.folders import differing
from tests.faults.test_devices import arguments
from workbench.cli import BAD_INPUT, RUN_FAILED, main
from workbench.run.earlier import was_finished
from workbench.run.recording import Recorder
from workbench.run.states.checkpoint import _read, checkpoints_at
from workbench.run.streams.stream import in_turn
from workbench.storage.atomic import StorageError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="files are found by /proc")
PRESETS = ("hundred_cycles", "fdtd_slab", "cuba_4000", "gray_scott_coral")
"""With cells.h5, results.h5, spikes.h5 and grids of fields."""
FIRST_WAITING, LAST_WAITING = 14, 90
"""Calls of a run of CUBA that ask for room, but for the first: a run that cannot begin does not wait."""
SAID = {
    errno.ENOSPC: "The disk is full: '",
    errno.EROFS: "may not be written here: choose another folder",
    errno.ENOENT: "has vanished while it was to be written",
    errno.EIO: "could not be written (Input/output error): choose another folder.",
}


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr("workbench.cli.runs.run.DISK_PATIENCE", 0.0)


def look_at_what_is_left(folder: Path) -> None:
    """Every finished file can be read."""
    for file in checkpoints_at(folder / "checkpoint.npz"):
        _read(file)
    if (folder / "run.json").is_file():
        json.loads((folder / "run.json").read_text())
    for table in folder.glob("*.csv"):
        assert not table.read_bytes() or table.read_bytes().endswith(b"\n")


def go_on(preset: str, folder: Path) -> int:
    there = (folder / "run.json").is_file()
    return main(["resume", str(folder)] if there else [*arguments(preset), "--out", str(folder)])


@pytest.mark.parametrize("preset", PRESETS)
def test_a_refusal_at_any_call_ends_the_run_and_what_is_left_goes_on(preset, tmp_path, capsys):
    chance = random.Random(f"{preset} {os.environ.get('SEED', 1)}")
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    counting = FaultyDisk(whole, errno.EIO)
    with in_place(counting):
        assert main([*arguments(preset), "--out", str(whole)]) == 0
    times = int(os.environ.get("FAULTS", "0"))
    numbers = list(SAID) * times or [chance.choice(list(SAID))]
    for number in numbers:
        at, raised = chance.randrange(counting.calls), False
        while not raised:  # how many calls there are is a matter of the clock: checkpoints go by it
            shutil.rmtree(broken, ignore_errors=True)
            disk = FaultyDisk(broken, number, at)
            capsys.readouterr()
            with in_place(disk):
                code = main([*arguments(preset), "--out", str(broken)])
            told = capsys.readouterr().err
            raised = disk.raised
            assert raised or code == 0
            at //= 2
        assert code in (BAD_INPUT, RUN_FAILED), (number, disk._at)
        assert SAID[number] in told, (number, told)
        assert str(broken) in told
        assert "Traceback" not in told
        look_at_what_is_left(broken)
        assert go_on(preset, broken) == 0, capsys.readouterr().err
        assert differing(whole, broken) == [], (number, disk._at)


@pytest.mark.parametrize("preset", ["hundred_cycles", "cuba_4000"])
def test_files_that_may_not_grow_any_more_are_whole(preset, tmp_path, capsys):
    """The system's own limit of sizes, which HDF5 meets too."""
    chance = random.Random(f"{preset} {os.environ.get('SEED', 1)}")
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert main([*arguments(preset), "--out", str(whole)]) == 0
    largest = max(path.stat().st_size for path in whole.rglob("*.h5"))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    for _ in range(int(os.environ.get("FAULTS", "1"))):
        shutil.rmtree(broken, ignore_errors=True)
        capsys.readouterr()
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (chance.randrange(4096, largest), before[1]))
            code = main([*arguments(preset), "--out", str(broken)])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        told = capsys.readouterr().err
        assert code in (BAD_INPUT, RUN_FAILED)
        assert "would be larger than a file may be here" in told
        look_at_what_is_left(broken)
        assert go_on(preset, broken) == 0, capsys.readouterr().err
        assert differing(whole, broken) == []


def test_a_run_whose_record_cannot_be_written_leaves_nothing_in_the_way_of_another(tmp_path, capsys):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4600, before[1]))
        code = main([*arguments("cuba_4000"), "--out", str(tmp_path / "run")])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert code == RUN_FAILED
    assert "would be larger than a file may be here" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "run").rglob("*") if path.is_file()] == []
    assert go_on("cuba_4000", tmp_path / "run") == 0


@pytest.mark.parametrize("part", range(4))
def test_a_run_waits_for_room_and_lacks_nothing_afterwards(part, tmp_path, monkeypatch, capsys):
    """The disk is full at one call, whichever, and has room again when the wait is told of."""
    whole, waited = tmp_path / "whole", tmp_path / "waited"
    assert main([*arguments("cuba_4000"), "--out", str(whole)]) == 0
    monkeypatch.setattr("workbench.cli.runs.run.DISK_PATIENCE", 600.0)
    monkeypatch.setattr("workbench.storage.patience.AGAIN_SECONDS", 0.01)
    calls = sorted(random.Random(f"waits {os.environ.get('SEED', 1)}").sample(range(FIRST_WAITING, LAST_WAITING), 16))
    for at in calls[part::4]:
        disk = FaultyDisk(waited, errno.ENOSPC, at)
        told: list[str] = []

        def say(text: str = "", disk: FaultyDisk = disk, told: list[str] = told, **named: object) -> None:
            told.append(text)
            if "The run waits" in text:
                disk.mend()

        with monkeypatch.context() as patch, in_place(disk):
            patch.setattr("builtins.print", say)
            assert main([*arguments("cuba_4000"), "--out", str(waited)]) == 0, (at, told)
        waits = [text for text in told if "The run waits" in text]
        assert waits, at  # each thread that has to wait says so
        assert all(text.endswith("choose another folder. The run waits for 10 minutes.") for text in waits)
        assert told.count("There is room on the disk again: the run goes on.") == len(waits)
        assert differing(whole, waited) == [], at
        shutil.rmtree(waited)


def test_a_slow_disk_costs_time_and_nothing_else(tmp_path):
    whole, slow = tmp_path / "whole", tmp_path / "slow"
    assert main([*arguments("cuba_4000"), "--out", str(whole)]) == 0
    disk = SlowDisk(slow, 1e-3)
    with in_place(disk):
        assert main([*arguments("cuba_4000"), "--out", str(slow)]) == 0
    assert disk.calls > 20
    assert differing(whole, slow) == []


def test_a_folder_that_vanishes_is_told_of(tmp_path, capsys, monkeypatch):
    """What goes into open files that were removed would be lost without a word."""
    out = tmp_path / "out"
    look = Recorder.observe

    def removed(self: Recorder, simulation: Simulation) -> None:
        look(self, simulation)
        if simulation.step > 5:
            shutil.rmtree(out, ignore_errors=True)

    monkeypatch.setattr(Recorder, "observe", removed)
    assert main([*arguments("gray_scott_coral"), "--out", str(out)]) == RUN_FAILED
    assert SAID[errno.ENOENT] in capsys.readouterr().err


@pytest.mark.parametrize("by_link", [False, True])
def test_what_bears_the_name_of_a_folder_that_was_renamed_stays_as_it_is(tmp_path, capsys, monkeypatch, by_link):
    """A run that another had begun under that name got the outcome and the charts of the first, and lost its lock."""
    out, moved, other = tmp_path / "out", tmp_path / "moved", tmp_path / "other"
    look = Recorder.observe

    def renamed(self: Recorder, simulation: Simulation) -> None:
        look(self, simulation)
        if simulation.step > 5 and not moved.exists():
            self._writer.flush()
            out.rename(moved)
            (other if by_link else out).mkdir()
            if by_link:
                out.symlink_to(other)
            for name in ("run.json", "series.csv", ".running"):
                (out / name).write_text("another's")

    monkeypatch.setattr(Recorder, "observe", renamed)
    assert main([*arguments("gray_scott_coral"), "--json", "--out", str(out)]) == RUN_FAILED
    told = capsys.readouterr()
    assert SAID[errno.ENOENT] in told.err
    assert json.loads(told.out)["outcome"]["state"] == "failed"
    assert {path.name: path.read_text() for path in out.iterdir()} == dict.fromkeys(
        ("run.json", "series.csv", ".running"), "another's"
    )
    assert was_finished(moved) is False
    assert (moved / "series.csv").stat().st_size > 0


def test_what_is_written_is_not_written_again_when_what_follows_is_tried_again():
    done, full = [], [True]

    def second() -> None:
        if full:
            full.clear()
            raise StorageError("full", full=True)
        done.append("second")

    job = in_turn(lambda: done.append("first"), None, second)
    with pytest.raises(StorageError):
        job()
    job()
    assert done == ["first", "second"]
