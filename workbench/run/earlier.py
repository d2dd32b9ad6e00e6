"""What an earlier run left in a folder of results: forgotten, or kept up to the checkpoint that is gone on from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from engines.api.errors import ProblemError
from workbench.export.formats import FORMATS
from workbench.export.pvd import read_pvd, write_pvd
from workbench.run.checkpoint import remove_checkpoints
from workbench.run.frames import RunState
from workbench.storage.append import trim
from workbench.storage.atomic import storing, sweep
from workbench.storage.error_log import ERROR_LOG

CHECKPOINT = "checkpoint.npz"
FOLDERS = ("fields", "charts", "files")
TOLERANCE = 1e-9
"""Relative slack when times from a file are compared with a checkpoint's: files hold ten digits."""

Moments = list[tuple[float, str]]


def sweep_results(folder: Path) -> None:
    """Remove what was half written when an earlier run was killed; nobody else writes there."""
    for place in (folder, *(folder / name for name in FOLDERS)):
        sweep(place)


def forget(folder: Path) -> None:
    """Remove all results. Raises StorageError."""
    _keep_fields(folder, ())
    with storing(folder):
        for stale in (*(folder / "charts").glob("*.csv"), *(folder / "files").glob("*")):
            stale.unlink()
        for name in ("points.csv", "results.h5", "fields.pvd", "traces.csv", "series.csv", ERROR_LOG):
            (folder / name).unlink(missing_ok=True)
    remove_checkpoints(folder / CHECKPOINT)


def keep_tables_until(folder: Path, time: float) -> None:
    """Forget the rows that were written after the checkpoint of ``time``. Raises ProblemError, StorageError."""

    def is_before(line: str) -> bool:
        return float(line.split(",", 1)[0]) <= time * (1 + TOLERANCE)

    for name in ("traces.csv", "series.csv"):
        try:
            trim(folder / name, is_before)
        except ValueError as error:
            raise ProblemError(f"'{folder / name}' is damaged: run without --resume.") from error


def fields_until(folder: Path, time: float) -> Moments:
    """The moments up to ``time`` of which there are fields. Raises ProblemError."""
    collection = folder / "fields.pvd"
    if not collection.is_file():
        return []
    return [moment for moment in read_pvd(collection) if moment[0] <= time * (1 + TOLERANCE)]


def keep_fields(folder: Path, moments: Moments) -> None:
    """Forget the fields of all other moments. Raises StorageError."""
    if moments:
        write_pvd(folder / "fields.pvd", moments)
    else:
        with storing(folder):
            (folder / "fields.pvd").unlink(missing_ok=True)
    _keep_fields(folder, [name for _, name in moments])


def _keep_fields(folder: Path, names: Sequence[str]) -> None:
    with storing(folder):
        for suffix in {form.suffix for form in FORMATS.values()}:
            for stale in (folder / "fields").glob(f"fields_*{suffix}"):
                if f"fields/{stale.name}" not in names:
                    stale.unlink()


def was_finished(folder: Path) -> bool:
    """Whether the run that is gone on with had come to where it was to end."""
    try:
        outcome = json.loads((folder / "run.json").read_text("utf-8"))["outcome"]
        return bool(outcome["state"] == str(RunState.FINISHED))
    except (OSError, ValueError, LookupError, TypeError):
        return False
