"""``workbench tool``: what an engine offers besides running, and one of these carried out."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from engines.api.errors import ProblemError
from engines.api.tools import ToolResult
from engines.reading import refuse_pipe
from engines.tables.columns import CURVE
from workbench.cli import DONE, RUN_FAILED
from workbench.cli.listing import print_table
from workbench.cli.opening import open_project
from workbench.cli.runs.progress import Line
from workbench.cli.telling import fact_records
from workbench.export.chart_tables import chart_text
from workbench.export.naming import file_stems
from workbench.project.document import Document, save_document
from workbench.project.tooling import carried_out, find_tool, goes_with, take_over, tool_parameters
from workbench.storage.atomic import storing, write_text
from workbench.storage.error_log import keep_traceback
from workbench.storage.overtaken import Overtaken, check_mark
from workbench.words.failures import as_sentence, with_place
from workbench.words.units import time_text

MOST_ABOVE = 4096
"""Bytes in which the titles of a chart's table stand."""


def tool_command(options: Namespace) -> int:
    """List the tools, or carry one out; returns the exit code. Raises WorkbenchError for input that cannot be used."""
    document = open_project(options)
    if options.tool is None:
        return _list(document, options)
    tool = find_tool(document.engine, options.tool)
    if options.apply and document.path is None:
        raise ProblemError(f"'{options.project}' is no project that can be saved in place: use --save NEW_PROJECT.")
    if options.save is not None and options.save.exists():
        raise ProblemError(f"'{options.save}' exists already: choose another name.")
    problem = document.complete_problem()
    parameters = tool_parameters(tool, problem, dict(options.values))
    from engines.backend.devices.select import open_backend  # Numba and CuPy are imported when they are needed

    backend, line = open_backend(options.device or document.project.run.device), Line()
    try:
        result = carried_out(tool, problem, parameters, backend, line)
    except ProblemError:
        raise
    except Exception as error:
        known = as_sentence(error)
        print(with_place(known), file=sys.stderr)
        options.answer["error"] = str(known)
        if known is not error:
            print(keep_traceback(error, options.out), file=sys.stderr)
        return RUN_FAILED
    finally:
        line.clear()
        backend.close()
    _tell(result)
    answer = options.answer
    answer.update(tool=tool.id, message=result.message, facts=fact_records(result.facts), files=[], project=None)
    if options.out is not None:
        answer["files"] = _written(result, options.out)
    if options.apply or options.save is not None:
        answer["project"] = _taken_over(result, document, options)
    elif result.changes:
        print("Nothing was changed: --apply or --save takes it over.")
    return DONE


def _list(document: Document, options: Namespace) -> int:
    given = {"--set": options.values, "--apply": options.apply, "--save": options.save, "--out": options.out}
    wrong = [name for name, value in given.items() if value]
    if wrong:
        raise ProblemError(f"{wrong[0]} needs the id of a tool: 'workbench tool PROJECT' lists them.")
    tools = document.engine.tools()
    if not tools:
        print(f"The engine '{document.engine.id}' has no tools.")
    print_table([(tool.id, f"{tool.title}: {tool.summary}") for tool in tools])
    options.answer["tools"] = [{"id": tool.id, "title": tool.title, "summary": tool.summary} for tool in tools]
    return DONE


def _tell(result: ToolResult) -> None:
    print(result.message)
    width = max((len(fact.title) for fact in result.facts), default=0)
    for fact in result.facts:
        unit = "" if fact.unit in ("", "1") else f" {fact.unit}"
        print(f"  {fact.title:<{width}}  {fact.value:.6g}{unit}")


def _written(result: ToolResult, folder: Path) -> list[str]:
    if not result.charts:
        print("This tool made no charts.")
        return []
    with storing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    stems = file_stems(info.name for info, _ in result.charts)
    names = [f"{stem}.csv" for stem in stems.values()]
    _check_charts([folder / name for name in names])
    for info, data in result.charts:
        write_text(folder / f"{stems[info.name]}.csv", chart_text(info, data))
    print(f"Wrote {', '.join(names)} into '{folder}'.")
    return [str((folder / name).absolute()) for name in names]


def _check_charts(files: Sequence[Path]) -> None:
    """Raises ProblemError where one is there that no chart was saved in."""
    for file in files:
        refuse_pipe(file)
        with storing(file):
            head = ""
            if file.exists():
                with file.open("rb") as stream:
                    head = stream.read(MOST_ABOVE).decode("utf-8", "replace")
        titles = next((line for line in head.splitlines() if not line.startswith("#")), CURVE)
        if titles.split(",")[0] != CURVE:
            raise ProblemError(
                f"'{file}' is there already, and is no chart of Workbench: choose another folder with --out."
            )


def _taken_over(result: ToolResult, document: Document, options: Namespace) -> str | None:
    target: Path | None = options.save
    if not result.changes:
        print("There is nothing to take over: the project is as it was.")
        return None
    since = document.parameters
    if target is None:
        document = _as_saved_meanwhile(document, result, options)
    before = document.project.run.until
    take_over(document, result, since)
    until = document.project.run.until
    if until is not None and until != before:
        was = "it had no end" if before is None else f"it was {before:g}"
        print(f"The run ends at {time_text(until, document.time_unit, 'g')} now; {was}.")
    saved = save_document(document, target)
    print(f"Saved to '{saved}'.")
    return str(saved.absolute())


def _as_saved_meanwhile(document: Document, result: ToolResult, options: Namespace) -> Document:
    """The project as somebody else has saved it since it was opened, where the result goes with that; else itself.
    Raises ProblemError where both have changed the same."""
    assert document.path is not None
    try:
        check_mark(document.path, document.marks)
    except Overtaken as error:
        now = open_project(options)
        if not goes_with(document, result, now):
            raise ProblemError(
                f"'{document.path}' was saved meanwhile by somebody else, who changed what this tool changes, too: "
                "carry it out again, or with --save NEW_PROJECT to keep both."
            ) from error
        print("The project was saved meanwhile by somebody else: what was changed there stays.")
        return now
    return document
