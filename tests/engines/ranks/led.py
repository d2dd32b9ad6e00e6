"""Ranks that are threads, led as one simulation, and what they are compared with."""

import threading
from contextlib import contextmanager, nullcontext
from functools import partial
from types import SimpleNamespace

import numba
import numpy as np

from engines.api.device import Cores
from engines.api.errors import WorkbenchError
from engines.backend import denormals
from engines.backend.cpu import CpuBackend
from engines.ranks.following import follow
from engines.ranks.leading import LedSimulation
from engines.ranks.world import BUILD, World
from tests.cuda_on_host import HostCudaBackend
from tests.engines.ranks.threads import PATIENCE, Post, ThreadRanks

STACK = 64 << 20
"""Bytes of a rank's stack: it compiles kernels that call others, which takes more than a thread usually has."""


class Flushed(Cores):
    """Without denormal numbers, as where kernels have their turn."""

    def __enter__(self):
        self._before = denormals.flush()
        denormals.flush_on(numba.get_num_threads())

    def __exit__(self, *_):
        denormals.restore(self._before)


class Patient:
    """A backend of ranks that are threads: none holds the cores while it waits for another."""

    def timed(self, kernel, launches=1):
        return nullcontext()

    def active(self):
        return nullcontext()

    def cores_for(self, seconds):
        return Flushed()


class PatientBackend(Patient, CpuBackend):
    """On the CPU."""


class InTurn:
    """A kernel of another backend, launched by ``launch``."""

    def __init__(self, launch, kernel):
        vars(self).update(_launch=launch, _kernel=kernel)

    def __call__(self, *arguments, **others):
        return self._launch(self._kernel, *arguments, **others)

    def __getattr__(self, name):
        return getattr(self._kernel, name)

    def __setattr__(self, name, value):
        setattr(self._kernel, name, value)


class PatientHostCuda(Patient, HostCudaBackend):
    """Kernels of a GPU, thread by thread, of one rank at a time: what they know of their threads is the process's."""

    turn = threading.RLock()

    def compile(self, path, macros=(), cooperative=False):
        with self.turn:
            module = super().compile(path, macros, cooperative)
        return SimpleNamespace(get_function=lambda name: InTurn(self._launch, module.get_function(name)))

    def captured(self, launches):
        with self.turn:
            return partial(self._launch, super().captured(launches))

    def _launch(self, kernel, *arguments, **others):
        with self.turn:
            return kernel(*arguments, **others)


class FakeComm:
    """The few calls of mpi4py's communicator that the world makes, between threads."""

    def __init__(self, post, rank):
        self._post, self.rank, self.size = post, rank, post.size

    def send(self, value, dest, tag):
        self._post.box(self.rank, dest, tag).put(value)

    def issend(self, value, dest, tag):
        self.send(value, dest, tag)
        return SimpleNamespace(test=lambda: (self._post.box(self.rank, dest, tag).empty(), None))

    def recv(self, source, tag):
        return self._post.box(source, self.rank, tag).get(timeout=PATIENCE)

    def Send(self, values, dest, tag):
        self.send(np.array(values), dest, tag)

    def Recv(self, into, source, tag):
        into[...] = self.recv(source, tag)

    def Iprobe(self, source, tag):
        return not self._post.box(source, self.rank, tag).empty()

    def Abort(self, code):
        raise SystemExit(code)


@contextmanager
def led_runs(engine, kind=PatientBackend):
    """Gives what makes a problem's simulation on so many ranks, and one on a single rank beside it."""
    worlds, threads = [], []

    def make(problem, size):
        orders, post = Post(size), Post(size)
        ranks = [World(FakeComm(orders, rank)) for rank in range(size)]

        def part_of(rank):
            return engine.build_part(problem, kind(), ThreadRanks(post, rank))

        for rank in range(1, size):
            calls = (ranks[rank], lambda rank=rank: part_of(rank), as_sentence)
            threads.append(threading.Thread(target=follow, args=calls, daemon=True))
            before = threading.stack_size(STACK)
            threads[-1].start()
            threading.stack_size(before)
        worlds.append(ranks[0])
        ranks[0].order(BUILD)
        own = part_of(0)
        many = LedSimulation(ranks[0], own, kind(), ranks[0].answers())
        return many, engine.build(problem, kind())

    yield make
    for world in worlds:
        assert world.end()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def as_sentence(error):
    return error if isinstance(error, WorkbenchError) else WorkbenchError(f"{type(error).__name__}: {error}")


def same_states(one, other):
    first, second = one.state(), other.state()
    assert first.keys() == second.keys()
    for name, values in first.items():
        np.testing.assert_array_equal(values, second[name], name)
    return True
