"""The processes that MPI has started: which one this is, and how it talks to the others. Here alone is MPI imported."""

from __future__ import annotations

import math
import os
import sys
import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TextIO

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError, WorkbenchError

STARTED_BY = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")
"""Variables by which Open MPI, MPICH and Slurm tell a process how many of it they have started."""
ORDER, ANSWER, ARRAY = 1, 2, 3
BUILD, END = "build", "end"
END_SECONDS = 10.0
"""In which the ranks must have heard that it is over, or that one of them has failed."""
ATTENTIVE_SECONDS = 0.05
"""For which rank 0 asks for answers without a pause: most come at once."""
BROKEN_OFF = "A rank of this run has failed, and others wait for it: they do nothing any more."
EAGER_SECONDS, SLEEP_SECONDS = 200e-6, 200e-6
"""For which an idle rank asks for its next order without a pause, and the pause then: orders of a run that goes on come
within microseconds, and a rank that spins takes a core from the others."""
PIECE = 1 << 28
"""Bytes of a message; MPI before version 4 counts to 2^31."""
MISSING = "Several ranks need MPI, the extra 'mpi', which is missing: pip install 'workbench-sim[mpi]' adds it."


def started() -> int:
    """How many processes of this program MPI or Slurm has started; 0: none has."""
    return next((int(os.environ[name]) for name in STARTED_BY if os.environ.get(name, "").isdecimal()), 0)


@dataclass(frozen=True)
class Refusal:
    """An answer that is an error."""

    error: BaseException


@dataclass
class World:
    """``comm``: mpi4py's. Orders go from rank 0 to all others, answers back, each in its turn."""

    comm: Any
    voice: TextIO = sys.stderr
    """Where a rank says what it alone knows, as why it ends all."""
    broken: bool = False
    """On rank 0: one has failed in the middle of what it had to do with others, which hear no orders any more."""

    @classmethod
    def joined(cls) -> World:
        """All processes that were started together. Raises ProblemError where mpi4py or an MPI is missing."""
        try:
            from mpi4py import MPI
        except ImportError as error:  # a library of MPI that does not load, too
            raise ProblemError(f"{MISSING} ({' '.join(str(error).split())})") from error
        world = cls(MPI.COMM_WORLD.Dup())
        _ = world.here  # while all are sure to ask
        return world

    @property
    def rank(self) -> int:
        return int(self.comm.rank)

    @property
    def size(self) -> int:
        return int(self.comm.size)

    @cached_property
    def here(self) -> tuple[int, int]:
        """(which one this is, how many) of the ranks on this host. All ranks ask together."""
        from mpi4py import MPI

        there = self.comm.Split_type(MPI.COMM_TYPE_SHARED)
        return int(there.rank), int(there.size)

    # Rank 0.

    def order(self, name: str, *given: Any, each: Callable[[int], tuple[Any, ...]] = lambda rank: ()) -> None:
        """Have the others do something; ``each``: what a rank is given besides. Raises WorkbenchError where one does
        not hear it any more."""
        if self.broken:
            raise WorkbenchError(BROKEN_OFF)
        for rank in range(1, self.size):
            self.comm.send((name, (*given, *each(rank))), dest=rank, tag=ORDER)

    def answers(self, failed: bool = False) -> list[Any]:
        """What the others answer, in their order; ``failed``: this rank has no answer of its own. Raises the first
        error among them, after all have answered that can: those that wait for what a failed rank would have sent are
        :attr:`broken` off from."""
        found = self._heard(failed)
        self.broken = len(found) < self.size - 1
        for answer in found:
            if isinstance(answer, Refusal):
                raise answer.error
        return found

    def _heard(self, failed: bool) -> list[Any]:
        """All answers, in the ranks' order; once one has failed, those that come in time."""
        found: dict[int, Any] = {}
        asked = clock.monotonic()
        latest = asked + END_SECONDS if failed else math.inf
        while len(found) < self.size - 1 and (now := clock.monotonic()) < latest:
            for rank in range(1, self.size):
                if rank not in found and self.comm.Iprobe(source=rank, tag=ANSWER):
                    found[rank] = self.comm.recv(source=rank, tag=ANSWER)
                    if isinstance(found[rank], Refusal):
                        latest = min(latest, now + END_SECONDS)
            clock.sleep(0.0 if now < asked + ATTENTIVE_SECONDS else SLEEP_SECONDS)
        return [found[rank] for rank in sorted(found)]

    # The others.

    def next_order(self) -> tuple[str, tuple[Any, ...]]:
        asked = clock.perf_counter()
        while not self.comm.Iprobe(source=0, tag=ORDER):
            if clock.perf_counter() - asked > EAGER_SECONDS:
                clock.sleep(SLEEP_SECONDS)
        order: tuple[str, tuple[Any, ...]] = self.comm.recv(source=0, tag=ORDER)
        return order

    def answer(self, value: Any) -> None:
        self.comm.send(value, dest=0, tag=ANSWER)

    def refuse(self, error: BaseException) -> bool:
        """Answer with an error; whether rank 0 has heard it in time: it does not while it waits for what this rank
        would have sent it or any other."""
        sent, until = self.comm.issend(Refusal(error), dest=0, tag=ANSWER), clock.monotonic() + END_SECONDS
        while not (heard := sent.test()[0]) and clock.monotonic() < until:
            clock.sleep(SLEEP_SECONDS)
        return bool(heard)

    # Both.

    def send_array(self, rank: int, values: Array) -> None:
        """Any number of bytes, in pieces."""
        flat = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        for first in range(0, flat.size, PIECE):
            self.comm.Send(flat[first : first + PIECE], dest=rank, tag=ARRAY)

    def receive_array(self, rank: int, into: Array) -> None:
        """``into``: C order, of the size that is sent."""
        flat = into.reshape(-1).view(np.uint8)
        for first in range(0, flat.size, PIECE):
            self.comm.Recv(flat[first : first + PIECE], source=rank, tag=ARRAY)

    def largest(self, value: int) -> int:
        """Of what the ranks say. All ask together."""
        from mpi4py import MPI

        return int(self.comm.allreduce(value, op=MPI.MAX))

    def gathered(self, values: Array) -> list[Array]:
        """What each rank gives, in their order. All ask together."""
        found: list[Array] = self.comm.allgather(values)
        return found

    def end(self) -> bool:
        """Rank 0 is through: have the others end. Whether all have heard it: in the middle of steps one does not."""
        if self.broken:
            return False
        self.order(END)
        return len(self._heard(failed=True)) == self.size - 1

    @staticmethod
    def leave() -> None:
        """End MPI in this process; nothing is sent after it."""
        from mpi4py import MPI

        if MPI.Is_initialized() and not MPI.Is_finalized():
            MPI.Finalize()

    def abort(self, code: int) -> None:
        """End all processes at once."""
        self.comm.Abort(code)
