"""Tracebacks of what no code expected, kept in a file for whoever mends it: a person is told a sentence."""

from __future__ import annotations

import platform
import time as clock
import traceback
from pathlib import Path

from workbench import __version__
from workbench.storage.atomic import has_other_names
from workbench.storage.locking import of_no_link
from workbench.storage.paths import state_dir

ERROR_LOG = "error.log"


def keep_traceback(error: BaseException, folder: Path | None = None) -> str:
    """Append the traceback of ``error`` to the log in ``folder``, or to the one of this person where there is none.

    Returns a sentence that names the file; where it cannot be written, that sentence is the traceback.
    """
    text = "".join(traceback.format_exception(error))
    stamp = clock.strftime("%Y-%m-%dT%H:%M:%SZ", clock.gmtime())
    versions = f"Workbench {__version__}, Python {platform.python_version()}, {platform.platform()}"
    for own in (False, True):
        try:
            place = state_dir() if own else folder
            if place is None or (place / ERROR_LOG).is_symlink():  # in a stranger's folder to any file of ours
                continue
            place.mkdir(parents=True, exist_ok=True)
            if has_other_names(place / ERROR_LOG):
                continue
            with open(place / ERROR_LOG, "a", encoding="utf-8", opener=of_no_link) as file:
                file.write(f"{stamp}  {versions}\n{text}\n")
            return f"Its traceback is in '{place / ERROR_LOG}'."
        except (OSError, RuntimeError):  # full, not ours, or nowhere: the other place, or the terminal, does as well
            continue
    return text
