"""The folder where measurements of this machine are kept between sessions."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

from engines.writing import replace_file

log = logging.getLogger(__name__)


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
