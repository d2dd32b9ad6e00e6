"""The command line: ``workbench`` opens the window, ``workbench run`` and the other commands do without one.

Exit codes: 0 done; 1 ``verify`` found a wrong figure; 2 bad input, one sentence on stderr; 3 the run failed, what was
saved is named; 130 interrupted.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path

from engines.api.errors import ProblemError, WorkbenchError
from workbench.cli.arguments import COMMANDS, parser

DONE, WRONG, BAD_INPUT, RUN_FAILED, INTERRUPTED = 0, 1, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a Windows code page lacks the arrow of doctor: a mark, not an error
            stream.reconfigure(errors="replace")
    try:
        if not given or (given[0] not in COMMANDS and not given[0].startswith("-")):
            return open_window(given)
        options = parser().parse_args(given)
        return int(options.carry_out(options))
    except WorkbenchError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has seen enough (``workbench presets | head -1``)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except SystemExit as end:  # argparse: --help, or a wrong option, of which it has told
        return end.code if isinstance(end.code, int) else BAD_INPUT


def open_window(paths: Sequence[str]) -> int:
    """The window, with these files opened. Raises ProblemError if there is none in this installation."""
    for path in paths:
        if not Path(path).expanduser().exists():
            raise ProblemError(f"'{path}' is neither a file nor a command; the commands are {', '.join(COMMANDS)}.")
    windows = list(entry_points(group="workbench.window"))
    if not windows:
        raise ProblemError("This installation has no window: use 'workbench run PROJECT', or install it whole.")
    try:
        window = windows[0].load()
    except ImportError as error:
        raise ProblemError(
            f"The window cannot open here ({error}): run 'workbench doctor' to see what is missing."
        ) from error
    return int(window(list(paths)) or 0)
