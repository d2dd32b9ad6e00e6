"""What is kept beside the runs on a machine whose clock was set back: the newest stays, whatever the clock said."""

from __future__ import annotations

import os
import time as clock
from pathlib import Path

import numpy as np
import pytest

from ui.session import snapshots
from workbench.run.states import memory as run_memory
from workbench.run.states.checkpoint import CheckpointMeta
from workbench.storage.atomic import oldest

STATE = {"step": np.array(3)}


@pytest.fixture(autouse=True)
def _places(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def of_next_year(folder: Path, count: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        file = folder / f"{number:032x}.npz"
        file.write_bytes(b"")
        os.utime(file, (clock.time() + 4e7 + number,) * 2)


def test_a_run_s_state_is_not_the_one_that_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It went at once: its date was before those of six others."""
    monkeypatch.setattr(run_memory, "MOST_BYTES", -1)
    folder = run_memory.runs_dir()
    of_next_year(folder, 8)
    own = folder / f"{'f' * 32}.npz"
    run_memory._write(own, CheckpointMeta("p", "cpu", 3, 0.1), STATE, {}, {})
    assert own.is_file()
    assert len(list(folder.glob("*.npz"))) == 5


def test_nor_is_one_that_was_kept_just_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each made way for the next one, while all of next year stayed."""
    monkeypatch.setattr(run_memory, "MOST_KEPT", 12)
    folder = run_memory.runs_dir()
    of_next_year(folder, 14)
    own = [folder / f"{letter * 32}.npz" for letter in "abc"]
    for file in own:
        run_memory._write(file, CheckpointMeta("p", "cpu", 3, 0.1), STATE, {}, {})
    kept = {file.name for file in folder.glob("*.npz")}
    assert kept >= {file.name for file in own}
    first = 14 + 3 - len(kept)
    assert kept - {file.name for file in own} == {f"{number:032x}.npz" for number in range(first, 14)}  # the newest


def test_nor_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_memory, "MOST_KEPT", 6)
    folder = run_memory.runs_dir()
    of_next_year(folder, 8)
    for file in folder.glob("*.npz"):
        file.rename(file.with_suffix(run_memory.FAILURE))
    own = [folder / f"{letter * 32}{run_memory.FAILURE}" for letter in "abc"]
    for file in own:
        run_memory._write_failure(file, "It failed.")
    assert all(file.is_file() for file in own)
    assert len(list(folder.glob(f"*{run_memory.FAILURE}"))) == 6


def test_a_picture_s_state_is_not_the_one_that_goes() -> None:
    of_next_year(snapshots._folder(), 20)
    own = snapshots._state("f" * 32)
    own.write_bytes(b"")
    snapshots._thin("f" * 32)
    last = snapshots._state("e" * 32)
    last.write_bytes(b"")
    snapshots._thin("e" * 32)
    assert own.is_file()
    assert last.is_file()
    assert len(list(snapshots._folder().glob("*.npz"))) == snapshots.KEPT


def test_files_that_another_window_removes_meanwhile_are_no_error(tmp_path: Path) -> None:
    of_next_year(tmp_path, 3)
    gone = tmp_path / "gone.npz"
    assert oldest([*sorted(tmp_path.glob("*.npz")), gone], 2) == [tmp_path / f"{0:032x}.npz"]
