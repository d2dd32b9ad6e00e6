"""What a sweep is to do: the numbers that it varies, their values, how far each run goes and what is kept of it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from pydantic import BaseModel

from engines.api import Problem
from engines.api.errors import ProblemError
from engines.named_files import Place
from workbench.project.document import Document
from workbench.project.parameter_files import value_at
from workbench.project.reading.parsing import validated
from workbench.sweep.numbers import DEEPER, NumberParameter, number_called
from workbench.sweep.readings import Reading, reading_of
from workbench.words.numbers import digits_apart

MOST_VARIED = 2
MANY = 2000
"""Runs that are made without asking; beyond it somebody has to say that they mean it."""
MOST = 100_000
JOINED = re.compile(r"(?<![\d.])\d+(?:,\d+)+(?![\d.])")
"""Digits with commas and no blanks between them."""
Case = tuple[float, ...]
"""The value of each varied number in one run."""


@dataclass(frozen=True)
class Variation:
    """A number and the values that it takes, one after the other.

    ``along``: others that are multiplied with it, as cells along the other axes of a grid. ``finer``: it is varied to
    see whether answers settle (:mod:`workbench.sweep.convergence`).
    """

    number: NumberParameter
    values: tuple[float, ...]
    along: tuple[NumberParameter, ...] = ()
    finer: bool = False

    def spacing(self, value: float) -> float:
        """What gets smaller as the number gets finer: itself, or one over a count."""
        return 1 / value if self.number.counts else value

    @cached_property
    def _digits(self) -> int:
        return digits_apart(self.values, 6)

    def told(self, value: float, title: str = "") -> str:
        """``Radius 0.2 µm``, with the digits that tell it from its other values; ``title``: called so."""
        return f"{title or self.number.brief} {value:.{self._digits}g} {self.number.unit}".rstrip()

    def written(self, value: float) -> dict[Place, float]:
        """All numbers of a case, by their places. One cell across stays one."""
        found = {self.number.place: value}
        for one in self.along:
            scaled = one.value * value / self.number.value if one.value != 1 else 1
            found[one.place] = max(1, round(scaled)) if one.integer else scaled
        return found


@dataclass(frozen=True)
class KeptChart:
    """A chart (or series) to keep the curves of, and what of it stands in the table."""

    name: str
    reading: Reading | None = None
    """None: what suits the chart."""


@dataclass(frozen=True, eq=False)
class SweepPlan:
    """``until`` is in the document's unit of time, None: each run comes to an end of its own. ``kept`` None: all charts
    and series."""

    document: Document
    variations: tuple[Variation, ...]
    until: float | None = None
    kept: tuple[KeptChart, ...] | None = None

    def __len__(self) -> int:
        return math.prod(len(one.values) for one in self.variations)

    def cases(self) -> list[Case]:
        """The last variation runs fastest."""
        return list(product(*(one.values for one in self.variations)))

    def case(self, place: int) -> Case:
        """One of :meth:`cases`."""
        places = np.unravel_index(place, [len(one.values) for one in self.variations])
        return tuple(one.values[int(which)] for one, which in zip(self.variations, places, strict=True))

    @property
    def numbers(self) -> list[NumberParameter]:
        """All that differ between the runs: those that are varied, each before what goes along with it."""
        return [one for varied in self.variations for one in (varied.number, *varied.along)]

    def values(self, case: Case) -> list[float]:
        """Of :attr:`numbers`, in one run."""
        pairs = zip(self.variations, case, strict=True)
        return [value for varied, main in pairs for value in varied.written(main).values()]

    def parameters(self, case: Case) -> BaseModel:
        """The problem's parameters in one run. Raises ProblemError where they do not go together."""
        base = self.document.parameters
        values = changed(base.model_dump(mode="json"), self.variations, case)
        return validated(type(base), values, f"This case ({self.told(case)})")

    def problem(self, case: Case) -> Problem:
        return Problem(self.parameters(case), self.document.loaded)

    def told(self, case: Case) -> str:
        """``Radius 0.2 µm, Index 1.5``; ``1 sphere › Radius`` where there are two."""
        told = zip(self.variations, case, self._titles, strict=True)
        return ", ".join(one.told(value, title) for one, value, title in told)

    @cached_property
    def _titles(self) -> list[str]:
        """Of :attr:`variations`, as short as tells them apart."""
        numbers = [one.number for one in self.variations]
        titles = [one.brief for one in numbers]
        for length in range(2, max((len(one.titles) for one in numbers), default=0) + 1):
            if len(set(titles)) == len(titles):
                break
            titles = [DEEPER.join(one.titles[-length:]) for one in numbers]
        return titles

    @property
    def converges(self) -> bool:
        """Whether it is to say if answers settle as its number is made finer."""
        return any(one.finer for one in self.variations)

    def check(self) -> None:
        """Raises ProblemError with one sentence about what to change."""
        if not self.variations:
            raise ProblemError("Nothing is varied: choose a number and its values.")
        if len(self.variations) > MOST_VARIED:
            raise ProblemError(f"A sweep varies one or two numbers, not {len(self.variations)}: leave some out.")
        for one in self.variations:
            _check_values(one)
        if self.converges and len(self.variations) > 1:
            raise ProblemError("A study of convergence makes one number finer: vary no other one beside it.")
        names = [one.number.name for one in self.variations]
        if len(set(names)) < len(names):
            raise ProblemError(f"'{names[0]}' is varied twice: leave one out.")
        if self.kept is not None and not self.kept:
            raise ProblemError("Nothing is kept of the runs: choose at least one chart or series.")
        if len(self) > MOST:
            raise ProblemError(f"{len(self):,} runs are too many: take fewer values ({MOST:,} runs at most).")
        if self.until is None and not self.document.engine.ends(self.document.complete_problem()):
            raise ProblemError(f"Nothing says how far to run: give the end of each run [{self.document.time_unit}].")


def changed(values: dict[str, Any], variations: Sequence[Variation], case: Case) -> dict[str, Any]:
    """A tree of plain values (lists, no tuples) with the numbers of a case written into it."""
    for one, value in zip(variations, case, strict=True):
        for (*owners, last), written in one.written(value).items():
            value_at(values, tuple(owners))[last] = written
    return values


def variation(document: Document, name: str, text: str) -> Variation:
    """``name`` takes the values that ``text`` says (:func:`values_of`). Raises ProblemError."""
    number = number_called(document.parameters, name)
    return Variation(number, values_of(text, number.integer))


def values_of(text: str, integer: bool = False) -> tuple[float, ...]:
    """``0.2:0.4:5`` (from, to, how many), ``1:100:5:log`` (by equal factors), or a list: ``0.2, 0.3``.

    Whole numbers are made of a range by rounding. Raises ProblemError, also where a comma may stand within a number.
    """
    _refuse_commas(text)
    parts = [part.strip() for part in text.split(":")]
    try:
        if len(parts) == 1:
            return tuple(_number(part) for part in text.replace(";", ",").split(",") if part.strip())
        first, last, count = _number(parts[0]), _number(parts[1]), int(parts[2]) if len(parts) > 2 else 0
    except ValueError:
        raise _misread(text) from None
    if len(parts) not in (3, 4) or (len(parts) == 4 and parts[3] != "log"):
        raise _misread(text)
    return spread(first, last, count, by_factors=len(parts) == 4, integer=integer)


def spread(
    first: float, last: float, count: int, *, by_factors: bool = False, integer: bool = False
) -> tuple[float, ...]:
    """``count`` values from ``first`` to ``last``, evenly or by equal factors. Raises ProblemError."""
    if not 1 <= count <= MOST:
        raise ProblemError(f"A range has 1 to {MOST:,} values, not {count}.")
    if by_factors and not (first * last > 0):
        raise ProblemError(f"No equal factors lead from {first:g} to {last:g}: both must be above 0, or both below.")
    found = np.geomspace(first, last, count) if by_factors else np.linspace(first, last, count)
    if integer:
        return tuple(dict.fromkeys(round(float(value)) for value in found))
    return tuple(float(f"{value:.12g}") for value in found)  # 0.3, not 0.30000000000000004


def halved(number: NumberParameter, first: float | None = None, count: int = 3) -> tuple[float, ...]:
    """From ``first`` on, each twice as fine as the one before; none: the second one is the present value."""
    factor = 2.0 if number.counts else 0.5
    first = number.value / factor if first is None else first
    values = [first * factor**place for place in range(count)]
    return tuple(round(value) if number.integer else float(f"{value:.12g}") for value in values)


def _refuse_commas(text: str) -> None:
    """Raises ProblemError where commas without blanks may stand within numbers: 1,000 and 0,05, and 1,5; 2,5."""
    for run in JOINED.findall(text):
        first, *others = run.split(",")
        if ";" not in text and not any(len(each) > 1 and each[0] == "0" for each in others):
            continue
        if first[0] != "0" and all(len(each) == 3 for each in others):
            meant = "".join([first, *others])
        else:
            meant = f"{first}.{others[0]}" if len(others) == 1 else "points for decimals"
        raise ProblemError(
            f"'{run}' may be one number or several: write {meant}, or '; ' between the numbers of a list."
        )


def _check_values(one: Variation) -> None:
    number, name = one.number, one.number.name
    if not one.values:
        raise ProblemError(f"'{name}' has no values: give a range such as 0.2:0.4:5, or a list.", number.place)
    for value in one.values:
        if number.integer and value != int(value):
            raise ProblemError(f"'{name}' takes whole numbers: {value:g} is none.", number.place)
        if not number.bounds.admits(value):
            limits = number.bounds.sentence(number.unit)
            raise ProblemError(f"'{name}' cannot be {value:g}: it must be {limits}.", number.place)
    if len(set(one.values)) < len(one.values):
        raise ProblemError(f"'{name}' has the same value twice: leave one out.", number.place)


def _number(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        value = float(text)
        if not math.isfinite(value):
            raise
        return value


def _misread(text: str) -> ProblemError:
    return ProblemError(f"'{text}' is neither a range such as 0.2:0.4:5 (or 1:100:5:log) nor a list such as 0.2, 0.3.")


def kept_of(texts: Sequence[str]) -> tuple[KeptChart, ...] | None:
    """``name`` or ``name:max`` for each chart (:func:`reading_of`), of a name with a colon always with a reading,
    as ``content:u:last``; no texts: all charts. Raises ProblemError."""
    pairs = [text.rsplit(":", 1) if ":" in text else (text, "") for text in texts]
    for name, count in Counter(name for name, _ in pairs).items():
        if count > 1:
            raise ProblemError(f"'{name}' is named {count} times: one number is read of a chart, leave the others out.")
    kept = tuple(KeptChart(name, reading_of(what) if what else None) for name, what in pairs)
    return kept or None
