"""How many cores the CPU kernels use, and whose turn it is.

Numba's threading layers differ by platform: the ``workqueue`` layer ends the process when two threads run
parallel kernels at once, and GNU OpenMP starts a second team of threads that fights the first one for the
cores. So parallel kernels of one process take turns: two runs that overlap alternate kernel by kernel, each
with all its cores, under every layer.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_turn = threading.RLock()


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


class parallel_region:
    """Run parallel Numba kernels inside: this thread's turn, with ``threads`` cores (None: all usable ones).

    Every call of a ``parallel=True`` kernel belongs into one; regions may nest on a thread. A class and not a
    generator, for it surrounds every kernel: 2 µs instead of 4.
    """

    __slots__ = ("_before", "_threads")

    def __init__(self, threads: int | None = None) -> None:
        self._threads = usable_cores() if threads is None else threads

    def __enter__(self) -> None:
        _turn.acquire()
        try:
            self._before = numba.get_num_threads()
            if self._before != self._threads:
                numba.set_num_threads(self._threads)
        except BaseException:
            _turn.release()
            raise

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._before != self._threads:
            numba.set_num_threads(self._before)
        _turn.release()


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
