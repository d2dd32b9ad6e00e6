"""How many cores the CPU kernels use, whose turn it is, and that who waits sleeps.

Numba's threading layers differ by platform: the ``workqueue`` layer ends the process when two threads run
parallel kernels at once, and GNU OpenMP starts a second team of threads that fights the first one for the
cores. So parallel kernels of one process take turns: two runs that overlap alternate kernel by kernel, each
with all its cores, under every layer.

Threads of OpenMP that wait for work spin by default, for milliseconds, on a core that another program, the window or
the very thread that they wait for could use: beside one busy process an empty loop takes 8 ms on two cores, and 9 µs
where they sleep. Where all cores are free waking them costs some µs a loop, and so short loops stay on one core
(:func:`threads_for`), and those of a run find out by themselves what is best (:mod:`engines.backend.loops.cores`).
Whoever runs a parallel kernel imports this module, and so has it set before threads start.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache, wraps
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numba
from numba.np.ufunc import parallel

from engines.api.errors import DeviceError
from engines.backend import denormals
from engines.backend.compile.beside import share
from engines.backend.compile.remembering import remember
from engines.backend.compile.wrappers import collect_seldom, leave_out_wrappers_for_c, make_code_when_asked_for

if TYPE_CHECKING:
    from engines.api import KernelTraffic

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY")
"""By which a person says how threads wait: OpenMP's own variable, GNU's, and those of LLVM and Intel."""
LAYERS = ("NUMBA_THREADING_LAYER", "NUMBA_THREADING_LAYER_PRIORITY")
PARTS_PER_THREAD = 4
"""Of a loop in parts, so that threads that other programs hold up leave theirs to the rest."""
LEAST_PART = 512
"""Turns of a loop that a part has at least: some 100 µs of work."""
WORTH_A_THREAD = 30e-6
"""[s] of one core's work in a parallel loop from which one more thread is worth waking: waking one and waiting for it
takes 6 to 9 µs where its core is free (13 to 18 on virtual cores), and several times that where another program has
it."""


def let_threads_sleep() -> bool:
    """Threads of OpenMP that wait for work sleep, unless the person has said how they wait; whether this was needed.

    GNU's library reads this when it is loaded, which Numba does at its first parallel kernel, and then spins 0 times
    instead of 300,000; LLVM's and Intel's read it when first used, and block at once instead of after 200 ms. It is in
    vain only where the same library was loaded before. TBB's and the workqueue's threads sleep in any case. Processes
    that this one starts have it from the environment.
    """
    if any(name in os.environ for name in WAITING):
        return False
    os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
    return True


SLEEP_IS_OURS = let_threads_sleep()
"""That no person has asked for it: another program may do better when its threads spin, and is not given it."""
leave_out_wrappers_for_c()
make_code_when_asked_for()
collect_seldom()
remember()
share()

CORE_BANDWIDTH, CORE_FLOPS = 20e9, 40e9
"""[B/s], [flop/s] of one core in kernels of steps whose arrays its caches hold: 9 to 22 and 19 to 58 were measured."""

WORKERS = "part"
"""What the threads are called that do the parts of loops."""

_turn = threading.RLock()
_flushed: list[int] = []
"""What the thread whose turn it is returns to when it leaves its outermost region; one entry for each that it is in."""


def cgroup_quota(root: Path = Path("/sys/fs/cgroup")) -> float | None:
    """Cores that a container may use on average, or None without a limit (control groups v2, then v1)."""
    try:
        quota, period = (root / "cpu.max").read_text().split()
    except (OSError, ValueError):
        try:
            quota = (root / "cpu/cpu.cfs_quota_us").read_text().strip()
            period = (root / "cpu/cpu.cfs_period_us").read_text().strip()
        except OSError:
            return None
    try:
        cores = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):
        return None  # "max", or a kernel that reports no period
    return cores if cores > 0 else None


@cache
def usable_cores() -> int:
    """Cores that parallel kernels may use: Numba's limit (affinity, ``NUMBA_NUM_THREADS``) and the container's."""
    limit = int(numba.config.NUMBA_NUM_THREADS)
    quota = cgroup_quota() if os.name == "posix" else None
    return limit if quota is None else max(1, min(limit, round(quota)))


def threads_for(seconds: float, most: int) -> int:
    """How many of ``most`` threads a parallel loop is worth that takes one core ``seconds``.

    Kernels give the same bits on any number: what they sum up, they sum up in parts that do not depend on it.
    """
    return max(1, min(most, int(seconds / WORTH_A_THREAD)))


def core_seconds(traffic: KernelTraffic) -> float:
    """[s] that a step of a kernel takes one core, about: the longer of what moving and computing take."""
    return max(traffic.bytes / CORE_BANDWIDTH, traffic.flops / CORE_FLOPS)


@cache
def _thread_number() -> tuple[Callable[[], int], Callable[[int], None]]:
    """What tells and sets how many threads share the loops of this one: Numba's threading layer itself, if it is found.

    Numba's own functions look each time whether the layer is there, under two locks: 1.0 and 1.4 µs instead of 0.2 and
    0.4, in each region up to three times.
    """
    try:
        numba.get_num_threads()  # starts the layer
    except ValueError as error:  # one that a person has asked for by name, and that is not there
        asked = ", ".join(f"{name}='{os.environ[name]:.40}'" for name in LAYERS if name in os.environ)
        raise DeviceError(f"Numba has no threads here with {asked or 'its own settings'}: remove that.") from error
    tell, choose = (getattr(parallel, f"_{verb}_num_threads", None) for verb in ("get", "set"))
    return (tell, choose) if tell and choose else (numba.get_num_threads, numba.set_num_threads)


class serial_region:
    """Run kernels of one thread inside: this thread's turn, without denormal numbers
    (:mod:`engines.backend.denormals`).

    For what is called often from Python: 1 µs, and one of parallel kernels 2.
    """

    __slots__ = ()

    def __enter__(self) -> None:
        _turn.acquire()
        _flushed.append(_flushed[-1] if _flushed else denormals.flush())

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._leave()

    def _leave(self) -> None:
        before = _flushed.pop()
        if not _flushed:
            denormals.restore(before)
        _turn.release()


class parallel_region(serial_region):
    """Run parallel Numba kernels inside: as in a :class:`serial_region`, with ``threads`` cores (None: all usable
    ones).

    Every call of a ``parallel=True`` kernel belongs into one; regions may nest on a thread. A class and not a
    generator, for it surrounds every kernel: 2 µs instead of 4.
    """

    __slots__ = ("_before", "_threads")

    def __init__(self, threads: int | None = None) -> None:
        self._threads = usable_cores() if threads is None else threads

    def __enter__(self) -> None:
        super().__enter__()
        try:
            tell, choose = _thread_number()
            self._before = tell()
            if self._before != self._threads:
                if not 1 <= self._threads <= numba.config.NUMBA_NUM_THREADS:
                    numba.set_num_threads(self._threads)  # says what is allowed
                choose(self._threads)
            denormals.flush_on(self._threads)
        except BaseException:
            self._leave()
            raise

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._before != self._threads:
            _thread_number()[1](self._before)
        self._leave()


def in_turn(kernel: Kernel) -> Kernel:
    """A parallel kernel that takes its turn at each call, on all usable cores.

    For what is called now and then from any thread (an estimate assembles while a run goes on); kernels of a step are
    called inside one region for many steps.
    """

    @wraps(kernel, updated=())
    def call(*arguments: Any) -> Any:
        with parallel_region():
            return kernel(*arguments)

    return call  # type: ignore[return-value]  # called exactly as the kernel is


def in_parts(kernel: Callable[..., Any], least: int = LEAST_PART) -> Callable[..., list[Any]]:
    """A loop of a kernel without the GIL, ``kernel(first, last, *arguments)``, called as ``(count, *arguments)``: on
    parts of ``range(count)`` of ``least`` turns or more, by all usable cores, in its turn; what the parts give back,
    in their order.

    For what prepares a run once. A loop that Numba itself makes parallel compiles two to three times as long, and
    people wait for that longer than for the loop.
    """

    @wraps(kernel, updated=())
    def call(count: int, *arguments: Any) -> list[Any]:
        threads = min(usable_cores(), -(-count // least))
        with parallel_region():
            if threads <= 1:
                return [kernel(0, count, *arguments)]
            parts = min(PARTS_PER_THREAD * threads, count // least)
            ends = [count * part // parts for part in range(parts + 1)]
            workers = _workers(usable_cores())
            running = [workers.submit(kernel, *part, *arguments) for part in pairwise(ends)]
            try:
                return [part.result() for part in running]
            finally:
                wait(running)  # the turn lasts until the last part, also where one fails

    return call


@cache
def _workers(threads: int) -> ThreadPoolExecutor:
    """Who does the parts. They sleep in between: to start sixteen anew for each loop takes 5 to 60 ms, and waking them
    2."""
    return ThreadPoolExecutor(threads, WORKERS, initializer=denormals.flush)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_workers.cache_clear)  # a child has none of the threads


def in_planes(kernel: Callable[..., Any]) -> Callable[..., list[Any]]:
    """As :func:`in_parts`, of a loop whose every turn is much work, as a plane of a grid is."""
    return in_parts(kernel, least=1)
