"""A lock on a file that its process holds and that the system releases however the process ends."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path


class ProcessLock:
    """Holds ``path`` locked from :meth:`acquire` to :meth:`release`, or to the end of the process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def acquire(self) -> bool:
        """Take the lock if nobody holds it; whether it is ours now. Raises OSError if the file cannot be made."""
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(handle)
        except OSError:
            os.close(handle)
            return False
        self._handle = handle
        return True

    def release(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


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
