"""``workbench estimate``: what a run of a project will need, without running it."""

from __future__ import annotations

from argparse import Namespace

from engines.backend.devices.faster import open_for
from workbench.cli import DONE
from workbench.cli.opening import open_project
from workbench.cli.telling import fact_lines, fact_records, tell_findings
from workbench.project.findings import as_record, estimate_of, findings_with_step
from workbench.words.units import time_text


def estimate_command(options: Namespace) -> int:
    """Print memory, step, pace and what goes to disk. Raises WorkbenchError for input that cannot be used."""
    document = open_project(options)
    named, problem = options.device or document.project.run.device, document.complete_problem()
    backend = open_for(document.engine, problem, named, trial=False)
    try:
        device = backend.info.name
        estimate = estimate_of(document, backend)
    finally:
        backend.close()
    unit, pace = document.time_unit, estimate.seconds_per_simulated_unit
    findings = findings_with_step(document, estimate)
    until = document.project.run.until
    tell_findings(findings)
    print(f"Device  {device}")
    if backend.chosen:
        print(f"        {backend.chosen}")
    print(f"Memory  {estimate.memory_bytes / 1e9:.3g} GB")
    print(f"Step    {time_text(estimate.step, unit, '.4g')}")
    if pace is not None:
        print(f"Pace    {pace:.3g} s for 1 {unit}")
        if until is not None:
            print(f"Run     {pace * until:.3g} s to {time_text(until, unit)}")
    for line in fact_lines(estimate.facts):
        print(line)
    options.answer.update(
        engine=document.engine.id, device=device, memory_bytes=estimate.memory_bytes,
        bytes_per_step=estimate.bytes_per_step, step=estimate.step, stable_step=estimate.stable_step, time_unit=unit,
        seconds_per_time_unit=pace, until=until,
        facts=fact_records(estimate.facts),
        findings=[as_record(finding) for finding in findings],
    )  # fmt: skip
    return DONE
