"""The limits of a number in a pydantic model, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import annotated_types

from workbench.words.numbers import figure
from workbench.words.units import unit_text


@dataclass(frozen=True)
class Bounds:
    """Limits of a number; None where there is none. ``gt`` and ``lt`` are exclusive."""

    gt: float | None = None
    ge: float | None = None
    lt: float | None = None
    le: float | None = None

    def admits(self, value: float) -> bool:
        return not (
            (self.gt is not None and value <= self.gt)
            or (self.ge is not None and value < self.ge)
            or (self.lt is not None and value >= self.lt)
            or (self.le is not None and value > self.le)
        )

    def sentence(self, unit: str = "") -> str:
        """ "above 0, at most 100 S/m", or an empty text."""
        named = (("above", self.gt), ("at least", self.ge), ("below", self.lt), ("at most", self.le))
        text = ", ".join(f"{word} {figure(limit, 6)}" for word, limit in named if limit is not None)
        return f"{text} {unit_text(unit)}".strip() if text else ""


def bounds_of(metadata: Sequence[Any]) -> Bounds:
    """The limits among what pydantic keeps of a field."""
    limits: dict[str, Any] = {}
    for item in metadata:
        for name, kind in (
            ("gt", annotated_types.Gt),
            ("ge", annotated_types.Ge),
            ("lt", annotated_types.Lt),
            ("le", annotated_types.Le),
        ):
            if isinstance(item, kind):
                limits[name] = getattr(item, name)
    return Bounds(**limits)
