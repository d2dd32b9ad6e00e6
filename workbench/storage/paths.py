"""Where this person's settings, autosaves and caches live on this system."""

from __future__ import annotations

import os
import sys
from pathlib import Path

APPLICATION = "workbench"


def config_dir() -> Path:
    """Settings and recent files."""
    return _place("XDG_CONFIG_HOME", ".config", "APPDATA", "Library/Application Support")


def state_dir() -> Path:
    """Autosaves of sessions that are open."""
    return _place("XDG_STATE_HOME", ".local/state", "LOCALAPPDATA", "Library/Application Support")


def cache_dir() -> Path:
    """What can be made again, such as meshes taken out of zipped projects."""
    chosen = os.environ.get("WORKBENCH_CACHE_DIR")
    return Path(chosen) if chosen else _place("XDG_CACHE_HOME", ".cache", "LOCALAPPDATA", "Library/Caches")


def _place(xdg: str, unix: str, windows: str, mac: str) -> Path:
    if sys.platform == "win32":
        base = os.environ.get(windows) or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / mac
    else:
        base = os.environ.get(xdg) or Path.home() / unix
    return Path(base) / APPLICATION
