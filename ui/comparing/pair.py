"""Which two runs are looked at, whether they can be, and what they have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.api import FieldInfo
from ui.recording.reel import Kept
from ui.recording.shelf import MOST_RUNS, Footage
from workbench.run.frames import Frame
from workbench.words.numbers import figure
from workbench.words.units import unit_text

CLOSE = 1e-6
"""Ends of two geometries that differ by less than this part of their size are the same."""


@dataclass(frozen=True, eq=False)
class Take:
    """A run as it is listed; ``present``: it may go on."""

    title: str
    parameters: Mapping[str, Any]
    footage: Footage | None
    present: bool = False

    def fields(self) -> dict[str, FieldInfo]:
        """Those that it has frames of, the one that was seen last at the end."""
        footage = self.footage
        return {} if footage is None else {n: each for n, each in footage.fields().items() if footage.frames(n)}

    def frames(self, field: str) -> Sequence[Kept | Frame]:
        return () if self.footage is None else self.footage.frames(field)

    def frame_at(self, field: str, time: float) -> Kept | Frame | None:
        """The one that is nearest to ``time``."""
        return min(self.frames(field), key=lambda frame: abs(frame.time - time), default=None)


def common_field(left: Take, right: Take, wished: str | None) -> FieldInfo | None:
    """What was seen of both: the field that is wished, or the one that was seen last."""
    ours, theirs = left.fields(), right.fields()
    shared = [name for name in ours if name in theirs and theirs[name].unit == ours[name].unit]
    return ours[wished if wished in shared else shared[-1]] if shared else None


def refusal(left: Take, right: Take) -> str:
    """Why these two cannot stand beside each other, in a sentence with a remedy; empty where they can."""
    spaces = []
    for take in (left, right):
        if take.footage is None or not take.fields():
            if take.present:
                return f"There are no frames of {take.title} yet: press Run, and come back."
            return f"No frames of {take.title} are kept (only the last {MOST_RUNS} runs have them): run it again."
        spaces.append(take.footage.info.geometry)
    if type(spaces[0]) is not type(spaces[1]) or not _fill_one_space(spaces[0], spaces[1]):
        one, other = map(_size, spaces)
        return f"Their spaces differ: {left.title} has {one}, {right.title} {other}. Choose runs of one size."
    if common_field(left, right, None) is None:
        one, other = (" and ".join(f"“{each.title}”" for each in take.fields().values()) for take in (left, right))
        return (
            f"Of {left.title} {one} was looked at, of {right.title} {other}: "
            "run one of them again with the field of the other in view."
        )
    return ""


def _fill_one_space(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if one.length_unit != other.length_unit:
        return False
    (low, high), (bottom, top) = one.bounds, other.bounds
    near = CLOSE * float((high - low).max())
    return bool(np.allclose(low, bottom, rtol=0, atol=near) and np.allclose(high, top, rtol=0, atol=near))


def _size(geometry: Any) -> str:
    low, high = geometry.bounds
    sides = " × ".join(figure(float(side)) for side in high - low if side > 0)
    return f"{sides} {unit_text(geometry.length_unit)}".strip()
