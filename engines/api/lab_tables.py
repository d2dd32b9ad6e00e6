"""Tables of the Kernel Lab: what an engine measures besides the variants of a kernel.

A convergence table, instruction counts, times of whole runs: rows of numbers and words under titled columns, measured
on this machine, with a published table of the same columns beside it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from engines.api.device import Backend
from engines.api.values import Progress, no_progress

Value = float | str | None
"""What stands in a place of a table; None where there is nothing (unstable, not measured, not published)."""
Row = tuple[Value, ...]
Heat = tuple[str, str, str] | Literal[True]
"""Of a table that is a map: titles of the columns that it takes its rows, its columns and its colours from. Or True:
the table's rows are the map's, called by the first column that is no result, and its columns are the results."""


@dataclass(frozen=True)
class Column:
    """``digits``: significant ones to show. Columns that are no ``result`` say what a row is about (size, scheme)."""

    title: str
    unit: str = ""
    digits: int = 4
    result: bool = True


@dataclass(frozen=True)
class PublishedRows:
    """Rows that somebody published; a row belongs to the measured one whose columns that are no results are equal.

    ``device`` is empty where the figures depend on none.
    """

    source: str
    device: str
    rows: tuple[Row, ...]


class LabTable(ABC):
    """One table. Stateless. ``title`` begins with what it shows, and names the published table it follows."""

    id: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    columns: ClassVar[tuple[Column, ...]]
    published: ClassVar[tuple[PublishedRows, ...]] = ()
    devices: ClassVar[tuple[str, ...]] = ("cpu", "cuda")
    """Kinds of device on which its rows can be measured."""
    heat: ClassVar[Heat | None] = None
    """How it is drawn as a map; None: it is none."""

    @abstractmethod
    def measure(self, backend: Backend, progress: Progress = no_progress, thorough: bool = False) -> Sequence[Row]:
        """Its rows, within about a minute; ``thorough``: the published sizes, however long they take.

        What cannot be measured here is left out or None. What ``progress`` raises goes through. Raises ProblemError
        where nothing can be measured.
        """
