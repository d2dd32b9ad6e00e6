"""``workbench bench scaling PROJECT``: steps on one rank, two, four …, and what is to be expected of more."""

from __future__ import annotations

import json
import os
import tempfile
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

from engines.api import no_progress
from engines.api.device import Backend
from engines.api.errors import ProblemError
from engines.api.simulation.ranks import Ranks
from engines.backend import open_backend
from engines.backend.cpu import CpuBackend
from engines.backend.devices.cuda_status import cuda_status
from engines.backend.threads import usable_cores
from engines.ranks.world import started
from workbench.api.editing import edited
from workbench.cli.runs.folder import refuse_strange
from workbench.cli.runs.ranks import end_ranks, hush_others, joined, launch
from workbench.project.document import Document
from workbench.project.presets import open_named
from workbench.ranks.meeting import lead, open_of_rank, stand_by
from workbench.ranks.scaling import (
    TRIES,
    Counted,
    Line,
    Measured,
    Sent,
    line_of,
    record,
    sent_by,
    step_seconds,
    table,
)
from workbench.storage.atomic import write_text

FILE = "scaling.json"
INTO = "WORKBENCH_SCALING"
"""Names the file into which rank 0 writes what it has measured."""


def scaling_command(options: Namespace) -> int:
    """Measure and print; ``--out``: scaling.json. Without GPUs all ranks have the same share of the cores, one too.
    Raises ProblemError."""
    named = options.engines[1:]
    if len(named) != 1:
        raise ProblemError("Name one project or preset: workbench bench scaling fdtd_sphere.")
    document = open_named(named[0])
    document.parameters = edited(document.parameters, dict(options.values))
    if started() > 1:
        return _measure_on_ranks(document, options.device)
    if options.out is not None:
        refuse_strange(options.out, [FILE])
    most = options.ranks or (len(cuda_status().devices) if options.device != "cpu" else 0) or 2
    sizes = [1 << n for n in range(most.bit_length()) if 1 << n <= most]
    share = max(1, usable_cores() // sizes[-1])
    measured = [_alone(document, options.device, share)]
    for ranks in sizes[1:]:
        found = _launched(options, ranks, share)
        if isinstance(found, int):
            return found
        measured.append(found)
    print(f"{document.project.title}, each rank on {measured[0].device}\n\n{table(measured)}")
    options.answer["scaling"] = record(measured)
    if options.out is not None:
        write_text(options.out / FILE, json.dumps(record(measured), indent=1))
    return 0


def _alone(document: Document, device: str, cores: int) -> Measured:
    """On a GPU, or on so many cores."""
    backend = open_backend(device)
    if isinstance(backend, CpuBackend):
        backend.threads = cores
    try:
        simulation = document.engine.build(document.complete_problem(), backend)
        step, _ = step_seconds(simulation)
        simulation.close()
        return Measured(1, step, backend.info.name)
    finally:
        backend.close()


def _launched(options: Namespace, ranks: int, cores: int) -> Measured | int:
    """What so many ranks measure, each on so many cores however few there are, or their exit code."""
    with tempfile.TemporaryDirectory(prefix="workbench-scaling-") as scratch:
        into = Path(scratch) / "measured.json"
        os.environ[INTO] = str(into)
        try:
            code = launch(options, ranks, cores)
        finally:
            del os.environ[INTO]
        if code or not into.exists():
            return code or 1
        found = json.loads(into.read_text())
    sent, line = Sent(**found.pop("sent")), Line(**found.pop("line"))
    return Measured(**found, sent=sent, line=line)


def _measure_on_ranks(document: Document, device: str) -> int:
    """Of all ranks that were started; rank 0 writes what it finds."""
    hush_others()
    world = joined(None)
    assert world is not None
    lines: list[Line] = []

    def built(ranks: Ranks, backend: Backend) -> Ranks:
        lines.append(line_of(ranks, backend))
        return Counted(ranks)

    if world.rank:
        stand_by(world, document, device, built)
        return 0
    code = 1
    try:
        backend = open_of_rank(world, device)
        counted: list[Counted] = []

        def kept(ranks: Ranks, backend: Backend) -> Ranks:
            counted.append(Counted(built(ranks, backend)))
            return counted[0]

        simulation = lead(world, document, backend, no_progress, kept)
        step, taken = step_seconds(simulation)
        sent = sent_by(simulation, counted[0], taken // (2 * TRIES))
        found = Measured(world.size, step, backend.info.name, sent, lines[0])
        Path(os.environ[INTO]).write_text(json.dumps(asdict(found)))
        code = 0
    finally:
        end_ranks(world, code)
    return code
