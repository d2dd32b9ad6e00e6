"""Work spread over processes, of which any may die or hang: what it was at is told, and another takes its place.

None of them outlives the one that spreads, however that ends; and what they have begun ends with them.
"""

from __future__ import annotations

import ctypes
import itertools
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any

GRACE_SECONDS = 60.0
"""In which what was begun has to end once nothing more is handed out."""
PR_SET_PDEATHSIG = 1  # linux/prctl.h
_forking: Any = multiprocessing.get_context("fork")  # what is imported need not be imported again
_stopped = threading.Event()


def stop_when_told() -> None:
    """SIGINT, SIGTERM and SIGHUP end what is spread as the end of its time does, without grace, so that it is told."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: _stopped.set())


def end_with(parent: int) -> None:
    """This process is killed as soon as its parent has ended (Linux), or at once where that was before."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


class Worn(Exception):
    """Raised with a job's answer by work whose process is not to be used again."""


@dataclass(frozen=True)
class Lost:
    """In place of an answer: why there is none."""

    why: str
    late: bool = False
    """Whether only the end of the time that was given for everything came before its answer."""


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    job: Any
    since: float = field(default_factory=time.monotonic)

    def give(self, job: Any) -> None:
        self.job, self.since = job, time.monotonic()
        self.pipe.send(job)

    def answer(self, ready: bool, longest: float, until: float) -> tuple[Any, bool] | None:
        """What came of the job, and whether the process is of no more use; None while it works."""
        if ready:
            try:
                told: tuple[Any, bool] = self.pipe.recv()
                return told
            except (EOFError, OSError):
                self.process.join()
                return Lost(f"the process ended with {self.process.exitcode}"), True
        now = time.monotonic()
        if now > min(self.since + longest, until) or _stopped.is_set():
            return Lost(f"not done after {now - self.since:.0f} s", late=now - self.since < longest), True
        return None

    def end(self) -> None:
        self.pipe.close()
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # with all that it has begun
        except (ProcessLookupError, PermissionError):  # before it has a group of its own, or after its end
            self.process.kill()
        self.process.join()


def spread(
    work: Callable[[Any], Any], following: Callable[[], Any], processes: int, until: float, longest: float
) -> Iterator[tuple[Any, Any]]:
    """``(job, work(job))`` as they are done, or ``(job, Lost)``; none is begun after ``until`` (time.monotonic).

    A job is lost that takes longer than ``longest`` seconds, or that has not ended a while after ``until``.

    following: the next job, or None where there is none for now; asked again after each answer, so that jobs may
        depend on answers. Nothing more comes once it says None and nothing is worked on.
    """
    workers: list[_Worker] = []

    def next_job() -> Any:
        return following() if time.monotonic() < until and not _stopped.is_set() else None

    try:
        while True:
            while len(workers) < processes and (job := next_job()) is not None:
                workers.append(_employed(work, job))
            if not workers:
                return
            ready = wait([each.pipe for each in workers], timeout=0.5)
            for worker in list(workers):
                answer = worker.answer(worker.pipe in ready, longest, until + GRACE_SECONDS)
                if answer is None:
                    continue
                job, (told, worn) = worker.job, answer
                yield job, told
                if not worn and (further := next_job()) is not None:
                    worker.give(further)
                    continue
                workers.remove(worker)
                worker.end()
    finally:
        for worker in workers:
            worker.end()


def in_turn(jobs: Iterable[Any]) -> Callable[[], Any]:
    """For :func:`spread`: these and no more."""
    return partial(next, iter(jobs), None)


def chosen(known: Iterable[str], only: Sequence[str]) -> list[str]:
    """Those of the names that were asked for, or all. Ends the command where one is unknown."""
    names = list(known)
    if unknown := [name for name in only if name not in names]:
        raise SystemExit(f"--only {unknown[0]}: there is {', '.join(names)}.")
    return [name for name in names if not only or name in only]


def batches(names: Sequence[str], seed: int, count: int, size: int) -> Iterator[tuple[str, int, int]]:
    """(name, seed, how many) for ``count`` things in batches of ``size``: each seed once for every name."""
    turns = ((name, number) for number in itertools.count(seed) for name in names) if names else iter(())
    for done, (name, number) in zip(range(0, count, size), turns, strict=False):
        yield name, number, min(size, count - done)


def _employed(work: Callable[[Any], Any], job: Any) -> _Worker:
    ours, its = _forking.Pipe()
    process = _forking.Process(target=_serve, args=(work, its, ours, os.getpid()))  # it may have children: no daemon
    process.start()
    its.close()
    worker = _Worker(process, ours, job)
    worker.give(job)
    return worker


def _serve(work: Callable[[Any], Any], pipe: Connection, of_the_other: Connection, parent: int) -> None:
    end_with(parent)
    os.setpgrp()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    of_the_other.close()
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send((work(job), False))
        except Worn as worn:
            pipe.send((worn.args[0], True))
        except Exception as error:
            pipe.send((Lost(f"{type(error).__name__}: {error}"), False))
