"""The folder where measurements of this machine are kept between sessions, and code that is made for a compiler."""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

from engines.writing import replace_file

log = logging.getLogger(__name__)

SEAL = 32
"""Bytes of a digest."""


def cache_dir() -> Path:
    """``WORKBENCH_CACHE_DIR`` if set, else the platform's folder for caches. It may not exist yet."""
    if chosen := os.environ.get("WORKBENCH_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "workbench" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "workbench"
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG base directory specification: a relative path is invalid and to be ignored.
    return (Path(chosen) if Path(chosen).is_absolute() else Path.home() / ".cache") / "workbench"


def keep(path: Path, content: bytes) -> None:
    """Put ``content`` into a file of the cache, whole or not at all; after a refusal it is made again next time."""
    try:
        replace_file(path, lambda file: file.write(content))
    except OSError as error:
        log.warning("'%s' cannot be kept for the next session: %s", path, error)


def sealed(content: bytes) -> bytes:
    """With a digest behind it: a computer that goes out leaves files of the right length, full of zeros."""
    return content + hashlib.sha256(content).digest()


def unsealed(content: bytes) -> bytes | None:
    """What :func:`sealed` was given; None where it is not as it was."""
    whole = content[:-SEAL]
    return whole if hashlib.sha256(whole).digest() == content[-SEAL:] else None


def source_file(text: str, use: str) -> Path:
    """A file of ``text`` in the folder ``use`` of the cache: compilers want one. Where nothing can be written there, in
    a folder of this process."""
    content = text.encode()
    name = Path(use, f"{hashlib.sha256(content).hexdigest()[:16]}.cu")
    try:
        return _holding(cache_dir() / name, content)
    except OSError as error:
        log.info("'%s' cannot be written: %s", cache_dir() / name, error)
        return _holding(_own_folder() / name, content)


def _holding(path: Path, content: bytes) -> Path:
    if not path.is_file() or path.read_bytes() != content:
        replace_file(path, lambda file: file.write(content))  # whole: another process may be compiling it
    return path


@cache
def _own_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="workbench-sources-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
