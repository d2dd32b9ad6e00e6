"""Findings on the terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from engines.api import Finding, Remedy
from engines.api.charts import Fact
from workbench.words.failures import dotted


def tell_findings(findings: Iterable[Finding], quiet: bool = False) -> None:
    """On stderr: each sentence with its field, and below it what would mend it; ``quiet``: warnings alone."""
    for finding in findings:
        if quiet and finding.severity != "warning":
            continue
        where = f" [{dotted(finding.place)}]" if finding.place else ""
        print(f"{finding.severity.capitalize()}: {finding.message}{where}", file=sys.stderr)
        for remedy in finding.remedies:
            tell_remedy(remedy)


def tell_remedy(remedy: Remedy) -> None:
    """On stderr, below the sentence that it mends."""
    print(f"  {remedy.text}: {_done(remedy)}", file=sys.stderr)


def fact_records(facts: Iterable[Fact]) -> list[dict[str, Any]]:
    """For programs."""
    return [{"title": fact.title, "value": float(fact.value), "unit": fact.unit} for fact in facts]


def fact_lines(facts: Iterable[Fact]) -> Iterator[str]:
    """``Spikes on disk at most, per second at 10 Hz: 0.48 MB``"""
    for fact in facts:
        unit = "" if fact.unit in ("", "1") else f" {fact.unit}"
        yield f"{fact.title}: {fact.value:.3g}{unit}"


def _done(remedy: Remedy) -> str:
    """How a remedy is done from here."""
    if remedy.length_unit:
        return f"workbench new --length-unit {remedy.length_unit}"
    if remedy.tool:
        return f"workbench tool PROJECT {remedy.tool}"
    edits = [f"{dotted(place)} = {json.dumps(value)}" for place, value in remedy.changes.items()]
    return "; ".join((*edits, "no --until") if remedy.without_end else edits)
