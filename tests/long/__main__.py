"""The long forms of tests, over many processes, for as long as one likes.

    python -m tests.long kills --count 300 --device gpu -j 16 --minutes 20 --out kills.json
    python -m tests.long fuzz --count 1000000 -j 16 --out fuzz.json
    python -m tests.long extremes --count 20000 -j 16 --out extremes.json
    python -m tests.long projects --count 20000 -j 16 --out projects.json
    xvfb-run -a python -m tests.long mutations --count 200 -j 16 --out mutations.json
    python -m tests.long mutations --only workbench --only accounting -j 16 --out mutations.json

Each prints its counts as a table and the command that does a failure again, writes both as JSON, and ends with 1 if
there was one; it does so, too, when it is interrupted or its time is over. What failed stays in the folder that it
names. None but the window's mutations needs Qt or a display.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
from pathlib import Path

COMMANDS = {"kills": 300, "fuzz": 1_000_000, "extremes": 20_000, "projects": 20_000, "mutations": 200}
"""With how much each does if nobody says."""


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.long", description=(__doc__ or "").split("\n\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, count in COMMANDS.items():
        command = commands.add_parser(name)
        command.add_argument("--count", type=int, default=count, help=f"how many (default {count})")
        command.add_argument("--only", action="append", default=[], help="this preset, reader, file …; may be repeated")
        command.add_argument("--seed", type=int, default=1, help="the first one (default 1)")
        command.add_argument("--minutes", type=float, default=60.0, help="after which nothing more is begun (60)")
        command.add_argument("-j", "--processes", type=int, default=os.cpu_count() or 1, metavar="N")
        command.add_argument("--out", type=Path, help="a file for the counts, as JSON")
        command.add_argument("--folder", type=Path, help="for what is written meanwhile (default: a temporary one)")
        if name == "mutations":
            command.add_argument("--seconds", type=float, default=15.0, help="of processor time for each defect (15)")
            near = "only with tests that stand near each, without a look at what all reach; never more are caught so"
            command.add_argument("--near", action="store_true", help=near)
            command.add_argument("--again", type=Path, metavar="JSONL", help="those that nothing caught in this one")
        if name in ("kills", "extremes"):
            command.add_argument("--device", default="cpu", help="cpu, gpu or cuda:1")
    return parser.parse_args(arguments)


def settle(processes: int, home: str) -> None:
    """Before Numba is imported: processes share the cores, and settings of the person stay as they are."""
    os.environ.setdefault("NUMBA_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // processes)))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        os.environ[name] = str(Path(home) / name)


def main() -> int:
    given = options()
    with tempfile.TemporaryDirectory(prefix="workbench-long-") as home:
        settle(given.processes, home)
        from engines.backend.ceilings import memory
        from tests.long.many import stop_when_told
        from tests.resuming.command import ELEMENTS

        stop_when_told()
        if given.command != "mutations":  # whose tests have this from tests/conftest.py, and try the function itself
            memory.cpu_array_size = lambda: ELEMENTS
        code: int = importlib.import_module(f"tests.long.{given.command}").run(given)
    return code


if __name__ == "__main__":
    sys.exit(main())
