"""A body at a moment, as watchers look at it."""

from __future__ import annotations

from dataclasses import dataclass, field

from engines.api import Array


@dataclass(frozen=True, eq=False)
class Moment:
    """Energies, forces and damage of the bonds have been found on the device.

    time [us]; load_time [s] of the loads' histories; now: (kinds, 4, d) of the coming step, before: of the step that
    was last (None: nothing has moved yet); read: what those that looked before have read, by series.
    """

    step: int
    time: float
    load_time: float
    before: Array | None
    now: Array
    read: dict[str, float] = field(default_factory=dict)
