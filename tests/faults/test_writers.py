"""A disk that refuses at any call of any writer beside a run's own: what was there stays whole, one sentence says what
to do, and nothing half written is left."""

from __future__ import annotations

import errno
import os
import random
import resource
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.backend.cache_dir import keep
from tests.faults.disks import FaultyDisk, in_place
from tests.faults.test_disks import SAID
from ui.recording import reel
from ui.session import snapshots
from workbench.export.movies import finished, open_movie
from workbench.export.png import save_snapshot
from workbench.export.results import Results, export_results
from workbench.export.tables import write_table
from workbench.project.autosave import Autosave, recover, recoveries
from workbench.project.document import Document, save_document
from workbench.project.presets import open_named
from workbench.run.frames import Frame
from workbench.run.timing_log import TimingRow, export_timing
from workbench.storage.atomic import StorageError, write_bytes
from workbench.storage.error_log import keep_traceback
from workbench.storage.recent import RecentFiles

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="files are found by /proc")
PICTURE = np.random.default_rng(1).integers(0, 255, (64, 64, 4), np.uint8)
TEXTS = ("wall_time", "device", "driver", "versions", "kernel")
A_ROW: dict[str, Any] = {each.name: "" if each.name in TEXTS else 1 for each in fields(TimingRow)}
Writer = Callable[[Path, Document], object]


def movie(name: str) -> Writer:
    def write(folder: Path, document: Document) -> None:
        with finished(open_movie(folder / name, 10.0)) as made:
            for shift in range(3):
                made.add(np.roll(PICTURE, shift, 0))

    return write


def autosave(folder: Path, document: Document) -> None:
    kept = Autosave(folder)
    try:
        kept.tick(document, now=True, picture=b"a picture")
    finally:
        kept.leave()


def results(folder: Path, document: Document) -> None:
    values = {field: np.zeros(document.geometry.n_cells, np.float32) for field in ("u",)}
    export_results(Results(document.geometry, (), values, 1, 1.0, (), {}), folder / "r.pvd")


def moment(folder: Path, document: Document) -> None:
    said: list[str] = []
    moment = snapshots.Snapshot(1, 1.0, {"u": np.arange(9.0)})
    carried = snapshots.keep(document, moment, {("E",): (np.arange(9.0), np.ones(9))}, said.append)
    assert "time" in carried  # the picture is written all the same
    if said:
        raise StorageError(said[0])


WRITERS: dict[str, Writer] = {
    "project folder": lambda folder, document: save_document(document, folder / "p"),
    "project zip": lambda folder, document: save_document(document, folder / "p.zip"),
    "picture": lambda folder, document: save_snapshot(folder / "p.png", PICTURE, document),
    "moment of a picture": moment,
    "autosave": autosave,
    "recent projects": lambda folder, document: RecentFiles(folder / "recent.json").add(folder, "title"),
    "animation": movie("m.gif"),
    "numbered pictures": movie("m"),
    "table": lambda folder, document: write_table(folder / "t.csv", ["a"], [[k] for k in range(999)]),
    "figure": lambda folder, document: write_bytes(folder / "f.png", PICTURE.tobytes()),
    "timing log": lambda folder, document: export_timing([TimingRow(**A_ROW)], folder / "t.jsonl"),
    "results": results,
}


@pytest.fixture(scope="module")
def document() -> Document:
    return open_named("sine_mode")


@pytest.fixture
def there(tmp_path, monkeypatch):
    """The folder that is written into, also by those that choose one themselves."""
    folder = tmp_path / "there"
    folder.mkdir()
    monkeypatch.setattr(snapshots, "state_dir", lambda: folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def half_written(folder: Path) -> list[str]:
    return [name for name in contents(folder) if name.endswith(".tmp") or "-new" in name]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.ENOENT])
@pytest.mark.parametrize("name", WRITERS)
def test_a_refusal_at_any_call_leaves_whole_files_and_says_what_to_do(name, number, there, document):
    write = WRITERS[name]
    counting = FaultyDisk(there, number)
    with in_place(counting):
        write(there, document)
    assert counting.calls
    for at in range(counting.calls):
        place = there / str(at)
        place.mkdir()
        old = contents(there)
        disk = FaultyDisk(there, number, at)
        with in_place(disk), pytest.raises(StorageError) as told:
            write(there if name == "moment of a picture" else place, document)
        assert SAID[number] in str(told.value) or str(told.value).startswith(SAID[number])
        assert str(there) in str(told.value)
        assert half_written(there) == []
        assert {key: value for key, value in contents(there).items() if key in old} == old
        if name == "autosave":
            for offered in recoveries(place):  # that its picture is missing costs nothing else
                assert recover(offered).project.title == document.project.title


@pytest.mark.parametrize("name", WRITERS)
def test_a_disk_that_is_full_at_any_byte_leaves_what_was_there(name, there, document):
    """The system's own limit of sizes: a file is cut at a byte of somebody's choice."""
    write = WRITERS[name]
    write(there, document)
    largest = max(len(content) for content in contents(there).values())
    chance, before = random.Random(f"{name} {os.environ.get('SEED', 1)}"), resource.getrlimit(resource.RLIMIT_FSIZE)
    again = there if name not in ("autosave", "numbered pictures") else there / "again"
    for _ in range(int(os.environ.get("FAULTS", "5"))):
        old = contents(there)
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (chance.randrange(largest), before[1]))
            with pytest.raises(StorageError, match="would be larger than a file may be here"):
                write(again, document)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert half_written(there) == []
        if name not in ("timing log", "autosave", "results"):  # of several files those before the refusal are new
            assert contents(there) == old


def test_what_may_be_missed_ends_nothing(there, caplog):
    for at in range(4):
        with in_place(FaultyDisk(there, errno.ENOSPC, at)):
            keep(there / "tuning.json", b"{}")
            told = keep_traceback(ValueError("unexpected"), there)
        assert half_written(there) == []
        assert "unexpected" in told or "error.log" in told
    assert "tuning.json' cannot be kept for the next session" in caplog.text


def test_a_frame_that_has_no_room_leaves_nothing(tmp_path):
    frame = Frame(1, 1, 0.1, {"u": np.random.default_rng(2).random(9999, np.float32)})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
        with pytest.raises(OSError, match="too large"):
            reel.write(frame, tmp_path / "1")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []
