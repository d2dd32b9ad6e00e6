"""What an earlier run left in a folder of results: forgotten, or kept up to the checkpoint that is gone on from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from engines.api import Finding
from engines.api.errors import ProblemError
from engines.reading import read_json
from workbench.export.carp import SUFFIXES as CARP
from workbench.export.moments.igb import MOMENTS
from workbench.export.moments.series import remove_files
from workbench.run.frames import RunState
from workbench.run.states.checkpoint import remove_checkpoints
from workbench.storage.append import trim
from workbench.storage.atomic import storing, sweep
from workbench.storage.error_log import ERROR_LOG
from workbench.words.units import time_text

CHECKPOINT = "checkpoint.npz"
RECORD = "run.json"
FOLDERS = ("fields", "charts", "files")
TABLES = ("traces.csv", "series.csv", "ecg.csv")
"""Of rows over time."""
LONGEST_ROW = 1 << 22
"""Bytes, of some 200,000 columns."""
TOLERANCE = 1e-9
"""Relative slack when times from a file are compared with a checkpoint's: files hold ten digits."""


def sweep_results(folder: Path) -> None:
    """Remove what was half written when an earlier run was killed; nobody else writes there."""
    for place in (folder, *(folder / name for name in FOLDERS)):
        sweep(place)


def forget(folder: Path) -> None:
    """Remove all results; what a person has put beside them stays. Raises StorageError."""
    names = names_of_results(folder) or {"points.csv", "results.h5", *TABLES}  # a broken-off run of earlier versions
    remove_files(folder, ())
    with storing(folder):
        inside = (path for name in FOLDERS if (folder / name).is_dir() for path in (folder / name).iterdir())
        for stale in (*inside, *map(folder.joinpath, ("points.csv", "results.h5", *TABLES))):
            if stale.relative_to(folder).as_posix() in names and not stale.is_dir():
                stale.unlink(missing_ok=True)
        for name in ("fields.pvd", *([ERROR_LOG] if state_of(folder) else [])):
            (folder / name).unlink(missing_ok=True)
    remove_checkpoints(folder / CHECKPOINT)


def names_of_results(folder: Path) -> set[str]:
    """What the ``run.json`` there tells that its run has written; nothing where it tells nothing that can be read."""
    try:
        names = {str(name) for name in read_json(folder / RECORD)["files"]}
    except (ProblemError, LookupError, TypeError):
        return set()
    with_mesh = any(PurePosixPath(name).match(MOMENTS) for name in names)
    return names | ({f"fields/mesh{suffix}" for suffix in CARP} if with_mesh else set())


def keep_tables_until(folder: Path, time: float, *, without: bool = False) -> None:
    """Forget the rows that were written after the checkpoint of ``time``; ``without``: also its own. Raises
    ProblemError, StorageError."""
    last = time * (1 - TOLERANCE if without else 1 + TOLERANCE)

    def is_before(line: str) -> bool:
        return float(line.split(",", 1)[0]) <= last

    for name in TABLES:
        try:
            trim(folder / name, is_before)
        except ValueError as error:
            raise ProblemError(f"'{folder / name}' is damaged: run without --resume.") from error


def lacking(folder: Path, names: Iterable[str], time: float, spacing: float, unit: str) -> Iterator[Finding]:
    """Of each file with one of these ``names`` (patterns) that is not there to go on with at ``time``, and of the
    tables whose rows, one each ``spacing`` at least, do not come to it: somebody removed or cut them. The files of a
    mesh beside .igb are written again; where those are gone, too, they are not told of.

    Raises StorageError."""
    when = time_text(time, unit)
    for name in names if time > 0 else ():
        if name.startswith("fields/mesh."):
            if any(folder.glob(MOMENTS)) and not (folder / name).is_file():
                yield Finding(
                    f"'{folder}' has no '{name}' any more, which its .igb files are shown on: it is written again.",
                    severity="info",
                )
        elif not any(folder.glob(name)):
            yield Finding(
                f"'{folder}' has no '{name}' to go on with: it begins at {when}, where the run goes on. If somebody "
                "removed it, what it held is lost, unless you end the run, put it back and resume again."
            )
        elif name in TABLES and (last := _last_time(folder / name)) < time - 1.001 * spacing:
            yield Finding(
                f"'{folder / name}' has no rows from {time_text(last, unit)} to {when}, where the run goes on: they "
                "are lost, unless you end the run, put the whole table back and resume again."
            )


def last_row(path: Path) -> list[str]:
    """The cells of a table's last row, each a number or empty; none where it has none."""
    with storing(path), path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - LONGEST_ROW))
        rows = file.read().splitlines()
    cells = rows[-1].decode(errors="replace").split(",") if rows else []
    try:
        float(cells[0])
    except (IndexError, ValueError):  # its head alone
        return []
    return cells


def _last_time(path: Path) -> float:
    """Of a table's last row; 0 where it has none."""
    return float((last_row(path) or ["0"])[0])


def was_finished(folder: Path) -> bool:
    """Whether the run that is gone on with had come to where it was to end."""
    return state_of(folder) == str(RunState.FINISHED)


def state_of(folder: Path) -> str:
    """How a run has left ``folder``, or that it is running there; empty where no ``run.json`` tells of one."""
    try:
        return str(read_json(folder / RECORD)["outcome"]["state"])
    except (ProblemError, LookupError, TypeError):
        return ""
