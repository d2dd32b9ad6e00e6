"""From what people know of a material (modulus, strength, fracture energy) to the law of its bonds.

A crack takes the same geometric factor times the work of a bond whatever the law, so a law meets the fracture energy
where its work is that of a brittle bond at the critical stretch: ∫ (1 − d) s ds = sb²/2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np
import scipy

from engines.api import Finding
from engines.api.errors import ProblemError
from engines.peridynamics.material.laws import known
from engines.peridynamics.material.laws.code import Code, coded
from engines.peridynamics.material.laws.language import parse
from engines.peridynamics.material.laws.law import Law
from engines.peridynamics.material.laws.pull import PRECISION, Pull, pulled
from engines.peridynamics.parameters.laws import (
    Bilinear,
    Brittle,
    Exponential,
    LawChoice,
    Nonlinear,
    Softening,
    Trilinear,
    Typed,
)

MEETS = 0.01
"""A typed law whose fracture energy differs by less than this part is not remarked upon."""
WIDEST, TRIED = 1e4, 22
"""Failure is looked for up to so many times the elastic limit, at so many values of sc."""
ROUGH = 1e-3
"""Of the work, while it is looked for."""


class Breaking(Protocol):
    """What a material says of itself; critical_stretch is that of brittle bonds. young [Pa], fracture_energy [J/m²],
    horizon [m]."""

    @property
    def young(self) -> float: ...
    @property
    def fracture_energy(self) -> float: ...
    @property
    def critical_stretch(self) -> float: ...
    @property
    def horizon(self) -> float: ...


@dataclass(frozen=True, eq=False)
class Calibrated:
    """A law with its numbers; cheap, nothing is compiled. ``code`` is None for brittle bonds."""

    elastic_limit: float
    failure: float
    work: float
    brittle_stretch: float
    code: Code | None = None
    parameters: tuple[float, ...] = ()
    findings: tuple[Finding, ...] = ()

    @cached_property
    def pull(self) -> Pull:
        if self.code is None:
            return Pull(self.failure, self.failure, np.full(2, self.failure), np.array([0.0, 1.0]))
        return pulled(self.code, self.parameters, (self.elastic_limit or self.brittle_stretch, self.brittle_stretch))

    def law(self) -> Law | None:
        """For the kernels; None: brittle. Compiles (0.1 s, once per code)."""
        if self.code is None:
            return None
        return Law(
            self.code.key, self.code.cuda, self.code.function(), self.parameters, self.elastic_limit, self.failure,
            self.work,
        )  # fmt: skip


def calibrated(choice: LawChoice, material: Breaking) -> Calibrated:
    """Raises ProblemError, with its place below that of the law."""
    brittle = material.critical_stretch
    work = brittle**2 / 2
    if isinstance(choice, Brittle):
        return Calibrated(brittle, brittle, work, brittle)
    elastic = choice.strength * 1e6 / material.young if choice.begins == "strength" else choice.stretch
    if isinstance(choice, Typed):
        return _typed(choice, material, elastic)
    _leave_room(choice, material, elastic)
    lines, failure = _published(choice, elastic, work)
    code = _code(lines)
    parameters = code.parameters({"s0": elastic, "sb": brittle, "sc": failure})
    return Calibrated(elastic, failure, work, brittle, code, parameters)


def _published(choice: Softening, elastic: float, work: float) -> tuple[tuple[str, ...], float]:
    """(lines, stretch of failure)."""
    match choice:
        case Bilinear():
            return known.BILINEAR, known.bilinear_failure(elastic, work)
        case Trilinear(kink_force=beta, kink_place=place):
            kink = 2 * beta * (1 - beta) / (3 + 2 * beta) if place is None else place
            failure = known.trilinear_failure(elastic, work, beta, kink)
            return known.with_numbers(known.TRILINEAR, beta=beta, kink=kink), failure
        case Exponential(decay=k):
            return known.with_numbers(known.EXPONENTIAL, k=k), known.nonlinear_failure(elastic, work, 0.0, k)
        case Nonlinear(decay=k, linear_part=alpha):
            lines = known.with_numbers(known.NONLINEAR, k=k, alpha=alpha)
            return lines, known.nonlinear_failure(elastic, work, alpha, k)
    raise TypeError(f"no published law: {type(choice).__name__}")


def _leave_room(choice: Softening, material: Breaking, elastic: float) -> None:
    """A bond that has more than its share of energy before it softens would have to snap back."""
    brittle = material.critical_stretch
    if elastic < brittle:
        return
    horizon = material.horizon * 1e3 * (brittle / elastic) ** 2
    if choice.begins == "strength":
        what, most = f"A tensile strength of {choice.strength:g} MPa", f"{_below(material.young * brittle * 1e-6)} MPa"
    else:
        what, most = f"An elastic limit of {elastic:g}", _below(brittle)
    raise ProblemError(
        f"{what} leaves no energy for softening at this fracture energy and horizon: use less than {most}, "
        f"or a horizon below {_below(horizon)} mm.",
        ("strength" if choice.begins == "strength" else "stretch",),
    )


def _below(value: float) -> str:
    """Three digits, not above ``value``."""
    step = 10.0 ** (np.floor(np.log10(value)) - 2)
    return f"{np.floor(value / step) * step:.3g}"


def _typed(choice: Typed, material: Breaking, elastic: float) -> Calibrated:
    brittle, lines = material.critical_stretch, tuple(choice.lines)
    try:
        if {"s0", "sc"} <= parse(lines).uses:
            _leave_room(choice, material, elastic)
        code, parameters, pull = _followed(lines, elastic, brittle)
    except ProblemError as error:
        of_a_line = bool(error.place) and isinstance(error.place[0], int)
        raise ProblemError(str(error), ("lines", *error.place) if of_a_line else error.place) from None
    made = Calibrated(pull.elastic_limit, pull.failure, pull.work, brittle, code, parameters, pull.findings)
    ratio = made.work / (brittle**2 / 2)
    if np.isfinite(pull.failure) and abs(ratio - 1) > MEETS:
        sentence = (
            f"By this law a crack takes {ratio * material.fracture_energy:.3g} J/m², not the "
            f"{material.fracture_energy:g} J/m² of the material: use sc in it to meet them."
        )
        made = replace(made, findings=(*made.findings, Finding(sentence)))
    return made


@lru_cache(maxsize=16)
def _followed(lines: tuple[str, ...], elastic: float, brittle: float) -> tuple[Code, tuple[float, ...], Pull]:
    """A typed law with its parameters, sc among them, and what it does along a pull. Raises ProblemError."""
    formula, code = parse(lines), _code(lines)
    scales = (elastic, brittle) if "s0" in formula.uses else (brittle,)

    def at(failure: float) -> tuple[float, ...]:
        return code.parameters({"s0": elastic, "sb": brittle, "sc": failure})

    failure = brittle
    if "sc" in formula.uses:
        failure = _solved(lambda sc, to: pulled(code, at(sc), scales, to).work, brittle**2 / 2, scales[0])
    parameters = at(failure)
    return code, parameters, pulled(code, parameters, scales)


def _solved(work: Callable[[float, float], float], wanted: float, least: float) -> float:
    """The least sc above ``least`` with which the law does the wanted work. Raises ProblemError."""
    tried = least * (1 + np.geomspace(1e-3, WIDEST, TRIED))
    done: list[float] = []
    for place, sc in enumerate(tried):
        try:
            done.append(work(sc, ROUGH))
        except ProblemError as error:  # perhaps the law is for greater sc only
            done.append(np.nan)
            wrong = error
        low = tried[max(place - 1, 0)]
        if place and done[-2] < wanted <= done[-1] and work(low, PRECISION) < wanted <= work(sc, PRECISION):
            found: float = scipy.optimize.brentq(
                lambda sc: work(sc, PRECISION) / wanted - 1, low, sc, xtol=1e-14 * least, rtol=1e-13
            )
            return found
    if np.isnan(done).all():
        raise wrong
    if np.nanmin(done) >= wanted:
        sentence = "This law takes more than the fracture energy of the material whatever sc is: use a lower strength."
        raise ProblemError(sentence, ("lines",))
    raise ProblemError("With no value of sc does this law take the fracture energy of the material.", ("lines",))


@lru_cache(maxsize=64)
def _code(lines: tuple[str, ...]) -> Code:
    return coded(parse(lines))
