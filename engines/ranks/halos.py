"""What goes from part to part while kernels run: MPI between processes' memory, NCCL between GPUs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from engines.api import Array
from engines.api.device import Backend
from engines.api.simulation.ranks import Exchange, Ranks
from engines.ranks.world import World

Message = tuple[int, int, Any]
"""(the other rank, a tag, a device array in C order)."""


CHANNELS = "8"
"""Multiprocessors that NCCL may take at most, where nobody has said: it holds them until both sides are there, and what
is sent beside a step has the time of the step."""


def ranks_on(world: World, backend: Backend) -> Ranks:
    """The ranks of ``world``, whose arrays are those of ``backend``. All ranks ask together."""
    if backend.id == "cpu":
        return HostRanks(world)
    from engines.backend.cuda import load_nccl  # CuPy is imported where there is a GPU

    nccl = load_nccl()
    return StagedRanks(world, backend) if world.largest(int(nccl is None)) else CudaRanks(world, backend, nccl)


class HostRanks(Ranks):
    """Arrays of NumPy, sent by MPI."""

    def __init__(self, world: World) -> None:
        self.rank, self.size, self._world = world.rank, world.size, world
        self._comm = world.comm.Dup()

    def exchange(self, outgoing: Sequence[Message], incoming: Sequence[Message]) -> Exchange:
        requests = [self._comm.Irecv(array, source=rank, tag=tag) for rank, tag, array in incoming]
        requests += [self._comm.Isend(array, dest=rank, tag=tag) for rank, tag, array in outgoing]
        return _HostExchange(requests)

    def gathered(self, values: Array) -> list[Array]:
        return self._world.gathered(values)


class _HostExchange(Exchange):
    def __init__(self, requests: list[Any]) -> None:
        self._requests = requests

    def wait(self) -> None:
        for request in self._requests:
            request.Wait()


class StagedRanks(HostRanks):
    """Arrays of CuPy where a rank has no NCCL: by way of the host, while no kernel runs."""

    def __init__(self, world: World, backend: Backend) -> None:
        super().__init__(world)
        self._backend = backend

    def exchange(self, outgoing: Sequence[Message], incoming: Sequence[Message]) -> Exchange:
        sent = [(rank, tag, self._backend.to_host(array)) for rank, tag, array in outgoing]
        received = [(rank, tag, np.empty(array.shape, array.dtype)) for rank, tag, array in incoming]
        return _StagedExchange(super().exchange(sent, received), self._backend, incoming, received, sent)


class _StagedExchange(Exchange):
    def __init__(
        self,
        host: Exchange,
        backend: Backend,
        incoming: Sequence[Message],
        received: Sequence[Message],
        sent: Sequence[Message],
    ) -> None:
        self._host, self._backend, self._incoming, self._received = host, backend, incoming, received
        self._sent = sent  # kept until MPI has sent it

    def wait(self) -> None:
        self._host.wait()
        with self._backend.active():
            for (_, _, array), (_, _, values) in zip(self._incoming, self._received, strict=True):
                array[...] = self._backend.array(values)


class CudaRanks(Ranks):
    """Arrays of CuPy, sent by NCCL on a stream of high priority: its few blocks come before those of a kernel that
    fills the GPU. The communicator is made with the first exchange, in which all ranks take part, and is kept to the
    end of the process: who destroys one waits until all do, and ranks do not close at the same time."""

    _kept: ClassVar[list[Any]] = []

    def __init__(self, world: World, backend: Any, nccl: Any) -> None:
        self.rank, self.size = world.rank, world.size
        self._world, self._backend, self._nccl = world, backend, nccl
        self._comm: Any = None

    def _open(self) -> Any:
        nccl = self._nccl
        os.environ.setdefault("NCCL_MAX_NCHANNELS", CHANNELS)
        unique = self._world.comm.bcast(nccl.get_unique_id() if self.rank == 0 else None, root=0)
        self._comm = nccl.NcclCommunicator(self.size, unique, self.rank)
        self._kept.append(self._comm)
        self._stream = self._backend.cupy.cuda.Stream(non_blocking=True, priority=-5)  # the highest that there is
        event = self._backend.cupy.cuda.Event
        self._ready, self._done = event(disable_timing=True), event(disable_timing=True)
        return self._comm

    def exchange(self, outgoing: Sequence[Message], incoming: Sequence[Message]) -> Exchange:
        with self._backend.active():
            comm, nccl = self._comm or self._open(), self._nccl
            self._ready.record(self._backend.stream)
            self._stream.wait_event(self._ready)
            nccl.groupStart()
            # NCCL knows no tags: messages between two ranks arrive in the order in which they are sent.
            for rank, _, array in sorted(outgoing, key=lambda one: one[1]):
                comm.send(array.data.ptr, array.nbytes, nccl.NCCL_UINT8, rank, self._stream.ptr)
            for rank, _, array in sorted(incoming, key=lambda one: one[1]):
                comm.recv(array.data.ptr, array.nbytes, nccl.NCCL_UINT8, rank, self._stream.ptr)
            nccl.groupEnd()
            self._done.record(self._stream)
        return _CudaExchange(self._backend, self._done)

    def gathered(self, values: Array) -> list[Array]:
        return self._world.gathered(values)


class _CudaExchange(Exchange):
    def __init__(self, backend: Any, done: Any) -> None:
        self._backend, self._done = backend, done

    def wait(self) -> None:
        self._backend.stream.wait_event(self._done)
