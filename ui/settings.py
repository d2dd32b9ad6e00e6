"""What the window remembers, in a file of the person's settings, of which nothing is taken but plain values.

Qt keeps values of any kind there, those of Python pickled: a file that somebody else wrote would have its code run by
being read. So what is no text, number or array of bytes as Qt writes them is taken out before Qt sees the file.
"""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import QSettings

from engines.api.errors import WorkbenchError
from workbench.storage.atomic import write_bytes

LARGEST = 1 << 20
TEXT = r'"(?![@\\])(?:[^"\\]|\\.)*"|(?:[\w./~+-](?:[^"\\;,]|\\[^";,])*)?'
BYTES = r'"@ByteArray\((?:[^"\\]|\\.)*\)"|@ByteArray\((?:[^"\\;,]|\\[^";,])*\)'
"""Where no quotes stand around it, a comma would begin another value."""
LINE = re.compile(rf"(?:\[[\w%/. -]*\]|[\w%/. \\-]+=(?:{TEXT}|{BYTES})|)", re.ASCII)


def open_settings(file: Path) -> QSettings:
    """The settings in ``file``, which begins with what can be taken of what is there."""
    try:
        lines = re.split(r"[\r\n]", file.read_bytes().decode("latin-1")[:LARGEST])
        known = [line for line in lines if LINE.fullmatch(line)]
        if known != lines:
            write_bytes(file, "\n".join(known).encode("latin-1"))
    except FileNotFoundError:
        pass
    except (OSError, WorkbenchError):  # what is in it cannot be read, or not be taken out
        return QSettings(str(file.with_suffix(".others")), QSettings.Format.IniFormat)
    return QSettings(str(file), QSettings.Format.IniFormat)
