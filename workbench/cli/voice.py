"""What a command says must not cost what it does: who listened may have gone, and the disk of its log may be full."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, cast

GONE = (errno.EPIPE, errno.EIO, errno.EBADF)
"""A pipe that nobody reads (``workbench presets | head -1``), a terminal that was closed."""
RENEWED = "\r\x1b[K"
"""What a line that renews itself begins with: of us, and of nobody whose project is told of."""
_CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def without_controls(text: str) -> str:
    """With what a terminal carries out (colours, titles, the clipboard), or turns round, written as JSON writes it."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class Voice:
    """Writes to ``stream`` what it takes, names of strangers among it. ``trouble`` is why something is missing there;
    nobody misses what they did not stay for."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.trouble = ""

    def write(self, text: str) -> int:
        begun, rest = (RENEWED, text[len(RENEWED) :]) if text.startswith(RENEWED) else ("", text)
        self._attempt(lambda: self._stream.write(begun + without_controls(rest)))
        return len(text)

    def flush(self) -> None:
        self._attempt(self._stream.flush)

    def end(self) -> None:
        """The process ends: what is left in buffers goes nowhere if it must."""
        self.flush()
        if self.trouble:
            self._go_nowhere()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _attempt(self, work: Callable[[], Any]) -> None:
        try:
            work()
        except OSError as error:
            if error.errno in GONE:
                self._go_nowhere()
            else:
                self.trouble = error.strerror or str(error)

    def _go_nowhere(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        with suppress(OSError, ValueError):  # a stream without a descriptor
            os.dup2(nowhere, self._stream.fileno())
            self._stream.flush()
        os.close(nowhere)


@contextmanager
def voices() -> Iterator[tuple[Voice, Voice]]:
    """Inside, ``print`` and whoever else writes to stdout and stderr meets no errors of theirs."""
    before = sys.stdout, sys.stderr
    out, err = (Voice(stream or open(os.devnull, "w")) for stream in before)  # noqa: SIM115  # as long as the process
    sys.stdout, sys.stderr = cast(Any, out), cast(Any, err)
    try:
        yield out, err
    finally:
        for voice in (out, err):
            voice.end()
        sys.stdout, sys.stderr = before
