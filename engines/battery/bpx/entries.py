"""A section of a BPX file, read entry by entry; what is wrong is said with the name of the entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.api.errors import ProblemError
from engines.battery.bpx.expressions import parse
from engines.battery.bpx.tables import Table
from engines.battery.parameter_sets.functions import check_values
from engines.battery.parameter_sets.model import Function
from engines.battery.parameter_sets.ranges import HUGE, TINY, Range

SAME = 1e-9
"""Of the range of a table: points nearer than this are one."""


class Section:
    """The entries below ``path`` (``"Parameterisation › Cell"``) of the file ``name``."""

    def __init__(self, content: Any, path: str, name: str) -> None:
        self.path, self.name = path, name
        if not isinstance(content, Mapping):
            raise ProblemError(f"{name}: '{path}' must hold named entries.")
        self._content = content
        self._read: set[str] = set()

    def __contains__(self, entry: str) -> bool:
        return self._content.get(entry) is not None

    def where(self, entry: str) -> str:
        return f"{self.name}: '{entry}' of '{self.path}'"

    def section(self, entry: str) -> Section:
        """The section ``entry``; an empty one where there is none."""
        self._read.add(entry)
        path = f"{self.path} › {entry}" if self.path else entry
        return Section(self._content.get(entry) if entry in self else {}, path, self.name)

    def get(self, entry: str) -> Any:
        """What stands there. Raises ProblemError if nothing does."""
        self._read.add(entry)
        if entry not in self:
            raise ProblemError(f"{self.where(entry)} is missing: add it.")
        return self._content[entry]

    def skip(self, *entries: str) -> None:
        """Entries that are known and not needed."""
        self._read.update(entries)

    def unread(self) -> list[str]:
        return [entry for entry in self._content if entry not in self._read]

    def number(self, entry: str, limits: Range, default: float | None = None) -> float:
        """A number; ``default`` where the entry may be absent."""
        self._read.add(entry)
        if default is not None and entry not in self:
            return default
        value = self.get(entry)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ProblemError(f"{self.where(entry)} must be a number, not {_kind(value)}.")
        limits.check(_float(value), self.where(entry))
        return float(value)

    def function(
        self, entry: str, low: float, high: float, *, extend: bool, positive_to: float | None = None
    ) -> Function:
        """A number, a formula or a table as a function that is finite from ``low`` to ``high``.

        It is positive to ``positive_to`` if that is given; ``extend`` says whether a table goes on beyond its ends as a
        straight line.
        """
        value, where = self.get(entry), self.where(entry)
        function: Function
        match value:
            case bool() | None:
                raise ProblemError(f"{where} must be a number, a formula or a table, not {_kind(value)}.")
            case int() | float():
                function = Constant(_float(value))
            case str():
                function = parse(value, where)
            case {"x": list() as x, "y": list() as y}:
                function = _table(x, y, where, extend)
            case _:
                raise ProblemError(f"{where} must be a number, a formula in x, or a table with 'x' and 'y'.")
        check_values(function, where, low, high, positive_to)
        return function


class Constant:
    """The same number everywhere."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __call__(self, x: Any) -> Any:
        return np.full(np.shape(x), self.value)


def _table(x: list[Any], y: list[Any], where: str, extend: bool) -> Table:
    if len(x) != len(y) or len(x) < 2:
        raise ProblemError(f"{where} is a table of {len(x)} x and {len(y)} y: it needs as many of each, at least two.")
    for column, values in (("x", x), ("y", y)):
        for row, value in enumerate(values, 1):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(_float(value)) < HUGE:
                raise ProblemError(f"{where}: number {row} of '{column}' is {_kind(value)}: give a number.")
    order = np.argsort(x, kind="stable")
    x_sorted, y_sorted = np.asarray(x, float)[order], np.asarray(y, float)[order]
    twice = np.diff(x_sorted) <= max(TINY, SAME * (x_sorted[-1] - x_sorted[0]))
    if twice.any():
        raise ProblemError(f"{where}: x = {x_sorted[int(np.argmax(twice))]:g} is there twice: keep one.")
    return Table(x_sorted, y_sorted, extend)


def _float(value: int | float) -> float:
    """JSON's integers have any length."""
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _kind(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}…"
