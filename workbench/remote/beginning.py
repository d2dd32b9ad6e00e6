"""The beginning of a server on this machine, where none listens yet."""

from __future__ import annotations

import subprocess
import sys
import time as clock
from pathlib import Path

from engines.api.errors import ProblemError
from workbench.remote.streams import SOCKETS, listens, own_folder

STARTING_SECONDS = 60.0
IDLE_MINUTES = 30.0
"""Without a window and without a run that has begun: then it ends by itself."""


def unkept_at(path: Path) -> Path:
    """Where a server at ``path`` that has ended has said what it could not keep."""
    return path.with_suffix(".unkept")


def begin(path: Path, idle: float = IDLE_MINUTES, waits: bool = False) -> None:
    """A server of its own session, which goes on when SSH has gone; ``waits``: for one that others start. Raises
    ProblemError where it does not listen."""
    if not SOCKETS:
        raise ProblemError("A process beside the window needs Linux or macOS: compute in the window, or elsewhere.")
    if listens(path):
        return
    ends = clock.monotonic() + STARTING_SECONDS
    if waits:
        while not listens(path):
            if clock.monotonic() > ends:
                raise ProblemError(f"The job's server does not listen at '{path}': see slurm-*.log beside it.")
            clock.sleep(0.05)
        return
    words = path.with_suffix(".log")
    own_folder(path.parent)
    with words.open("a") as log:  # whatever was written there before
        said_before = log.tell()
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "workbench", "serve", "--socket", str(path), "--idle", str(idle)],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd=path.parent,
        )  # fmt: skip
    while True:
        ended = process.poll() is not None  # as it does where another that began at once listens
        if listens(path):
            return
        if ended or clock.monotonic() > ends:
            said = words.read_bytes()[said_before:].decode(errors="replace").strip().splitlines()
            raise ProblemError(f"The server did not start: {said[-1] if said else f'see {words}'}")
        clock.sleep(0.05)
