"""Whose the kept state of a problem is: two windows may run the same one."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from workbench.run.states.checkpoint import CheckpointMeta, kept_meta
from workbench.storage.locking import ProcessLock


class Claim:
    """What a run knows of the file that it is kept in.

    Another process's is what was written there since the run began, and not by this one.
    """

    written: ClassVar[dict[Path, str]] = {}
    """Checksums of what this process has written last, whatever run it was of."""

    def __init__(self) -> None:
        self._found: dict[Path, str] = {}
        self._lock: ProcessLock | None = None
        self.is_alone = True
        """Whether no other run of this problem went on when this one began."""

    def begin(self, file: Path) -> None:
        self._found[file] = _checksum(kept_meta(file))
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            self._lock = ProcessLock(file.with_suffix(".lock"))
            self.is_alone = self._lock.acquire() or self._lock.is_refused

    def of_another(self, file: Path) -> CheckpointMeta | None:
        """Of what another process has kept in ``file``; None where it has not."""
        there = kept_meta(file)
        known = self._found.setdefault(file, _checksum(there))
        return None if _checksum(there) in ("", known, self.written.get(file)) else there

    def wrote(self, file: Path) -> None:
        self.written[file] = _checksum(kept_meta(file))

    def end(self) -> None:
        if self._lock is not None:
            self._lock.release(remove=True)


def _checksum(meta: CheckpointMeta | None) -> str:
    return "" if meta is None else meta.checksum
