"""What goes from part to part by way of the host, where GPUs have no NCCL."""

from __future__ import annotations

import queue
from collections import defaultdict

import numpy as np

from engines.backend.cpu import CpuBackend
from engines.ranks.halos import StagedRanks
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
