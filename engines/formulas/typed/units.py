"""Units by name, as formulas have them: ``5*ms``, ``g_L : siemens``, ``uF*cm**-2``; and what dimension a formula has.

Numbers are kept in units in which those of nerve cells are neither large nor small, and in which equations hold as they
stand: mV, ms, pA, with nS, pF, GΩ, fC, µm and mM of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

import numpy as np

from engines.api.errors import ProblemError
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import CONDITIONS, Node, const, make, ordered, rebuild, symbol
from engines.formulas.parse import Language, parse

Dimension = tuple[float, ...]
"""Powers of metre, kilogram, second, ampere, mole, kelvin."""
NONE: Dimension = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
KEPT = (1e-6, 1e-12, 1e-3, 1e-12, 1e-18, 1.0)
"""The units that numbers are kept in, in those of the SI."""
SMALLEST, LARGEST_POWER = 1e-100, 30.0
"""What one of a unit is at least, in the kept ones, at most the inverse of it; powers that it has of them."""
PREFIXES = {"p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9}
NAMED: Mapping[str, Dimension] = {
    "volt": (2, 1, -3, -1, 0, 0), "amp": (0, 0, 0, 1, 0, 0), "siemens": (-2, -1, 3, 2, 0, 0),
    "farad": (-2, -1, 4, 2, 0, 0), "ohm": (2, 1, -3, -2, 0, 0), "second": (0, 0, 1, 0, 0, 0),
    "hertz": (0, 0, -1, 0, 0, 0), "coulomb": (0, 0, 1, 1, 0, 0), "metre": (1, 0, 0, 0, 0, 0),
    "mole": (0, 0, 0, 0, 1, 0), "mmolar": (-3, 0, 0, 0, 1, 0),
}  # fmt: skip
"""Those whose number in the SI is 1."""
ALSO = {"ampere": "amp", "meter": "metre", "Hz": "hertz", "mM": "mmolar"}
SHORT = {"V": "volt", "A": "amp", "S": "siemens", "F": "farad", "s": "second", "C": "coulomb", "m": "metre"}
"""Letters that stand for a unit behind a prefix only: by themselves they are free for names of one's own."""


def _all() -> Iterator[tuple[str, Dimension, float]]:
    """(name, dimension, in the SI)"""
    yield from ((name, dimension, 1.0) for name, dimension in NAMED.items())
    yield from ((name, NAMED[of], 1.0) for name, of in ALSO.items())
    for prefix, factor in PREFIXES.items():
        for name, of in NAMED.items():
            if name not in ("mmolar", "mole"):
                yield prefix + name, of, factor
        behind = ("Hz", "hertz") if factor > 1 else (None, None)
        for name, kept in (*(SHORT.items() if factor < 1 else ()), ("meter", "metre"), behind):
            if name is not None and kept is not None:
                yield prefix + name, NAMED[kept], factor
    for name, length in (("cm", 1e-2), ("mm", 1e-3), ("um", 1e-6), ("cmetre", 1e-2), ("cmeter", 1e-2)):
        for power, tail in ((1, ""), (2, "2"), (3, "3")):
            yield name + tail, tuple(power * each for each in NAMED["metre"]), length**power
    yield "uM", NAMED["mmolar"], 1e-3
    yield "nM", NAMED["mmolar"], 1e-6


def _kept(dimension: Dimension) -> float:
    """The unit of the SI in the kept ones."""
    found = 1.0
    for power, size in zip(dimension, KEPT, strict=True):
        found /= size**power
    return found


def _table(rows: Iterator[tuple[str, Dimension, float]]) -> dict[str, tuple[Dimension, float]]:
    return {
        name: (tuple(map(float, dimension)), float(f"{size * _kept(dimension):.12g}")) for name, dimension, size in rows
    }


UNITS: Mapping[str, tuple[Dimension, float]] = _table(_all())
"""Dimension, and how many of the kept units one is."""
SYMBOLS: Mapping[str, Node] = {name: symbol(name) for name in UNITS}


def _physical() -> Iterator[tuple[str, Dimension, float]]:
    """As :func:`_all`: of what has no formulas around it, in which letters could be names."""
    yield from ((name, NAMED[of], 1.0) for name, of in SHORT.items())
    energy: Dimension = (2, 1, -2, 0, 0, 0)
    others: Mapping[str, tuple[Dimension, float]] = {
        "g": ((0, 1, 0, 0, 0, 0), 1e-3), "N": ((1, 1, -2, 0, 0, 0), 1.0), "Pa": ((-1, 1, -2, 0, 0, 0), 1.0),
        "J": (energy, 1.0), "W": ((2, 1, -3, 0, 0, 0), 1.0), "mol": (NAMED["mole"], 1.0),
        "M": (NAMED["mmolar"], 1e3), "l": ((3, 0, 0, 0, 0, 0), 1e-3), "K": ((0, 0, 0, 0, 0, 1), 1.0),
    }  # fmt: skip
    for name, (dimension, size) in others.items():
        yield name, dimension, size
        yield from ((prefix + name, dimension, factor * size) for prefix, factor in PREFIXES.items())
    yield from ((name, NAMED["second"], size) for name, size in (("min", 60.0), ("h", 3600.0), ("day", 86400.0)))


PHYSICAL: Mapping[str, tuple[Dimension, float]] = {**_table(_physical()), **UNITS}
"""Of a field for a unit alone: ``mm**2/s``, ``W/mm/K``, ``mol/l``."""
_SHOWN = ("volt", "amp", "siemens", "farad", "ohm", "second", "hertz", "coulomb", "metre", "mmolar", "mole")
SMALL = {
    "volt": "mV", "amp": "pA", "siemens": "nS", "farad": "pF", "ohm": "Gohm", "second": "ms", "hertz": "kHz",
    "coulomb": "fC", "metre": "um", "mmolar": "mM",
}  # fmt: skip
"""The kept units, which have a factor of 1."""


USUAL = ("volt", "mV", "amp", "nA", "pA", "siemens", "nS", "farad", "pF", "ohm", "second", "ms", "Hz", "metre", "um")
PHYSICALLY = ("mm", "m", "s", "min", "kg", "K", "mM", "M", "mol", "mV", "V", "A", "Pa", "N", "J", "W", "Hz", "l")
"""Those that a sentence names."""


class UnitError(ProblemError):
    """A formula adds or compares what cannot be; the message goes on after the name of a line."""


def unit(text: str, known: Mapping[str, tuple[Dimension, float]] = UNITS) -> tuple[Dimension, float]:
    """Dimension and how many of the kept units ``mV/ms``, ``siemens``, ``1`` … is. Raises ProblemError."""
    return _unit(text, known is PHYSICAL)


@lru_cache(maxsize=512)
def _unit(text: str, physical: bool) -> tuple[Dimension, float]:
    known, listed = (PHYSICAL, PHYSICALLY) if physical else (UNITS, USUAL)
    names = {name: symbol(name) for name in known}
    node = parse(
        text.strip() or "1", Language(names, {}, conditions=False, listed=listed), f"The unit '{text.strip()[:40]}'"
    )
    if any(each.op not in ("const", "symbol", "mul", "div", "pow", "neg") for each in ordered([node])):
        raise ProblemError(f"'{text.strip()[:40]}' is no unit: write a product of units, as mV/ms or uF*cm**-2.")
    try:
        dimension = dimension_of(node, {name: each for name, (each, _) in known.items()})
    except UnitError as error:
        raise ProblemError(f"The unit '{text.strip()[:40]}'{error}") from None
    with np.errstate(all="ignore"):  # what is no number, or none that could be, is refused
        (factor,) = Program([node])({name: size for name, (_, size) in known.items()})
    if not SMALLEST <= factor <= 1 / SMALLEST or max(map(abs, dimension)) > LARGEST_POWER:
        raise ProblemError(f"'{text.strip()[:40]}' is no unit that things are measured in: write one as mV/ms or 1.")
    return dimension, float(factor)


def named(dimension: Dimension, small: bool = False) -> str:
    """``volt``, ``amp/second``, ``1``: the shortest name of a dimension, of the ``small`` units ``mV``."""
    if dimension == NONE:
        return "1"
    for first in _SHOWN:
        if NAMED[first] == dimension:
            return _called(first, small)
    for other in ("second", "volt", "metre", "amp"):
        for power in (-1, 2, -2):
            if tuple(power * each for each in NAMED[other]) == dimension:
                return (
                    f"1/{_called(other, small)}{'**2' * (power == -2)}" if power < 0 else f"{_called(other, small)}**2"
                )
    for first in _SHOWN:
        for other in ("second", "volt", "metre"):
            for power, sign in ((1, "*"), (-1, "/"), (2, "*"), (-2, "/")):
                both = [a + power * b for a, b in zip(NAMED[first], NAMED[other], strict=True)]
                if tuple(both) == dimension:
                    return f"{_called(first, small)}{sign}{_called(other, small)}{'**2' * (abs(power) == 2)}"
    bases = ("metre", "kilogram", "second", "amp", "mole", "kelvin")
    return "*".join(f"{name}**{power:g}" for name, power in zip(bases, dimension, strict=True) if power)


def _called(name: str, small: bool) -> str:
    return SMALL.get(name, name) if small else name


def has(dimension: Dimension) -> str:
    """``is in volts``, ``is in volt/second``, ``has no unit``."""
    return "has no unit" if dimension == NONE else f"is in {_counted(dimension)}"


def _counted(dimension: Dimension) -> str:
    name = named(dimension)
    return f"{name}{'s' * (name in _COUNTED)}"


_COUNTED = ("volt", "amp", "farad", "ohm", "second", "coulomb", "metre", "mole")


def must_be(found: Dimension, expected: Dimension, why: str = "") -> str:
    """What goes on after the name of a formula: `` has no unit and must be in seconds, as 5*ms: …``."""
    example = f", as 5*{named(expected, small=True)}" if found == NONE and named(expected) in _COUNTED else ""
    be = "have none" if expected == NONE else f"be in {_counted(expected)}{example}"
    return f" {has(found)} and must {be}{why and f': {why}'}."


SAME = ("add", "sub", "min", "max", "lt", "le", "eq")
"""What they take has one dimension."""
_DONE = {"add": "adds", "sub": "subtracts", "min": "takes the lesser of", "max": "takes the larger of"}


def dimension_of(root: Node, names: Mapping[str, Dimension]) -> Dimension:
    """Of a number; units have theirs, conditions none. Raises UnitError, `` adds volt and amp: …``."""
    found: dict[Node, Dimension] = {}
    for node in ordered([root]):
        found[node] = _dimension(node, [found[arg] for arg in node.args], names)
    return found[root]


def _dimension(node: Node, args: list[Dimension], names: Mapping[str, Dimension]) -> Dimension:
    op = node.op
    if op == "const" or op in ("and", "or", "not"):
        return NONE
    if op == "symbol":
        name = str(node.value)
        return names[name] if name in names else UNITS[name][0]
    if op in SAME or op == "select":
        for first, other in pairwise(args[1:] if op == "select" else args):
            if first != other:
                raise UnitError(
                    _differ(_DONE.get(op, "compares" if op in CONDITIONS else "chooses between"), first, other)
                )
        return NONE if op in CONDITIONS else args[-1]
    if op in ("neg", "abs"):
        return args[0]
    if op in ("mul", "div"):
        sign = 1.0 if op == "mul" else -1.0
        return tuple(a + sign * b for a, b in zip(*args, strict=True))
    if op == "sqrt":
        return tuple(each / 2 for each in args[0])
    if op == "pow" and args[1] == NONE and (args[0] == NONE or node.args[1].op == "const"):
        return tuple(each * node.args[1].number for each in args[0]) if args[0] != NONE else NONE
    if op == "pow":
        if args[0] == NONE:
            raise UnitError(f" raises to a power that {has(args[1])}: divide it by what has that unit.")
        raise UnitError(f" raises what {has(args[0])} to a power that is no fixed number: write the number.")
    for each in args:
        if each != NONE:
            called = {"growth": "exprel", "atan": "arctan"}.get(op, op)
            raise UnitError(f" takes {called} of {_told(each)}: divide it by what has that unit.")
    return NONE


def _differ(done: str, first: Dimension, other: Dimension) -> str:
    plain = next((each for each in (first, other) if each != NONE), NONE) if NONE in (first, other) else None
    advice = f"give the number a unit, as 1*{named(plain, small=True)}" if plain else "look at its units"
    return f" {done} {_told(first)} and {_told(other)}: {advice}."


def _told(dimension: Dimension) -> str:
    return "a plain number" if dimension == NONE else named(dimension)


def in_kept(root: Node) -> Node:
    """The formula with units as numbers."""
    return rebuild([root], make, _AS_NUMBERS)[0]


_AS_NUMBERS = {SYMBOLS[name]: const(size) for name, (_, size) in UNITS.items()}
