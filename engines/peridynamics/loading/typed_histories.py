"""Histories from formulas of the time, in the language of :mod:`engines.formulas.typed.definitions`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import Node
from engines.formulas.typed.definitions import checked, function_of

NAME, TIME = "f", "t"
PANEL = 0.125
"""Width [µs] of the parts of time that are integrated each by Gauss and Legendre's eight points: exact to rounding for
what is smooth within so long, and the same whichever steps are asked for."""
STEPS = ("f = min(t/100, 1)", "f = sin(2*pi*t/50)", "f = where(t < 10, sin(pi*t/10), 0)", "f = 1 - exp(-t/20)")
WHOLE = (
    ("Comes on and goes off", ("rise = 20", "f = min(t/rise, 1) - min(max(t - 60, 0)/rise, 1)")),
    ("A pulse that decays", ("f = t/5*exp(1 - t/5)",)),
    ("Growing swings", ("f = min(t/100, 1)*sin(2*pi*t/25)",)),
)
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(8)


def read(lines: Sequence[str]) -> Node:
    """Of the time [µs]. Raises ProblemError whose ``place`` is the line."""
    return function_of(lines, NAME, (TIME,), "history")


def check(lines: Sequence[str]) -> tuple[int, str] | None:
    return checked(read, lines)


class TypedShare:
    """Of a load, in µs from the start. Raises ProblemError where it is no number."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._program = Program([read(lines)])
        self._areas = np.zeros(1)
        """Integrals from 0 to the ends of panels, as far as was asked for."""

    def at(self, time: Array) -> Array:
        values = np.array(np.broadcast_to(self._program({TIME: time})[0], np.shape(time)), float)
        if not np.isfinite(values).all():
            when = time.ravel()[int(np.argmin(np.isfinite(values.ravel())))]
            raise ProblemError(f"The history of a load is no finite number at t = {when:.4g} us: change its formula.")
        return values

    def integral(self, time: Array) -> Array:
        """From 0 to these times [µs]."""
        panel = np.floor(np.maximum(time, 0.0) / PANEL).astype(int)
        areas = self._areas
        if panel.size and panel.max() >= len(areas):
            more = self._over(np.arange(len(areas) - 1, panel.max()) * PANEL, PANEL)
            # one after the other, so that sums hang on no times that were asked for before
            self._areas = areas = np.concatenate([areas[:-1], np.cumsum(np.concatenate([areas[-1:], more]))])
        first = panel * PANEL
        return np.asarray(areas[panel] + self._over(first, time - first))

    def _over(self, first: Array, width: Array | float) -> Array:
        half = 0.5 * np.asarray(width)[..., None]
        places = np.asarray(first)[..., None] + half * (1 + _PLACES)
        return np.asarray((self.at(places) * (half * _WEIGHTS)).sum(axis=-1))


@lru_cache(maxsize=64)
def typed_share(lines: tuple[str, ...]) -> TypedShare:
    return TypedShare(lines)
