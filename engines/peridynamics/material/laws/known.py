"""The published laws as lines of the language, and the stretch of failure with which a bond takes its share of a crack.

The areas are those under the whole curve, so that each law becomes the brittle one where s0 is the critical stretch;
pypd (Hobbs) leaves the triangle up to s0 out.
"""

from __future__ import annotations

import math

BILINEAR = ("# s0: elastic limit, sc: failure", "m = sc/(sc - s0)", "d = m*(1 - s0/s)")

TRILINEAR = (
    "beta = 0.25                      # force at the kink over the largest",
    "kink = 2*beta*(1 - beta)/(3 + 2*beta)  # its place between s0 and sc",
    "s1 = s0 + kink*(sc - s0)",
    "m1 = (1 - beta)*s0/(s1 - s0)     # slopes of the two lines",
    "m2 = beta*s0/(sc - s1)",
    "d = (1 + m1)*(1 - s0/s) if s < s1 else 1 + m2 - m2*sc/s",
)

EXPONENTIAL = (
    "k = 5                            # rate of decay",
    "e = exp(-k)",
    "w = k/(sc - s0)",
    "a = s0/(1 - e)",
    "d = 1 - a*(exp(w*(s0 - s)) - e)/s",
)

NONLINEAR = (
    "k = 25                           # rate of the exponential part",
    "alpha = 0.25                     # weight of the linear part",
    "e = exp(-k)",
    "w = k/(sc - s0)",
    "a = s0/((1 - e)*(1 + alpha))",
    "b = alpha*s0/((1 + alpha)*(sc - s0))",
    "d = 1 - (a*(exp(w*(s0 - s)) - e) + b*(sc - s))/s",
)


def with_numbers(lines: tuple[str, ...], **numbers: float) -> tuple[str, ...]:
    """``lines`` whose definitions of these names are other numbers."""
    return tuple(f"{name} = {numbers[name]!r}" if (name := line.split(" =")[0]) in numbers else line for line in lines)


def bilinear_failure(elastic: float, work: float) -> float:
    """∫ force ds = s0 sc/2."""
    return 2 * work / elastic


def trilinear_failure(elastic: float, work: float, beta: float, kink: float) -> float:
    """∫ = s0²/2 + (sc − s0) s0 (β + kink)/2 (Hobbs, pypd: kink = 1/γ)."""
    return elastic + (2 * work / elastic - elastic) / (beta + kink)


def nonlinear_failure(elastic: float, work: float, alpha: float, k: float) -> float:
    """∫ = s0²/2 + (sc − s0) s0 (A + α/2)/(1 + α), A = 1/k − 1/(eᵏ − 1) (Hobbs,
    pypd); α = 0: exponential softening alone."""
    area = (1 / k - 1 / math.expm1(k) + alpha / 2) / (1 + alpha)
    return elastic + (work / elastic - elastic / 2) / area
