"""What makes a number worth less than it looks, told as Python warnings where it comes up."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable

from engines.api import Finding, Remedy
from workbench.words.failures import dotted

HOUSE = ("workbench.", "engines.", "contextlib", "collections.")


class WorkbenchWarning(UserWarning):
    """A number may be wrong, or a problem is not what it seems: the sentence says which and what mends it."""


def told(finding: Finding) -> str:
    """The sentence of a finding with its field and what mends it."""
    where = f" [{dotted(finding.place)}]" if finding.place else ""
    return " ".join((f"{finding.message}{where}", *map(_how, finding.remedies)))


def _how(remedy: Remedy) -> str:
    changes = {dotted(place): value for place, value in remedy.changes.items()}
    how = f" with set({changes!r})" if changes else f" with the tool '{remedy.tool}'" if remedy.tool else ""
    return f"{remedy.text}{how}."


def warn(findings: Iterable[Finding]) -> None:
    """Those that are warnings, at the line outside of this house that asked."""
    for finding in findings:
        if finding.severity == "warning":
            warn_of(told(finding))


def warn_of(sentence: str) -> None:
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith(HOUSE):
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, WorkbenchWarning, stacklevel=level)
