"""Small sizes of the battery studies."""

from __future__ import annotations

from engines.api.lab import Case, Study

COUNTS = (1, 37, 130)
"""Particles, cells or points: none is a multiple of a block, a group or a pack."""


def small_cases(study: Study) -> list[Case]:
    inner = study.cases[0].size[1:]
    points = inner[0] if inner else 1
    return [Case(f"{n}", (n, *inner), n * points) for n in COUNTS]
