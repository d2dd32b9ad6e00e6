"""A disk that refuses at a call of somebody's choice what is asked of it below a folder, or takes its time."""

from __future__ import annotations

import builtins
import io
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


class FaultyDisk:
    """Call number ``at`` (None: none) of those that change something below ``folder`` raises the error ``number``, and
    so do all after it until :meth:`mend`."""

    def __init__(self, folder: Path, number: int, at: int | None = None) -> None:
        self._folder, self._number, self._at = str(folder), number, at
        self.calls = 0
        self.raised = False

    def mend(self) -> None:
        self._at, self.raised = None, False

    def look(self, path: Any) -> None:
        if isinstance(path, int):
            path = os.readlink(f"/proc/self/fd/{path}")
        if not str(path).startswith(self._folder):
            return
        self.calls += 1
        if self.raised or self.calls - 1 == self._at:
            self.raised = True
            raise OSError(self._number, os.strerror(self._number), str(path))


class SlowDisk(FaultyDisk):
    """Refuses nothing and takes ``seconds`` for each call."""

    def __init__(self, folder: Path, seconds: float) -> None:
        super().__init__(folder, 0)
        self._seconds = seconds

    def look(self, path: Any) -> None:
        before = self.calls
        super().look(path)
        if self.calls > before:
            time.sleep(self._seconds)


class _File:
    """A file whose writes are looked at."""

    def __init__(self, file: Any, look: Callable[[], None]) -> None:
        self._file, self._look = file, look

    def write(self, content: Any) -> Any:
        self._look()
        return self._file.write(content)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> _File:
        self._file.__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        return self._file.__exit__(*error)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._file)


@contextmanager
def in_place(disk: FaultyDisk) -> Iterator[None]:
    """While inside, what this process writes goes to ``disk``: its files, and renames."""
    opened, make, put, wait = io.open, tempfile.mkstemp, os.replace, os.fsync

    def open_(path: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
        if not set(mode) & set("wax+"):
            return opened(path, mode, *rest, **named)
        disk.look(path)
        file = opened(path, mode, *rest, **named)
        return _File(file, lambda: disk.look(path)) if isinstance(path, (str, Path)) else file

    def looked_at(call: Any, place: int) -> Any:
        def do(*given: Any, **named: Any) -> Any:
            disk.look(given[place])
            return call(*given, **named)

        return do

    def mkstemp(*given: Any, **named: Any) -> Any:
        disk.look(named["dir"])
        return make(*given, **named)

    with pytest.MonkeyPatch.context() as patch:
        for module in (io, builtins):
            patch.setattr(module, "open", open_)
        patch.setattr(tempfile, "mkstemp", mkstemp)
        patch.setattr(os, "replace", looked_at(put, 1))
        patch.setattr(os, "fsync", looked_at(wait, 0))
        yield
