"""What the environment says to Numba before anybody imports it."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

CACHE = "NUMBA_CACHE_DIR"
UNSET = {CACHE: "", "NUMBA_CACHE_LOCATOR_CLASSES": "", "NUMBA_CHROME_TRACE": "", "NUMBA_DISABLE_JIT": "0"}
"""Numba takes settings from a file of the folder that a person happens to be in, which may be a stranger's: from where
compiled code and classes are loaded, where a trace is written, whether code is compiled. The environment comes first.
"""


def prepare() -> None:
    """For whatever the person has not said themselves."""
    os.environ.update(UNSET | dict(os.environ))
    if not os.environ[CACHE] and sys.platform == "linux" and not _has_place():
        os.environ[CACHE] = folder = tempfile.mkdtemp(prefix="workbench-kernels-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)


def _has_place() -> bool:
    """Whether Numba finds where to keep what it compiles, without which it refuses to: beside the sources, or in this
    person's cache."""
    if os.access(Path(__file__).parent, os.W_OK):
        return True
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "numba")
        home.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        return False
    return os.access(home, os.W_OK)
