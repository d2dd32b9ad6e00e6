"""Findings on the terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable

from engines.api import Finding
from workbench.words.failures import dotted


def tell_findings(findings: Iterable[Finding]) -> None:
    """On stderr: each sentence with its field, and below it what would mend it."""
    for finding in findings:
        where = f" [{dotted(finding.place)}]" if finding.place else ""
        print(f"{finding.severity.capitalize()}: {finding.message}{where}", file=sys.stderr)
        if finding.remedy is not None:
            changes = (f"{dotted(place)} = {json.dumps(value)}" for place, value in finding.remedy.changes.items())
            print(f"  {finding.remedy.text}: {'; '.join(changes)}", file=sys.stderr)
