"""Ranks that are threads of one process: what the parts of a problem send each other, without MPI."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from engines.api.simulation.ranks import Exchange, Ranks

PATIENCE = 240.0
"""[s] for which a rank waits for another, which may be compiling."""


class Post:
    """What is on its way between the ranks."""

    def __init__(self, size: int) -> None:
        self.size, self._boxes, self._lock = size, {}, threading.Lock()
        self.barrier = threading.Barrier(size)
        self.said = [0] * size

    def box(self, *address: int) -> queue.Queue[Any]:
        with self._lock:
            return self._boxes.setdefault(address, queue.Queue())


class ThreadRanks(Ranks):
    def __init__(self, post: Post, rank: int) -> None:
        self.rank, self.size, self._post = rank, post.size, post

    def exchange(self, outgoing, incoming):
        for other, tag, values in outgoing:
            self._post.box(self.rank, other, tag).put(np.array(values))
        return Coming(self._post, self.rank, incoming)

    def gathered(self, values):
        self._post.said[self.rank] = np.array(values)
        self._post.barrier.wait(PATIENCE)
        found = list(self._post.said)
        self._post.barrier.wait(PATIENCE)
        return found


class Coming(Exchange):
    def __init__(self, post, rank, incoming):
        self._post, self._rank, self._incoming = post, rank, incoming

    def wait(self):
        for other, tag, into in self._incoming:
            values = self._post.box(other, self._rank, tag).get(timeout=PATIENCE)
            into[: len(values)] = values


def on_each(size: int, call: Callable[[Ranks], Any]) -> list[Any]:
    """What each of so many ranks gives, in their order."""
    post = Post(size)
    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(lambda rank: call(ThreadRanks(post, rank)), range(size)))
