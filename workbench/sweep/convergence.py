"""Whether what is read of runs settles as a number is made finer, and at which value: order, limit and its doubt.

After the procedure of ASME V&V 20 (2009) and Celik et al., J. Fluids Eng. 130, 078001 (2008): of the three finest runs
f₁, f₂, f₃ at spacings h₁ < h₂ < h₃ the observed order p solves

    (f₃ − f₂) / (f₂ − f₁) = r₂₁ᵖ (r₃₂ᵖ − 1) / (r₂₁ᵖ − 1),    r₂₁ = h₂/h₁,  r₃₂ = h₃/h₂,

Richardson's value in the limit is f₁ + (f₁ − f₂)/(r₂₁ᵖ − 1), and the grid convergence index, 1.25 times what is
missing, its doubt. Where values swing, do not come nearer to each other, or do so faster than methods do, there is no
such value, and a sentence says so instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from workbench.project.document import Document
from workbench.sweep.numbers import NumberParameter, number_called, numbers_of
from workbench.sweep.plan import KeptChart, SweepPlan, Variation, halved, values_of
from workbench.sweep.readings import Reading
from workbench.sweep.running import Row
from workbench.sweep.table import Column, columns_of, read_anew, value_of
from workbench.words.numbers import figure
from workbench.words.units import counted, unit_text

FEWEST = 3
SLOWEST, FASTEST = 0.5, 5.0
"""Orders between which one is believed: methods here have orders of 1 to 4."""
ALIKE = 0.5
"""Orders of the finest runs and of those before them that differ by more have not settled."""
SAFETY = 1.25
"""Of the grid convergence index with three grids or more."""
ROUNDING = 2e-6
"""Of the largest value: less is what single precision and its sums leave."""
HEADER = ("what", "finest value", "last change", "order", "value in the limit", "doubt", "told")


@dataclass(frozen=True)
class Convergence:
    """``finest`` value, its ``change`` from the one before, ``order``, ``limit`` with its ``doubt`` (NaN where there is
    none), and what that means, a sentence; ``good``: values converge as they should."""

    finest: float
    change: float
    order: float
    limit: float
    doubt: float
    told: str
    good: bool = False


def convergence(spacings: Sequence[float], values: Sequence[float], unit: str = "") -> Convergence:
    """Of ``values`` at ``spacings``, in any order; those that are not finite are left out."""
    unit = "" if unit == "1" else unit
    pairs = sorted((h, f) for h, f in zip(spacings, values, strict=True) if math.isfinite(f))
    nan = math.nan
    if len(pairs) < FEWEST:
        finest = pairs[0][1] if pairs else nan
        told = f"{counted(len(pairs), 'value')} {'tells' if len(pairs) == 1 else 'tell'} no order: {FEWEST} or more do."
        if not pairs:
            told = "No run has a number here where it is read, so it tells no order: read it elsewhere."
        return Convergence(finest, nan, nan, nan, nan, told)
    h, f = np.array(pairs).T
    scale = float(np.abs(f).max())
    fine, coarse = float(f[0] - f[1]), float(f[1] - f[2])
    found = Convergence(float(f[0]), fine, nan, nan, nan, "")
    if np.ptp(f[:FEWEST]) <= ROUNDING * scale:
        told = "The values do not change: they are settled to what rounding leaves, or do not depend on it."
        return replace(found, told=told, good=True)
    if abs(fine) <= ROUNDING * scale:
        return replace(found, told="The last refinement changed no more than rounding does: settled.", good=True)
    if fine * coarse < 0 or coarse == 0:
        spread = f"{figure(float(np.ptp(f[:FEWEST])), 2)} {unit}".rstrip()
        less = "less and less" if abs(fine) < abs(coarse) else "and no less than before"
        told = f"No order: the values swing, {less}, by {spread} among the three finest. Refine further."
        return replace(found, told=told)
    order = _order(h[:FEWEST], coarse / fine)
    if order is None:
        told = "Does not converge: the finest two differ no less than those before. Refine further, or look for why."
        return replace(found, told=told)
    found = replace(found, order=order)
    if not SLOWEST <= order <= FASTEST:
        why = "more than a method has" if order > FASTEST else "hardly any"
        told = f"No value in the limit: the observed order is {order:.2g}, {why}, so these runs are too coarse."
        return replace(found, told=told)
    missing = fine / (float(h[1] / h[0]) ** order - 1)
    found = replace(found, limit=found.finest + missing, doubt=SAFETY * abs(missing))
    return replace(found, **_judged(h, f, found, unit))


def _judged(h: Array, f: Array, found: Convergence, unit: str) -> dict[str, Any]:
    """``told`` and ``good`` of values with an order: by that of the runs before, where there are four."""
    value = f"{_to_doubt(found.limit, found.doubt)} ± {figure(found.doubt, 2)} {unit}".rstrip()
    told = f"Order {found.order:.2f}: {value} in the limit"
    if found.finest:
        told += f", {figure(100 * abs(found.limit / found.finest - 1), 2)} % from the finest run"
    if len(f) == FEWEST:
        return {"told": f"{told}. A fourth run would show whether the order holds.", "good": True}
    steps = f[1] - f[2], f[2] - f[3]
    before = _order(h[1:4], steps[1] / steps[0]) if steps[0] * steps[1] > 0 else None
    if before is None or abs(before - found.order) > ALIKE:
        was = "they had none" if before is None else f"it was {before:.2g}"
        return {
            "told": f"{told}; but the order has not settled: of the runs before {was}. Refine further.",
            "good": False,
        }
    return {"told": f"{told}. The runs before have order {before:.2f}.", "good": True}


def _order(h: Array, ratio: float) -> float | None:
    """That of three values at spacings ``h``, finest first, whose differences have this ratio, up to 20; None where
    they do not come nearer to each other."""
    fine, coarse = float(np.log(h[1] / h[0])), float(np.log(h[2] / h[1]))

    def of(p: float) -> float:
        return math.exp(p * fine) * math.expm1(p * coarse) / math.expm1(p * fine)

    low, high = 1e-3, 20.0
    if ratio <= of(low):
        return None
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if of(middle) < ratio else (low, middle)
    return low


def _to_doubt(value: float, doubt: float) -> str:
    """As many digits as its doubt leaves, and one more."""
    digits = 8 if doubt <= 0 or not value else math.floor(math.log10(abs(value) / doubt)) + 3
    return figure(value, min(max(digits, 2), 8))


def convergences(plan: SweepPlan, rows: Sequence[Row]) -> list[tuple[Column, Convergence]]:
    """Of each number that is read of the runs of a plan whose number is made finer."""
    through = [row for row in rows if not row.error]
    if not plan.converges or not through:
        return []
    spacings = [plan.variations[0].spacing(row.case[0]) for row in through]
    end, last = min(row.time for row in through), _read_last(through)
    through = read_anew(through, [KeptChart(name, Reading("at", end)) for name in last])
    found = []
    for column in columns_of(through):
        one = convergence(spacings, [value_of(row, column) for row in through], unit_text(column.unit))
        if column.chart in last and end < max(row.time for row in through):
            at = f"{figure(end, 5)} {unit_text(plan.document.time_unit)}".rstrip()
            one = replace(one, told=f"{one.told} Read at {at}, where the first of the runs ends.")
        found.append((column, one))
    return found


def _read_last(rows: Sequence[Row]) -> set[str]:
    """Charts whose last value over time is read. Runs whose steps differ end parts of a step apart: it is read where
    the first one ends."""
    return {info.name for row in rows for info, _, reading in row.charts if info.series and reading == Reading("last")}


def convergence_table(found: Sequence[tuple[Column, Convergence]]) -> list[list[object]]:
    """Rows under ``HEADER``."""
    return [
        [column.heading, one.finest, one.change, one.order, one.limit, one.doubt, one.told] for column, one in found
    ]


def refined(document: Document, name: str, text: str) -> Variation:
    """The number ``name`` made finer, with what goes along with it; ``text``: values as of :func:`values_of`; empty:
    :func:`halved`. No name: the only one that there is. Raises ProblemError."""
    if not name:
        name = _only(document)
    number = number_called(document.parameters, name)
    values = values_of(text, number.integer) if text else halved(number)
    return Variation(number, values, along_with(number, numbers_of(document.parameters)), finer=True)


def along_with(number: NumberParameter, numbers: Sequence[NumberParameter]) -> tuple[NumberParameter, ...]:
    """Which of these are made finer along with a number: those beside it in its group, as cells along other axes."""
    return tuple(
        one
        for one in numbers
        if number.finer and (one.finer, one.place[:-1]) == (number.finer, number.place[:-1])
        if one.matters and one.place != number.place
    )


def _only(document: Document) -> str:
    marked = [number for number in numbers_of(document.parameters) if number.finer and number.matters]
    groups = {(number.finer, number.place[:-1]): number.name for number in reversed(marked)}
    if len(groups) == 1:
        return groups.popitem()[1]
    which = f" one of {', '.join(reversed(groups.values()))}" if groups else " a number that has a value (a step, say)"
    raise ProblemError(f"Say what is to be made finer:{which}.")
