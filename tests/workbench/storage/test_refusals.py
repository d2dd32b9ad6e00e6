"""What a disk refuses: waited for, left out, or known before."""

from __future__ import annotations

import errno
import os
import threading
import types
from pathlib import Path

import numpy as np
import pytest

from engines.backend.cache_dir import keep
from engines.geometry.grid import Grid
from workbench.export.results import Results, export_results
from workbench.run.states.checkpoint import CheckpointMeta, checkpoints_at, write_checkpoint
from workbench.storage.append import AppendedFile
from workbench.storage.atomic import SameFolder, StorageError, refusal
from workbench.storage.background import BackgroundWriter
from workbench.storage.error_log import keep_traceback
from workbench.storage.patience import Patience

GRID = Grid((4, 4), (1.0, 1.0))


def refusing(times: int, full: bool = True):
    left = [times]

    def write() -> str:
        if left[0]:
            left[0] -= 1
            raise StorageError("The disk is full.", full)
        return "written"

    return write


def test_a_full_disk_is_tried_again_and_told_of_once(monkeypatch):
    monkeypatch.setattr("workbench.storage.patience.AGAIN_SECONDS", 0.001)
    told: list[str] = []
    assert Patience(600.0, told.append).keep_trying(refusing(3)) == "written"
    assert told == [
        "The disk is full. The run waits for 10 minutes.",
        "There is room on the disk again: the run goes on.",
    ]


@pytest.mark.parametrize(("seconds", "full", "ended"), [(0.0, True, False), (600.0, False, False), (600.0, True, True)])
def test_nobody_waits_for_nothing(seconds, full, ended):
    told: list[str] = []
    patience = Patience(seconds, told.append)
    if ended:
        patience.end()
    with pytest.raises(StorageError):
        patience.keep_trying(refusing(1, full))
    assert told == []


@pytest.mark.parametrize(
    ("number", "told", "full"),
    [
        (
            errno.EFBIG,
            "would be larger than a file may be here: raise the limit of the session (ulimit -f unlimited)",
            False,
        ),
        (errno.ENOSPC, "The disk is full: 'x'", True),
        (errno.EDQUOT, "Your share of the disk (quota) is full: 'x'", True),
    ],
)
def test_what_is_no_matter_of_room_is_not_called_so(number, told, full):
    """A file beyond ``ulimit -f`` was told as a full disk."""
    refused = refusal(OSError(number, os.strerror(number)), Path("x"))
    assert told in str(refused)
    assert refused.full is full


def test_jobs_behind_one_that_failed_are_left_out_and_later_ones_are_not():
    """A checkpoint that comes after rows which could not be written would stand for files that lack them."""
    writer, done, both_there, refuse = BackgroundWriter(), [], threading.Event(), refusing(1)

    def fail() -> None:
        both_there.wait()
        refuse()

    writer.submit(fail)
    writer.submit(lambda: done.append("behind"))
    both_there.set()
    with pytest.raises(StorageError):
        writer.flush()
    writer.submit(lambda: done.append("later"))
    writer.close()
    assert done == ["later"]


def test_of_jobs_that_are_pending_there_are_no_more_than_two():
    """Each may hold a moment of all fields."""
    writer, may, third = BackgroundWriter(), threading.Event(), threading.Event()
    for _ in range(2):
        writer.submit(may.wait)
    waiting = threading.Thread(target=lambda: (writer.submit(lambda: None), third.set()))
    waiting.start()
    early = third.wait(0.2)
    may.set()
    waiting.join()
    writer.close()
    assert not early


@pytest.mark.parametrize("replaced", [False, True])
def test_an_open_file_that_was_removed_is_told_of(tmp_path: Path, replaced: bool):
    table = AppendedFile(tmp_path / "t.csv", "a\n")
    table.path.unlink()
    if replaced:
        table.path.write_text("another's")
    for write in (lambda: table.append("1\n"), table.sync):
        with pytest.raises(
            StorageError, match=r"t.csv' has vanished while it was to be written: bring its folder back"
        ):
            write()
    table.close()


def test_what_has_no_room_is_refused_before_it_is_begun(tmp_path: Path, monkeypatch):
    write_checkpoint(tmp_path / "c.npz", CheckpointMeta("p", "cpu", 1, 0.5), {"u": np.zeros(8)})
    monkeypatch.setattr("shutil.disk_usage", lambda path: types.SimpleNamespace(free=2_000_000))
    large = np.zeros(1_000_000)
    for path, write in (
        (tmp_path / "c.npz", lambda path: write_checkpoint(path, CheckpointMeta("p", "cpu", 2, 1.0), {"u": large})),
        (
            tmp_path / "deep" / "r.pvd",
            lambda path: export_results(Results(GRID, (), {"u": large}, 1, 1.0, (), {}), path),
        ),
    ):
        with pytest.raises(StorageError, match=r"takes about \d MB, and its disk has 2 MB left: free some space"):
            write(path)
    assert [file.name for file in tmp_path.iterdir()] == ["c.npz"]
    assert [file.name for file in checkpoints_at(tmp_path / "c.npz")] == ["c.npz"]


def test_a_cache_that_cannot_be_written_ends_nothing(tmp_path: Path):
    (tmp_path / "file").write_text("in the way of a folder")
    keep(tmp_path / "file" / "shape.json", b"{}")
    keep(tmp_path / "shape.json", b"{}")
    assert (tmp_path / "shape.json").read_bytes() == b"{}"


def test_a_traceback_that_nothing_takes_is_told_whole(tmp_path: Path, monkeypatch):
    """Of two files in the place of folders."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    error = KeyError("nobody thought of this")
    assert keep_traceback(error, tmp_path / "file") == "KeyError: 'nobody thought of this'\n"
    assert keep_traceback(error, tmp_path) == f"Its traceback is in '{tmp_path / 'error.log'}'."


def test_a_folder_that_was_removed_or_made_anew_is_another(tmp_path: Path):
    (tmp_path / "run").mkdir()
    folder = SameFolder(tmp_path / "run")
    assert folder.is_there
    (tmp_path / "run").rename(tmp_path / "elsewhere")
    assert not folder.is_there
    with pytest.raises(StorageError):
        folder.check()
    (tmp_path / "run").mkdir()
    assert not folder.is_there
