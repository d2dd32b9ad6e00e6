"""Names that lines use and nobody has said what they are: offered as parameters, all at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from engines.api.errors import ProblemError
from engines.formulas.parse import FormulaError

MOST_TOLD = 4
"""On a button."""


def unknown_names(read: Callable[[Sequence[str]], object], usable: Callable[[str], bool], most: int) -> list[str]:
    """Those without which ``read``, given names that it is to know besides, does not understand its lines; up to one
    that is not ``usable``, or what else is wrong."""
    names: list[str] = []
    while len(names) < most:
        try:
            read(names)
            break
        except FormulaError as error:
            if not usable(error.unknown) or error.unknown in names:
                break
            names.append(error.unknown)
        except ProblemError:
            break
    return names


def offer(names: Sequence[str], rows: Sequence[Any], row: Callable[[str], BaseModel]) -> tuple[str, dict[str, Any]]:
    """What a button says, and the values of ``parameters`` with a row more for each name."""
    told = list(names)
    if len(told) > MOST_TOLD:
        told[MOST_TOLD - 1 :] = [f"{len(told) - MOST_TOLD + 1} others"]
    said = " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
    kept = [dict(each) if isinstance(each, Mapping) else each.model_dump() for each in rows]
    return f"Add {said} to the parameters", {"parameters": [*kept, *(row(name).model_dump() for name in names)]}
