"""The projects that this person opened last."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from engines.api.errors import ProblemError
from engines.reading import read_json
from workbench.storage.atomic import storing, write_bytes, write_text
from workbench.storage.locking import held_for_a_moment
from workbench.storage.paths import config_dir

LIMIT, LONGEST_TITLE = 12, 200
PICTURES = "recent"


@dataclass(frozen=True)
class RecentFile:
    """A project that was opened or saved: its absolute path and the title it had."""

    path: str
    title: str

    @property
    def picture(self) -> Path:
        """Of how it looked when it was saved or left, if there is one."""
        path = self.path.encode("utf-8", "surrogatepass")  # names of old systems are no UTF-8
        return config_dir() / PICTURES / f"{sha256(path).hexdigest()[:16]}.png"


class RecentFiles:
    """Newest first. Kept in the person's settings; a damaged list counts as an empty one."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or config_dir() / "recent.json"

    def items(self) -> list[RecentFile]:
        """The projects that are still there."""
        return [item for item in self._read() if _is_there(item.path)]

    def add(self, path: Path, title: str, picture: bytes = b"") -> None:
        """Put a project on top. ``picture``: a PNG of how it looks; none leaves the one before. Raises StorageError."""
        item = RecentFile(str(path.absolute()), title)
        if picture:
            write_bytes(item.picture, picture)
        with self._alone():
            self._write([item, *(other for other in self._read() if other.path != item.path)])

    def remove(self, path: Path) -> None:
        """Forget a project. Raises StorageError."""
        with self._alone():
            self._write([item for item in self._read() if item.path != str(path.absolute())])

    def clear(self) -> None:
        """Forget all. Raises StorageError."""
        with self._alone():
            self._write([])

    def _alone(self) -> AbstractContextManager[bool]:
        """No other window reads and writes the list meanwhile: each would lose what the other has put there."""
        with storing(self._file):
            self._file.parent.mkdir(parents=True, exist_ok=True)
        return held_for_a_moment(self._file.with_suffix(".lock"))

    def _read(self) -> list[RecentFile]:
        try:
            content = read_json(self._file)
            return [RecentFile(str(item["path"]), str(item["title"])[:LONGEST_TITLE]) for item in content[:LIMIT]]
        except (ProblemError, TypeError, KeyError):
            return []

    def _write(self, items: list[RecentFile]) -> None:
        kept = {item.picture for item in items[:LIMIT]}
        for file in (config_dir() / PICTURES).glob("*.png"):
            if file not in kept:
                file.unlink(missing_ok=True)
        write_text(self._file, json.dumps([asdict(item) for item in items[:LIMIT]], indent=1))


def _is_there(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # longer than names are, or no name at all
        return False
