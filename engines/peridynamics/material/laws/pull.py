"""What a law does along one pull: where damage begins and ends, the work of a bond, and what is odd about it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from engines.api import Array, Finding
from engines.api.errors import ProblemError
from engines.peridynamics.material.laws.code import Code

LOOKED_AT = 2000
"""Stretches at which a law is looked at first, each about 1 % above the one before."""
FARTHEST = 10.0
"""The largest stretch that is looked at, or a hundred times those of the material."""
PRECISION = 1e-9
"""Of the work so far: intervals are halved until none changes it by more than this part."""
FEWEST, MOST = 200, 20_000
PARTS = 64
"""Parts that an interval is cut into, again and again, to find where damage begins or ends."""
STEPS = 1500
"""Stretches of a pull of a law that remembers."""
GROWTH = 0.01
"""Forces that fall and grow by less than this part are not told."""
NOTHING = 1e-6
"""Of the largest force: growth by less is not told either, for 1 − d is rounded where hardly anything is left."""


@dataclass(frozen=True, eq=False)
class Pull:
    """stretch, damage: (n,) along a pull from the elastic limit to failure, or as far as it is looked at."""

    elastic_limit: float
    failure: float
    stretch: Array
    damage: Array
    findings: tuple[Finding, ...] = ()

    @cached_property
    def force(self) -> Array:
        """(n,) (1 − d) s."""
        return np.asarray((1 - self.damage) * self.stretch)

    @property
    def work(self) -> float:
        """∫ (1 − d) s ds from 0."""
        return float(0.5 * self.elastic_limit**2 + np.trapezoid(self.force, self.stretch))

    @property
    def peak(self) -> float:
        """The largest (1 − d) s."""
        return float(max(self.force.max(), self.elastic_limit))


def pulled(code: Code, parameters: tuple[float, ...], scales: tuple[float, ...], precision: float = PRECISION) -> Pull:
    """``scales`` are stretches that matter to the material. Raises ProblemError where the law is no number."""
    remembers = code.remembers and not _forgets(code, parameters, _grid(scales))
    return _remembering(code, parameters, scales) if remembers else _simple(code, parameters, scales, precision)


def _forgets(code: Code, parameters: tuple[float, ...], grid: Array) -> bool:
    """Whether the damage so far only keeps the damage from decreasing, as in max(d, …)."""
    from_none = code.damage(grid, np.float64(0), parameters)
    return all(
        np.array_equal(
            np.fmax(before, code.damage(grid, np.float64(before), parameters)), np.fmax(before, from_none), True
        )
        for before in (0.1, 0.5, 0.9)
    )


def _grid(scales: tuple[float, ...]) -> Array:
    return np.geomspace(1e-3 * min(scales), max(FARTHEST, 100 * max(scales)), LOOKED_AT)


def _simple(code: Code, parameters: tuple[float, ...], scales: tuple[float, ...], precision: float) -> Pull:
    """Of a law that stretch alone determines."""

    def law(stretch: Any) -> Any:
        return code.damage(stretch, np.float64(0), parameters)

    grid = _grid(scales)
    found = law(grid)
    failed = _first(found >= 1)
    _refuse_nan(grid, found, failed)
    failure = math.inf if failed is None else _edge(law, grid, failed, 1.0)[1]
    damaged = _first(found > 0)
    if damaged is None:
        return Pull(math.inf, math.inf, grid, np.zeros_like(grid), (_never(grid[-1], 1.0),))
    elastic = _edge(law, grid, damaged, 0.0)[0]
    end = min(failure, float(grid[-1]))
    stretch = np.linspace(elastic, end, FEWEST)
    if end > 100 * elastic:  # what happens early is not to be missed
        stretch = np.union1d(stretch, np.geomspace(max(elastic, grid[0]), end, FEWEST))
    least = (1e-2 * min(scales)) ** 2
    while len(stretch) < MOST:
        force = _force(law, stretch)
        middle = 0.5 * (stretch[1:] + stretch[:-1])
        wide = np.diff(stretch)
        bend = np.abs(_force(law, middle) - 0.5 * (force[1:] + force[:-1])) * wide
        coarse = bend > precision * np.maximum(np.cumsum(force[1:] * wide), least)
        coarse &= wide > 1e-13 * stretch[1:]
        if not coarse.any():
            break
        stretch = np.sort(np.concatenate([stretch, middle[coarse]]))
    damage = np.clip(np.maximum.accumulate(law(stretch)), 0, 1)
    return _told(Pull(elastic, failure, stretch, damage))


def _force(law: Any, stretch: Array) -> Array:
    return np.asarray((1 - np.clip(np.maximum.accumulate(law(stretch)), 0, 1)) * stretch)


def _remembering(code: Code, parameters: tuple[float, ...], scales: tuple[float, ...]) -> Pull:
    """Of a law into which the damage so far enters: one stretch after the other."""

    def law(stretch: Any) -> Any:
        return code.damage(stretch, np.float64(0), parameters)

    grid = _grid(scales)
    found = law(grid)
    damaged = _first(~(found <= 0))
    if damaged is None:
        return Pull(math.inf, math.inf, grid, np.zeros_like(grid), (_never(grid[-1], 1.0),))
    _refuse_nan(grid[: damaged + 1], found[: damaged + 1], None)
    elastic = _edge(law, grid, damaged, 0.0)[0]
    stretch = np.concatenate([[elastic], grid[damaged:]])
    damage, _ = _walked(code, parameters, stretch)
    failed = _first(damage >= 1)
    creeps = False
    if failed is not None:
        # the end is found again on finer steps, which is where such a law may end elsewhere
        stretch = np.linspace(elastic, stretch[min(failed + 1, len(stretch) - 1)], STEPS)
        damage, creeps = _walked(code, parameters, stretch)
        failed = _first(damage >= 1)
    else:
        creeps = _walked(code, parameters, stretch)[1]
    end = len(stretch) if failed is None else failed + 1
    failure = math.inf if failed is None else float(stretch[failed])
    found_out = Pull(elastic, failure, stretch[:end], np.clip(damage[:end], 0, 1))
    told = _told(found_out)
    if creeps:
        sentence = (
            "This law adds damage again and again while the stretch stays: what it does depends on the time step."
        )
        told = replace(told, findings=(*told.findings, Finding(sentence)))
    return told


def _walked(code: Code, parameters: tuple[float, ...], stretch: Array) -> tuple[Array, bool]:
    """(damage at each stretch, whether it grows on its own)."""
    damage, creeps, now = np.zeros(len(stretch)), False, np.float64(0)
    for place, each in enumerate(stretch):
        new = np.float64(code.damage(each, now, parameters))
        if np.isnan(new):
            raise _no_number(float(each))
        if new > now:
            now = new
            again = code.damage(each, now, parameters)
            creeps = creeps or bool(now < 1 and again > now * (1 + 1e-9))
        damage[place] = now
        if now >= 1:
            damage[place:] = now
            break
    return damage, creeps


def _first(true: Array) -> int | None:
    return int(np.argmax(true)) if true.any() else None


def _refuse_nan(grid: Array, found: Array, failed: int | None) -> None:
    wrong = _first(np.isnan(found[: failed if failed is not None else len(found)]))
    if wrong is not None:
        raise _no_number(float(grid[wrong]))


def _no_number(stretch: float) -> ProblemError:
    return ProblemError(
        f"The law gives no number at a stretch of {stretch:.3g}: choose another value there with where().", ("lines",)
    )


def _edge(law: Any, grid: Array, above: int, limit: float) -> tuple[float, float]:
    """The last stretch at which the damage is at or below 0 (or below 1) and the next at which it is not."""
    low, high = float(grid[above - 1]) if above else 0.0, float(grid[above])
    while high > 1e-9 * grid[above]:
        between = np.linspace(low, high, PARTS + 1)[1:]
        value = law(between)
        beyond = value > 0 if limit == 0 else value >= limit
        beyond[-1] = True
        place = int(np.argmax(beyond))
        low, high, wide = float(between[place - 1]) if place else low, float(between[place]), high - low
        if high - low >= wide or not low < 0.5 * (low + high) < high:
            return low, high
    return 0.0, high


def _told(pull: Pull) -> Pull:
    """With a sentence on a law that never fails or whose force grows again."""
    found: list[Finding] = []
    force = pull.force
    fallen = np.where(force < (1 - GROWTH) * np.maximum.accumulate(force), force, np.inf)
    grows = _first(force > (1 + GROWTH) * np.minimum.accumulate(fallen) + NOTHING * pull.peak)
    if grows is not None:
        least = float(pull.stretch[np.argmin(fallen[:grows])])
        sentence = f"The force of this law grows again beyond a stretch of {least:.3g}, after it fell."
        found.append(Finding(sentence))
    if math.isinf(pull.failure):
        half = float(np.interp(0.5 * pull.stretch[-1], pull.stretch, force))
        if force[-1] > (1 + GROWTH) * half:
            found.append(Finding("The force of this law grows with the stretch without end: no bond ever breaks."))
        else:
            found.append(_never(float(pull.stretch[-1]), float(force[-1] / pull.peak)))
    return replace(pull, findings=tuple(found))


def _never(farthest: float, left: float) -> Finding:
    return Finding(
        f"This law never breaks a bond: at a stretch of {farthest:.3g} it still has {100 * left:.0f} % of its "
        "largest force."
    )
