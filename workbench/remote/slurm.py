"""A server in a job of Slurm: submitted once, waited for a little while, and found again by its name."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time as clock
from collections.abc import Sequence
from typing import NamedTuple

from engines.api.errors import ProblemError
from workbench.remote.streams import own_folder, socket_path

NAME = "workbench-serve"
WAIT_SECONDS, EVERY_SECONDS = 45.0, 0.5
"""How long a connection waits for its job to begin, and how often it asks. One that waits longer stays in the queue."""
LAST_SECONDS = 90
"""Before the end of its time a job is told, so that its run is kept."""
QUEUED = ("PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "RESIZING", "SUSPENDED", "STOPPED")


class Job(NamedTuple):
    """``why``: what it waits for; ``begins``: when it is expected to, "N/A" where nobody knows."""

    number: str
    state: str
    why: str
    begins: str

    @property
    def waits(self) -> bool:
        return self.state in QUEUED

    def __str__(self) -> str:
        expected = "" if self.begins in ("N/A", "") else f", and is to begin at {self.begins.replace('T', ' ')}"
        return f"Slurm's job {self.number} waits ({self.why}){expected}"


def job() -> Job | None:
    """The newest of this person's jobs that has a server, or is to have one. Raises ProblemError."""
    lines = _ask("squeue", "--me", f"--name={NAME}", "--noheader", "--sort=-i", "--format=%i|%T|%r|%S").splitlines()
    jobs = [Job(*line.strip().split("|", 3)) for line in lines if line.count("|") >= 3]
    return next((found for found in jobs if found.state in (*QUEUED, "RUNNING")), None)


def submit(options: str, idle: float) -> None:
    """``options``: those of ``sbatch``; ``idle``: minutes after which an unused server ends. Raises ProblemError."""
    folder = socket_path().parent
    own_folder(folder)
    server = shlex.join([sys.executable, "-P", "-m", "workbench", "serve", "--idle", str(idle)])
    try:
        words = shlex.split(options)
    except ValueError as error:
        raise ProblemError(f"'{options}' cannot be taken apart into options of sbatch: {error}.") from error
    _ask(
        "sbatch", f"--output={folder}/slurm-%j.log", f"--signal=B:TERM@{LAST_SECONDS}", *words,
        f"--job-name={NAME}", f"--wrap=exec {server}",
    )  # fmt: skip


def begun(options: str, idle: float) -> Job:
    """The job with the server, submitted where there is none; it may still wait after WAIT_SECONDS. Raises
    ProblemError."""
    found = job()
    if found is None:
        submit(options, idle)
    latest = clock.monotonic() + WAIT_SECONDS
    while (found := job()) is not None and found.waits and clock.monotonic() < latest:
        clock.sleep(EVERY_SECONDS)
    if found is None:
        raise ProblemError(f"Slurm's job has ended at once: see the last slurm-*.log in '{socket_path().parent}'.")
    return found


def within(found: Job, command: Sequence[str]) -> list[str]:
    """What starts this command beside the job's server, with the streams of who starts it."""
    return ["srun", f"--jobid={found.number}", "--overlap", "--ntasks=1", "--mpi=none", "--unbuffered", "--quiet",
            *command]  # fmt: skip


def end() -> Job | None:
    """The job that has been ended, its run kept; None: there was none. Raises ProblemError."""
    found = job()
    if found is not None:
        _ask("scancel", *([] if found.waits else ["--batch", "--signal=TERM"]), found.number)
    return found


def _ask(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, check=False)
    except FileNotFoundError as error:
        raise ProblemError(f"There is no '{command[0]}' on this machine: it does not belong to Slurm.") from error
    except subprocess.TimeoutExpired as error:
        raise ProblemError(f"Slurm does not answer: '{command[0]}' said nothing for a minute.") from error
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise ProblemError(f"Slurm refuses: {said[-1] if said else f'{command[0]} ended with {done.returncode}'}")
    return done.stdout
