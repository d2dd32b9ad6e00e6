"""Work spread over processes, of which any may die or hang: what it was at is told, and another takes its place."""

from __future__ import annotations

import itertools
import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

GRACE_SECONDS = 60.0
"""In which what was begun has to end once nothing more is handed out."""
_forking: Any = multiprocessing.get_context("fork")  # what is imported need not be imported again


class Worn(Exception):
    """Raised with a job's answer by work whose process is not to be used again."""


@dataclass(frozen=True)
class Lost:
    """In place of an answer: why there is none."""

    why: str


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    job: Any
    since: float = field(default_factory=time.monotonic)

    def give(self, job: Any) -> None:
        self.job, self.since = job, time.monotonic()
        self.pipe.send(job)

    def answer(self, ready: bool, latest: float) -> tuple[Any, bool] | None:
        """What came of the job, and whether the process is of no more use; None while it works."""
        if ready:
            try:
                told: tuple[Any, bool] = self.pipe.recv()
                return told
            except (EOFError, OSError):
                self.process.join()
                return Lost(f"the process ended with {self.process.exitcode}"), True
        if time.monotonic() > latest:
            return Lost(f"not done after {time.monotonic() - self.since:.0f} s"), True
        return None

    def end(self) -> None:
        self.pipe.close()
        self.process.kill()
        self.process.join()


def spread(
    work: Callable[[Any], Any], jobs: Iterable[Any], processes: int, until: float, longest: float
) -> Iterator[tuple[Any, Any]]:
    """``(job, work(job))`` as they are done, or ``(job, Lost)``; none is begun after ``until`` (time.monotonic).

    A job is lost that takes longer than ``longest`` seconds, or that has not ended a while after ``until``. Jobs are
    taken from ``jobs`` as they are needed, so they may depend on answers.
    """
    left = iter(jobs)

    def following() -> Any:
        return next(left, None) if time.monotonic() < until else None

    workers: list[_Worker] = []
    try:
        while len(workers) < processes and (job := following()) is not None:
            workers.append(_employed(work, job))
        while workers:
            ready = wait([each.pipe for each in workers], timeout=0.5)
            for worker in list(workers):
                latest = min(worker.since + longest, until + GRACE_SECONDS)
                answer = worker.answer(worker.pipe in ready, latest)
                if answer is None:
                    continue
                job, (told, worn) = worker.job, answer
                yield job, told
                further = following()
                if further is not None and not worn:
                    worker.give(further)
                    continue
                workers.remove(worker)
                worker.end()
                if further is not None:
                    workers.append(_employed(work, further))
    finally:
        for worker in workers:
            worker.end()


def batches(names: Sequence[str], seed: int, count: int, size: int) -> Iterator[tuple[str, int, int]]:
    """(name, seed, how many) for ``count`` things in batches of ``size``: each seed once for every name."""
    left = count
    for number in itertools.count(seed):
        for name in names:
            if left <= 0:
                return
            yield name, number, min(size, left)
            left -= size


def _employed(work: Callable[[Any], Any], job: Any) -> _Worker:
    ours, its = _forking.Pipe()
    process = _forking.Process(target=_serve, args=(work, its, ours), daemon=True)
    process.start()
    its.close()
    worker = _Worker(process, ours, job)
    worker.give(job)
    return worker


def _serve(work: Callable[[Any], Any], pipe: Connection, of_the_other: Connection) -> None:
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
