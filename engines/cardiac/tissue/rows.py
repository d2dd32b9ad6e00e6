"""Which rows of a tissue a device has: all, or a rank's own (:class:`engines.cardiac.ranks.cut.OwnRows`)."""

from __future__ import annotations

from typing import Any, Protocol

from engines.api import Array


class Rows(Protocol):
    """Where rows of the operator stand on this device."""

    def own(self, values: Array) -> Array:
        """Those of this device of ``values: (…, n)``, in their order here."""

    def here(self, rows: Array) -> tuple[Any, Array]:
        """An index to those of ``rows: (m,)`` that are on this device, and their places there."""


class AllRows:
    """Every row, where the operator has it."""

    def own(self, values: Array) -> Array:
        return values

    def here(self, rows: Array) -> tuple[Any, Array]:
        return slice(None), rows


ALL_ROWS = AllRows()
