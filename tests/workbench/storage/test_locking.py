"""Locks of processes: one holds it, however others come and go."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from workbench.storage import locking
from workbench.storage.locking import ProcessLock, held_folder, remove_unheld

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nobody removes there what is open")


def test_who_comes_while_a_lock_is_removed_does_not_hold_one_that_is_gone(tmp_path: Path, monkeypatch) -> None:
    """Six processes at one folder of results held 21,493 of 21,520 locks together with another one."""
    file = tmp_path / "lock"
    first, second, third = (ProcessLock(file) for _ in range(3))
    assert first.acquire()
    lock, come = locking._lock, []

    def goes_meanwhile(handle: int) -> None:
        if not come:
            come.append(handle)
            first.release(remove=True)
        lock(handle)

    monkeypatch.setattr(locking, "_lock", goes_meanwhile)
    assert second.acquire()
    assert file.exists()
    assert not third.acquire()


def test_a_lock_is_not_made_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"):
        ProcessLock(tmp_path / "lock").acquire()
    assert not (tmp_path / "elsewhere").exists()


def test_a_lock_that_another_holds_under_the_name_of_a_renamed_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    first, second, third = (ProcessLock(tmp_path / "run" / "lock") for _ in range(3))
    assert first.acquire()
    (tmp_path / "run").rename(tmp_path / "moved")
    (tmp_path / "run").mkdir()
    assert second.acquire()
    first.release(remove=True)
    assert not third.acquire()


@pytest.mark.parametrize("when", ["before it is held", "while it is asked for"])
def test_a_folder_that_another_takes_for_one_left_behind_is_made_anew(tmp_path: Path, monkeypatch, when) -> None:
    """Two windows that began at once: one removed what the other had made and not locked yet."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    lock, other, swept = locking._lock, [], []

    def goes_meanwhile(handle: int) -> None:
        monkeypatch.setattr(locking, "_lock", lock)
        (folder,) = tmp_path.glob("frames-*")
        swept.append(folder)
        if when == "before it is held":
            remove_unheld(folder, "lock")
        else:
            other.append(ProcessLock(folder / "lock"))
            assert other[0].acquire()
        lock(handle)

    monkeypatch.setattr(locking, "_lock", goes_meanwhile)
    folder, held = held_folder("frames-", "lock")
    assert folder.is_dir()
    assert [folder] != swept
    assert not ProcessLock(folder / "lock").acquire()
    held.release()
