"""The command line: ``workbench`` opens the window, ``workbench run`` and the other commands do without one.

Exit codes: 0 done; 1 ``verify`` found a wrong figure; 2 bad input, one sentence on stderr; 3 the run failed, what was
saved is named, and so is the file with the traceback of an error that nobody expected; 130 interrupted.
With ``--json`` the answer of a command is one JSON document on stdout, and all that people read is on stderr:
``command``, ``exit_code``, what the command found under names of its own, and ``error`` where it failed.
"""

from __future__ import annotations

import errno
import io
import json
import math
import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, cast

from engines.api.errors import ProblemError, WorkbenchError, nearest_told
from engines.numba_settings import check_addresses
from workbench.cli.arguments import COMMANDS, COMPUTING, Misused, parser
from workbench.cli.voice import voices
from workbench.words import plain
from workbench.words.extras import load
from workbench.words.failures import with_place

DONE, WRONG, BAD_INPUT, RUN_FAILED, INTERRUPTED = 0, 1, 2, 3, 130
SIGNALLED = 128
"""Exit codes above it name a signal."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command; returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a Windows code page lacks the arrow of doctor
            stream.reconfigure(errors=plain.NAME)
    answer: dict[str, Any] = {}
    with voices() as (out, err):
        if "--json" not in given:
            code = _carried_out(given, answer)
        else:
            with redirect_stdout(cast(Any, err)), _descriptor_spared(given):
                code = _carried_out(given, answer)
            told = _strict({"command": given[0], "exit_code": code, **answer})
            print(json.dumps(told, indent=2, allow_nan=False))
        out.flush()
        if out.trouble and code == DONE:
            print(f"What this command had to say could not be written ({out.trouble}).", file=err)
            return RUN_FAILED
    return code


@contextmanager
def _descriptor_spared(given: list[str]) -> Iterator[None]:
    """Inside, what a library or an engine of somebody else writes past Python to descriptor 1 goes to stderr. Rank 0 of
    several writes its answer there itself."""
    try:
        spare = "--ranks" not in given and sys.__stdout__ is not None and sys.__stdout__.fileno() == 1
        kept = os.dup(1) if spare else None
    except (OSError, ValueError):  # there is none
        kept = None
    if kept is None:
        yield
        return
    try:
        os.dup2(2, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _strict(value: Any) -> Any:
    """As JSON has it: null stands for what is no number."""
    if isinstance(value, dict):
        return {key: _strict(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def command() -> None:
    """The process of a command. One that was told to end is gone at once: on a busy machine the interpreter takes
    seconds to take down what nobody needs any more, and who told it may not wait."""
    code = main()
    if code > SIGNALLED:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # of a terminal that is gone
                stream.flush()
        os._exit(code)
    sys.exit(code)


def _carried_out(given: list[str], answer: dict[str, Any]) -> int:
    """The exit code; what the command has to say to programs, also of its failure, is put into ``answer``."""
    options: Namespace | None = None
    try:
        if not given or (given[0] not in COMMANDS and not given[0].startswith("-")):
            return open_window(given)
        options = parser().parse_args(given)
        options.answer, options.given = answer, given
        if given[0] in COMPUTING:
            check_addresses()
        return int(options.carry_out(options))
    except WorkbenchError as error:
        print(with_place(error), file=sys.stderr)
        answer.update(error=str(error), place=list(getattr(error, "place", ())))
        remedy = getattr(error, "remedy", None)
        if remedy is not None:
            from workbench.cli.telling import tell_remedy
            from workbench.project.findings import remedy_record

            tell_remedy(remedy)
            answer["remedy"] = remedy_record(remedy)
        return BAD_INPUT
    except KeyboardInterrupt as error:
        answer["error"] = "Interrupted."
        return int(error.args[0]) if error.args else INTERRUPTED  # by another signal than Ctrl-C
    except (Exception, SystemExit) as error:  # of ours or of somebody else's engine: a sentence, and where the rest is
        if isinstance(error, SystemExit) and options is None:  # argparse: --help, or a wrong option, of which it told
            if isinstance(error, Misused):
                answer["error"] = error.sentence
            return error.code if isinstance(error.code, int) else BAD_INPUT
        if advice := _advice(error):
            answer["error"] = advice
            print(advice, file=sys.stderr)
            return BAD_INPUT
        from workbench.storage.error_log import keep_traceback

        told = " ".join(f"{type(error).__name__}: {error}".split())
        where = keep_traceback(error, getattr(options, "out", None))
        sentence = f"This command ended with an unexpected {told}. {where}"
        print(sentence, file=sys.stderr)
        answer["error"] = sentence
        return RUN_FAILED


def _advice(error: BaseException) -> str:
    """What to change where the system refuses what a command begins with; nothing where it is none of that."""
    if isinstance(error, RuntimeError) and "home directory" in str(error):  # pathlib's
        return "This user has no home folder: set HOME to a folder that may be written to."
    if not isinstance(error, OSError):
        return ""
    if error.errno == errno.ENAMETOOLONG:
        return "One of these names is longer than names of files can be: shorten it."
    if isinstance(error, PermissionError) and error.filename:
        return f"'{error.filename}' may not be reached: choose another or change the permissions on the way to it."
    if isinstance(error, FileNotFoundError) and not os.path.exists("."):
        return "The folder that this command was started in is gone: change to one that is there."
    return ""


def open_window(paths: Sequence[str], where: Sequence[str] = ()) -> int:
    """The window, with these files or presets opened; ``where`` says on which machine it has them run.

    Raises ProblemError if there is none in this installation."""
    for path in paths:
        if not Path(os.path.expanduser(path)).exists():
            _known_as_preset(path)
    windows = list(entry_points(group="workbench.window"))
    if not windows:
        raise ProblemError("This installation has no window: use 'workbench run PROJECT', or install it whole.")
    try:
        window = load(windows[0], "The window needs")
    except ImportError as error:
        raise ProblemError(
            f"The window cannot open here ({error}): run 'workbench doctor' to see what is missing."
        ) from error
    return int(window([*where, *paths]) or 0)


def _known_as_preset(name: str) -> None:
    """Raises ProblemError with what is near where ``name``, of which there is no file, is no preset either."""
    from workbench.project.presets import presets  # loads the engines: only where there is no such file

    known = [preset.id for preset in presets()]
    if name not in known:
        near = nearest_told(name, [*COMMANDS, *known])
        raise ProblemError(
            f"'{name}' is neither a file nor a command nor a preset{near}; the commands are {', '.join(COMMANDS)}."
        )
