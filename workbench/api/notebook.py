"""How problems, runs and what is known of them are shown in a notebook and a prompt; every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, TypeVar

from engines.api import Estimate, Finding
from engines.api.charts import Fact
from workbench.api.findings import told
from workbench.bench.records import VariantRecord
from workbench.project.document import Document
from workbench.project.findings import findings_of
from workbench.sweep.numbers import numbers_of
from workbench.words.amounts import bytes_text, duration_text
from workbench.words.units import percent, time_text, unit_text

if TYPE_CHECKING:
    from workbench.api.runs.run import Run

T = TypeVar("T")


class Listed(tuple[T, ...]):
    """Fields, brushes, findings or what was measured; shown by names, titles and units, by sentences or figures."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join("  ".join(part for part in row if part) for row in map(_row, self)) or "<none>"

    def _repr_html_(self) -> str:
        return _table(map(_row, self)) if self else "<p>none</p>"


@dataclass(frozen=True)
class Outlook(Estimate):
    """An estimate as :meth:`workbench.Project.estimate` gives it: it knows the unit of time and the end of the run."""

    time_unit: str = ""
    until: float | None = None
    device: str = ""

    def __repr__(self) -> str:
        lines = [f"{name:20} {value}" for name, value in self._rows()]
        return "\n".join([*lines, *map(_sentence, self.findings)])

    def _repr_html_(self) -> str:
        return f"<div>{_table(self._rows())}{_findings(self.findings)}</div>"

    def _rows(self) -> list[tuple[str, str]]:
        pace = self.seconds_per_simulated_unit
        rows = [
            ("Device", self.device),
            ("Memory", bytes_text(self.memory_bytes)),
            ("Time step", time_text(self.step, self.time_unit, ".4g")),
        ]
        if self.stable_step is not None:
            rows.append(("Largest stable step", time_text(self.stable_step, self.time_unit, ".4g")))
        if pace is not None and self.until is not None:
            to = time_text(self.until, self.time_unit)
            rows.append(("Run", f"about {duration_text(pace * self.until)} to {to}"))
        elif pace is not None:
            rows.append(("Pace", f"about {duration_text(pace)} for {time_text(1, self.time_unit)}"))
        return rows + [(fact.title, _fact(fact)) for fact in self.facts]


def project_html(document: Document) -> str:
    """Title, summary, where it ends, and its numbers folded away."""
    project = document.project
    end = "" if project.run.until is None else f", runs until {time_text(project.run.until, document.time_unit)}"
    head = _head(project.title, f"{document.engine.title}{end}")
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
    rows = [(curve.name, curve.title, unit_text(curve.unit)) for curve in run.curves.values()]
    head = _head(title, f"at {at} after {run.step:,} steps on {run.device}{state}")
    fields = ", ".join(f"{name} [{unit}]" if unit else name for name, _, unit in map(_row, run.fields))
    ending = f"<p>{escape(run.ending)}</p>" if run.ending else ""
    folded = f"<details><summary>{len(rows)} curves</summary>{_table(rows)}</details>"
    return f"<div>{head}{ending}{_findings(run.findings)}<p>Fields: {escape(fields)}</p>{folded}</div>"


def _fact(fact: Fact) -> str:
    return bytes_text(1e6 * fact.value) if fact.unit == "MB" else f"{fact.value:.4g} {unit_text(fact.unit)}".rstrip()


def _row(one: Any) -> tuple[str, ...]:
    if isinstance(one, Finding):
        return one.severity.capitalize(), told(one)
    if isinstance(one, VariantRecord):
        reached = f"{bytes_text(one.bytes_per_second)}/s, {percent(one.fraction)} of the measured ceiling"
        return one.title, one.case, duration_text(one.seconds), one.refused or reached
    return one.name, one.title, unit_text(one.unit)


def _head(title: str, about: str) -> str:
    return f"<p><b>{escape(title)}</b><br>{escape(about)}</p>"


def _sentence(finding: Finding) -> str:
    return f"{finding.severity.capitalize()}: {finding.message}"


def _findings(findings: Iterable[Finding]) -> str:
    lines = "".join(f"<li>{escape(_sentence(one))}</li>" for one in findings)
    return f"<ul>{lines}</ul>" if lines else ""


def _table(rows: Iterable[Sequence[str]]) -> str:
    """Left-aligned, whatever the page does with tables of numbers."""
    cell = '<td style="text-align:left">'
    lines = "".join(f"<tr>{''.join(f'{cell}{escape(text)}</td>' for text in row)}</tr>" for row in rows)
    return f"<table>{lines}</table>"
