"""Files that are changed in their middle and are whole all the same when the process is killed meanwhile.

What is written behind the old end of a file goes there at once: nobody reads it yet. What would be changed before that
end waits in memory. When the file is closed that goes into a journal beside it, which appears as a whole or not at all,
then into the file, and the journal is removed. Whoever finds a journal carries it out, as often as it takes.
"""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import BinaryIO

from engines.api.errors import ProblemError
from engines.reading import refuse_pipe
from workbench.storage.atomic import has_other_names, write_bytes

PAGE = 4096
MOST_GROWN = 64 << 20
"""Bytes by which a file may end behind what is in it."""
_HEAD = struct.Struct("<4sQQI")
_ENTRY = struct.Struct("<QI")
_MARK = b"WBJ1"


def journal_of(path: Path) -> Path:
    """Where the journal of ``path`` is while there is one."""
    return path.with_name(f".{path.name}.journal")


def forget_journal(path: Path) -> None:
    """``path`` is to be made anew: what was begun of the one before is nothing any more. Raises OSError."""
    journal_of(path).unlink(missing_ok=True)


def recover(path: Path) -> None:
    """Carry out what a process that was killed had begun. Raises OSError, and ProblemError where that would be written
    into another file than this: a stranger may have put both there."""
    journal = journal_of(path)
    refuse_pipe(journal)
    try:
        length = journal.stat().st_size
    except FileNotFoundError:
        return
    if path.is_symlink() or has_other_names(path):
        raise ProblemError(
            f"'{path}' has another name elsewhere (a link), where what a run had begun would be written, too: copy it "
            f"and '{journal.name}' into a folder of their own."
        )
    there = path.stat().st_size if path.is_file() else 0
    possible = length <= _HEAD.size + (there // PAGE + 1) * (_ENTRY.size + PAGE)
    content = journal.read_bytes() if possible else b""
    mark, end, count, checksum = _HEAD.unpack_from(content.ljust(_HEAD.size, b"\0"))  # a power cut may leave it empty
    body = content[_HEAD.size :]
    if mark == _MARK and zlib.crc32(body) == checksum and there and end <= there + MOST_GROWN:
        with path.open("r+b", buffering=0) as file:
            at = 0
            for _ in range(count):
                place, length = _ENTRY.unpack_from(body, at)
                at += _ENTRY.size
                _write(file, place, body[at : at + length])
                at += length
            file.truncate(end)
    journal.unlink()


class JournalledFile(io.RawIOBase):
    """A file to read, change and lengthen, as h5py takes one. It is as before until :meth:`commit`.

    ``fresh`` is a new and empty file instead of the one at ``path``, which :meth:`commit` gives its length alone.
    Raises OSError, but not from what h5py calls: HDF5 does not survive that. What the system answered is ``failure``
    then, and :meth:`commit` raises it.
    """

    def __init__(self, path: Path, fresh: BinaryIO | None = None) -> None:
        if fresh is None:
            recover(path)
        self._path, self._fresh = path, fresh
        self._file: BinaryIO | io.FileIO = fresh or path.open("r+b", buffering=0)
        self._at = 0
        self._old = self._file.seek(0, io.SEEK_END)
        self._end = self._old
        self._pages: dict[int, bytearray] = {}
        """By number, those that begin before the old end and were changed."""
        self.failure: OSError | None = None
        """The first that there was."""
        self.decided = False
        """Whether the journal stands: where the rest did not go well, :func:`recover` makes of the file what it is to
        be."""

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._end}[whence]
        return self._at

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]  # typeshed's Buffer is of Python 3.12
        length = max(0, min(len(view), self._end - self._at))
        done = 0
        while done < length:
            number, inside = divmod(self._at + done, PAGE)
            size = min(length - done, PAGE - inside)
            page = self._pages.get(number)
            if page is None:
                while number + 1 not in self._pages and size < length - done:
                    number += 1
                    size = min(length - done, size + PAGE)
                view[done : done + size] = self._read(self._at + done, size)
            else:
                view[done : done + size] = page[inside : inside + size]
            done += size
        self._at += length
        return length

    def write(self, content: object) -> int:
        view = memoryview(content).cast("B")  # type: ignore[arg-type]  # as above
        done = 0
        border = -(-self._old // PAGE) * PAGE
        while done < len(view):
            place = self._at + done
            if place >= border:
                self._append(place, view[done:])
                break
            number, inside = divmod(place, PAGE)
            size = min(len(view) - done, PAGE - inside)
            if number not in self._pages:
                self._pages[number] = bytearray(self._read(number * PAGE, PAGE))
            self._pages[number][inside : inside + size] = view[done : done + size]
            done += size
        self._at += len(view)
        self._end = max(self._end, self._at)
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        self._end = self._at if size is None else size
        return self._end

    def commit(self) -> None:
        """Make all of it so. Raises OSError."""
        if self.failure is not None:
            raise self.failure
        if self._fresh is not None:
            self._fresh.truncate(self._end)
            return
        body = bytearray()
        pages = [(number, page) for number, page in sorted(self._pages.items()) if number * PAGE < self._end]
        for number, page in pages:
            kept = page[: self._end - number * PAGE]
            body += _ENTRY.pack(number * PAGE, len(kept)) + kept
        head = _HEAD.pack(_MARK, self._end, len(pages), zlib.crc32(body))
        write_bytes(journal_of(self._path), head + bytes(body))
        self.decided = True
        recover(self._path)
        self._pages = {}

    def close(self) -> None:
        if not self.closed and self._fresh is None:
            self._file.close()
        super().close()

    def _append(self, place: int, content: memoryview) -> None:
        try:
            _write(self._file, place, content)
        except OSError as error:
            self.failure = self.failure or error

    def _read(self, place: int, size: int) -> bytes:
        """What the file itself has there, and zeros behind its end."""
        parts, left = [], size
        try:
            self._file.seek(place)
            while left and (part := self._file.read(left)):
                parts.append(part)
                left -= len(part)
        except OSError as error:
            self.failure = self.failure or error
        return b"".join(parts) + bytes(left)


def _write(file: BinaryIO | io.FileIO, place: int, content: bytes | bytearray | memoryview) -> None:
    file.seek(place)
    rest = memoryview(content)
    while len(rest):
        rest = rest[file.write(rest) :]
