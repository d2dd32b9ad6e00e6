"""Files that are either the old one or the new one, never half of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

_UMASK = os.umask(0)  # can only be read by setting it: once, while nobody else runs
os.umask(_UMASK)


def replace_file(path: Path, write: Callable[[BinaryIO], object], *, durable: bool = False) -> None:
    """Have ``write`` fill a temporary file beside ``path``, then put it in the place of that.

    ``durable`` waits until the content is on the disk. Raises OSError; then ``path`` is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w+b") as file:  # HDF5 reads what it wrote
            write(file)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.chmod(_mode(path))
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _mode(path: Path) -> int:
    """Permissions of the file that is replaced, or those that a new file gets (mkstemp makes private ones)."""
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        return 0o666 & ~_UMASK
