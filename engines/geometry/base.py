"""What the application may ask of any geometry, whatever it is made of."""

from __future__ import annotations

from typing import Protocol

from engines.api import Array


class Geometry(Protocol):
    """Numbered elements in space. Nothing here lists all of them: a grid of 1024³ cells has no room for its centres."""

    @property
    def length_unit(self) -> str:
        """Unit of all coordinates (``"mm"``)."""

    @property
    def n_cells(self) -> int:
        """Number of elements."""

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lowest and highest corner, (3,) each [length_unit]."""

    def centers(self, elements: Array) -> Array:
        """(n, 3) float64: the centres of ``elements: (n,)`` [length_unit]."""

    def nearest(self, positions: Array) -> Array:
        """(n,) int64: the element whose centre is nearest to each of ``positions: (n, 3)`` [length_unit]."""
