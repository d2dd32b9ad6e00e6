"""Whether all kernels have been compiled on this machine since they were last changed."""

from __future__ import annotations

import hashlib
import os
import platform
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from engines.backend.cache_dir import cache_dir, keep
from engines.backend.compile.source import ENGINES

SOURCES = (".py", ".cu", ".cuh", ".mmt", ".json")


def compiled_ahead() -> bool:
    """Whether :func:`engines.backend.compile.warm.warm` came to its end with these sources, this Python and Numba."""
    return _stamp().is_file()


def remember_compiled() -> None:
    """It has."""
    keep(_stamp(), b"")


def _stamp() -> Path:
    return cache_dir() / "compiled" / _digest()


def _digest() -> str:
    """Of where the sources are, how long, and when they were changed: Numba asks its cache no more than that."""
    told = [str(ENGINES), platform.python_version(), os.environ.get("NUMBA_CACHE_DIR", "")]
    with suppress(PackageNotFoundError):  # a bundle may hold packages without what is told of them
        told.append(version("numba"))
    for folder, _, names in os.walk(ENGINES):
        for name in names:
            if name.endswith(SOURCES):
                found = os.stat(os.path.join(folder, name))
                told.append(f"{folder}/{name} {found.st_size} {found.st_mtime_ns}")
    return hashlib.sha256("\n".join(sorted(told)).encode()).hexdigest()[:32]
