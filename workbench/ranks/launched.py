"""What a rank knows of whoever started it, before anything large is imported; and where all ranks are, when asked."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import shutil
import signal
import sys
import threading
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from workbench.storage.locking import ProcessLock

LAUNCHED = "WORKBENCH_RANKS"
"""Names the folder in which rank 0 leaves its process id, its folder of results and its exit code, and each rank in
files of its own why it ends all, and where its threads are."""
RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")
STACKS = "stacks-"
STACK_SECONDS = 3.0
"""In which a rank has written where it is, but for one in which a thread keeps the interpreter's lock."""
HELD = "starter"
LOOK_SECONDS = 0.5
"""After which a rank looks again for whoever has started it."""
ORPHANED = 3
"""Exit code of a rank whose starter is gone: of a run that fails."""
PR_SET_PDEATHSIG = 1  # linux/prctl.h
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None  # between fork and exec nothing may be loaded


def own_rank() -> int:
    """Before MPI is asked; 0 where nobody has started several."""
    return next((int(os.environ[name]) for name in RANK_VARIABLES if name in os.environ), 0)


def end_with_starter() -> None:
    """From now on a thread ends this rank, as one that is killed ends, once ``mpiexec`` is gone, its parent, or the
    command that has started it on this machine: that one holds :data:`HELD` to its end, whatever that is."""
    folder, parent = Path(os.environ.get(LAUNCHED, "")), os.getppid()
    held = ProcessLock(folder / HELD) if LAUNCHED in os.environ and folder.is_dir() else None

    def watch() -> None:
        while os.getppid() == parent:
            try:
                if held is not None and held.acquire():
                    shutil.rmtree(folder, ignore_errors=True)  # as the command would have done
                    break
            except OSError:  # another rank has come before
                break
            clock.sleep(LOOK_SECONDS)
        os._exit(ORPHANED)

    threading.Thread(target=watch, name="starter", daemon=True).start()


def end_with_this_thread() -> None:
    """In a process between fork and exec: it is told to end once the thread that has started it is gone. On Linux
    alone; ``mpiexec`` so ends ranks on machines from which nobody sees the command."""
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def write_stacks_at_signal(otherwise: TextIO = sys.stderr) -> None:
    """From now on SIGUSR1, which mpiexec passes on to all ranks, has this one write what each of its threads does: to a
    file for the command that has started it, ``otherwise`` where none has on this machine. A thread writes it that has
    the interpreter's lock meanwhile: to read frames that move ends the process now and then. SIGUSR2 has it written at
    once, for a rank in which a thread keeps that lock."""
    if not hasattr(faulthandler, "register"):  # Windows
        return
    folder, file = Path(os.environ.get(LAUNCHED, "")), otherwise
    if LAUNCHED in os.environ and folder.is_dir():
        file = (folder / f"{STACKS}{own_rank()}-{os.getpid()}").open("w")
    faulthandler.register(signal.SIGUSR2, file, all_threads=True)
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.signal(signal.SIGUSR1, lambda *_: None)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)  # also while the main thread waits in MPI

    def write() -> None:
        while given := os.read(heard, 1):
            if given[0] == signal.SIGUSR1:
                faulthandler.dump_traceback(file, all_threads=True)

    threading.Thread(target=write, name="stacks", daemon=True).start()


@contextmanager
def stacks_when_asked(pass_on: Callable[[int], object], folder: Path) -> Iterator[None]:
    """Inside, SIGUSR1 to this command goes to ``pass_on``, and what the ranks then write in ``folder`` to stderr."""
    if not hasattr(signal, "SIGUSR1") or threading.current_thread() is not threading.main_thread():
        yield
        return
    seen: dict[Path, int] = {}

    def written() -> dict[Path, int]:
        return {file: file.stat().st_size for file in folder.glob(f"{STACKS}*")}

    def silent() -> list[Path]:
        return [file for file, size in written().items() if size <= seen.get(file, 0)]

    def wait() -> None:
        latest, before = clock.monotonic() + STACK_SECONDS, None
        while (silent() or written() != before) and clock.monotonic() < latest:
            before = written()
            clock.sleep(0.1)

    def tell(number: int, frame: Any) -> None:
        pass_on(number)
        wait()
        for file in silent():
            with suppress(OSError):
                os.kill(int(file.name.rpartition("-")[2]), signal.SIGUSR2)
        wait()
        for file in sorted(folder.glob(f"{STACKS}*")):
            text = file.read_text(errors="replace")
            rank = file.name.removeprefix(STACKS).partition("-")[0]
            print(f"Rank {rank}:\n{text[seen.get(file, 0) :]}", file=sys.stderr, flush=True)
            seen[file] = len(text)

    before = signal.signal(signal.SIGUSR1, tell)
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, before)
