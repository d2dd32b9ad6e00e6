"""What a rank knows of whoever started it, before anything large is imported; and where all ranks are, when asked."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

LAUNCHED = "WORKBENCH_RANKS"
"""Names the folder in which rank 0 leaves its process id, its folder of results and its exit code, and each rank in
files of its own why it ends all, and where its threads are."""
RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")
STACKS = "stacks-"
STACK_SECONDS = 1.0
"""In which all ranks have written where they are."""


def own_rank() -> int:
    """Before MPI is asked; 0 where nobody has started several."""
    return next((int(os.environ[name]) for name in RANK_VARIABLES if name in os.environ), 0)


def write_stacks_at_signal(otherwise: TextIO = sys.stderr) -> None:
    """From now on SIGUSR1, which mpiexec passes on to all ranks, has this one write what each of its threads does, even
    while one holds the interpreter's lock: to a file for the command that has started it, ``otherwise`` where none has
    on this machine."""
    if not hasattr(faulthandler, "register"):  # Windows
        return
    folder, file = Path(os.environ.get(LAUNCHED, "")), otherwise
    if LAUNCHED in os.environ and folder.is_dir():
        file = (folder / f"{STACKS}{own_rank()}").open("w")
    faulthandler.register(signal.SIGUSR1, file, all_threads=True)


@contextmanager
def stacks_when_asked(pass_on: Callable[[int], object], folder: Path) -> Iterator[None]:
    """Inside, SIGUSR1 to this command goes to ``pass_on``, and what the ranks then write in ``folder`` to stderr."""
    if not hasattr(signal, "SIGUSR1") or threading.current_thread() is not threading.main_thread():
        yield
        return
    seen: dict[Path, int] = {}

    def tell(number: int, frame: Any) -> None:
        pass_on(number)
        clock.sleep(STACK_SECONDS)
        for file in sorted(folder.glob(f"{STACKS}*")):
            text = file.read_text(errors="replace")
            print(f"Rank {file.name.removeprefix(STACKS)}:\n{text[seen.get(file, 0) :]}", file=sys.stderr, flush=True)
            seen[file] = len(text)

    before = signal.signal(signal.SIGUSR1, tell)
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, before)
