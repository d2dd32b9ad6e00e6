"""Autosave: what was set aside, or was open at a crash or a power cut, can be opened again; at most 5 s of edits are
lost.

Each session keeps ``project.json`` in a folder of its own, with the mesh by absolute path, and holds a lock on it.
Beside it stand the files that the project was allowed to read, so that it may read them again, and a picture.
A folder that nobody holds a lock on was set aside, or belongs to a session that did not end well.
"""

from __future__ import annotations

import json
import shutil
import threading
import time as clock
import uuid
from dataclasses import dataclass, replace
from pathlib import Path

from engines.api.errors import ProblemError
from engines.reading import read_json, resolved
from workbench.project.boundary import NOTHING, Permission
from workbench.project.document import Document, document_of
from workbench.project.reading.parsing import PROJECT_FILE
from workbench.project.store import as_file, as_json, read_stored
from workbench.storage.atomic import storing, write_bytes, write_text
from workbench.storage.locking import ProcessLock, remove_unheld
from workbench.storage.paths import state_dir
from workbench.storage.recent import LONGEST_TITLE

INTERVAL = 4.0
"""Seconds between two writings while edits come; with a tick each second less than 5 s are at risk."""

LOCK, ORIGIN, PICTURE = "lock", "origin.json", "picture.png"


@dataclass(frozen=True)
class Recovery:
    """What a session left: its folder, the project's title, when it was written [s since 1970], where the project was
    saved, the files that it read, the engine's id, and the mark of what stood where it was saved."""

    folder: Path
    title: str
    written: float
    origin: Path | None
    files: tuple[Path, ...] = ()
    engine: str = ""
    mark: str = ""

    @property
    def picture(self) -> Path:
        """A PNG of how it looked; there may be none."""
        return self.folder / PICTURE


class Autosave:
    """The autosave of this session; may be called from any thread.

    Call :meth:`mark_saved` after opening and saving, :meth:`tick` after edits and each second; it writes if
    something changed and it is time to.
    """

    def __init__(self, root: Path | None = None) -> None:
        self._root = root or state_dir() / "autosave"
        self._folder = self._root / uuid.uuid4().hex
        self._lock = ProcessLock(self._folder / LOCK)
        self._held = False
        self._guard = threading.RLock()
        self._written = ""
        self._time = -INTERVAL

    def mark_saved(self, document: Document) -> None:
        """The document is as its file: nothing is at risk."""
        with self._guard:
            self._written = as_json(document.portable_project())
            self._remove()

    def tick(self, document: Document, *, now: bool = False, picture: bytes = b"") -> bool:
        """Write if the document changed since it was saved or written; whether it wrote. ``picture``: a PNG of how it
        looks, if there is a new one. Raises StorageError."""
        with self._guard:
            if not now and clock.monotonic() - self._time < INTERVAL:
                return False
            text = as_file(document.portable_project())
            if picture and self._held:
                write_bytes(self._folder / PICTURE, picture)
            if text == self._written:
                return False
            self._time = clock.monotonic()
            self._hold()
            origin, mark = None, ""
            if document.path is not None:
                origin, mark = str(document.path.absolute()), document.marks.get(resolved(document.path), "")
            files = [str(file) for file in document.files()]
            write_text(self._folder / ORIGIN, json.dumps({"path": origin, "files": files, "mark": mark}))
            write_text(self._folder / PROJECT_FILE, text, durable=True)
            if picture:
                write_bytes(self._folder / PICTURE, picture)
            self._written = text
            return True

    def leave(self) -> None:
        """What is kept stays, for whoever opens it; this session writes there no more."""
        with self._guard:
            self._lock.release()
            self._held = False

    def adopt(self, recovery: Recovery) -> None:
        """What another session left is this one's own from now on, unless somebody else has it."""
        with self._guard:
            lock = ProcessLock(recovery.folder / LOCK)
            with storing(recovery.folder):
                if lock.acquire():
                    self._remove()
                    self._folder, self._lock, self._held, self._written = recovery.folder, lock, True, ""

    def close(self) -> None:
        """The session ends well: nothing is kept."""
        with self._guard:
            self._remove()

    def _hold(self) -> None:
        if not self._held:
            with storing(self._folder):
                self._folder.mkdir(parents=True, exist_ok=True)
                self._held = self._lock.acquire()

    def _remove(self) -> None:
        if self._held:
            shutil.rmtree(self._folder, ignore_errors=True)  # while it is held: nobody takes it up meanwhile
            self._lock.release()
            self._held = False
            shutil.rmtree(self._folder, ignore_errors=True)  # what was held, on Windows


def recoveries(root: Path | None = None) -> list[Recovery]:
    """What was set aside, and what sessions that did not end well have left, newest first."""
    found = []
    for folder in (root or state_dir() / "autosave").glob("*/"):
        file = folder / PROJECT_FILE
        try:
            lock = ProcessLock(folder / LOCK)
            if not file.is_file() or not lock.acquire():
                continue  # its session lives, or begins: it must find nobody at its lock
            lock.release()
            about = read_json(folder / ORIGIN)
            origin = None if about["path"] is None else Path(about["path"])
            files = tuple(map(Path, about.get("files", ())))  # versions that kept none: the person is asked
            project = read_json(file)
            title, engine = (str(each)[:LONGEST_TITLE] for each in (project["title"], project.get("engine", "")))
            mark = str(about.get("mark", ""))
            found.append(Recovery(folder, title, file.stat().st_mtime, origin, files, engine, mark))
        except (OSError, ProblemError, ValueError, KeyError, TypeError, AttributeError):
            continue  # ended before it had written anything whole
    return sorted(found, key=lambda recovery: -recovery.written)


def recover(recovery: Recovery, permission: Permission = NOTHING) -> Document:
    """The document as the session left it; saving in place goes to where it was saved.

    Raises OutsideFiles, ProblemError.
    """
    allowed = permission.with_files(recovery.files)
    marks = {} if recovery.origin is None else {resolved(recovery.origin): recovery.mark}
    document = document_of(read_stored(recovery.folder, permission=allowed), allowed)
    return replace(document, path=recovery.origin, marks=marks)


def discard(recovery: Recovery) -> None:
    """The person does not want it; nothing where it is gone already, or somebody has opened it."""
    remove_unheld(recovery.folder, LOCK)
