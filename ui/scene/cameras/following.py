"""A colour range and the values in the picture: one that follows them in steps, so that the colour bar stays calm, and
how many are beyond it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Array
from ui.scene.shapes.vertex_means import NO_DATA

NOISE = 1e-5
"""Of what is the same everywhere, in parts of its value: differences of fp32 get no colours."""
FINEST = 2e-6
"""The narrowest range in parts of its ends: 16 steps of fp32, in which fields are drawn."""
STEPS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)
SHARE = 99.8
"""Per cent of the values that the range holds: the place of a point source would leave no colour for its waves."""
KEPT = 0.35
"""A range is kept while the values fill this part of it."""

LOOKED_AT = 20_000
"""Values of each array that are looked at: so many take some microseconds."""
FEW = 0.5
"""What is said, in per cent, of values that are fewer than that."""
AT_END = 0.02
"""Values that are beyond a range by less than this part of it look like those at its end."""


def followed(
    values: Sequence[Array],
    natural: tuple[float, float],
    before: tuple[float, float] | None,
    share: float = 100.0,
    guessed: bool = False,
) -> tuple[float, float] | None:
    """The range for ``values``; as ``natural``, the field's own, is symmetric or begins at zero, so is this.

    ``before`` is kept while it fits. None: nothing stands out of zero. share: per cent of the values that it holds.
    ``guessed``: ``natural`` says nothing of what the values will be.
    """
    parts = [each[np.abs(each) < NO_DATA / 2] for each in values]
    known = np.concatenate([part.ravel() for part in parts]) if parts else np.zeros(0)
    if not known.size:
        return before
    low, high = natural
    if guessed or (low != -high and low != 0):
        low, high = span_of(known, share)
        width = high - low
        if not width > NOISE * max(abs(low), abs(high)):
            return before
        within = before is not None and before[0] <= low and high <= before[1]
        return before if before is not None and within and width >= KEPT * (before[1] - before[0]) else (low, high)
    peak = float(np.percentile(np.abs(known), min(share, SHARE)))
    if not peak > 1e-30:  # all but a few are zero, and those few are what there is to see
        peak = float(np.percentile(np.abs(known), SHARE))
    if before is not None and KEPT * before[1] <= peak <= before[1]:
        return before
    if not peak > 1e-30:
        return before
    top = ladder(peak)
    return (-top if low < 0 else 0.0), top


def drawn_range(low: float, high: float) -> tuple[float, float]:
    """A range of colours; where fp32 does not tell its values apart, as much of it as noise takes, so that the bar
    promises no digits that no colour has."""
    if not high > low:
        high = low + 1.0
    largest = max(abs(low), abs(high))
    if high - low > FINEST * largest:
        return low, high
    middle = low + 0.5 * (high - low)
    return middle - NOISE * largest, middle + NOISE * largest


def span_of(values: Array, share: float) -> tuple[float, float]:
    """The ends of what holds ``share`` per cent of (n,) values, as many being above as below; of all where that is one
    number."""
    cut = 0.5 * (100.0 - share)
    low, high = (float(end) for end in np.percentile(values, (cut, 100.0 - cut)))
    return (low, high) if high > low else (float(values.min()), float(values.max()))


def beyond(values: Sequence[Array], low: float, high: float) -> tuple[float, float]:
    """How many of the ``values`` are below and above, in per cent, from 10 on in steps of five; :data:`FEW` where there
    are some, and less than half a per cent."""
    parts = [each.ravel()[:: each.size // LOOKED_AT | 1] for each in values]  # odd: not the same places of each row
    known = np.concatenate(parts) if parts else np.zeros(0)
    known = known[np.abs(known) < NO_DATA / 2]
    shares = (100 * np.count_nonzero(out) / max(known.size, 1) for out in (known < low, known > high))
    below, above = (round(share) if share < 10 else 5 * round(share / 5) for share in shares)
    return (
        below or FEW * any(np.any((each < low) & (each > -NO_DATA / 2)) for each in values),
        above or FEW * any(np.any((each > high) & (each < NO_DATA / 2)) for each in values),
    )


def ladder(value: float) -> float:
    """The next of 1, 1.5, 2, 3, 5, 7, 10 × 10ⁿ that is not below ``value`` > 0."""
    decade = 10.0 ** np.floor(np.log10(value))
    return float(f"{next(step for step in STEPS if step * decade >= value * (1 - 1e-12)) * decade:.2g}")
