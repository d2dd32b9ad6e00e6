"""What tests compile is kept in the user's folder for caches: made once, for all processes and for the next time.

A file's name is the digest of all that it was made of, so what is there never grows stale, only superfluous.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engines.backend.cache_dir import cache_dir

FOLDER = cache_dir()
"""As it is at the start: a test may have a cache folder of its own, which is empty."""
MOST_BYTES = 256 << 20
"""In each folder of :data:`FOLDER`; what has not been used for longest goes, but not within a day of its last use."""
DAY = 24 * 3600.0


def digest(*made_of: object) -> str:
    """A file's name for what is made of these (anything whose ``repr`` tells all of it)."""
    return hashlib.sha256(repr(made_of).encode()).hexdigest()[:32]


def kept(name: str, make: Callable[[Path], None]) -> Path:
    """The file of this name below :data:`FOLDER`; where it is not there, ``make(path)`` writes it under another name.

    Of two processes that want the same one waits for the other.
    """
    path = FOLDER / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path.with_name(f"{path.name}.lock")):
            if not path.exists():
                made = path.with_name(f"{path.name}.{os.getpid()}")
                try:
                    make(made)
                    made.replace(path)
                finally:
                    made.unlink(missing_ok=True)
                prune(path.parent)
    elif time.time() - path.stat().st_mtime > DAY / 2:
        os.utime(path)
    return path


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """By the system, which forgets the lock of a process that dies; the file goes with who made it last."""
    if sys.platform == "win32":  # two processes may make the same: the second one replaces it by its like
        yield
        return
    import fcntl

    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def prune(folder: Path, most: int = MOST_BYTES) -> None:
    """Delete what was not used for longest until the rest is no more than ``most`` bytes."""
    found = []
    for file in folder.iterdir():
        with suppress(FileNotFoundError):  # another process was making it, or deletes the same
            if file.is_file():
                found.append((file.stat().st_mtime, file.stat().st_size, file))
    size = sum(each for _, each, _ in found)
    for used, each, file in sorted(found):
        if size <= most or time.time() - used < DAY:
            return
        file.unlink(missing_ok=True)
        size -= each
