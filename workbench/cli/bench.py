"""``workbench bench``: time the engines' kernels against this device's measured ceilings."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

from engines import registry
from engines.backend import open_backend
from engines.errors import DeviceError, ProblemError
from workbench.atomic import write_text
from workbench.bench.measure import KernelRecord, machine, measure
from workbench.bench.report import as_csv, as_json, table


def bench_command(options: Namespace) -> int:
    """Measure, print a table, and write ``bench.json`` and ``bench.csv`` into ``--out``."""
    engines = [registry.engine(name) for name in options.engines] or list(registry.engines().values())
    backend = open_backend(options.device)
    records: list[KernelRecord] = []
    try:
        about = machine(backend)
        ceilings = backend.ceilings()
        print(f"{backend.info.name}: copy {ceilings.copy / 1e9:.0f} GB/s, triad {ceilings.triad / 1e9:.0f} GB/s")
        for engine in engines:
            for benchmark in engine.benchmarks(options.elements):
                try:
                    records += measure(engine, benchmark, backend)
                except (ProblemError, DeviceError) as error:  # a size that this device has no memory for
                    print(f"{benchmark.name}: {error}")
    finally:
        backend.close()
    print(table(records))
    if options.out is not None:
        write(options.out, about, records)
        print(f"written to {options.out}")
    return 0


def write(folder: Path, about: dict[str, object], records: list[KernelRecord]) -> None:
    write_text(folder / "bench.json", as_json(json.loads(json.dumps(about)), records))
    write_text(folder / "bench.csv", as_csv(records))
