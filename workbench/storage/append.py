"""Tables and logs that grow while a run goes on, and stay readable whatever happens."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from workbench.storage.atomic import storing, write_atomically
from workbench.storage.locking import of_no_link


class AppendedFile:
    """A text file that grows by whole lines. What could not be written whole is taken back.

    A fresh file begins with ``head``; with ``keep`` an existing one is continued (a line cut short by a crash is
    dropped). Raises StorageError.
    """

    def __init__(self, path: Path, head: str = "", *, keep: bool = False) -> None:
        self.path = path
        with storing(path):
            going_on = keep and path.is_file()
            if not going_on:
                path.unlink(missing_ok=True)  # a copy of hard links stays as it was
            self._file = open(path, "r+b" if going_on else "wb", buffering=0, opener=of_no_link)  # noqa: SIM115
            self._end = _end_of_last_line(path) if going_on else 0
            self._file.truncate(self._end)
            self._file.seek(self._end)
        if head and self._end == 0:
            self.append(head)

    def append(self, text: str) -> None:
        """Add ``text``, which ends with a line end. Raises StorageError; then the file is as it was before."""
        content = text.encode()
        with storing(self.path):
            self._check_there()
            try:
                while content:
                    content = content[self._file.write(content) :]
            except OSError:
                self._file.truncate(self._end)
                self._file.seek(self._end)
                raise
            self._end = self._file.tell()

    def sync(self) -> None:
        """Wait until all lines are on the disk. Raises StorageError."""
        with storing(self.path):
            self._check_there()
            os.fsync(self._file.fileno())

    def _check_there(self) -> None:
        """What goes into a file that was removed is lost, and the system does not say so. Raises FileNotFoundError."""
        if not os.path.samestat(self.path.stat(), os.fstat(self._file.fileno())):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    def close(self) -> None:
        self._file.close()


def trim(path: Path, keep: Callable[[str], bool]) -> None:
    """Keep the header and the lines that ``keep`` accepts; others were written after the checkpoint.

    Raises StorageError.
    """
    if not path.is_file():
        return
    with storing(path), path.open("rb") as source:

        def write(stream: BinaryIO) -> None:
            for index, line in enumerate(source):
                if line.endswith(b"\n") and (index == 0 or keep(line.decode())):
                    stream.write(line)

        write_atomically(path, write)


def _end_of_last_line(path: Path) -> int:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        while size:
            first = max(0, size - 65536)
            file.seek(first)
            found = file.read(size - first).rfind(b"\n")
            if found >= 0:
                return first + found + 1
            size = first
    return 0
