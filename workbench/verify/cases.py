"""Which cases with known answers there are, and those of them that a person names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engines.api import Engine
from engines.api.errors import ProblemError, nearest_told
from engines.api.verification import VerificationCase


@dataclass(frozen=True)
class Chosen:
    """A case and the engine that offers it."""

    engine: Engine
    case: VerificationCase

    @property
    def name(self) -> str:
        """What tells it from the cases of all engines: ``stencil/heat-mode``."""
        return f"{self.engine.id}/{self.case.id}"


def chosen_cases(engines: Sequence[Engine], names: Sequence[str] = ()) -> list[Chosen]:
    """All cases of these engines, or those called ``names``, with or without their engine in front.

    Raises ProblemError for a name that there is not, and where there is no case at all.
    """
    known = [Chosen(engine, case) for engine in engines for case in engine.verification()]
    if not known:
        told = ", ".join(engine.id for engine in engines) or "no engine"
        raise ProblemError(f"There is nothing to verify: no cases with known answers are offered ({told}).")
    for name in names:
        if not any(name in (one.name, one.case.id) for one in known):
            near = nearest_told(name, [one.name if "/" in name else one.case.id for one in known])
            raise ProblemError(f"There is no case '{name}'{near}; 'workbench verify --list' names them all.")
    return [one for one in known if not names or one.name in names or one.case.id in names]
