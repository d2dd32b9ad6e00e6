"""Lines of typed equations, and what holds at sides, that come and go with t faster than steps: told before the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from engines.api import Array, Finding
from engines.formulas.graph import Node
from engines.formulas.typed.forcing import Formula, Taken, told_of_forcing
from engines.stencil.equations.language import System
from engines.stencil.equations.laws import Laws
from engines.stencil.equations.passes import Method

SHORTER, TRIED = 1.5, 24
"""Between two steps that are tried, and how many."""
TAKEN: Mapping[Method, Taken] = {
    "Euler": "begin", "AB2": "begin and before", "IMEX": "begin and before", "RK4": "begin, middle and end",
}  # fmt: skip
Place = tuple[str | int, ...]


def told_of_times(
    system: System,
    laws: Laws,
    place_of: Callable[[str, str], Place],
    method: Method,
    dt: float,
    given: Mapping[str, float],
    places: Array,
) -> Iterator[Finding]:
    """Of what is most off. place_of: a field and a part of it; given: parameters and sizes; places: (n, 3) [mm] of a
    few cells."""
    known = [{**given, **dict(zip("xyz", place, strict=True))} for place in places]
    timed = chain(_lines(system), _sides(system, laws, place_of))
    formulas = [Formula(node, whose, place, TAKEN[method], known) for node, whose, place in timed]
    yield from told_of_forcing(formulas, dt, _shorter(dt), "s")


def _lines(system: System) -> Iterator[tuple[Node, str, Place]]:
    for name, _, node in system.typed:
        yield node, f"The line of '{name}'", ("equation", "lines")


def _sides(system: System, laws: Laws, place_of: Callable[[str, str], Place]) -> Iterator[tuple[Node, str, Place]]:
    for name, axes in zip((*system.fields, *system.stored), laws, strict=True):
        for letter, pair in zip("xyz", axes, strict=False):
            for end, law in zip(("low", "high"), pair, strict=True):
                for node in (law.scale, law.shift) if law.uses("t") else ():
                    yield node, f"What holds for '{name}' at {letter} {end}", place_of(name, "sides")


def _shorter(dt: float) -> Iterator[float]:
    for _ in range(TRIED):
        dt = float(f"{dt / SHORTER:.2g}")
        yield dt
