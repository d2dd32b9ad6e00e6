"""PNG pictures that carry the project they show, so that dropping one on the window restores the session.

Written and read with zlib alone (W3C PNG specification, third edition): the picture as 8-bit RGBA, the project as
compressed UTF-8 in an iTXt chunk.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.reading import refuse_pipe
from workbench.storage.atomic import write_bytes

if TYPE_CHECKING:
    from workbench.project.document import Document

SIGNATURE = b"\x89PNG\r\n\x1a\n"
KEYWORD, MOMENT = "workbench-project", "workbench-moment"
LARGEST_FILE = 256 * 2**20
LARGEST_TEXT = 16 * 2**20


def save_snapshot(path: Path, rgba: Array, document: Document, moment: str = "") -> None:
    """Write a picture, ``rgba: (h, w, 4) uint8``, with the project in it, and ``moment``, which tells its maker what of
    a run it shows. Raises StorageError.

    The mesh itself is not in the picture but referred to by its path and fingerprint.
    """
    texts = {KEYWORD: document.portable_project().as_text(), **({MOMENT: moment} if moment else {})}
    write_bytes(path, encode_png(rgba, texts))


def read_snapshot_text(path: Path) -> str:
    """The project's JSON in a picture. Raises ProblemError if there is none or the file is no sound PNG."""
    text = _read(path, KEYWORD)
    if text is None:
        raise ProblemError(f"The picture '{path}' holds no project: choose a snapshot that Workbench exported.")
    return text


def read_moment(path: Path) -> str:
    """What :func:`save_snapshot` was given as its moment; empty without. Raises ProblemError."""
    return _read(path, MOMENT) or ""


def _read(path: Path, keyword: str) -> str | None:
    refuse_pipe(path)
    if path.stat().st_size > LARGEST_FILE:
        raise ProblemError(f"'{path}' is too large for a snapshot (over {LARGEST_FILE >> 20} MB).")
    try:
        return read_text(path.read_bytes(), keyword)
    except ValueError as error:
        raise ProblemError(f"'{path}' is not a sound PNG: {error}.") from error


def holds_project(path: Path) -> bool:
    """Whether this is a picture that :func:`save_snapshot` made."""
    try:
        return bool(read_snapshot_text(path))
    except (ProblemError, OSError):
        return False


def encode_png(rgba: Array, texts: Mapping[str, str] | None = None) -> bytes:
    """A PNG of ``rgba: (h, w, 4) uint8``, top row first, with ``texts`` by keyword."""
    pixels = np.ascontiguousarray(rgba, np.uint8)
    if pixels.ndim != 3 or pixels.shape[2] != 4 or 0 in pixels.shape:
        raise ValueError(f"a picture is (h, w, 4), not {pixels.shape}")
    height, width = pixels.shape[:2]
    rows = np.zeros((height, 1 + 4 * width), np.uint8)  # the leading zero of each row: no filter
    rows[:, 1:] = pixels.reshape(height, -1)
    chunks = [_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))]
    for keyword, text in (texts or {}).items():
        chunks.append(_chunk(b"iTXt", keyword.encode("latin-1") + b"\0\1\0\0\0" + zlib.compress(text.encode(), 9)))
    chunks += [_chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)), _chunk(b"IEND", b"")]
    return SIGNATURE + b"".join(chunks)


def read_text(png: bytes, wanted: str) -> str | None:
    """The last iTXt text of a PNG under this keyword. Raises ValueError on anything unsound; only that one is expanded,
    and not past a limit."""
    found: bytes | None = None
    packed = False
    for kind, content in _chunks(png):
        if kind == b"iTXt":
            keyword, separator, rest = content.partition(b"\0")
            fields = rest[2:].split(b"\0", 2)
            if not separator or len(rest) < 2 or len(fields) != 3:
                raise ValueError("a text chunk is cut short")
            if keyword.decode("latin-1") == wanted:
                packed, found = bool(rest[0]), fields[2]
    if found is None:
        return None
    return _expand(found) if packed else found.decode()


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    if not png.startswith(SIGNATURE):
        raise ValueError("it does not begin as a PNG does")
    position = len(SIGNATURE)
    while position < len(png):
        if position + 12 > len(png):
            raise ValueError("it is cut short")
        length, kind = struct.unpack_from(">I4s", png, position)
        end = position + 8 + length
        if end + 4 > len(png):
            raise ValueError("it is cut short")
        content = png[position + 8 : end]
        if struct.unpack_from(">I", png, end)[0] != zlib.crc32(kind + content):
            raise ValueError("a checksum does not match")
        yield kind, content
        if kind == b"IEND":
            return
        position = end + 4
    raise ValueError("its end is missing")


def _expand(packed: bytes) -> str:
    expander = zlib.decompressobj()
    try:
        text = expander.decompress(packed, LARGEST_TEXT)
    except zlib.error as error:
        raise ValueError(f"a text cannot be unpacked ({error})") from error
    if not expander.eof:
        raise ValueError(f"a text is cut short or expands to more than {LARGEST_TEXT >> 20} MB")
    return text.decode()
