"""Which exponentials to compute so that a set of powers of one of them costs least (thesis, 5.4.4).

Of e^(n·x) for given whole numbers n, some are computed as exponentials, some as reciprocals of others, the rest as
products of two. An exact answer is an addition-chain problem; here a chain is found greedily from the largest power
down, and the exponentials and reciprocals are searched by exchanging one at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import gcd

LONGEST = 128
"""An exponential is raised to no higher power than this unless told otherwise: each product adds a rounding error."""


@dataclass(frozen=True)
class Cost:
    """Instructions of one operation; the defaults are the thesis' for float64 (5.4.4), 16 with the product x·q."""

    exponential: int = 16
    division: int = 6
    product: int = 1


@dataclass(frozen=True)
class Plan:
    """``exponentials`` are computed, ``reciprocals`` divided from the power of opposite sign, and each of ``products``
    (n, a, b) multiplied, n = a + b. ``cost`` counts all of them."""

    exponentials: tuple[int, ...]
    reciprocals: tuple[int, ...]
    products: tuple[tuple[int, int, int], ...]
    cost: int


def plan(targets: Collection[int], cost: Cost | None = None, longest: int = LONGEST) -> Plan:
    """The cheapest plan found for the powers ``targets``, none of them zero."""
    return _planned(frozenset(targets), cost or Cost(), longest)


@lru_cache(maxsize=256)
def _planned(wanted: frozenset[int], cost: Cost, longest: int) -> Plan:
    """The search: up to a second for a big family, and the same ones come back in every scheme of a model."""
    units = _units(wanted, longest)
    candidates = [(kind, sign * unit) for unit in units for kind in ("e", "r") for sign in (1, -1)]
    exponentials, reciprocals = wanted, frozenset[int]()
    best = _evaluated(wanted, exponentials, reciprocals, cost)
    assert best is not None
    improved = True
    while improved:
        improved = False
        for kind, n in candidates:
            more = exponentials | {n} if kind == "e" else exponentials - {n}
            turned = reciprocals | {n} if kind == "r" else reciprocals - {n}
            found = _pruned(wanted, more, turned, cost)
            if found is not None and found.cost < best.cost:
                best, improved = found, True
                exponentials, reciprocals = frozenset(found.exponentials), frozenset(found.reciprocals)
    return best


def _pruned(
    wanted: frozenset[int], exponentials: frozenset[int], reciprocals: frozenset[int], cost: Cost
) -> Plan | None:
    """The plan after every exponential and reciprocal has gone that is dearer than to do without it."""
    best = _evaluated(wanted, exponentials, reciprocals, cost)
    for n in sorted(exponentials, key=abs, reverse=True):
        found = _evaluated(wanted, exponentials - {n}, reciprocals, cost)
        if found is not None and (best is None or found.cost < best.cost):
            best, exponentials = found, exponentials - {n}
    for n in sorted(reciprocals, key=abs, reverse=True):
        found = _evaluated(wanted, exponentials, reciprocals - {n}, cost)
        if found is not None and (best is None or found.cost < best.cost):
            best, reciprocals = found, reciprocals - {n}
    return best


def _units(wanted: frozenset[int], longest: int) -> list[int]:
    """Powers worth computing: those wanted, and divisors that two or three of them share."""
    sizes = sorted({abs(n) for n in wanted})
    shared = {gcd(a, b) for a in sizes for b in sizes}
    shared |= {gcd(a, b) for a in shared for b in sizes}
    return sorted((unit for unit in shared if sizes[-1] <= longest * unit or unit in sizes), reverse=True)


def _evaluated(
    wanted: frozenset[int], exponentials: frozenset[int], reciprocals: frozenset[int], cost: Cost
) -> Plan | None:
    """The plan with just these exponentials and reciprocals; None if the powers cannot be made of them."""
    products: list[tuple[int, int, int]] = []
    for sign in (1, -1):
        goals = {sign * n for n in wanted if sign * n > 0} | {-sign * n for n in reciprocals if sign * n < 0}
        seeds = {sign * n for n in exponentials | reciprocals if sign * n > 0}
        chain = _chain(goals - seeds, seeds)
        if chain is None:
            return None
        products += [(sign * n, sign * a, sign * b) for n, a, b in chain]
    if not _possible(exponentials, reciprocals, products):
        return None
    total = cost.exponential * len(exponentials) + cost.division * len(reciprocals) + cost.product * len(products)
    return Plan(tuple(sorted(exponentials)), tuple(sorted(reciprocals)), tuple(products), total)


def _possible(
    exponentials: Collection[int], reciprocals: Collection[int], products: Iterable[tuple[int, int, int]]
) -> bool:
    """Whether the powers can be computed in some order: a reciprocal of a power must not be needed for that power."""
    have, left = set(exponentials), [(n, (-n,)) for n in reciprocals] + [(n, (a, b)) for n, a, b in products]
    while left:
        ready = [item for item in left if all(need in have for need in item[1])]
        if not ready:
            return False
        have |= {n for n, _ in ready}
        left = [item for item in left if item[0] not in have]
    return True


def _chain(goals: Iterable[int], seeds: Collection[int]) -> list[tuple[int, int, int]] | None:
    """Products (n, a, b) with a + b = n that make the positive ``goals`` of the ``seeds``, smallest first."""
    todo, pool = set(goals), set(goals) | set(seeds)
    found: list[tuple[int, int, int]] = []
    least = min(seeds, default=0)
    while todo:
        n = max(todo)
        todo.remove(n)
        if not least or n <= least or n > LONGEST * max(seeds):
            return None
        below = sorted((a for a in pool if a < n), reverse=True)
        pair = next((a for a in below if n - a in pool), None)
        if pair is None:
            options = [n // 2] if n % 2 == 0 else []
            options += [n - a for a in below[:4]] + [n - a for a in seeds if a < n]
            options = [option for option in options if option >= least]
            if not options:
                return None
            pair = min(options, key=lambda option: (not _is_sum(option, below), option))
            todo.add(pair)
            pool.add(pair)
            if n - pair not in pool:
                todo.add(n - pair)
                pool.add(n - pair)
        found.append((n, pair, n - pair))
    return found[::-1]


def _is_sum(n: int, pool: Collection[int]) -> bool:
    return n in pool or any(n - a in pool for a in pool)
