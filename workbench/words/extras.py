"""What an installation may lack, in words: the extra ``window`` brings the window and everything that draws."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

from engines.api.errors import ProblemError

WINDOW = ("PySide6", "shiboken6", "vispy", "pyqtgraph", "freetype")
"""Modules of the extra ``window``."""


def load(point: EntryPoint, what: str) -> Any:
    """What an entry point of the window names. Raises ProblemError where the extra is not installed: ``what`` (The
    window needs) says for what; and ImportError where it is there and does not load."""
    try:
        return point.load()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in WINDOW:
            raise
        raise ProblemError(
            f"{what} the extra 'window', which is missing ({error.name}): 'workbench doctor' "
            "prints the line that adds it."
        ) from error
