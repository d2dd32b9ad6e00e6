"""How long a sweep will take, before it starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from engines.api import Estimate
from engines.api.errors import ProblemError
from workbench.project.document import Document
from workbench.sweep.plan import SweepPlan

MOST_ASKED = 9
"""Cases that an estimate is asked for; the others are taken to lie between them."""


@dataclass(frozen=True)
class Outlook:
    """``seconds`` of all runs, None where there is no basis for a figure; ``memory_bytes`` of the largest; the number
    of asked cases that cannot run, and what is said of the first of them."""

    runs: int
    seconds: float | None
    memory_bytes: int
    refused: int = 0
    refusal: str = ""


def outlook(plan: SweepPlan, estimate: Callable[[Document], Estimate]) -> Outlook:
    """Ask for estimates of some cases, the first and the last among them. Raises ProblemError if the plan is wrong."""
    plan.check()
    cases = plan.cases()
    asked = sorted({round(part * (len(cases) - 1) / (MOST_ASKED - 1)) for part in range(MOST_ASKED)})
    seconds: list[float | None] = []
    memory, refusals = 0, []
    for place in asked:
        try:
            found = estimate(replace(plan.document, parameters=plan.parameters(cases[place])))
        except ProblemError as error:
            refusals.append(str(error))
            continue
        pace = found.seconds_per_simulated_unit
        seconds.append(None if pace is None or plan.until is None else pace * plan.until)
        memory = max(memory, found.memory_bytes)
    known = [one for one in seconds if one is not None]
    total = len(cases) * sum(known) / len(known) if known else None
    return Outlook(len(cases), total, memory, len(refusals), refusals[0] if refusals else "")
