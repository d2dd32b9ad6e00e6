"""How accurate the schemes are for one cell, by step: the thesis' table 3.2 for any model.

Everything is computed when it is asked for; nothing here is used at Run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.cardiac.compiler.model import CellModel
from engines.cardiac.compiler.schemes import SCHEMES, Scheme, step
from engines.cardiac.compiler.single import Pulse, run

STEPS = tuple(2.0**-k for k in range(1, 13))
"""Those of table 3.2 [ms]."""
REFERENCE = 2.0**-14
"""Step of its reference solution [ms]: by GRL1 there, of whose own error the last rows have some; by GRL2 here."""
OUT_OF_RANGE = 200.0
"""A voltage farther than this from those of the reference [mV] is taken for instability, as one that is not finite."""


@dataclass(frozen=True)
class Row:
    """One entry of table 3.2: ``error`` is the relative root-mean-square error of the voltage (eq. 3.22) over all
    steps, ``rate`` log2 of the error at the double step over this one; both None where there is none."""

    scheme: Scheme
    dt: float
    error: float | None
    rate: float | None
    stable: bool


def convergence(
    model: CellModel,
    schemes: Sequence[Scheme] = SCHEMES,
    steps: Sequence[float] = STEPS,
    milliseconds: float = 10.0,
    reference: float = REFERENCE,
    pulse: Pulse | None = None,
    reference_scheme: Scheme = "GRL2",
) -> list[Row]:
    """The rows of table 3.2, scheme by scheme, from the largest step down.

    steps: [ms], each half of the one before and a multiple of ``reference``, which together with them divides
    ``milliseconds`` and the pulse. Times one compilation a scheme and a run of milliseconds/dt steps a row.
    """
    finest = min(steps)
    every = round(finest / reference)
    exact, _ = run(step(model, reference_scheme), reference, round(milliseconds / reference), every, pulse)
    rows: list[Row] = []
    before: float | None
    for scheme in schemes:
        compiled, before = step(model, scheme), None
        for dt in steps:
            found, _ = run(compiled, dt, round(milliseconds / dt), 1, pulse)
            wanted = exact[:: round(dt / finest)]
            stable = is_stable(found, wanted)
            error = rrms(found[1:], wanted[1:]) if stable else None
            rate: float | None = float(np.log2(before / error)) if before and error else None
            rows.append(Row(scheme, dt, error, rate, stable))
            before = error
    return rows


def rrms(found: Array, wanted: Array) -> float:
    """Eq. 3.22."""
    return float(np.sqrt(np.sum((found - wanted) ** 2) / np.sum(wanted**2)))


def is_stable(voltage: Array, wanted: Array) -> bool:
    low, high = wanted.min() - OUT_OF_RANGE, wanted.max() + OUT_OF_RANGE
    return bool(np.all(np.isfinite(voltage)) and voltage.min() > low and voltage.max() < high)
