"""The brush: turns a stroke of the pointer into dabs that leave no gap, however fast it is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array, Dab, PaintInfo

SPACING = 0.5
"""Distance between dabs as a part of the radius: their sum is even to a few percent along a stroke."""
LARGEST = 0.5
SMALLEST = 0.002
"""Bounds of the radius as parts of the geometry's longest side."""
MOST_DABS = 400
"""In one piece of a stroke; a longer one (a tiny brush across the whole) is thinned."""


@dataclass
class Brush:
    """What a person paints with: ``info``, None while no brush is in hand. ``radius`` is a part of ``longest``, the
    geometry's longest side."""

    info: PaintInfo | None = None
    radius: float = 0.03
    amount: float = 1.0
    longest: float = 1.0
    _last: Array | None = None
    _erases: bool = False

    @property
    def reach(self) -> float:
        """The radius in the geometry's unit of length."""
        return self.radius * self.longest

    def resize(self, factor: float) -> None:
        self.radius = float(np.clip(self.radius * factor, SMALLEST, LARGEST))

    def begin(self, position: Array, erase: bool) -> list[Dab]:
        """A stroke begins with one dab."""
        self._last, self._erases = np.asarray(position, float), erase
        return [self.dab(self._last)]

    def go_on(self, position: Array | None) -> list[Dab]:
        """The dabs from the last one towards ``position``; None where the pointer is beside the geometry: the stroke
        then goes on where it comes back, without a line across."""
        if position is None:
            self._last = None
            return []
        if self._last is None:
            return self.begin(position, self._erases)
        way = np.asarray(position, float) - self._last
        length, spacing = float(np.linalg.norm(way)), SPACING * self.reach
        count = int(length / spacing)
        if count == 0:
            return []
        spacing *= max(1.0, count / MOST_DABS)
        places = [self._last + way * (spacing * (k + 1) / length) for k in range(min(count, MOST_DABS))]
        self._last = places[-1]
        return [self.dab(place) for place in places]

    def dab(self, place: Array, erase: bool | None = None) -> Dab:
        """One touch at ``place``; ``erase`` is that of the stroke if it is not given."""
        name = "" if self.info is None else self.info.name
        position = float(place[0]), float(place[1]), float(place[2])
        return Dab(name, position, self.reach, self.amount, self._erases if erase is None else erase)
