"""A lock on a file that its process holds and that the system releases however the process ends."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
import time as clock
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

MOMENT = 2.0
"""Seconds that a window waits for another at most."""

NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
"""In a folder of somebody else a link would have us make a file anywhere."""

NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}


def of_no_link(path: str, flags: int) -> int:
    """An opener: of a file of that name, and of none that a link leads to."""
    return os.open(path, flags | NO_LINKS, 0o666)


class ProcessLock:
    """Holds ``path`` locked from :meth:`acquire` to :meth:`release`, or to the end of the process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None
        self.is_refused = False
        """Whether nobody can hold it, as on some disks of other machines."""

    def acquire(self) -> bool:
        """Take the lock if nobody holds it; whether it is ours now. Raises OSError if the file cannot be made."""
        while True:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | NO_LINKS, 0o600)
            try:
                _lock(handle)
            except OSError as error:
                os.close(handle)
                self.is_refused = error.errno in NO_LOCKS
                return False
            with suppress(OSError):
                if os.path.samestat(os.fstat(handle), os.stat(self._path)):
                    self._handle = handle
                    return True
            os.close(handle)  # removed by who held it: others may hold another one of that name by now

    def release(self, *, remove: bool = False) -> None:
        """``remove``: the file goes, too."""
        if self._handle is None:
            return
        if remove:  # while it is held, but for Windows, where nobody removes what is open
            self._remove()
        os.close(self._handle)
        self._handle = None
        if remove and sys.platform == "win32":
            self._remove()

    def _remove(self) -> None:
        with suppress(OSError):  # not another's, where the folder was renamed and there is one of its name again
            if self._handle is None or os.path.samestat(os.fstat(self._handle), os.stat(self._path)):
                self._path.unlink()


@contextmanager
def held_for_a_moment(path: Path, *, remove: bool = False) -> Iterator[bool]:
    """Nobody else holds ``path`` meanwhile; False: somebody does, for longer than is waited for. A folder without locks
    is not waited for. ``remove``: the file goes in the end."""
    lock, latest, ours = ProcessLock(path), clock.monotonic() + MOMENT, True
    with suppress(OSError):
        while not (ours := lock.acquire() or lock.is_refused) and clock.monotonic() < latest:
            clock.sleep(0.01)
    try:
        yield ours
    finally:
        lock.release(remove=remove)


def held_folder(prefix: str, lock: str) -> tuple[Path, ProcessLock]:
    """A temporary folder of this process alone, whose file ``lock`` it holds; those of ``prefix`` that killed processes
    have left are removed. Raises OSError."""
    for left in Path(tempfile.gettempdir()).glob(f"{prefix}*/{lock}"):
        remove_unheld(left.parent, lock)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix))
        held = ProcessLock(folder / lock)
        with suppress(FileNotFoundError):  # another process took it for one that is left, before it was held
            if held.acquire():
                return folder, held


def remove_unheld(folder: Path, lock: str) -> None:
    """Remove a folder unless somebody holds its file ``lock``; what the system does not let go stays."""
    held = ProcessLock(folder / lock)
    with suppress(OSError):
        if held.acquire():
            shutil.rmtree(folder, ignore_errors=True)
            held.release()


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
