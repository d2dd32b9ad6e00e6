"""Which particles of a body a solver has, and sums over those of all: what watchers ask, who know the whole body."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.api import Array


class Own:
    """All of them. A rank has some: :class:`engines.peridynamics.ranks.slab.BodySlab`."""

    def part_of(self, values: Array) -> Array:
        """Of ``values: (n, …)`` of the body's particles those of its own."""
        return values

    def placed(self, values: Array) -> Array:
        """Of ``values: (size,)`` of the body's places those of its own."""
        return values

    def clear(self, array: Any) -> None:
        """What of ``array: (…, size)`` on the device stands at places of others becomes zero."""

    def among(self, particles: Array) -> Array:
        """The numbers here of those of these ``particles`` of the body that it has."""
        return particles

    def around(self, places: Array, positions: Array) -> tuple[Array, Array]:
        """Of its own particles, which are at these places, and of those of others that these have bonds with:
        their places here, which rise, and their positions."""
        return places, positions

    def total(self, sums: Array) -> Array:
        """Of sums over its own particles those over all of the body. All ranks ask together."""
        return sums

    def largest(self, value: float) -> float:
        """Of what all have found. All ranks ask together."""
        return value

    def collected(self, values: Array) -> Array:
        """(…, m) what all have of it, one behind the other. All ranks ask together."""
        return values

    def in_body(self, places: Array) -> Array:
        """As the body numbers its places."""
        return places

    def here(self, places: Array) -> tuple[Array, Array]:
        """Which of these places of the body are its own, and their numbers here."""
        return np.arange(len(places)), places

    @property
    def leads(self) -> bool:
        """Whether sums that go on from some number go on from it here, and from zero on other ranks."""
        return True


ALL = Own()
