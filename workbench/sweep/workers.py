"""Several cases of a sweep at once: on workers of this machine, of a Slurm cluster, or of a scheduler that is there.

Each case is a task of Dask, with a GPU of its own where there are GPUs. Rows come as cases end. A worker that is killed
is replaced and its case begun anew elsewhere; what ends the sweep ends the workers too, and rows that have come stay.
"""

from __future__ import annotations

import json
import logging
import os
import re
import socket
import subprocess
import sys
import tempfile
import time as clock
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from numbers import Integral
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from engines.api import Progress, no_progress
from engines.api.device import Backend
from engines.api.errors import ProblemError, WorkbenchError
from workbench import __version__
from workbench.sweep.kept import KeptCases
from workbench.sweep.plan import SweepPlan
from workbench.sweep.running import Row, run_in_a_row
from workbench.sweep.task import case_on_worker, same_version
from workbench.words.failures import as_sentence, with_place

log = logging.getLogger(__name__)

MOST_WORKERS = 1024
WORTH_WORKERS = 20.0
"""Seconds that the cases left would take in a row, from which workers are started unasked: that costs some seconds."""
LOOK_SECONDS = 0.01
COUNT_SECONDS = 1.0
"""Between two questions how many workers there are: each costs two processes a millisecond or two."""
CONNECT_SECONDS = 10.0
START_SECONDS = 120.0
"""In which a worker of this machine must have come."""

BEGIN = "import sys; sys.path[:] = {path!r}; from workbench.sweep.cluster import main; main()"
"""Workers import what this process would, and nothing of the script that it runs."""

MISSING = "needs Dask, the extra 'study', which is missing: pip install 'workbench-sim[study]' adds it."
MEMORY_JOB = "what a job of yours has, in ~/.config/dask/jobqueue.yaml (jobqueue: slurm: cores: 8, memory: 32GB)"
KILLED = (
    "The process that ran this case was ended each time, also with no other beside it, as where memory runs out: make "
    "the problem smaller."
)


@dataclass(frozen=True)
class Workers:
    """Where cases run. ``count`` None: one after the other while that is short, else one worker for each GPU or core;
    1: one after the other in this process. ``scheduler``: the address of Dask's; ``cluster``: whose jobs workers are.
    """

    count: int | None = None
    scheduler: str = ""
    cluster: Literal["", "slurm"] = ""

    @property
    def elsewhere(self) -> bool:
        """Whether this process computes nothing."""
        return bool(self.scheduler or self.cluster)

    def check(self) -> None:
        """Raises ProblemError."""
        if self.count is not None and not (isinstance(self.count, Integral) and 1 <= self.count <= MOST_WORKERS):
            raise ProblemError(f"A sweep has 1 to {MOST_WORKERS} workers, not {self.count!r:.60}.")
        if self.scheduler and (self.cluster or self.count):
            raise ProblemError("A scheduler has its own workers: leave out their number and the cluster.")
        if self.cluster not in ("", "slurm"):
            raise ProblemError(f"There is no kind of cluster '{self.cluster}': 'slurm' is the one that is known.")
        if self.cluster and self.count is None:
            raise ProblemError("Say how many jobs of Slurm are to work: give the number of workers, too.")
        if not available() and self.elsewhere:
            raise ProblemError(f"A sweep on other machines {MISSING}")
        if not available() and (self.count or 1) > 1:
            raise ProblemError(f"More than one worker {MISSING} With one worker it goes without.")


def available() -> bool:
    """Whether cases can run on workers: Dask is there, and this is a Python that can start others."""
    return not getattr(sys, "frozen", False) and all(map(find_spec, ("distributed", "cryptography")))


def run_sweep(
    plan: SweepPlan,
    backend: Backend | None,
    progress: Progress = no_progress,
    workers: Workers | None = None,
    kept: KeptCases | None = None,
) -> Iterator[Row]:
    """The row of each case: at once of those that ``kept`` has, then of the others as they end, which it is given.

    ``backend``: this machine's device, None where all is done elsewhere. What goes wrong in a run is its row's
    ``error``; what ``progress`` raises goes through and ends all. Raises ProblemError as :func:`run_in_a_row` does,
    WorkbenchError where the workers cannot be reached, and StorageError.
    """
    plan.check()
    workers = workers or Workers()
    workers.check()
    missing = []
    for place in range(len(plan)):
        found = None if kept is None else kept.found(place)
        if found is None:
            missing.append(place)
        else:
            yield found
    for row in _run_rest(plan, backend, workers, missing, progress) if missing else ():
        if kept is not None:
            kept.keep(row)
        yield row


def places_of_work(plan: SweepPlan, backend: Backend) -> int:
    """Cases that this machine can run at once: GPUs (one where one was named), or cores while memory lasts."""
    if backend.id != "cpu":
        return 1 if plan.document.project.run.device != "auto" else _count_gpus()
    needed = plan.document.engine.estimate(plan.document.complete_problem(), backend).memory_bytes
    free = backend.free_memory()
    return max(1, min(backend.info.threads, free // max(1, needed) if free else backend.info.threads))


def _run_rest(
    plan: SweepPlan, backend: Backend | None, workers: Workers, places: Sequence[int], progress: Progress
) -> Iterator[Row]:
    if workers.elsewhere or backend is None:
        yield from _on_workers(plan, workers, [], plan.document.project.run.device, places, progress)
        return
    count = workers.count
    if count is None:
        for done, row in enumerate(run_in_a_row(plan, backend, progress, places), 1):
            yield row
            left = len(places) - done
            count = min(places_of_work(plan, backend), left) if row.seconds * left > WORTH_WORKERS else 1
            if count > 1 and available():
                places = places[done:]
                break
        else:
            return
    assert count is not None
    count = min(count, len(places))
    if count < 2:
        yield from run_in_a_row(plan, backend, progress, places)
        return
    device = "cpu" if backend.id == "cpu" else "cuda:0"  # of those that the worker sees
    yield from _on_workers(plan, workers, _environments(backend, count), device, places, progress)


def _count_gpus() -> int:
    from engines.backend.devices.cuda_status import cuda_status

    return len(cuda_status().devices)


def _environments(backend: Backend, count: int) -> list[dict[str, str]]:
    """What each worker of this machine sees: a GPU in turn, or its share of the cores."""
    if backend.id == "cpu":
        share = max(1, backend.info.threads // count)
        return [{"NUMBA_NUM_THREADS": str(share), "CUDA_VISIBLE_DEVICES": ""}] * count
    visible = [one for one in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if one]
    visible = visible or [str(number) for number in range(_count_gpus())]
    named = re.fullmatch(r"cuda:(\d+)", backend.id)
    if count == 1 and named:
        visible = [visible[int(named[1])]]
    return [{"CUDA_VISIBLE_DEVICES": visible[place % len(visible)]} for place in range(count)]


def _on_workers(
    plan: SweepPlan,
    workers: Workers,
    environments: Sequence[dict[str, str]],
    device: str,
    places: Sequence[int],
    progress: Progress,
) -> Iterator[Row]:
    total, through = len(plan), len(plan) - len(places)
    progress("Starting workers", through / total)
    with (
        _client(workers, environments) as client,
        _Cases(client, plan, device, places, stop_by_event=workers.elsewhere) as cases,
    ):
        asked, started = clock.monotonic(), False
        while cases.left:
            for row in cases.ended():
                through += 1
                yield row
            count = cases.refill()
            started = started or count > 0
            if not started and not workers.elsewhere and clock.monotonic() > asked + START_SECONDS:
                raise WorkbenchError("No worker has started on this machine: run the sweep with one worker.")
            told = f"{through} of {total} runs are through, {count} worker{'s' * (count != 1)}"
            progress(told if count else "Waiting for workers", through / total)
            clock.sleep(LOOK_SECONDS)


class _Cases:
    """The cases of a plan as tasks: no more than there are threads, so that none waits on a worker behind another that
    ends it, and ending them is quick."""

    def __init__(
        self, client: Any, plan: SweepPlan, device: str, places: Sequence[int], *, stop_by_event: bool
    ) -> None:
        self._client, self._device, self._waiting = client, device, list(places)[::-1]
        self._case_of = plan.case
        self._futures: dict[Any, int] = {}
        self._suspects: list[int] = []
        self._alone = False
        self._threads, self._next_count = 0, 0.0
        self._event = f"workbench-{uuid4().hex}" if stop_by_event else ""
        # A task and not scattered data, which would be lost with the worker that holds it.
        self._plan = client.submit(same_version, plan, __version__, pure=False)

    def __enter__(self) -> _Cases:
        return self

    def __exit__(self, *_: object) -> None:
        if self.left and self._event:
            from distributed import Event

            try:
                Event(self._event, self._client).set()
            except Exception:  # the scheduler may be what has failed
                log.info("The workers could not be told of the end.", exc_info=True)
        self._futures.clear()
        del self._plan

    @property
    def left(self) -> int:
        return len(self._waiting) + len(self._futures) + len(self._suspects)

    def refill(self) -> int:
        """Have every thread of a worker do something; how many there are."""
        threads = self._count()
        if not self._waiting and not self._futures and self._suspects:
            self._waiting, self._suspects, self._alone = self._suspects[::-1], [], True
        while self._waiting and len(self._futures) < (1 if self._alone else threads):
            place = self._waiting.pop()
            future = self._client.submit(case_on_worker, self._plan, place, self._device, self._event, pure=False)
            self._futures[future] = place
        return threads

    def _count(self) -> int:
        """Threads of workers, as they were a moment ago."""
        if clock.monotonic() >= self._next_count:
            try:
                self._threads = sum(self._client.nthreads().values())
            except Exception as error:
                raise _lost(error) from error
            self._next_count = clock.monotonic() + (COUNT_SECONDS if self._threads else COUNT_SECONDS / 10)
        return self._threads

    def ended(self) -> Iterator[Row]:
        """The rows of cases that have ended since. Raises ProblemError, WorkbenchError."""
        from distributed.scheduler import KilledWorker

        for future in [one for one in self._futures if one.status != "pending"]:
            place = self._futures.pop(future)
            if future.status not in ("finished", "error"):
                raise _lost(None)
            try:
                yield future.result()
            except KilledWorker:
                if self._alone:  # else others on its worker may have ended it
                    yield Row(place, self._case_of(place), error=KILLED)
                else:
                    self._suspects.append(place)
            except WorkbenchError:  # of the plan, not of a case
                raise
            except Exception as error:
                if future.status != "error":
                    raise _lost(error) from error
                yield Row(place, self._case_of(place), error=with_place(as_sentence(error)), failure=error)


def _lost(error: BaseException | None) -> WorkbenchError:
    told = f" ({' '.join(str(error).split())[:200]})" if error is not None and str(error) else ""
    return WorkbenchError(
        f"Dask's scheduler does not answer any more{told}: runs that are through stay; start it anew."
    )


@contextmanager
def _client(workers: Workers, environments: Sequence[dict[str, str]]) -> Iterator[Any]:
    """A client of the scheduler: of the one that was named, or of one that is started for this sweep and ends then."""
    from distributed import Client
    from distributed.security import Security

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is told in sentences
    if workers.scheduler:
        with _connected(Client, workers.scheduler) as client:
            yield client
        return
    with ExitStack() as ends:
        address, keys = ends.enter_context(_cluster(workers, environments))
        yield ends.enter_context(_connected(Client, address, security=Security(require_encryption=True, **keys)))


@contextmanager
def _connected(client_class: Any, address: str, **options: Any) -> Iterator[Any]:
    from distributed.comm import get_address_host_port

    try:
        # Where nobody listens the client would leave its thread behind.
        socket.create_connection(get_address_host_port(address), CONNECT_SECONDS).close()
        client = client_class(address, set_as_default=False, **options)
    except (OSError, ValueError, TypeError, ImportError) as error:
        told = " ".join(str(error).split())[:200]
        raise ProblemError(
            f"No scheduler of Dask answers at '{address}' ({told}): start one there with 'dask scheduler', "
            "or leave out the address for workers on this machine."
        ) from error
    try:
        yield client
    finally:
        client.close(timeout=2)


@contextmanager
def _cluster(workers: Workers, environments: Sequence[dict[str, str]]) -> Iterator[tuple[str, dict[str, str]]]:
    """Address and keys of a scheduler that is started for this sweep (:mod:`workbench.sweep.cluster`)."""
    asked = {"workers": list(environments), "slurm": workers.count if workers.cluster else 0}
    with (
        # Removed here too: that process may be ended before it begins.
        tempfile.TemporaryDirectory(prefix="workbench-workers-", ignore_cleanup_errors=True) as scratch,
        (Path(scratch) / "log").open("w+") as said,
    ):
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", BEGIN.format(path=sys.path), scratch],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True,
            start_new_session=True,  # Ctrl-C is ours to answer
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with suppress(BrokenPipeError):  # of a process that has ended already: its log says why
                process.stdin.write(json.dumps(asked) + "\n")
                process.stdin.flush()
            answer = process.stdout.readline()
            if not answer:
                said.seek(0)
                lines = [line.strip() for line in said.read().splitlines() if line.strip()]
                raise _not_started(workers, lines[-1] if lines else "")
            told = json.loads(answer)
            if "error" in told:
                raise _not_started(workers, told["error"])
            yield told["address"], told["keys"]
        finally:
            with suppress(BrokenPipeError):
                process.stdin.close()
            try:
                process.wait(10.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()


def _not_started(workers: Workers, said: str) -> WorkbenchError:
    told = f" ({said[:300]})" if said else ""
    if workers.cluster and "cores and memory" in said:
        return ProblemError(f"Slurm's jobs cannot be asked for: say {MEMORY_JOB}.")
    if workers.cluster:
        return ProblemError(
            f"Slurm's jobs could not be started{told}: try 'sbatch --version' here, and see {MEMORY_JOB}."
        )
    return WorkbenchError(f"The workers could not be started{told}: run the sweep with one worker.")
