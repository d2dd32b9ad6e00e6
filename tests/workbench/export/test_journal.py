"""Files that are changed in their middle: whole, old or new, wherever the process is killed."""

from __future__ import annotations

import os
import resource
import shutil
import zlib

import h5py
import numpy as np
import pytest

from engines.api.errors import ProblemError
from workbench.export.hdf5 import changed, make_hdf5, packed, readable
from workbench.storage import journal
from workbench.storage.atomic import StorageError
from workbench.storage.journal import PAGE, JournalledFile, journal_of, recover


def rows(path):
    with h5py.File(path) as file:
        return file["a/rows"][:].tolist()


def append(path, *values):
    with changed(path) as file:
        data = file["a/rows"]
        first = len(data)
        data.resize(first + len(values), axis=0)
        data[first:] = values


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "file.h5"
    make_hdf5(path, lambda file: packed(file, "a/rows", (0,), (100,), float))
    append(path, *range(150))
    return path


def test_whoever_is_killed_at_any_write_leaves_the_old_or_the_new(file, monkeypatch):
    """A copy of the folder as each single write finds it: it opens as it lies there or, with its journal, for us."""
    seen, found, write = [], [], journal._write

    def watched(stream, place, content):
        copy = file.parent / f"killed-{len(seen)}"
        copy.mkdir()
        shutil.copy(file, copy)
        if journal_of(file).exists():
            shutil.copy(journal_of(file), copy)
        seen.append(copy)
        write(stream, place, content)

    monkeypatch.setattr(journal, "_write", watched)
    old = rows(file)
    append(file, *np.random.default_rng(2).random(2000))
    monkeypatch.undo()
    new = rows(file)
    assert len(new) == 2150
    for copy in seen:
        begun = journal_of(copy / file.name).exists()
        if not begun:  # others, who know of no journal, read it too
            assert rows(copy / file.name) == old
        with readable(copy / file.name) as opened:
            found.append(opened["a/rows"][:].tolist())
        assert found[-1] == (new if begun else old)
        assert not journal_of(copy / file.name).exists()
    assert old in found
    assert new in found


def test_what_fails_half_way_changes_nothing(file):
    old = rows(file)

    def half() -> None:
        with changed(file) as opened:
            opened["a/rows"].resize(1000, axis=0)
            opened["a/rows"][:] = 7.0
            opened["nothing"]

    with pytest.raises(ProblemError, match="damaged"):
        half()
    assert rows(file) == old


def test_a_full_disk_is_told_as_one(file, monkeypatch):
    old = rows(file)

    def full(stream, place, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journal, "_write", full)
    with pytest.raises(StorageError, match="disk is full"):
        append(file, *np.random.default_rng(1).random(5000))
    monkeypatch.undo()
    assert rows(file) == old


def test_bytes_are_those_of_a_plain_file(tmp_path):
    """Random writes, reads and ends, held against bytes in memory."""
    chance = np.random.default_rng(3)
    path = tmp_path / "file"
    plain = bytearray(chance.bytes(5 * PAGE + 123))
    path.write_bytes(plain)
    for _ in range(20):
        stream = JournalledFile(path)
        for _ in range(10):
            at, size = int(chance.integers(0, len(plain) + 50)), int(chance.integers(1, 3 * PAGE))
            content = chance.bytes(size)
            stream.seek(at)
            stream.write(content)
            plain += bytes(max(0, at + size - len(plain)))
            plain[at : at + size] = content
            at, size = int(chance.integers(0, len(plain))), int(chance.integers(1, 4 * PAGE))
            stream.seek(at)
            assert stream.read(size) == plain[at : at + size]
        if chance.random() < 0.5:
            del plain[int(len(plain) * 0.7) :]
            stream.truncate(len(plain))
        stream.commit()
        stream.close()
        assert path.read_bytes() == plain


def test_a_journal_that_is_torn_or_of_a_file_made_anew_does_nothing(file):
    old = rows(file)
    for torn in (b"WBJ1" + bytes(40), b"WB", b""):
        journal_of(file).write_bytes(torn)
        recover(file)
        assert rows(file) == old
        assert not journal_of(file).exists()
    journal_of(file).write_bytes(b"WBJ1" + bytes(40))
    make_hdf5(file, lambda opened: packed(opened, "a/rows", (0,), (100,), float))
    assert not journal_of(file).exists()


def journal_with(path, content, end, size=0):
    body = journal._ENTRY.pack(0, len(content)) + content
    whole = journal._HEAD.pack(b"WBJ1", end, 1, zlib.crc32(body)) + body
    journal_of(path).write_bytes(whole)
    if size:
        os.truncate(journal_of(path), size)


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
@pytest.mark.parametrize("how", [readable, changed])
def test_a_stranger_s_journal_writes_into_no_other_file(file, tmp_path, how, link):
    """A link and a journal in a folder that somebody sent wrote what they liked over any file of the person who
    converted the spikes there."""
    private = tmp_path / "private"
    private.write_bytes(b"of the person")
    file.unlink()
    getattr(file, link)(private)
    journal_with(file, b"of a stranger", 13)
    with pytest.raises(ProblemError, match="copy it"), how(file):
        pass
    assert private.read_bytes() == b"of the person"


def test_a_journal_is_no_larger_than_what_it_is_of(file):
    """One of 3 GB that takes no room on a disk took 6 GB of memory."""
    before, peak = file.read_bytes(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    journal_with(file, b"x", len(before), size=1 << 30)
    recover(file)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 100 << 10  # [kB]
    journal_with(file, before[:1], 1 << 40)
    recover(file)
    assert (file.read_bytes(), journal_of(file).exists()) == (before, False)


def test_a_pipe_in_the_place_of_a_journal_is_refused(file):
    os.mkfifo(journal_of(file))
    with pytest.raises(ProblemError, match="is a pipe"), readable(file):
        pass
