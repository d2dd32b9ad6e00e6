"""Two ranks that carry out one command after another, each of which would start an interpreter and import all anew.

``mpiexec -n 2 python -m tests.workbench.cli.pair ADDRESS``: each rank is given commands, carries them out as the
process of a rank does, and answers with its exit code. What both print goes to the files that come with a command.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack, suppress
from multiprocessing.connection import Client, Connection, Listener, wait
from pathlib import Path
from typing import Any

RANKS = 2
START_SECONDS, SECONDS, END_SECONDS = 120, 150, 20
SMALL = 1 << 20
"""Elements of the arrays over which the memory's bandwidth is measured."""


def measure_little() -> None:
    """This process, and the ranks that it starts from now on, measure the memory's bandwidth over small arrays."""
    from engines.backend.ceilings import memory
    from workbench.cli.runs import ranks

    memory.cpu_array_size = lambda: SMALL
    mine, its = f"from {__name__} import measure_little; measure_little(); ", "from workbench.cli"
    ranks.BEGIN = ranks.BEGIN.replace(its, mine + its)


class Pair:
    """The other end, in the process of the tests."""

    def __init__(self, folder: Path) -> None:
        from workbench.cli.runs import ranks
        from workbench.ranks.launched import HELD, LAUNCHED
        from workbench.storage.locking import ProcessLock

        self._folder, self._ends = folder, ExitStack()
        held = ProcessLock(folder / HELD)
        held.acquire()
        self._ends.callback(held.release)
        listener = self._ends.enter_context(Listener(str(folder / "s")))
        command = [str(ranks._mpiexec()), "-n", str(RANKS), sys.executable, "-P", "-m", __name__, str(listener.address)]
        path = os.pathsep.join([str(Path(__file__).parents[3]), *sys.path])
        environment = {**ranks._environment(1), LAUNCHED: str(folder), "PYTHONPATH": path}
        log = self._ends.enter_context((folder / "log").open("w"))
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
        self._ends.callback(process.wait)
        self._ends.callback(lambda: None if self._has_ended(process) else process.kill())
        listener._listener._socket.settimeout(START_SECONDS)
        self._ranks: list[Connection[Any, Any]] = [listener.accept() for _ in range(RANKS)]
        for each in self._ranks:  # which end once nobody holds the other end
            self._ends.callback(each.close)

    def begin(self, *given: str) -> None:
        for each in self._ranks:
            each.send((given, str(self._folder / "out"), str(self._folder / "err")))

    def end(self) -> tuple[int, str, str]:
        """(exit code of rank 0, what both have printed on stdout, on stderr) of the command that was begun."""
        codes = {}
        for each in self._ranks:
            assert wait([each], SECONDS), (self._folder / "err").read_text()
            rank, code = each.recv()
            codes[rank] = code
        printed = []
        for name in ("out", "err"):
            printed.append((self._folder / name).read_text())
            (self._folder / name).unlink()
        return codes[0], printed[0], printed[1]

    def _has_ended(self, process: subprocess.Popen[bytes]) -> bool:
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS)
        return process.poll() is not None

    def close(self) -> None:
        self._ends.close()


def main(address: str) -> None:
    from workbench.ranks.launched import end_with_starter, own_rank

    end_with_starter()
    from engines.ranks.world import World
    from workbench import cli
    from workbench.cli.runs import ranks

    measure_little()
    with Client(address) as tests:
        while True:
            try:
                given, *files = tests.recv()
            except EOFError:
                break
            for number, file in enumerate(files, 1):
                opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                os.dup2(opened, number)
                os.close(opened)
            ranks._voice = None  # as before its first command
            code = cli.main(given)
            sys.stdout.flush()
            sys.stderr.flush()
            tests.send((own_rank(), code))
    World.leave()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
