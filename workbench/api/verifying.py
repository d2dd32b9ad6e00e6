"""Cases with known answers, run on this machine: is this installation right?"""

from __future__ import annotations

from collections.abc import Sequence

from engines.api import registry
from workbench.api.runs.progress import Progress, shown
from workbench.api.runs.starting import opened_backend
from workbench.verify.cases import chosen_cases
from workbench.verify.running import Outcome, run_case


def verify(
    *engines: str, cases: Sequence[str] = (), device: str = "auto", progress: bool | Progress = False
) -> list[Outcome]:
    """Run the cases of these engines (none: of all), or those of them that ``cases`` names.

    Of each its ``answers`` beside what they should be, and whether it is ``right``. Raises ProblemError.
    """
    chosen = chosen_cases([registry.engine(name) for name in engines] or list(registry.engines().values()), cases)
    found = []
    with opened_backend(device) as backend, shown(progress) as show:
        for place, one in enumerate(chosen):
            show(one.name, place / len(chosen))
            found.append(run_case(one, backend))
    return found
