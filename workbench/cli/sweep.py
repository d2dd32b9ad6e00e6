"""``workbench sweep``: a project run with other numbers, its results side by side in a folder."""

from __future__ import annotations

import math
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from engines.api.device import Backend
from engines.api.errors import ProblemError, WorkbenchError
from engines.backend.devices.faster import open_for
from workbench.cli import DONE, INTERRUPTED, RUN_FAILED
from workbench.cli.opening import open_project
from workbench.cli.runs.folder import alone_in
from workbench.cli.runs.progress import Line
from workbench.cli.telling import tell_findings
from workbench.export.tables import cell
from workbench.project.document import Document
from workbench.project.findings import findings_before_changes, findings_of
from workbench.storage.atomic import storing
from workbench.storage.error_log import keep_traceback
from workbench.sweep.convergence import convergences, refined
from workbench.sweep.files import earlier, refuse_others, write_sweep
from workbench.sweep.kept import FOLDER as CASES
from workbench.sweep.kept import KeptCases
from workbench.sweep.numbers import numbers_of
from workbench.sweep.plan import MANY, SweepPlan, kept_of, variation
from workbench.sweep.running import Row
from workbench.sweep.table import TROUBLE, table_of, table_to_show, unread
from workbench.sweep.workers import Workers, run_sweep


def sweep_command(options: Namespace) -> int:
    """List what can be varied, or run the sweep; returns the exit code. Raises WorkbenchError for bad input."""
    document = open_project(options)
    if not options.vary and options.converge is None:
        return _list(document, options)
    varied = [variation(document, name, values) for name, values in options.vary]
    if options.converge is not None:
        name, _, values = options.converge.partition("=")
        varied.append(refined(document, name.strip(), values))
    plan = SweepPlan(document, tuple(varied), options.until or document.project.run.until, kept_of(options.chart))
    plan.check()
    if len(plan) > MANY and not options.yes:
        raise ProblemError(f"These are {len(plan):,} runs: take fewer values, or add --yes to make them all.")
    document.project.run.device = options.device or document.project.run.device
    workers = Workers(options.workers, options.scheduler, options.cluster)
    workers.check()
    folder: Path = options.out or Path(f"{document.path.stem if document.path else options.project}-sweep")
    refuse_others(folder)
    with alone_in(folder):
        return _swept(plan, workers, document, folder, options)


def _swept(plan: SweepPlan, workers: Workers, document: Document, folder: Path, options: Namespace) -> int:
    """The exit code of a sweep whose results are in ``folder``. Raises WorkbenchError."""
    backend = None if workers.elsewhere else _open(document)
    rows: list[Row] = []
    interrupted, failure = False, None
    line = Line()
    try:
        tell_findings(
            findings_of(document, None) if backend is None else findings_before_changes(document, backend, plan.until)
        )
        kept = KeptCases(folder, plan, anew=options.anew)
        for row in run_sweep(plan, backend, line, workers, kept):
            rows.append(row)
            line.clear()
            _tell(plan, row, known=row.place in kept.known, out=folder)
    except KeyboardInterrupt:
        interrupted = True
    except WorkbenchError as error:
        if not rows:
            raise
        line.clear()
        failure = error
    finally:
        line.clear()
        if backend is not None:
            backend.close()
    if not rows:
        options.answer["error"] = "Interrupted before a run was through: nothing was saved."
        print(options.answer["error"])
        return INTERRUPTED
    rows.sort(key=lambda row: row.place)
    shown, brief, shared = table_to_show(plan, rows)
    _print(shown, brief)
    print(shared, end="\n" * bool(shared))
    header, lines = table_of(plan, rows)
    options.answer["notes"] = unread(rows)
    print(*options.answer["notes"], sep="\n", end="\n" * bool(options.answer["notes"]))
    settled = convergences(plan, rows)
    for column, one in settled:
        print(f"{column.title}: {one.told}")
    with storing(folder):
        (folder / CASES).mkdir(parents=True, exist_ok=True)  # also where each case has failed: whose the files are
    files = write_sweep(plan, rows, folder)
    print(f"Saved in '{folder}': {', '.join(files)}.")
    for sentence in earlier(folder, files):
        options.answer["notes"].append(sentence)
        print(sentence)
    options.answer.update(folder=str(folder.absolute()), files=files, runs=len(plan), columns=header, rows=lines)
    if plan.converges:
        options.answer["convergence"] = [{"what": column.heading, **asdict(one)} for column, one in settled]
    if failure is not None:
        print(failure, file=sys.stderr)
        options.answer["error"] = str(failure)
        return RUN_FAILED
    if interrupted:
        options.answer["error"] = f"Interrupted: {len(rows)} of {len(plan)} runs are through."
        return INTERRUPTED
    if failed := [row.error for row in rows if row.error]:
        some = f"{len(failed)} of {len(rows)} runs failed."
        options.answer["error"] = some if len(failed) < len(rows) else failed[0]
        return RUN_FAILED
    return DONE


def _open(document: Document) -> Backend:
    backend = open_for(document.engine, document.complete_problem(), document.project.run.device, ahead=math.inf)
    if backend.chosen:
        print(backend.chosen, file=sys.stderr)
    return backend


def _tell(plan: SweepPlan, row: Row, *, known: bool, out: Path) -> None:
    told = row.error or ("is through since before" if known else f"{row.seconds:.3g} s")
    print(f"Run {row.place + 1} of {len(plan)}: {plan.told(row.case)}: {told}", file=sys.stderr)
    if row.failure is not None:
        print(keep_traceback(row.failure, out), file=sys.stderr)


def _list(document: Document, options: Namespace) -> int:
    """What can be varied: name, value and unit."""
    numbers = [number for number in numbers_of(document.parameters) if number.matters]
    width = max((len(number.name) for number in numbers), default=0)
    for number in numbers:
        limits = number.bounds.sentence()
        told = f"{number.value:g} {number.unit}".rstrip() + (f"  ({limits})" if limits else "")
        print(f"{number.name:<{width}}  {told}")
    options.answer["numbers"] = [
        {
            "name": number.name, "value": number.value, "unit": number.unit, "title": number.title,
            "bounds": {name: limit for name, limit in asdict(number.bounds).items() if limit is not None},
        }
        for number in numbers
    ]  # fmt: skip
    return DONE


def _print(header: Sequence[str], lines: Sequence[Sequence[object]]) -> None:
    shown = [[header[place], *(_short(cells[place]) for cells in lines)] for place in range(len(header))]
    # Sentences begin at the left: to the right of the longest one nobody would look for a short one.
    widths = [0 if column[0] == TROUBLE else max(map(len, column)) for column in shown]
    for place in range(len(lines) + 1):
        cells = [column[place].rjust(width) for column, width in zip(shown, widths, strict=True)]
        print("  ".join(cells).rstrip())


def _short(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) and value == value else str(cell(value))
