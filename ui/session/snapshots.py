"""Where a run stood, and the curves that it had drawn, when a picture of it was taken: kept on this machine beside the
picture's name for them, so that the picture reopens at that moment.

A picture is a few hundred kilobytes and goes anywhere; a state may be gigabytes, and stays. Elsewhere the picture
reopens its project at time zero, and says so.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engines.api import Array, Finding
from engines.api.errors import ProblemError
from workbench.export.png import read_moment
from workbench.project.document import Document
from workbench.run.states.checkpoint import CheckpointMeta, problem_fingerprint, read_checkpoint, write_checkpoint
from workbench.run.states.taken import Snapshot
from workbench.run.streams.curves import SUFFIX, Curves, read_curves, write_curves
from workbench.storage.atomic import StorageError, date_back, oldest
from workbench.storage.paths import state_dir
from workbench.words.units import time_text

KEPT = 12


@dataclass(frozen=True)
class Beginning:
    """Where a run goes on. ``missing``: a sentence, where it cannot; ``noticed``: what is known of the run before."""

    state: Mapping[str, Array] | None
    curves: Curves = field(default_factory=dict)
    missing: str = ""
    device: str = ""
    """Name of the device whose state it is; empty where nobody knows."""
    noticed: tuple[Finding, ...] = ()
    set_later: Mapping[str, Any] = field(default_factory=dict)
    """Live parameters that were set after this state."""


def keep(document: Document, snapshot: Snapshot, curves: Curves, say: Callable[[str], None]) -> str:
    """Write it; returns what the picture carries, nothing before the first step. ``say`` is told where there is no
    room for it: the picture is worth having all the same."""
    if not snapshot.step:
        return ""
    name = uuid.uuid4().hex
    if snapshot.state is not None:
        meta = CheckpointMeta(problem_fingerprint(document, ()), "", snapshot.step, snapshot.time)
        try:
            write_checkpoint(_state(name), meta, snapshot.state)
            write_curves(_curves(name), curves)
        except StorageError as error:
            _remove(name)
            say(f"Where the run stands could not be kept beside the picture: {error}")
        except BaseException:
            _remove(name)
            raise
        _thin(name)
    return json.dumps({"state": name, "time": snapshot.time, "unit": document.time_unit})


def beginning_of(picture: Path, document: Document) -> Beginning | None:
    """Where the run of a picture goes on, or None where it has none (another program made it, or there was no run)."""
    try:
        told = json.loads(read_moment(picture))
        name, time = str(told["state"]), time_text(float(told["time"]), str(told["unit"]), ".6g")
    except (ProblemError, ValueError, KeyError, TypeError, RecursionError):
        return None
    missing = f"This picture was taken at {time}; where the run stood is not kept here, so it begins at zero."
    file = _state(name)
    if not re.fullmatch(r"[0-9a-f]{32}", name) or not file.is_file():
        return Beginning(None, missing=missing)
    try:
        return Beginning(read_checkpoint(file, problem_fingerprint(document, ())).state, read_curves(_curves(name)))
    except ProblemError:
        return Beginning(None, missing=missing)


def _thin(fresh: str) -> None:
    """``fresh`` stays whatever the clock said when it was written."""
    others = set(_folder().glob("*.npz")) - {_state(fresh)}
    date_back(others, _state(fresh))
    for old in oldest(others, KEPT - 1):
        _remove(old.stem)


def _remove(name: str) -> None:
    for file in (_state(name), _curves(name)):
        with suppress(OSError):
            file.unlink()


def _folder() -> Path:
    return state_dir() / "snapshots"


def _state(name: str) -> Path:
    return _folder() / f"{name}.npz"


def _curves(name: str) -> Path:
    return _folder() / f"{name}{SUFFIX}"
