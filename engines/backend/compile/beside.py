"""Kernels of a first run are compiled by several processes: those that come last by others, meanwhile.

Numba compiles one function after the other, and a run that finds none on the disk asks for some tens, seconds in all.
Who opens a problem says which ones it will ask for (:mod:`engines.backend.compile.expecting`). At the first one that is
not on the disk other processes start, on the cores that there are, and compile them from the last to the first, for the
disk; where both meet, the rest of the way is reading. Whoever asks for one that another process is at waits for it, and
meanwhile compiles what nobody has begun. A process that fails, or never comes, costs time alone.

They end when nothing is left, and with the process that started them, however that ends: nobody writes to them then.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
import time as clock
from ast import literal_eval
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from functools import wraps
from multiprocessing import parent_process
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.sigutils import normalize_signature

from engines.backend.compile.expecting import taken, waits
from engines.backend.compile.listed import Listed, identity
from engines.backend.compile.wrappers import TRIED

PROCESSES = "WORKBENCH_COMPILERS"
"""How many processes compile besides, at most, as a person says it; 0: none."""
MOST = 3
"""Each takes a second to start, and compiles once more what kernels have in common."""
LEAST_EACH = 2
"""Kernels that are worth a process."""
LONGEST = 60.0
"""[s] after which a kernel of a process that says nothing is compiled here: the longest take 7 s on one core."""
BEGIN = "import sys; sys.path[:] = {path!r}; from engines.backend.compile.beside import serve; serve()"


class _Is(Enum):
    """Where a kernel is compiled."""

    WAITING, THERE, DONE, HERE = range(4)


class Beside:
    """What is expected, and the processes that compile it. Any thread may ask."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._kernels: dict[str, Listed] = {}
        self._place: dict[str, _Is] = {}
        self._processes: list[subprocess.Popen[str]] = []
        self._inside: int | None = None
        """The thread that compiles."""

    @property
    def active(self) -> bool:
        """Whether any kernel has a place."""
        return bool(self._place)

    def missed(self, asked: str) -> None:
        """A kernel is not on the disk, and is about to be compiled here."""
        if self._place.get(asked) is _Is.DONE:  # what others compile is not kept, or not found: nothing is gained
            self.stop()
        source = taken()
        if source is None or not (most := processes_wanted()):
            return
        try:
            kernels = {kernel.identity: kernel for kernel in source()}
        except Exception:  # whatever is wrong with a list: it saves time, where it is right
            return
        with self._changed:
            self._kernels = kernels
            kept = {name: place for name, place in self._place.items() if place is not _Is.WAITING}
            self._place = dict.fromkeys(kernels, _Is.WAITING) | kept
            self._place.update({asked: _Is.HERE} if asked in kernels else {})
            left = sum(place is _Is.WAITING for place in self._place.values())
            count = min(most, left // LEAST_EACH) - len(self._processes)
        for _ in range(count):
            threading.Thread(target=self._attend, name="compiled-beside", daemon=True).start()

    @contextmanager
    def turn(self, asked: str) -> Iterator[None]:
        """Inside, a kernel that is asked for here is on the disk, or to be compiled here. One thread is inside at a
        time, for Numba compiles for one: what others ask for meanwhile may still be begun by another process."""
        mine = threading.get_ident()
        if self._inside == mine:  # it compiles what nobody has begun, while it waits
            yield
            return
        self._enter(asked, mine)
        try:
            yield
        finally:
            self._leave()

    def _enter(self, asked: str, mine: int) -> None:
        """Returns when it is this thread's turn and no other process is at the kernel."""
        ends = clock.monotonic() + LONGEST
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._inside is None)
                there = self._place.get(asked) is _Is.THERE and clock.monotonic() < ends
                other = self._soonest() if there else None
                if there and other is None:
                    self._changed.wait(max(0.0, ends - clock.monotonic()))
                    continue
                self._inside, begun = mine, asked if other is None else other.identity
                if self._place.get(begun) is _Is.WAITING:
                    self._place[begun] = _Is.HERE
            if other is None:
                return
            try:
                with suppress(Exception):  # who asks for it is told
                    other.compile()
            finally:
                self._leave()

    def _leave(self) -> None:
        with self._changed:
            self._inside = None
            self._changed.notify_all()

    def stop(self) -> None:
        """Nothing more is begun, and what others are at is left."""
        with self._changed:
            self._place = {}
            processes, self._processes = self._processes, []
            self._changed.notify_all()
        for process in processes:
            _end(process)

    def _soonest(self) -> Listed | None:
        """Of the kernels that nobody has begun the first of a module that is in use here; a window draws meanwhile."""
        if threading.current_thread() is threading.main_thread():
            return None
        waiting = (self._kernels[name] for name, place in self._place.items() if place is _Is.WAITING)
        return next((kernel for kernel in waiting if kernel.module in sys.modules), None)

    def _last(self) -> Listed | None:
        """The last kernel that nobody has begun."""
        waiting = [name for name, place in self._place.items() if place is _Is.WAITING]
        return self._kernels[waiting[-1]] if waiting else None

    def _attend(self) -> None:
        """One process, from its start to its end."""
        process = _started()
        if process is None:
            return
        with self._changed:
            self._processes.append(process)
        while self._hand_over(process):
            pass
        with self._changed:
            if process in self._processes:
                self._processes.remove(process)
        _end(process)
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):  # what was not written yet
                pipe.close()  # type: ignore[union-attr]  # both are pipes

    def _hand_over(self, process: subprocess.Popen[str]) -> bool:
        """Have it compile one kernel; whether there was one, and it did."""
        assert process.stdin is not None
        assert process.stdout is not None
        with self._changed:
            kernel = self._last()
            if kernel is None:
                return False
            self._place[kernel.identity] = _Is.THERE
        try:
            process.stdin.write(repr(tuple(kernel)) + "\n")
            process.stdin.flush()
            done = bool(process.stdout.readline())
        except OSError:
            done = False
        with self._changed:
            if kernel.identity in self._place:
                self._place[kernel.identity] = _Is.DONE if done else _Is.HERE
            self._changed.notify_all()
        return done


_beside = Beside()


def processes_wanted() -> int:
    """How many compile besides this one."""
    from engines.backend.threads import usable_cores  # which imports this

    if parent_process() is not None or getattr(sys, "frozen", False) or not sys.executable:
        return 0  # one of several that work already, or no Python that could be started
    asked = os.environ.get(PROCESSES, "")
    return min(MOST, usable_cores() - 1, int(asked) if asked.isdecimal() else MOST)


def share() -> None:
    """Whatever this process compiles from now on may come of others."""
    caches: Any = FunctionCache
    dispatchers: Any = Dispatcher
    load, compile_for = caches.load_overload, dispatchers.compile
    if hasattr(load, "__wrapped__") or not numba.__version__.startswith(TRIED):
        return

    @wraps(load)
    def load_and_tell(self: Any, signature: Any, context: Any) -> Any:
        found = load(self, signature, context)
        if found is None and (waits() or _beside.active):
            _beside.missed(identity(self._py_func, _kinds(signature)))
        return found

    @wraps(compile_for)
    def take_and_compile(self: Any, signature: Any) -> Any:
        if not _beside.active or not isinstance(self._cache, FunctionCache) or global_compiler_lock.is_locked():
            return compile_for(self, signature)
        with _beside.turn(identity(self.py_func, _kinds(signature))):
            return compile_for(self, signature)

    caches.load_overload, dispatchers.compile = load_and_tell, take_and_compile


def _kinds(signature: Any) -> Sequence[Any]:
    kinds: Sequence[Any] = normalize_signature(signature)[0]
    return kinds


def _started() -> subprocess.Popen[str] | None:
    """A process that compiles what it is told to; None where it cannot be started."""
    try:
        return subprocess.Popen(
            [sys.executable, "-c", BEGIN.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # interrupts at the terminal are for this process; Linux shares cores by sessions
        )
    except OSError:
        return None


def _end(process: subprocess.Popen[str]) -> None:
    """Pipes are closed by who reads them: until it is ended a reader holds them."""
    process.kill()
    process.wait()


atexit.register(_beside.stop)


def serve() -> None:
    """In the other process: compile what stdin says, a kernel a line, and answer each with a line; end with stdin."""
    from engines.backend import cpu  # compiles and keeps as the first process does

    assert cpu
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever prints
    asked: list[str] = []
    more = threading.Semaphore(0)

    def read() -> None:
        for line in sys.stdin:
            asked.append(line)
            more.release()
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        more.acquire()
        with suppress(Exception):  # the first process comes to it, and tells
            Listed(*literal_eval(asked.pop(0))).compile()
        answers.write("\n")
        answers.flush()
