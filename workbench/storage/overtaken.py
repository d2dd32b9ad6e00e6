"""Whether what a project was read from, or saved to, is still that: two windows may have the same one open."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from engines.api.errors import ProblemError
from engines.reading import opened_zip, resolved
from workbench.storage.atomic import StorageError
from workbench.storage.locking import held_for_a_moment


class Overtaken(ProblemError):
    """Saving in place would replace what was saved there since; it is as it was."""


def mark_of(place: Path) -> str:
    """What the project in this folder or zip holds, in short; empty where there is none, or none that can be read."""
    with suppress(OSError, ProblemError, zipfile.BadZipFile):
        if not place.is_dir():
            with opened_zip(place) as archive:
                return mark_of_zip(archive)
        return mark_of_content((place / "project.json").read_bytes())
    return ""


def mark_of_zip(archive: zipfile.ZipFile) -> str:
    return mark_of_content(repr([(info.filename, info.CRC) for info in archive.infolist()]).encode())


def mark_of_content(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@contextmanager
def saving(place: Path) -> Iterator[None]:
    """Nobody else checks and saves the project there meanwhile. Raises StorageError where somebody does for long."""
    lock = place / ".saving" if place.is_dir() else place.with_name(f".{place.name[:40]}.saving")
    with held_for_a_moment(lock, remove=True) as ours:
        if not ours:
            raise StorageError(f"'{place}' is being saved by somebody else: save again once that has come to its end.")
        yield


def check_mark(place: Path, known: Mapping[Path, str]) -> None:
    """Raises Overtaken where ``place`` is known, and holds a project that is another now."""
    there = mark_of(place)
    if there and there != known.get(resolved(place), there):
        raise Overtaken(
            f"'{place}' holds another project than was opened or saved here: somebody else has saved there since, or "
            "another file beside it was opened. Save under another name to keep both."
        )
