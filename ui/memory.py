"""Memory that the window would hold without using it.

Three causes, none of them an object that lives too long. glibc gives threads arenas of their own, up to eight a
core; what one thread frees others cannot use: after sixty openings half of what malloc had was free. Once it has freed
an array (of up to 32 MB), it puts all smaller ones between the small pieces, and the holes that they leave stay: 30 to
50 MB after twenty problems. And Shiboken looks for the word ``PySide6`` in the source of every module that is imported
after it, by way of :mod:`linecache`, which keeps all those lines.
"""

from __future__ import annotations

import ctypes
import importlib
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType

M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8  # malloc.h of glibc
LARGE = 2**20
"""Bytes of what is mapped by itself, and unmapped when it is freed."""
ARENAS = 2


def share_arenas() -> bool:
    """Have all threads allocate from the same few arenas, and what is large from none; False where the C library is not
    glibc, which then has its own way. Arenas that exist already stay: to be called before threads are started."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        set_to = ctypes.CDLL(None).mallopt
        return set_to(M_ARENA_MAX, ARENAS) == set_to(M_MMAP_THRESHOLD, LARGE) == 1
    except (OSError, AttributeError):
        return False


def give_back_freed() -> None:
    """Return to the system what is free in glibc's arenas, holes included: some 5 ms, 20 ms after a large heart."""
    if sys.platform.startswith("linux"):
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def keep_no_sources() -> None:
    """Let Shiboken look into a module's source without keeping it."""
    with suppress(ImportError):  # without Qt whoever wants a window says so
        importlib.import_module("PySide6.QtCore")
        feature = importlib.import_module("shibokensupport.feature")
        if hasattr(feature, "_mod_uses_pyside"):
            vars(feature)["_mod_uses_pyside"] = names_pyside


def names_pyside(module: ModuleType) -> bool:
    """Whether the module's source names PySide6; False where there is none."""
    file = getattr(module, "__file__", None) or ""
    if not file.endswith(".py"):
        return False
    try:
        return b"PySide6" in Path(file).read_bytes()
    except OSError:
        return False
