"""How many times displacements are drawn so that they are seen: in steps, so that the picture stays calm."""

from __future__ import annotations

import numpy as np

from engines.api import Array

SHARE = 99.5
"""Per cent of the elements whose displacement is looked at: fragments that fly away do not count."""
WANTED = 0.05
"""The largest displacement is drawn as this part of the longest side, or less."""
KEPT = 5.0
"""A scale is kept until one so many times as large is right."""
SMALLEST, LARGEST = 1.0, 1000.0
MOST = 20_000
"""Elements that are looked at."""


def visible_scale(displacements: Array, longest: float, before: float | None) -> float:
    """1, 2 or 5 × 10ⁿ between 1 and 1000 for ``displacements: (n, 3)`` of a body ``longest`` long; ``before`` is kept
    while it fits."""
    some = displacements[:: max(len(displacements) // MOST, 1)].astype(np.float64)
    lengths = np.sqrt((some**2).sum(axis=1))
    lengths = lengths[np.isfinite(lengths)]
    largest = float(np.percentile(lengths, SHARE)) if len(lengths) else 0.0
    if not largest > 0:
        return before or SMALLEST
    wanted = WANTED * longest / largest
    if before is not None and before <= wanted <= KEPT * before:
        return before
    decade = 10.0 ** np.floor(np.log10(wanted))
    scale = max(step for step in (1.0, 2.0, 5.0) if step * decade <= wanted * (1 + 1e-12)) * decade
    return float(min(max(scale, SMALLEST), LARGEST))
