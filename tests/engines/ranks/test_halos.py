"""What goes from part to part: by NCCL beside the kernels, or by way of the host where there is none."""

import gc
import queue
import weakref
from collections import defaultdict
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np

from engines.backend.cpu import CpuBackend
from engines.ranks.halos import CudaRanks, StagedRanks
from engines.ranks.world import World
from tests.engines.ranks.threads import PATIENCE


class Request:
    def __init__(self, wait):
        self.Wait = wait


class Comm:
    """mpi4py's communicator, between ranks of one thread."""

    def __init__(self, boxes, rank):
        self._boxes, self.rank, self.size = boxes, rank, 2

    def Dup(self):
        return self

    def Isend(self, values, dest, tag):
        return Request(lambda: self._boxes[self.rank, dest, tag].put(values.copy()))

    def Irecv(self, into, source, tag):
        def take():
            into[...] = self._boxes[source, self.rank, tag].get(timeout=PATIENCE)

        return Request(take)


def test_arrays_arrive_where_they_belong():
    boxes, backend = defaultdict(queue.Queue), CpuBackend()
    first, second = (StagedRanks(World(Comm(boxes, rank)), backend) for rank in range(2))
    arrays = [backend.array(np.arange(6.0).reshape(3, 2) + place) for place in range(2)]
    into = [backend.array(np.zeros((3, 2))) for _ in range(2)]
    first.exchange([(1, tag, array) for tag, array in enumerate(arrays)], []).wait()
    second.exchange([], [(0, tag, array) for tag, array in enumerate(into)]).wait()
    for sent, received in zip(arrays, into, strict=True):
        np.testing.assert_array_equal(received, sent)


class Nccl:
    """Notes what CuPy's would be told, in order."""

    NCCL_UINT8 = 1

    def __init__(self):
        self.told = []

    def get_unique_id(self):
        return "unique"

    def NcclCommunicator(self, size, unique, rank):
        assert unique == "unique"
        self.made = weakref.ref(self)
        return self

    def groupStart(self):
        self.told.append("start")

    def groupEnd(self):
        self.told.append("end")

    def send(self, pointer, count, kind, rank, stream):
        self.told.append(("send", pointer, count, rank, stream))

    def recv(self, pointer, count, kind, rank, stream):
        self.told.append(("recv", pointer, count, rank, stream))


class Gpu:
    """A backend whose streams note who waits for whom."""

    def __init__(self):
        self.waits = []
        self.stream = self._stream("kernels")
        cuda = SimpleNamespace(Stream=lambda **options: self._stream("messages"), Event=lambda **options: Event())
        self.cupy = SimpleNamespace(cuda=cuda)

    def _stream(self, name):
        def wait_event(event):
            self.waits.append((name, event.of))

        return SimpleNamespace(name=name, ptr=name, wait_event=wait_event)

    def active(self):
        return nullcontext()


class Event:
    of = ""

    def record(self, stream):
        self.of = stream.name


def test_messages_of_gpus_go_in_the_order_of_their_tags_beside_the_kernels():
    """NCCL has no tags: of two ranks on a ring each has the other at both ends."""
    world = SimpleNamespace(rank=0, size=2, comm=SimpleNamespace(bcast=lambda value, root: value))
    nccl, gpu = Nccl(), Gpu()
    ranks = CudaRanks(world, gpu, nccl)
    arrays = [SimpleNamespace(data=SimpleNamespace(ptr=f"at {place}"), nbytes=8 * place) for place in range(4)]
    exchange = ranks.exchange([(1, 1, arrays[0]), (1, 0, arrays[1])], [(1, 1, arrays[2]), (1, 0, arrays[3])])
    assert nccl.told == [
        "start",
        ("send", "at 1", 8, 1, "messages"),
        ("send", "at 0", 0, 1, "messages"),
        ("recv", "at 3", 24, 1, "messages"),
        ("recv", "at 2", 16, 1, "messages"),
        "end",
    ]
    assert gpu.waits == [("messages", "kernels")], "what is sent has been computed"
    exchange.wait()
    assert gpu.waits[1:] == [("kernels", "messages")]


def test_a_rank_that_closes_first_does_not_wait_for_the_others():
    """Who destroys a communicator of NCCL waits until all ranks do."""
    world = SimpleNamespace(rank=0, size=2, comm=SimpleNamespace(bcast=lambda value, root: value))
    nccl, gpu = Nccl(), Gpu()
    ranks = CudaRanks(world, gpu, nccl)
    ranks.exchange([], [])
    made = nccl.made
    del ranks, nccl
    gc.collect()
    assert made() is not None
