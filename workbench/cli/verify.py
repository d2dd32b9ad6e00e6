"""``workbench verify``: cases with known answers, run on this machine, so that a person can check an installation."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from engines.api import registry
from engines.api.device import Backend
from workbench import __version__
from workbench.cli import DONE, INTERRUPTED, WRONG
from workbench.cli.listing import print_table
from workbench.cli.runs.folder import refuse_strange
from workbench.cli.runs.progress import Line
from workbench.storage.atomic import storing, write_text
from workbench.storage.error_log import keep_traceback
from workbench.verify.cases import Chosen, chosen_cases
from workbench.verify.lines import closing, head, lines_of
from workbench.verify.page import page
from workbench.verify.record import VerificationRecord, to_csv, to_json
from workbench.verify.running import Outcome, run_case
from workbench.words.amounts import duration_text
from workbench.words.units import counted

FILES = ("verify.json", "verify.csv", "verify.md")


def verify_command(options: Namespace) -> int:
    """Run cases and print their figures beside the expected ones; 1 if any is wrong or a case gave none.

    ``--out``: verify.json, verify.csv and verify.md of what was run, also of a part. Raises WorkbenchError for input
    that cannot be used.
    """
    engines = [registry.engine(name) for name in dict.fromkeys(options.engines)] or list(registry.engines().values())
    chosen = chosen_cases(engines, options.case)
    if options.list:
        _list(chosen)
        options.answer["cases"] = [
            {"id": one.name, "title": one.case.title, "seconds": one.case.seconds} for one in chosen
        ]
        return DONE
    if options.out is not None:
        refuse_strange(options.out, FILES)
        with storing(options.out):
            options.out.mkdir(parents=True, exist_ok=True)  # a place that cannot be written to is known at once
    from engines.backend.devices.select import open_backend  # Numba and CuPy are imported when they are needed

    backend = open_backend(options.device)
    outcomes: list[Outcome] = []
    interrupted = False
    try:
        about = duration_text(max(1.0, sum(one.case.seconds for one in chosen)))
        print(f"Workbench {__version__} on {backend.info.name}: {counted(len(chosen), 'case')}, about {about}.")
        _run(chosen, backend, outcomes, options.out)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        record = VerificationRecord.of(backend, outcomes)
        backend.close()
    print(closing(outcomes, len(chosen)))
    options.answer["record"] = json.loads(to_json(record))
    without = [engine.id for engine in engines if not any(one.engine is engine for one in chosen)]
    if without and not options.case:
        print(f"No cases are offered by: {', '.join(without)}.")
    if options.out is not None:
        print(f"Saved in '{options.out}': {', '.join(_write(options.out, record))}.")
    if interrupted:
        return INTERRUPTED
    return DONE if all(outcome.right for outcome in outcomes) else WRONG


def _run(chosen: Sequence[Chosen], backend: Backend, outcomes: list[Outcome], folder: Path | None) -> None:
    """Add the outcome of each case to ``outcomes`` and print its lines as it comes."""
    width, line = max(len(one.name) for one in chosen), Line()
    print(head(width), flush=True)
    for place, one in enumerate(chosen):
        line(f"{one.name}, about {duration_text(max(1.0, one.case.seconds))}", place / len(chosen))
        outcome = run_case(one, backend)
        outcomes.append(outcome)
        line.clear()
        print("\n".join(lines_of(outcome, width)), flush=True)
        if outcome.failure is not None:
            print(keep_traceback(outcome.failure, folder), file=sys.stderr)


def _write(folder: Path, record: VerificationRecord) -> list[str]:
    """All figures with all their digits, as a table, and as a page to read; returns the names of the files."""
    texts = to_json(record), to_csv(record), f"# How right is it\n\n{page([record])}"
    for name, text in zip(FILES, texts, strict=True):
        write_text(folder / name, text)
    return list(FILES)


def _list(chosen: Sequence[Chosen]) -> None:
    print_table([(one.name, f"{one.case.title} (about {duration_text(max(1.0, one.case.seconds))})") for one in chosen])
