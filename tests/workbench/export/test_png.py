"""Snapshots: the picture is a PNG that others read, the project in it comes back, hostile files are refused."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api.errors import ProblemError
from workbench.export import png
from workbench.export.png import KEYWORD, SIGNATURE, encode_png, holds_project, read_moment, read_text, save_snapshot
from workbench.project.document import open_document
from workbench.project.store import read_stored


def chunk(kind: bytes, content: bytes, length: int | None = None) -> bytes:
    size = len(content) if length is None else length
    return struct.pack(">I", size) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def itxt(text: bytes, packed: bool = True) -> bytes:
    body = zlib.compress(text) if packed else text
    return chunk(b"iTXt", KEYWORD.encode() + b"\0" + (b"\1" if packed else b"\0") + b"\0\0\0" + body)


END = chunk(b"IEND", b"")
KEY = KEYWORD.encode() + b"\0\1\0\0\0"


def decode(data: bytes) -> np.ndarray:
    """An independent reading of what the writer uses of the format: 8-bit RGBA, filter 0, one IDAT."""
    position, idat, size = 8, b"", (0, 0)
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        content = data[position + 8 : position + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">II", content[:8])
            assert content[8:] == bytes([8, 6, 0, 0, 0])
        if kind == b"IDAT":
            idat += content
        position += 12 + length
    rows = np.frombuffer(zlib.decompress(idat), np.uint8).reshape(size[1], 1 + 4 * size[0])
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(size[1], size[0], 4)


@settings(max_examples=30)
@given(st.integers(1, 40), st.integers(1, 40), st.text(), st.integers(0, 2**32 - 1))
def test_picture_and_text_round_trip(height, width, text, seed):
    text = text.encode("utf-8", "ignore").decode()
    rgba = np.random.default_rng(seed).integers(0, 256, (height, width, 4), np.uint8)
    data = encode_png(rgba, {KEYWORD: text})
    np.testing.assert_array_equal(decode(data), rgba)
    assert read_text(data, KEYWORD) == text
    assert read_text(data, "another") is None


def test_qt_reads_the_picture():
    image = pytest.importorskip("PySide6.QtGui").QImage
    rgba = np.random.default_rng(1).integers(0, 256, (5, 7, 4), np.uint8)
    rgba[..., 3] = 255
    read = image.fromData(encode_png(rgba, {KEYWORD: "{}"})).convertToFormat(image.Format.Format_RGBA8888)
    assert (read.width(), read.height()) == (7, 5)
    assert read.text(KEYWORD) == "{}"
    np.testing.assert_array_equal(np.array(read.constBits()).reshape(5, -1)[:, :28].reshape(5, 7, 4), rgba)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "does not begin"),
        (b"GIF89a", "does not begin"),
        (SIGNATURE, "end is missing"),
        (SIGNATURE + b"\0\0", "cut short"),
        (SIGNATURE + chunk(b"iTXt", b"x", 2**31), "cut short"),
        (SIGNATURE + chunk(b"iTXt", b"x")[:-1] + b"?" + END, "checksum"),
        (SIGNATURE + chunk(b"iTXt", b"no separator") + END, "text chunk is cut short"),
        (SIGNATURE + chunk(b"iTXt", b"key\0") + END, "text chunk is cut short"),
        (SIGNATURE + chunk(b"iTXt", KEY + b"not zlib") + END, "cannot be unpacked"),
        (SIGNATURE + chunk(b"iTXt", KEY + zlib.compress(b"x" * 99)[:-6]) + END, "cut short"),
        (SIGNATURE + END, "holds no project"),
        (SIGNATURE + itxt(b"{}", packed=False) + END, "engine"),
        (SIGNATURE + itxt(b"not json") + END, "no valid JSON"),
        (SIGNATURE + itxt(b'{"schema_version": 99, "engine": "x"}') + END, "newer Workbench"),
        (SIGNATURE + itxt(b"\xff\xfe") + END, "sound PNG"),
    ],
)
def test_hostile_files_are_refused_in_a_sentence(tmp_path, data, words):
    file = tmp_path / "shot.png"
    file.write_bytes(data)
    with pytest.raises(ProblemError, match=words):
        read_stored(file)


def test_a_text_that_expands_beyond_measure_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(png, "LARGEST_TEXT", 2**20)
    bomb = tmp_path / "bomb.png"
    bomb.write_bytes(SIGNATURE + itxt(b" " * 2**26) + END)
    with pytest.raises(ProblemError, match="more than 1 MB"):
        read_stored(bomb)
    monkeypatch.setattr(png, "LARGEST_FILE", 100)
    with pytest.raises(ProblemError, match="too large"):
        read_stored(bomb)


@settings(max_examples=100)
@given(st.binary(max_size=300))
def test_noise_never_gets_past_as_anything_but_a_value_error(noise):
    for data in (noise, SIGNATURE + noise, SIGNATURE + itxt(b"{}")[:-4] + noise):
        try:
            read_text(data, KEYWORD)
        except ValueError:
            continue


@pytest.mark.parametrize("shape", [(3, 3), (3, 3, 3), (0, 3, 4)])
def test_what_is_no_picture_is_refused(shape):
    with pytest.raises(ValueError, match="a picture is"):
        encode_png(np.zeros(shape, np.uint8))


def test_a_snapshot_of_a_moved_mesh_names_it(project, tmp_path: Path):
    save_snapshot(tmp_path / "shot.png", np.zeros((2, 2, 4), np.uint8), open_document(project))
    (project / "slab.vtu").rename(tmp_path / "slab.vtu")
    assert open_document(tmp_path / "shot.png").geometry.n_cells == 216  # found beside the picture
    (tmp_path / "slab.vtu").unlink()
    with pytest.raises(ProblemError, match=r"slab\.vtu' is missing"):
        open_document(tmp_path / "shot.png")


@pytest.mark.parametrize("moment", ["", '{"time": 1.5}'])
def test_a_snapshot_tells_its_maker_what_moment_it_shows(project, tmp_path, moment):
    save_snapshot(tmp_path / "shot.png", np.zeros((2, 2, 4), np.uint8), open_document(project), moment)
    assert read_moment(tmp_path / "shot.png") == moment
    assert open_document(tmp_path / "shot.png").project.title == "slab"


def test_a_pipe_holds_no_project(tmp_path):
    """The window, on which one was dropped, waited for ever."""
    os.mkfifo(tmp_path / "a.png")
    assert not holds_project(tmp_path / "a.png")
