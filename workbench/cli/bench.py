"""``workbench bench``: the Kernel Lab's tables, then the engines' whole steps, against the measured bandwidth."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from engines import registry
from engines.api import Engine
from engines.backend import open_backend
from engines.backend.base import Backend
from engines.errors import DeviceError, ProblemError
from engines.lab import Study
from workbench.atomic import write_text
from workbench.bench.lab import Lab
from workbench.bench.measure import KernelRecord, machine, measure
from workbench.bench.plots import save_plots
from workbench.bench.records import LabRecord, VariantRecord, to_csv, to_json
from workbench.bench.report import as_csv, as_json, table
from workbench.bench.tables import curve_table, published_table, study_table

ALL = "all"
"""Names every study, and with that no whole steps."""
QUICK_ELEMENTS = 1 << 22
"""The one size of the whole steps with ``--quick``; the usual ones take minutes on a CPU."""


def bench_command(options: Namespace) -> int:
    """Measure and print tables; with ``--out`` write lab.json, lab.csv and plots, bench.json and bench.csv."""
    engines = [registry.engine(name) for name in options.engines] or list(registry.engines().values())
    studies = chosen_studies(engines, options.study, options.case)
    backend = open_backend(options.device)
    try:
        if studies:
            run_lab(backend, studies, options.quick, options.out, bool(options.case))
        if not options.study:
            few = (QUICK_ELEMENTS,) if options.quick else ()
            run_engines(backend, engines, options.elements or few, options.out)
    finally:
        backend.close()
    if options.out is not None:
        print(f"written to {options.out}")
    return 0


def chosen_studies(engines: Sequence[Engine], names: Sequence[str], cases: Sequence[str] = ()) -> list[Study]:
    """The studies of these engines, or those of them that are named, with all their sizes or those that are named.

    The name ``all`` stands for every study. A study that has none of the sizes is left out. Raises ProblemError that
    lists what there is.
    """
    known = {study.id: study for engine in engines for study in engine.studies()}
    for name in names:
        if name not in known and name != ALL:
            listed = ", ".join(known) or "none"
            raise ProblemError(f"There is no study '{name}' (there are: {listed}).")
    studies = [study for study in known.values() if not names or ALL in names or study.id in names]
    if not cases:
        return studies
    sizes = list(dict.fromkeys(case.name for study in studies for case in study.cases))
    for name in cases:
        if name not in sizes:
            raise ProblemError(f"There is no size '{name}' (there are: {', '.join(sizes) or 'none'}).")
    narrowed = [replace(study, cases=[case for case in study.cases if case.name in cases]) for study in studies]
    return [study for study in narrowed if study.cases]


def run_lab(
    backend: Backend, studies: Sequence[Study], quick: bool, out: Path | None, every_case: bool = False
) -> None:
    """Ceilings, then a table per study, then the published tables with this machine's figures beside.

    ``every_case``: a quick session, too, measures all sizes of the studies, for they were chosen.
    """
    say = sys.stderr.isatty()
    lab = Lab(backend, quick=quick, progress=_progress_line if say else lambda message, fraction: None)
    about = lab.machine()
    device = backend.info.name
    print(f"{device}: measured ceilings\n{curve_table(about)}\n")
    records: list[VariantRecord] = []
    for study in studies:
        parts = [replace(study, cases=[case]) for case in study.cases] if every_case else [study]
        records += lab.run(parts)
        if say:
            print("\r\033[K", end="", file=sys.stderr)
        print(study_table(study, LabRecord(about, tuple(records))) + "\n", flush=True)
    for study in studies:
        for published in study.published:
            print(published_table(study, published, records, device) + "\n")
    if out is not None:
        record = LabRecord(about, tuple(records))
        write_text(out / "lab.json", to_json(record))
        write_text(out / "lab.csv", to_csv(record))
        drawn, trouble = save_plots(record, out)
        print(trouble or f"{len(drawn)} plots drawn")


def _progress_line(message: str, fraction: float) -> None:
    print(f"\r\033[K{fraction:4.0%} {message}"[:120], end="", file=sys.stderr, flush=True)


def run_engines(backend: Backend, engines: Sequence[Engine], elements: Sequence[int], out: Path | None) -> None:
    """The kernels and whole steps of the engines' benchmark problems."""
    records: list[KernelRecord] = []
    about = machine(backend)
    ceilings = backend.ceilings()
    print(
        f"{backend.info.name}: whole steps of the engines, against the memory's"
        f" copy {ceilings.copy / 1e9:.0f} GB/s, triad {ceilings.triad / 1e9:.0f} GB/s",
        flush=True,
    )
    for engine in engines:
        for benchmark in engine.benchmarks(elements):
            try:
                records += measure(engine, benchmark, backend)
            except (ProblemError, DeviceError) as error:  # a size that this device has no memory for
                print(f"{benchmark.name}: {error}")
    print(table(records))
    if out is not None:
        write(out, about, records)


def write(folder: Path, about: dict[str, object], records: list[KernelRecord]) -> None:
    write_text(folder / "bench.json", as_json(json.loads(json.dumps(about)), records))
    write_text(folder / "bench.csv", as_csv(records))
