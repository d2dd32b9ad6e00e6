"""How projects and runs are shown in a notebook: small tables, in which every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from engines.api import Finding
from workbench.project.document import Document
from workbench.project.findings import findings_of
from workbench.sweep.numbers import numbers_of
from workbench.words.units import time_text, unit_text

if TYPE_CHECKING:
    from workbench.api.runs.run import Run


def project_html(document: Document) -> str:
    """Title, summary, where it ends, and its numbers folded away."""
    project = document.project
    end = "" if project.run.until is None else f"runs until {time_text(project.run.until, document.time_unit)}"
    head = _head(project.title, f"{document.engine.title} {end}".strip())
    numbers = [
        (number.name, f"{number.value:g} {unit_text(number.unit)}".rstrip(), number.help)
        for number in numbers_of(document.parameters)
        if number.matters
    ]
    folded = f"<details><summary>{len(numbers)} numbers</summary>{_table(numbers)}</details>"
    return f"<div>{head}<p>{escape(project.summary)}</p>{_findings(findings_of(document, None))}{folded}</div>"


def run_html(run: Run, title: str) -> str:
    """Where it stands, what may be wrong with its numbers, and the names of what it gives."""
    at = time_text(run.time, run.time_unit, ".6g")
    state = ", interrupted" if run.interrupted else ""
    rows = [(curve.name, curve.title, curve.unit) for curve in run.curves.values()]
    head = _head(title, f"at {at} after {run.step:,} steps on {run.device}{state}")
    fields = ", ".join(f"{info.name} [{info.unit}]" if info.unit else info.name for info in run.fields)
    ending = f"<p>{escape(run.ending)}</p>" if run.ending else ""
    folded = f"<details><summary>{len(rows)} curves</summary>{_table(rows)}</details>"
    return f"<div>{head}{ending}{_findings(run.findings)}<p>Fields: {escape(fields)}</p>{folded}</div>"


def _head(title: str, about: str) -> str:
    return f"<p><b>{escape(title)}</b> {escape(about)}</p>"


def _findings(findings: Iterable[Finding]) -> str:
    lines = "".join(f"<li>{escape(one.severity.capitalize())}: {escape(one.message)}</li>" for one in findings)
    return f"<ul>{lines}</ul>" if lines else ""


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{lines}</table>"
