"""Files that are either the old one or the new one, never half of it.

Everything is written to a temporary file in the same folder and renamed. What the system refuses becomes a
:class:`StorageError` with a sentence for the person.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import time as clock
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO, Protocol

from engines.api.errors import WorkbenchError
from engines.writing import replace_file

FORGOTTEN_SECONDS = 3600.0
"""A file that is being written was written to since then."""


class StorageError(WorkbenchError):
    """A file could not be written; what was there before is unchanged.

    ``full``: it can be once somebody has made room. ``finish``: what is left to be done of what is decided already; who
    tries again calls that, for all else would be done twice.
    """

    def __init__(self, message: str, full: bool = False) -> None:
        super().__init__(message)
        self.full = full
        self.finish: Callable[[], None] | None = None


def refusal(error: OSError, path: Path) -> StorageError:
    """The sentence for what the system answered on writing ``path``."""
    if error.errno == errno.EFBIG:  # by ``ulimit -f``, or FAT's 4 GB: no matter of room
        return StorageError(
            f"'{path}' would be larger than a file may be here: raise the limit of the session (ulimit -f unlimited) "
            "or choose a folder on another disk."
        )
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        what = "The disk" if error.errno == errno.ENOSPC else "Your share of the disk (quota)"
        return StorageError(
            f"{what} is full: '{path}' could not be written; free some space or choose another folder.", full=True
        )
    if error.errno == errno.ENAMETOOLONG:
        return StorageError(f"'{path}' could not be written: its name is too long here, choose a shorter one.")
    if error.errno == errno.ENOENT:
        return StorageError(
            f"'{path}' has vanished while it was to be written: bring its folder back or choose another."
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return StorageError(f"'{path}' may not be written here: choose another folder or change its permissions.")
    return StorageError(f"'{path}' could not be written ({error.strerror or error}): choose another folder.")


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn OSError into the StorageError that names ``path``."""
    try:
        yield
    except OSError as error:
        raise refusal(error, path) from error


def write_atomically(path: Path, write: Callable[[BinaryIO], object], *, durable: bool = False) -> None:
    """Have ``write`` fill a temporary file, then put it in the place of ``path``.

    ``durable`` waits until the content is on the disk (a project; not a snapshot, of which there are many).
    Raises StorageError; then ``path`` is as it was.
    """
    with storing(path):
        replace_file(path, write, durable=durable)
    if durable:
        sweep(path.parent, path.name, FORGOTTEN_SECONDS)


def sweep(folder: Path, name: str = "", older: float = 0.0) -> None:
    """Remove what writers that were killed have left in ``folder``: of all files, or of the one called ``name``.

    Nothing is removed that was written to in the last ``older`` seconds: somebody else may be writing there.
    """
    of_name = re.escape(name[:40]) if name else ".+"
    ours = re.compile(rf"\.{of_name}\.[a-z0-9_]{{8}}\.tmp")  # as mkstemp makes them
    with suppress(OSError):  # what cannot be removed costs room and nothing else
        for file in folder.glob(".*.tmp"):
            if ours.fullmatch(file.name) and clock.time() - file.stat().st_mtime >= older:
                file.unlink(missing_ok=True)


def has_other_names(path: Path) -> bool:
    """Whether it is a file with further names (hard links): what is written into it changes under all of them."""
    return path.is_file() and path.stat().st_nlink > 1


def oldest(files: Iterable[Path], kept: int, most: int = 0, room: int = 0) -> list[Path]:
    """All but the newest ``kept``, and of the next ones up to ``most`` those that fit into ``room`` bytes with these;
    another window may be removing them meanwhile."""
    found = []
    for file in files:
        with suppress(OSError):
            known = file.stat()
            found.append((known.st_mtime, file, known.st_size))
    taken = list(accumulate(size for _, _, size in sorted(found, reverse=True)))
    stay = max(kept, min(most, sum(total <= room for total in taken)))
    return [file for _, file, _ in sorted(found)[: max(0, len(found) - stay)]]


def date_back(files: Iterable[Path], fresh: Path) -> None:
    """Files dated after ``fresh``, which was written just now, are from before the clock was set back: from now on the
    last of them is as old as ``fresh``, and the others as much older as they were, so that all grow old."""
    with suppress(OSError):  # who may not date them keeps them for longer
        now = fresh.stat().st_mtime_ns
        dates = {file: file.stat().st_mtime_ns for file in files if file.is_file()}
        ahead = {file: date for file, date in dates.items() if date > now}
        shift = max(ahead.values(), default=now) - now + 1
        for file, date in ahead.items():
            os.utime(file, ns=(date - shift, date - shift))


class SameFolder:
    """A folder as it is now: what bears its name once it was renamed or removed is somebody else's, or a link."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._known = folder, folder.stat()

    def check(self) -> None:
        """Raises StorageError where it is there no more."""
        with storing(self._folder):
            if not self.is_there:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    @property
    def is_there(self) -> bool:
        try:
            return os.path.samestat(self._folder.stat(), self._known)
        except FileNotFoundError:
            return False


def check_room(path: Path, size: int) -> None:
    """Raises StorageError where a disk has no ``size`` bytes left for ``path``: known before a long export begins."""
    folder = next((each for each in path.absolute().parents if each.is_dir()), None)
    if folder is not None and (free := shutil.disk_usage(folder).free) < size:
        raise StorageError(
            f"'{path}' takes about {size / 1e6:,.0f} MB, and its disk has {free / 1e6:,.0f} MB left: free some space "
            "or choose another folder.",
            full=True,
        )


def sync(path: Path) -> None:
    """Wait until what ``path`` holds is on the disk. Raises StorageError."""
    with storing(path), path.open("r+b") as file:
        os.fsync(file.fileno())


def write_bytes(path: Path, content: bytes, *, durable: bool = False) -> None:
    """Atomically put ``content`` into ``path``."""
    write_atomically(path, lambda file: file.write(content), durable=durable)


def write_text(path: Path, content: str, *, durable: bool = False) -> None:
    """Atomically put ``content`` into ``path`` as UTF-8."""
    write_bytes(path, content.encode(), durable=durable)


class Readable(Protocol):
    """What gives bytes, as an open file does."""

    def read(self, size: int, /) -> bytes: ...


def write_stream(path: Path, source: Readable) -> None:
    """Atomically copy what ``source`` holds into ``path``."""

    def copy(file: BinaryIO) -> None:
        while part := source.read(2**20):
            file.write(part)

    write_atomically(path, copy)
