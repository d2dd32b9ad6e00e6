"""What the products of all kinds of matrices have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class Product(ABC):
    """A matrix (rows that send, columns that hear) on a device."""

    shape: tuple[int, int]
    gathers_anywhere = scans_anywhere = False
    """Whether :meth:`gather_into` and :meth:`scan_into` need no ``backend.active``."""

    @property
    def main_launch(self) -> tuple[Any, tuple[int, ...], int] | None:
        """On a GPU: the first kernel of :meth:`gather_into`, its block and its dynamic shared memory, for events that
        are no list."""
        return None

    @abstractmethod
    def gather_into(self, out: Any, given: Any) -> None:
        """``out: (batch, columns)`` float32: what rows with an event send. Inside ``backend.active``."""

    @abstractmethod
    def scan_into(self, out: Any, given: Any) -> None:
        """``out: (batch, rows)`` float32: what rows hear of columns with an event. Inside ``backend.active``."""
