"""Autosave, its recovery after a killed process, and the list of recent files."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from workbench.project import autosave as module
from workbench.project.autosave import Autosave, discard, recover, recoveries
from workbench.project.document import open_document, save_document
from workbench.storage import locking
from workbench.storage.atomic import StorageError
from workbench.storage.locking import ProcessLock
from workbench.storage.paths import config_dir
from workbench.storage.recent import LIMIT, RecentFiles

ROOT = Path(__file__).parents[3]

SESSION = """
import sys
from engines.api import registry
from tests.workbench.house import engines, modules
sys.modules.update(modules())
registry.engines = engines
from workbench.project.autosave import Autosave
from workbench.project.document import open_document
document = open_document(sys.argv[1])
document.parameters.speed = 7.5
autosave = Autosave()
assert autosave.tick(document)
print("written", flush=True)
sys.stdin.read()
"""


def test_what_a_killed_session_held_comes_back(project):
    session = subprocess.Popen(
        [sys.executable, "-c", SESSION, str(project)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert session.stdout.readline() == "written\n"
    assert recoveries() == []  # the session lives
    session.send_signal(signal.SIGKILL)
    session.communicate(timeout=60)
    (left,) = recoveries()
    assert (left.title, left.origin) == ("slab", project)
    document = recover(left)
    assert document.parameters.speed == 7.5
    assert document.path == project
    save_document(document)
    assert open_document(project).parameters.speed == 7.5
    discard(left)
    assert recoveries() == []


def test_a_session_that_ends_well_leaves_nothing(project, tmp_path):
    document, autosave = open_document(project), Autosave(tmp_path / "auto")
    autosave.mark_saved(document)
    assert not autosave.tick(document)
    document.parameters.speed = 2.0
    assert autosave.tick(document, now=True)
    assert len(list((tmp_path / "auto").iterdir())) == 1
    save_document(document)
    autosave.mark_saved(document)
    assert list((tmp_path / "auto").iterdir()) == []
    document.parameters.speed = 3.0
    assert autosave.tick(document, now=True)
    autosave.close()
    assert list((tmp_path / "auto").iterdir()) == []


def test_a_session_takes_over_what_another_left_and_nobody_what_one_still_has(project, tmp_path):
    root, document = tmp_path / "auto", open_document(project)
    document.parameters.speed = 2.0
    first, second, third = Autosave(root), Autosave(root), Autosave(root)
    assert first.tick(document, now=True, picture=b"old")
    assert not first.tick(document, now=True, picture=b"new"), "the project is as it was written"
    assert recoveries(root) == []
    first.leave()
    (left,) = recoveries(root)
    assert left.picture.read_bytes() == b"new"
    second.adopt(left)
    third.adopt(left)
    assert recoveries(root) == []
    third.close()
    assert left.folder.is_dir(), "it is the second one's"
    assert second.tick(document, now=True), "whose document is not as its file"
    second.close()
    assert not left.folder.exists()


def test_a_session_that_begins_while_another_looks_for_what_is_left_holds_its_folder(project, tmp_path, monkeypatch):
    """The lock was the other's for that moment: unlocked, what is edited was offered to others as left behind."""
    root, document = tmp_path / "auto", open_document(project)
    lock, release, looking = locking._lock, ProcessLock.release, []

    def looks_meanwhile(handle):
        monkeypatch.setattr(locking, "_lock", lock)
        with monkeypatch.context() as patch:
            patch.setattr(ProcessLock, "release", lambda other: looking.append(other))
            assert recoveries(root) == []
        lock(handle)

    monkeypatch.setattr(locking, "_lock", looks_meanwhile)
    session = Autosave(root)
    assert session.tick(document, now=True)
    for other in looking:
        release(other)
    assert recoveries(root) == []
    session.close()
    assert list(root.iterdir()) == []


def test_what_was_left_last_is_offered_first(project, tmp_path):
    document = open_document(project)
    for title, ago in (("middle", 20), ("newest", 10), ("oldest", 30)):
        document.project.title = title
        session = Autosave(tmp_path / "auto")
        assert session.tick(document, now=True)
        then = time.time() - ago
        os.utime(session._folder / "project.json", (then, then))
        session.leave()
    assert [left.title for left in recoveries(tmp_path / "auto")] == ["newest", "middle", "oldest"]


def test_edits_are_at_risk_for_less_than_five_seconds(project, tmp_path, monkeypatch):
    now = 100.0
    monkeypatch.setattr(module.clock, "monotonic", lambda: now)
    document, autosave = open_document(project), Autosave(tmp_path / "auto")
    autosave.mark_saved(document)
    unsaved_since, longest = None, 0.0
    for tick in range(200):  # a tick each half second, an edit at every one for a while
        now = 100 + tick * 0.5
        if tick < 100:
            document.parameters.speed = 1 + tick
            unsaved_since = now if unsaved_since is None else unsaved_since
        if autosave.tick(document):
            longest, unsaved_since = max(longest, now - unsaved_since), None
    assert unsaved_since is None
    assert 0 < longest < 5
    autosave.close()


def test_recent_files_are_newest_first_and_still_there(tmp_path):
    recent = RecentFiles()
    for number in range(LIMIT + 3):
        (tmp_path / f"p{number}").mkdir()
        recent.add(tmp_path / f"p{number}", f"Project {number}")
    recent.add(tmp_path / "p5", "Renamed")
    items = RecentFiles().items()
    assert [item.title for item in items[:2]] == ["Renamed", f"Project {LIMIT + 2}"]
    assert len(items) == LIMIT
    (tmp_path / "p5").rmdir()
    assert RecentFiles().items()[0].title == f"Project {LIMIT + 2}"
    recent.remove(tmp_path / f"p{LIMIT + 2}")
    assert RecentFiles().items()[0].title == f"Project {LIMIT + 1}"
    recent.clear()
    assert recent.items() == []


def test_recent_files_have_pictures_as_long_as_they_are_listed(tmp_path):
    recent = RecentFiles()
    recent.add(tmp_path, "pictured", b"one")
    (item,) = recent.items()
    assert item.picture.read_bytes() == b"one"
    recent.add(tmp_path, "opened again")
    assert item.picture.read_bytes() == b"one"
    recent.add(tmp_path, "saved again", b"two")
    assert item.picture.read_bytes() == b"two"
    for number in range(LIMIT):
        recent.add(tmp_path / f"p{number}", "", b"other")
    assert not item.picture.exists()
    assert len(list(item.picture.parent.iterdir())) == LIMIT
    recent.clear()
    assert not list(item.picture.parent.iterdir())


def test_where_pictures_cannot_be_kept_it_is_said(tmp_path):
    config_dir().mkdir(parents=True)
    (config_dir() / "recent").touch()
    with pytest.raises(StorageError, match="could not be written"):
        RecentFiles().add(tmp_path, "pictured", b"one")


@pytest.mark.parametrize("content", [b"", b"{", b"[1, 2]", b'{"path": 3}', b"\xff\xff", b'[{"path": "x"}]'])
def test_a_damaged_list_counts_as_empty(tmp_path, content):
    file = tmp_path / "recent.json"
    file.write_bytes(content)
    recent = RecentFiles(file)
    assert recent.items() == []
    recent.add(tmp_path, "again")
    assert len(recent.items()) == 1


def test_a_list_of_recent_projects_that_somebody_else_wrote(tmp_path):
    """Each of 20,000 became a card of the window, which was a minute about it; what is no list is none."""
    file = tmp_path / "recent.json"
    file.write_text(json.dumps([{"path": str(tmp_path), "title": "t" * 500}] * 20_000))
    assert [len(item.title) for item in RecentFiles(file).items()] == [200] * 12
    file.write_text('{"a": 1}')
    assert RecentFiles(file).items() == []


def test_two_windows_lose_nothing_that_the_other_has_opened(tmp_path, monkeypatch):
    """Each reads the list and writes it again; what the other had written meanwhile was gone."""
    read = RecentFiles._read

    def slowly(self):
        found = read(self)
        time.sleep(0.02)
        return found

    monkeypatch.setattr(RecentFiles, "_read", slowly)

    def open_three(window):
        for number in range(3):
            RecentFiles().add(tmp_path / f"{window} {number}", "A project")

    with ThreadPoolExecutor(4) as windows:
        list(windows.map(open_three, range(4)))
    assert {Path(each.path).name for each in read(RecentFiles())} == {f"{w} {n}" for w in range(4) for n in range(3)}


def test_a_window_that_holds_the_list_for_ever_keeps_no_other_waiting(tmp_path, monkeypatch):
    monkeypatch.setattr(locking, "MOMENT", 0.05)
    RecentFiles().add(tmp_path, "One")
    lock = ProcessLock(config_dir() / "recent.lock")
    assert lock.acquire()
    RecentFiles().add(tmp_path, "Two")
    lock.release()
    assert [each.title for each in RecentFiles().items()] == ["Two"]
