"""The names that formulas use and nothing is known by: all of them, where reading stops at the first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engines.api.errors import ProblemError
from engines.formulas.parse import FormulaError

MOST_TOLD = 4


def unknown_names(
    error: FormulaError, read: Callable[[Sequence[str]], object], fits: Callable[[str], bool]
) -> list[str]:
    """That of ``error`` first, as far as they fit; ``read`` reads the formulas as if these were known, or raises."""
    names: list[str] = []
    name = error.unknown
    while name.isidentifier() and name not in names and fits(name):
        names.append(name)
        name = ""
        try:
            read(names)
        except FormulaError as another:
            name = another.unknown
        except ProblemError:
            pass
    return names


def added(names: Sequence[str]) -> str:
    """What adds them: ``Add a, b and c to the parameters``; a button says no more than four."""
    if len(names) > MOST_TOLD:
        names = [*names[: MOST_TOLD - 1], f"{len(names) - MOST_TOLD + 1} others"]
    told = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"Add {told} to the parameters"
