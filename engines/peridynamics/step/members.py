"""Which particles of a body a solver has, and sums over those of all: what watchers ask, who know the whole body."""

from __future__ import annotations

from engines.api import Array


class Own:
    """All of them. A rank has some: :class:`engines.peridynamics.ranks.slab.BodySlab`."""

    def part_of(self, values: Array) -> Array:
        """Of ``values: (n, …)`` of the body's particles those of its own."""
        return values

    def placed(self, values: Array) -> Array:
        """Of ``values: (size,)`` of the body's places those of its own."""
        return values

    def among(self, particles: Array) -> Array:
        """The numbers here of those of these ``particles`` of the body that it has."""
        return particles

    def total(self, sums: Array) -> Array:
        """Of sums over its own particles those over all of the body. All ranks ask together."""
        return sums

    def largest(self, value: float) -> float:
        """Of what all have found. All ranks ask together."""
        return value


ALL = Own()
