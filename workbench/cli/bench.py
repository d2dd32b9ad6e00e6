"""``workbench bench``: the Kernel Lab's tables, then the engines' whole steps, against the measured bandwidth."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from engines.api import Benchmark, Engine, registry
from engines.api.device import Backend
from engines.api.errors import ProblemError, WorkbenchError
from engines.api.lab import LabTable, Study
from engines.backend import open_backend
from workbench.bench.lab import ALL, Lab, check_sizes, chosen_studies
from workbench.bench.measure import KernelRecord, machine, measure
from workbench.bench.neighbour import Neighbour
from workbench.bench.plots import called_as_plots, save_plots
from workbench.bench.records import LabRecord, VariantRecord, to_csv, to_json
from workbench.bench.report import as_csv, as_json, heading, meanings, row, width_of
from workbench.bench.table_text import as_csv as table_csv
from workbench.bench.table_text import markdown
from workbench.bench.tables import curve_table, published_table, study_table
from workbench.cli.runs.folder import refuse_strange
from workbench.cli.runs.progress import Line
from workbench.storage.atomic import write_text

ACROSS: tuple[LabTable, ...] = (Neighbour(),)
"""Tables that belong to no engine."""
FILES = ("lab.json", "lab.csv", "bench.json", "bench.csv")
QUICK_ELEMENTS = 1 << 22
"""The one size of the whole steps with ``--quick``; the usual ones take minutes on a CPU."""


def bench_command(options: Namespace) -> int:
    """Measure and print tables; ``--out``: lab.json, lab.csv, tables as CSV and Markdown, plots, bench.json, bench.csv.

    Tables are measured where they are named, and then nothing else that is not named; so are whole steps.
    ``scaling PROJECT``: steps on one rank and more. ``peers``: other programs beside ours.
    """
    _check_options(options)
    if options.engines[:1] == ["scaling"]:
        from workbench.cli.runs.scaling import scaling_command  # imports what a run needs

        return scaling_command(options)
    if options.engines[:1] == ["peers"]:
        from workbench.cli.runs.peers import peers_command

        return peers_command(options)
    engines = [registry.engine(name) for name in options.engines] or list(registry.engines().values())
    if options.list:
        print(listed(engines))
        options.answer["studies"] = [named(study, engine) for engine in engines for study in engine.studies()]
        options.answer["tables"] = [named(table, engine) for engine in engines for table in engine.tables()]
        options.answer["tables"] += [named(table) for table in ACROSS]
        options.answer["cases"] = [{"engine": e.id, "case": c.name} for e in engines for c in e.benchmarks(())]
        return 0
    tables = chosen_tables(engines, options.table)
    if options.thorough and not tables:
        raise ProblemError("--thorough is for tables: name one with --table, or 'all'.")
    named_alone = bool(options.study or tables)
    benchmarks = {} if named_alone and not options.steps else _benchmarks(engines, options)
    studies = []
    if options.study or not (tables or options.steps):
        studies = chosen_studies(engines, options.study, options.case)
    if not (studies or tables or benchmarks):
        return 0  # what there is not was said
    from workbench.cli.runs.run import ended_by_signals  # imports what a run needs

    if options.out is not None:
        refuse_strange(options.out, _may_replace(options.out, studies, tables))
    backend, line = open_backend(options.device), Line()
    try:
        with ended_by_signals() as again:
            if studies or tables:
                lab = Lab(backend, quick=options.quick or not studies, progress=line)
                record = run_lab(lab, backend, line, studies, bool(options.case), tables, options.thorough, options.out)
                options.answer["lab"] = json.loads(to_json(record))
            if benchmarks:
                run_engines(backend, benchmarks, line, options.out, options.answer, again)
    finally:
        backend.close()
    if options.out is not None:
        print(f"written to {options.out}")
    return 0


def _may_replace(folder: Path, studies: Sequence[Study], tables: Sequence[LabTable]) -> list[str]:
    """Names of files in ``folder`` that a session of these may write."""
    own = [f"table-{table.id}.csv" for table in tables] + ["tables.md"] * bool(tables)
    drawn = called_as_plots(folder, (study.id for study in studies), (table.id for table in tables))
    return [*FILES, *own, *(path.name for path in drawn)]


def _check_options(options: Namespace) -> None:
    """Raises ProblemError for one that is of no account to what is asked for: it would be passed over."""
    scaling, peers = (options.engines[:1] == [word] for word in ("scaling", "peers"))
    one_by_one = bool(options.study or options.table) and not options.steps
    for name, given, taken, what in (
        ("--set", options.values, scaling, "'bench scaling PROJECT'"),
        ("--ranks", options.ranks, scaling, "'bench scaling PROJECT'"),
        ("--elements", options.elements, not (scaling or peers or one_by_one), "whole steps of engines"),
        ("--study", options.study, not (scaling or peers), "engines"),
        ("--table", options.table, not (scaling or peers), "engines"),
        ("--steps", options.steps, not (scaling or peers), "engines"),
        (
            "--case",
            options.case,
            not scaling and (bool(options.study or options.steps) or not options.table),
            "studies, whole steps and peers",
        ),
        ("--quick", options.quick, not scaling, "engines and peers"),
    ):
        if given and not taken:
            raise ProblemError(f"{name} is for {what}: leave it out.")


def named(one: Study | LabTable, engine: Engine | None = None) -> dict[str, str | None]:
    """A study or a table for programs; None: of no engine."""
    return {"id": one.id, "title": one.title, "engine": None if engine is None else engine.id}


def listed(engines: Sequence[Engine]) -> str:
    """Ids and titles of the studies and tables of these engines, and names of the sizes of their whole steps."""
    lines = []
    for engine in engines:
        for kind, found in (("studies", engine.studies()), ("tables", engine.tables())):
            if found:
                width = max(len(one.id) for one in found)
                lines += [f"{engine.title}: {kind}", *(f"  {one.id:{width}}  {one.title}" for one in found)]
        if cases := engine.benchmarks(()):
            lines += [f"{engine.title}: whole steps", *(f"  {one.name}" for one in cases)]
    lines += ["Of all engines: tables", *(f"  {table.id}  {table.title}" for table in ACROSS)]
    return "\n".join(lines)


def chosen_tables(engines: Sequence[Engine], names: Sequence[str]) -> list[LabTable]:
    """The tables that are named, ``all`` for every one of the engines. Raises ProblemError that lists what there is."""
    theirs = {table.id: table for engine in engines for table in engine.tables()}
    known = theirs | {table.id: table for table in ACROSS}
    for name in names:
        if name not in known and name != ALL:
            raise ProblemError(f"There is no table '{name}' (there are: {', '.join(known)}).")
    return [table for name, table in known.items() if name in names or (ALL in names and name in theirs)]


def run_lab(
    lab: Lab,
    backend: Backend,
    line: Line,
    studies: Sequence[Study],
    every_case: bool,
    tables: Sequence[LabTable],
    thorough: bool,
    out: Path | None,
) -> LabRecord:
    """Ceilings, then a table per study, the published ones with this machine's figures beside, then the tables.

    ``every_case``: a quick session, too, measures all sizes of the studies, for they were chosen.
    """
    about = lab.machine()
    device = backend.info.name
    line.clear()
    print(f"{device}: measured ceilings\n{curve_table(about)}\n")
    records: list[VariantRecord] = []
    for study in studies:
        parts = [replace(study, cases=[case]) for case in study.cases] if every_case else [study]
        records += lab.run(parts)
        line.clear()
        print(study_table(study, LabRecord(about, tuple(records))) + "\n", flush=True)
        if out is not None:  # after each: the next may take minutes
            write_text(out / "lab.json", to_json(LabRecord(about, tuple(records))))
    for study in studies:
        for published in study.published:
            print(published_table(study, published, records, device) + "\n")
    record = LabRecord(about, tuple(records))
    for measured in lab.tables(tables, thorough):
        record = replace(record, tables=(*record.tables, measured))
        line.clear()
        print(markdown(record, measured, _by_id(tables, measured.table)), flush=True)
        if out is not None:  # after each: the next may take hours
            write_text(out / "lab.json", to_json(record))
    if out is not None:
        write_lab(out, record, tables)
    return record


def write_lab(folder: Path, record: LabRecord, tables: Sequence[LabTable]) -> None:
    """The record as JSON, its figures as CSV, each table as CSV and all of them as Markdown, and plots."""
    write_text(folder / "lab.json", to_json(record))
    if record.variants:
        write_text(folder / "lab.csv", to_csv(record))
    for measured in record.tables:
        write_text(folder / f"table-{measured.table}.csv", table_csv(record, measured, _by_id(tables, measured.table)))
    if record.tables:
        texts = [markdown(record, measured, _by_id(tables, measured.table)) for measured in record.tables]
        write_text(folder / "tables.md", "\n".join(texts))
    drawn, trouble = save_plots(record, folder)
    print(trouble or f"{len(drawn)} plots drawn")


def _by_id(tables: Sequence[LabTable], identifier: str) -> LabTable | None:
    return next((table for table in tables if table.id == identifier), None)


def _benchmarks(engines: Sequence[Engine], options: Namespace) -> dict[Engine, Sequence[Benchmark]]:
    """Those of each engine, of the sizes that are asked for; engines without any are named."""
    sizes = options.elements or ((QUICK_ELEMENTS,) if options.quick else ())
    found: dict[Engine, Sequence[Benchmark]] = {engine: engine.benchmarks(sizes) for engine in engines}
    for engine, theirs in found.items():
        if not theirs:
            more = "" if engine.studies() else ", and no studies for the Kernel Lab"
            print(f"The engine '{engine.id}' offers no benchmarks{more}.")
    if options.steps and options.case and not options.study:
        check_sizes(options.case, (one.name for theirs in found.values() for one in theirs))
        found = {engine: [one for one in theirs if one.name in options.case] for engine, theirs in found.items()}
    return {engine: theirs for engine, theirs in found.items() if theirs}


def run_engines(
    backend: Backend,
    benchmarks: Mapping[Engine, Sequence[Benchmark]],
    line: Line,
    out: Path | None,
    answer: dict[str, Any],
    again: Callable[[], None],
) -> None:
    """The kernels and whole steps of the engines' benchmark problems, each printed and kept as soon as it is measured:
    who breaks off has those before. ``again``: of :func:`ended_by_signals`."""
    records: list[KernelRecord] = []
    about = machine(backend)
    ceilings = backend.ceilings()
    asked = [(engine, one) for engine, theirs in benchmarks.items() for one in theirs]
    width = width_of(one.name for _, one in asked)
    line.clear()
    print(
        f"{backend.info.name}: whole steps of the engines, against the memory's"
        f" copy {ceilings.copy / 1e9:.0f} GB/s, triad {ceilings.triad / 1e9:.0f} GB/s\n{heading(width)}",
        flush=True,
    )
    try:
        for number, (engine, benchmark) in enumerate(asked, 1):

            def told(message: str, fraction: float, at: str = f"{number} of {len(asked)}, {benchmark.name}") -> None:
                again()
                line(f"{at}: {message}", fraction)

            try:
                found = list(measure(engine, benchmark, backend, told))
            except WorkbenchError as error:  # a size that this device has no memory for, an engine of others that fails
                line.clear()
                print(f"{benchmark.name}: {error}", flush=True)
                continue
            records += found
            line.clear()
            print("\n".join(row(one, width) for one in found), flush=True)
            answer["bench"] = json.loads(text := as_json(about, records))
            if out is not None:
                write_text(out / "bench.json", text)
                write_text(out / "bench.csv", as_csv(records))
    except KeyboardInterrupt:
        line.clear()
        kept = f", which are in {out}" if records and out is not None else ""
        print(f"Broken off after {number - 1} of {len(asked)} sizes{kept}.", flush=True)
        raise
    finally:
        for meaning in meanings(records):
            print(meaning, flush=True)
