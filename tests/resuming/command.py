"""``python -m workbench`` for tests that start it hundreds of times: ``python -m tests.resuming.command …``.

It ends with the process that started it, and measures the memory's bandwidth, which estimates ask for, over small
arrays: each process does so, for seconds where the cache is large.
"""

from __future__ import annotations

import os

from tests.long.many import end_with

ELEMENTS = 1 << 20


def main() -> None:
    end_with(os.getppid())
    from engines.backend.ceilings import memory
    from workbench.cli import command

    memory.cpu_array_size = lambda: ELEMENTS
    command()


if __name__ == "__main__":
    main()
