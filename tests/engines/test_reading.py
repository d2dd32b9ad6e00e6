"""Files of others: one sentence whatever is wrong, and nothing allocated that is not there."""

from __future__ import annotations

import io
import logging
import os
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engines.api.errors import MeshError, ProblemError
from engines.battery.protocol.drive_cycles import read_drive_cycle
from engines.peridynamics.body.corners import corners_of
from engines.peridynamics.parameters import Polygon
from engines.reading import MOST_EXPANDED, count_npz, foreign_file, opened_npz, opened_zip, read_npy, read_npz
from engines.tables.files import read_table


def stored(values, **options) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, values, **options)
    return stream.getvalue()


def claiming(shape: tuple[int, ...]) -> bytes:
    """An .npy of eight bytes that says it has this shape."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"shape": shape, "fortran_order": False, "descr": "<f8"})
    return stream.getvalue() + bytes(8)


@pytest.mark.parametrize(
    "values",
    [
        np.arange(12.0).reshape(3, 4),
        np.asfortranarray(np.arange(12).reshape(3, 4)),
        np.zeros(0, np.float32),
        np.array(3),
    ],
)
def test_what_numpy_wrote_comes_back(values):
    content = stored(values)
    found = read_npy(io.BytesIO(content), len(content))
    assert found.dtype == values.dtype
    np.testing.assert_array_equal(found, values)


@pytest.mark.parametrize(
    "content",
    [
        claiming((10**12,)), claiming((2**62, 2**62)), claiming((2,)), stored(np.arange(9.0))[:-1], b"", b"\x93NUMPY",
        stored(np.array([{"a": 1}], object), allow_pickle=True), b"PK\3\4" * 9,
    ],
)  # fmt: skip
def test_what_is_not_there_is_neither_allocated_nor_unpickled(content):
    tracemalloc.start()
    with pytest.raises(ValueError):  # noqa: PT011  # of NumPy's reader or of ours
        read_npy(io.BytesIO(content), len(content))
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_members_of_a_zip_are_no_larger_than_their_bytes_can_be(tmp_path):
    place = tmp_path / "a.npz"
    np.savez_compressed(place, pre=np.zeros(100_000))
    with zipfile.ZipFile(place, "a") as archive:
        archive.writestr("huge.npy", claiming((10**12,)))
    with zipfile.ZipFile(place) as archive:
        assert count_npz(archive, "pre.npy") == 100_000
        assert not read_npz(archive, "pre.npy").any()
        with pytest.raises(ValueError, match="claims"):
            read_npz(archive, "huge.npy")


@pytest.mark.parametrize(
    "error", [ValueError("secret"), RecursionError(), MemoryError(), LookupError("x"), SystemError()]
)
def test_whatever_is_raised_is_the_sentence_and_quotes_nothing(error, caplog):
    with (
        caplog.at_level(logging.INFO),
        pytest.raises(MeshError) as told,
        foreign_file("It is damaged.", MeshError, ("a",)),
    ):
        raise error
    assert (str(told.value), told.value.place) == ("It is damaged.", ("a",))
    assert told.value.__cause__ is None
    assert type(error).__name__ in caplog.text


def test_sentences_for_people_go_through_and_the_systems_reason_is_told():
    with pytest.raises(ProblemError, match="mine"), foreign_file("It is damaged."):
        raise ProblemError("mine")
    with pytest.raises(ProblemError, match=r"damaged \(No such file or directory\)\."), foreign_file("It is damaged."):
        open("/nowhere/at/all")  # noqa: SIM115


def test_an_archive_that_is_made_to_fill_memory_is_not_opened(tmp_path):
    """Of 70 kB that come to 70 MB, and of an array that stands there under many names."""
    swollen, named = tmp_path / "swollen.npz", tmp_path / "named.npz"
    with zipfile.ZipFile(swollen, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in range(10):
            archive.writestr(f"{name}.json", bytes(7 << 20))
    with zipfile.ZipFile(named, "w") as archive:
        archive.writestr("a.npy", bytes(1 << 20))
        archive.filelist += [archive.getinfo("a.npy")] * (MOST_EXPANDED + 9)
        archive._didModify = True
    for path in (swollen, named):
        assert path.stat().st_size < 2 << 20
        with pytest.raises(ValueError, match="many times"), opened_npz(path):
            raise AssertionError("it is open")


def test_a_zip_of_very_many_members_is_not_looked_through(tmp_path):
    place = tmp_path / "many.zip"
    with zipfile.ZipFile(place, "w") as archive:
        for number in range(30_000):
            archive.writestr(f"{number}", b"")
    with opened_zip(place) as archive:
        assert len(archive.namelist()) == 30_000
    with pytest.raises(ProblemError, match="too many files"), opened_npz(place):
        raise AssertionError("it is open")


READERS: dict[str, tuple[Callable[[str], object], str, str]] = {
    "table": (lambda file: read_table(file, "history", ("time", "stress")).tolist(), "0,1\n1,2\n", "0,1\n1,9\n"),
    "cycle": (lambda file: read_drive_cycle(Path(file)).values.tolist(), "0,1\n1,2\n", "0,1\n1,9\n"),
    "corners": (lambda file: corners_of(Polygon(file=file)).tolist(), "0,0\n1,0\n0,1\n", "0,0\n1,0\n0,9\n"),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_another_of_its_time_and_size_replaces_is_read_again(tmp_path, reader):
    """As ``cp -p`` and archives put them there: answers were those of the file before."""
    read, before, after = READERS[reader]
    file, other = tmp_path / "a.csv", tmp_path / "b.csv"
    file.write_text(before)
    other.write_text(after)
    found = read(str(file))
    assert read(str(file)) == found
    os.utime(other, ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns))
    other.replace(file)
    assert read(str(file)) != found
