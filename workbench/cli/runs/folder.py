"""Whether a folder may take results: what a run would write or remove there is a run's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from engines.api.errors import ProblemError
from engines.reading import refuse_pipe
from workbench.export.moments.igb import SUFFIXES
from workbench.run.earlier import CHECKPOINT, FOLDERS, RECORD, TABLES, state_of
from workbench.run.states.checkpoint import checkpoints_at
from workbench.run.streams.opening import NAMES as STREAMS
from workbench.storage.atomic import has_other_names, storing
from workbench.storage.error_log import ERROR_LOG
from workbench.storage.journal import journal_of
from workbench.storage.locking import ProcessLock

LOCK = ".running"
"""Held in the folder of results while a run or a sweep writes there."""
GROWING = (*TABLES, "timing.jsonl", "timing.csv", *STREAMS)
WRITTEN_INTO = {Path(name).suffix for name in GROWING} | {".igb"}
"""Suffixes of files that are gone on with as they are; others are replaced."""


def check_results(folder: Path, anew: bool) -> None:
    """Raises ProblemError where a run in ``folder`` would write or remove what is no run's: through a link, or, where
    it begins ``anew``, because files are called as results are and no run has left its ``run.json`` beside them, or,
    where it goes on, into a file that has further names; and for pipes and devices in the place of results. The folders
    of what comes after it was rewound are looked into, too."""
    with storing(folder):
        inside = (file for name in FOLDERS if (folder / name).is_dir() for file in (folder / name).iterdir())
        branches = sorted(folder.glob("branch-*"))
        own = [*map(folder.joinpath, _own_names(folder)), *branches, *inside]
        link = next((file for file in own if file.is_symlink()), None)
        for file in (*own, folder / RECORD, folder / ERROR_LOG):
            refuse_pipe(file)  # who opens one waits for ever
        other = next((file for file in own if not anew and file.suffix in WRITTEN_INTO and has_other_names(file)), None)
        strange = [] if not anew or state_of(folder) else _earlier(folder)
    if link is not None:
        raise ProblemError(
            f"'{link}' is a link, and a run writes nothing through links: choose another folder with --out."
        )
    if other is not None:
        raise ProblemError(
            f"'{other}' has a further name elsewhere (a hard link), and the run would go on in both: copy the folder's "
            "files (cp -r) and resume the copy."
        )
    if strange:
        told = "tells of no run" if strange[0].name == RECORD else f"no {RECORD} that says of which run it is"
        raise ProblemError(f"'{strange[0]}' is there already, and {told}: choose another folder with --out.")
    for branch in branches:
        check_results(branch, anew)


def refuse_strange(folder: Path, names: Sequence[str]) -> None:
    """Raises ProblemError where files in ``folder`` are called as these, and none of them is a record, which tells of
    its device in its beginning."""
    with storing(folder):
        there = [file for name in names if (file := folder / name).exists()]
        for file in there:
            refuse_pipe(file)
        records = [file for file in there if file.suffix == ".json" and file.is_file()]
        beginnings = [_beginning(file) for file in records]
    if there and not any('"device"' in each for each in beginnings):
        raise ProblemError(
            f"'{there[0]}' is there already, and is none of Workbench's: choose another folder with --out."
        )


def _beginning(file: Path) -> str:
    with file.open("rb") as stream:
        return stream.read(256).decode("utf-8", "replace")


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Nobody else writes into ``folder`` meanwhile, where its disk has locks; it is made, and goes if it stays empty.
    Raises ProblemError if somebody does, StorageError."""
    lock, there = ProcessLock(folder / LOCK), folder.exists()
    with storing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        ours = lock.acquire() or lock.is_refused
    if not ours:
        raise ProblemError(f"Another run writes into '{folder}': wait for its end, or choose another --out.")
    try:
        yield
    finally:
        lock.release(remove=True)
        with suppress(OSError):
            if lock.is_refused:
                (folder / LOCK).unlink()
            if not there:
                folder.rmdir()


def _own_names(folder: Path) -> list[str]:
    """Of what a run writes straight into its folder and does not put there as a whole, replacing links."""
    return [LOCK, *FOLDERS, *GROWING, *(journal_of(folder / name).name for name in STREAMS)]


def _earlier(folder: Path) -> list[Path]:
    """What is called as results are, and as pictures of runs."""
    fields = [path for suffix in SUFFIXES for path in (folder / "fields").glob(f"*{suffix}")]
    charts = (folder / "charts").glob("*.csv")
    files = (path for path in (folder / "files").glob("*") if path.is_file())
    names = ("points.csv", "results.h5", "fields.pvd", *GROWING, RECORD)
    own = (path for path in map(folder.joinpath, names) if path.is_file())
    moments = (folder / "fields").glob("fields_*")
    pictures = folder.glob("picture_*")
    return [*own, *checkpoints_at(folder / CHECKPOINT), *charts, *files, *fields, *moments, *pictures]
