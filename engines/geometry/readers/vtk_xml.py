"""The array encodings of VTK's XML files: ascii, base64 or appended raw data, compressed or not.

Described in "VTK File Formats" (https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html).
"""

from __future__ import annotations

import lzma
import re
import secrets
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from xml.etree import ElementTree

import numpy as np

from engines.api import Array
from engines.api.errors import MeshError
from engines.backend.threads import usable_cores
from engines.geometry.readers.base64_text import LONG, decoded, only_base64
from engines.geometry.readers.lz4 import lz4_block
from engines.geometry.readers.text import as_type, numbers

TURN = 1 << 20
"""Bytes that a thread unpacks in a row: of VTK's own blocks of 32 kB, 32."""
XZ_HEADER, XZ_LZMA2_ALONE = 12, b"\0!\1"
"""Where in .xz the header of a block begins, whose first byte counts its words but for a sum; its bytes 1 to 3 where it
has the filter LZMA2 alone and says no sizes. The next one, 2 n, is of a dictionary of 2^(12 + n) bytes."""
TAG = re.compile(rb"<(?:AppendedData|DataArray\b[^<>]*>)")
DTYPES = {
    "Int8": "i1",
    "UInt8": "u1",
    "Int16": "i2",
    "UInt16": "u2",
    "Int32": "i4",
    "UInt32": "u4",
    "Int64": "i8",
    "UInt64": "u8",
    "Float32": "f4",
    "Float64": "f8",
    "String": "u1",
}


def _unlz4(block: bytes, size: int) -> bytes:
    out = np.empty(size, np.uint8)
    count = lz4_block(np.frombuffer(block, np.uint8), out)
    return out[: max(count, 0)].tobytes()


def _unlzma(block: bytes, size: int) -> bytes:
    """A block says how large its packer's dictionary was, 64 MB at the highest level; to make room for that takes
    longer than to unpack some kB, which need no more than their own size: so that is what it is given to say."""
    head, own = block[XZ_HEADER : XZ_HEADER + 4 * block[XZ_HEADER]], 2 * max(0, (size - 1).bit_length() - 12)
    rest = block[XZ_HEADER + len(head) :]
    if head[1:4] == XZ_LZMA2_ALONE and head[4] > own and rest[:4] == _checksum(head):
        head = head[:4] + bytes([own]) + head[5:]
        block = b"".join([block[:XZ_HEADER], head, _checksum(head), rest[4:]])
    return lzma.LZMADecompressor().decompress(block, size)


def _checksum(head: bytes) -> bytes:
    return zlib.crc32(head).to_bytes(4, "little")


DECOMPRESSORS: dict[str, Callable[[bytes, int], bytes]] = {  # never more than announced
    "vtkZLibDataCompressor": lambda block, size: zlib.decompressobj().decompress(block, size),
    "vtkLZMADataCompressor": _unlzma,
    "vtkLZ4DataCompressor": _unlz4,
}


EXPANDED_ALWAYS, EXPANDED_PER_BYTE = 256 << 20, 32
"""What all arrays of a compressed file may come to: meshes and their fields expand to some four times the file, fields
of one value to a thousand times, of which no file has many."""


@dataclass
class XmlFile:
    """A VTK XML file taken apart: the tree, and the appended bytes where there are any. ``left`` is how many bytes its
    compressed arrays may still expand to; ``texts`` are long texts of base64 by what stands for them in the tree."""

    root: ElementTree.Element
    name: str
    appended: bytes | memoryview = b""
    appended_base64: bool = False
    left: int = EXPANDED_ALWAYS
    texts: dict[str, memoryview] = field(default_factory=dict)

    @classmethod
    def parse(cls, data: bytes, name: str) -> XmlFile:
        """Split off raw appended data (which is not XML) and parse the rest. Raises MeshError."""
        if b"<!DOCTYPE" in data[:4096] or b"<!ENTITY" in data[:4096]:
            raise MeshError(f"{name} defines XML entities, which mesh files never need; export the mesh again.")
        left = EXPANDED_ALWAYS + EXPANDED_PER_BYTE * len(data)
        markup, texts, start = _without_long_texts(data)
        appended: bytes | memoryview = b""
        is_base64 = False
        if start >= 0:
            mark = data.find(b"_", data.find(b">", start)) + 1
            is_base64 = b"base64" in data[start:mark].split(b">")[0]
            end = data.rfind(b"</AppendedData>")
            if end < 0:
                raise MeshError(f"{name} ends early, inside its appended data; copy or export the file again.")
            appended = memoryview(data)[mark:end]
            markup += b"</VTKFile>"
        try:
            root = ElementTree.fromstring(markup)
        except ElementTree.ParseError as error:
            line = error.position[0]
            raise MeshError(
                f"{name} is not complete XML (line {line}): it is truncated or damaged; copy or export it again."
            ) from None
        return cls(root, name, appended, is_base64, left, texts)

    def __post_init__(self) -> None:
        order = ">" if self.root.get("byte_order") == "BigEndian" else "<"
        self.order = order
        self.header = np.dtype(order + DTYPES.get(self.root.get("header_type", "UInt32"), "u4"))
        self.compressor = self.root.get("compressor")
        if self.compressor and self.compressor not in DECOMPRESSORS:
            raise MeshError(
                f"{self.name} is compressed with {self.compressor}, which is unknown; save it with ZLib compression."
            )

    def array(self, element: ElementTree.Element) -> Array:
        """Values of a DataArray, (n,) or (n, components), in native byte order."""
        kind = element.get("type", "")
        if kind not in DTYPES:
            raise MeshError(f"{self.name} has an array of unknown type “{kind}”; export the mesh again.")
        dtype = np.dtype(self.order + DTYPES[kind])
        form = element.get("format", "ascii")
        label = element.get("Name", "?")
        word = (element.text or "").strip()
        if form == "ascii":
            # of bytes NumPy makes a constant: another type to Numba
            letters = bytearray(self.texts[word] if word in self.texts else (element.text or "").encode())
            values = numbers(np.frombuffer(letters, np.uint8), f"{self.name}, array {label},")
            values = as_type(values, dtype.newbyteorder("="))
        elif form == "appended":
            if not self.appended:
                raise MeshError(f"{self.name} ends early: its appended data is missing; copy or export the file again.")
            offset = int(element.get("offset", "0"))
            values = self._binary(memoryview(self.appended)[offset:], self.appended_base64, dtype, label)
        else:
            text = self.texts[word] if word in self.texts else memoryview(b"".join(word.encode().split()))
            values = self._binary(text, True, dtype, label)
        components = int(element.get("NumberOfComponents", "1") or 1)
        if components > 1:
            if len(values) % components:
                raise self._short(label)
            values = values.reshape(-1, components)
        return values.astype(dtype.newbyteorder("="), copy=False)

    def _short(self, label: str) -> MeshError:
        return MeshError(f"{self.name} ends early: array {label} is incomplete; copy or export the file again.")

    def _binary(self, part: memoryview, is_base64: bool, dtype: np.dtype, label: str) -> Array:
        """One array; ``part`` starts at its header and may run on behind it."""
        try:
            data = (self._compressed if self.compressor else self._plain)(part, is_base64)
        except (ValueError, IndexError, OverflowError, EOFError, zlib.error, lzma.LZMAError):
            raise self._short(label) from None
        return np.frombuffer(data, dtype)

    def _plain(self, part: memoryview, is_base64: bool) -> bytes | memoryview | Array:
        """A size, then the data; in base64 either one stream or two."""
        width = self.header.itemsize
        head, rest = _take(part, width, is_base64)
        size = int(np.frombuffer(head, self.header)[0])
        if is_base64 and b"=" not in bytes(part[: _base64_length(width)]):
            data = _take(part, width + size, is_base64, width)[0][width:]
        else:
            data, _ = _take(rest, size, is_base64)
        if len(data) < size:
            raise EOFError
        return data

    def _compressed(self, part: memoryview, is_base64: bool) -> bytes:
        """Number of blocks, size of a block and of the last one, compressed sizes; then the blocks (one stream)."""
        width = self.header.itemsize
        head, _ = _take(part, 3 * width, is_base64)
        n, block, last = (int(v) for v in np.frombuffer(head, self.header))
        self.left -= n * block if not last else (n - 1) * block + last
        if self.left < 0:  # before anything is expanded; blocks never give more than they announce
            raise MeshError(
                f"{self.name} expands to far more than a mesh of its size: save it without compression, or its fields "
                "apart."
            )
        head, rest = _take(part, (3 + n) * width, is_base64)
        ends = np.cumsum(np.frombuffer(head, self.header)[2:].astype(np.int64)) - last
        data, _ = _take(rest, int(ends[-1]), is_base64)
        unpack = DECOMPRESSORS[str(self.compressor)]

        def unpacked(first: int) -> bytes:
            pieces = []
            for k in range(first, min(first + turn, n)):
                size = last if k == n - 1 and last else block
                pieces.append(unpack(bytes(data[ends[k] : ends[k + 1]]), size))
                if len(pieces[-1]) < size:
                    raise EOFError
            return b"".join(pieces)

        turn = max(1, TURN // max(block, 1))
        if n <= turn:
            return unpacked(0)
        with ThreadPoolExecutor(usable_cores()) as pool:  # no lock is held while blocks are unpacked
            return b"".join(pool.map(unpacked, range(0, n, turn)))


def _base64_length(size: int) -> int:
    return (size + 2) // 3 * 4


def _take(
    part: memoryview, size: int, is_base64: bool, before: int = 0
) -> tuple[bytes | memoryview | Array, memoryview]:
    """The first ``size`` bytes, those from ``before`` on aligned, and what follows if a base64 stream ends there."""
    if not is_base64:
        return part[:size], part[size:]
    length = _base64_length(size)
    return decoded(part[:length], before)[:size], part[length:]


def _without_long_texts(data: bytes) -> tuple[bytes, dict[str, memoryview], int]:
    """The markup as far as ``<AppendedData``, with a word of its own instead of each long text of base64; these texts
    by word; and where ``<AppendedData`` is, or -1.

    A parser of XML would take each text apart, copy it and hold it as a string: seconds of a large file.
    """
    word, texts, pieces = secrets.token_hex(8), dict[str, memoryview](), []
    done, at, start = 0, 0, -1
    while at >= 0 and (tag := TAG.search(data, at)):
        if tag[0] == b"<AppendedData":
            start = tag.start()
            break
        at = data.find(b"<", tag.end())
        if at - tag.end() < LONG or b"binary" not in tag[0] or not data.startswith(b"</", at):
            continue
        first, end = tag.end(), at
        while data[first : first + 1].isspace():
            first += 1
        while data[end - 1 : end].isspace():
            end -= 1
        text = memoryview(data)[first:end]
        if only_base64(text):  # else the parser decides what it is
            key = f"{word}{len(texts)}"
            texts[key] = text
            pieces += [data[done:first], key.encode()]
            done = end
    return b"".join([*pieces, data[done : None if start < 0 else start]]), texts, start
