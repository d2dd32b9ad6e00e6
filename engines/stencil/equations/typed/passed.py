"""What the steps of a run were in the states that it came to: whether stable there, and how far off what reacts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.quantities import rounded_down
from engines.stencil.equations.accuracy import relative_error
from engines.stencil.equations.passes import Method
from engines.stencil.equations.stability import BACKWARDS, Limit
from engines.stencil.setup.limits import STEP
from engines.stencil.setup.reaction import told_of_reactions

SHARE = 0.7
"""Of the limit where it was passed: what the fields come to may lower it further."""
BETWEEN = np.linspace(0, 1, 17)[1:-1]
"""From one look to the next: what too long steps jump over may bear shorter ones only."""
SHORTEST = 0.1
"""Of the step that was taken: shorter ones are not proposed by what too long ones have made of the fields."""
BEYOND = 1.05
"""Of the limit: from such steps on waves that should decay have grown."""
FAR_OFF = 0.25
"""An error of what reacts that nobody chose: of what a run passes through on its way no more is known."""
MORE = 1.5
"""Times the error that is told before the run, where the fields begin."""


def shorter(limit: float, dt: float) -> float:
    """The step [s] that is proposed where ``dt`` was not stable, and ``limit`` is."""
    return rounded_down(max(SHARE * limit, SHORTEST * dt), 2)


class Look(NamedTuple):
    """States of some cells (``stability.states_of``) at a time [s], and the parameters that there were."""

    time: float
    states: Mapping[str, Array]
    given: Mapping[str, float]


class Passed(NamedTuple):
    """The judge of looks. begun: λ [1/s] of reactions where the fields begin; reactions: those of a look."""

    method: Method
    dt: float
    begun: Array
    limit_of: Callable[[Mapping[str, Array], Mapping[str, float]], Limit]
    reactions: Callable[[Mapping[str, Array], Mapping[str, float]], Array]

    def told(self, looks: Sequence[Look]) -> tuple[Finding, ...]:
        """Of the first look in which steps were not stable, else of that in which they were furthest off."""
        limits = [self.limit_of(look.states, look.given) for look in looks]
        for look, limit in zip(looks, limits, strict=True):
            if limit.backwards:
                text = f"At t = {look.time:.4g} s {BACKWARDS.format(field=limit.backwards)}"
                return (Finding(text, "warning", ("equation", "lines"), distorts=True),)
            if 0 < limit.step * BEYOND < self.dt:
                limits += [self.limit_of(each.states, each.given) for each in _jumped_over(looks)]
                step = shorter(min(each.step for each in limits if each.step > 0), self.dt)
                text = (
                    f"Steps of {self.dt:.3g} s were not stable at t = {look.time:.4g} s, for '{limit.field}' had come "
                    f"to where they may be {rounded_down(limit.step, 2):g} s: take steps of at most {step:g} s."
                )
                return (Finding(text, "warning", STEP, Remedy(f"Take {step:g} s", {STEP: step}), distorts=True),)
        rates = [self.reactions(look.states, look.given) for look in looks]
        off = [self._error(each) for each in rates]
        if not off or max(off) < max(FAR_OFF, MORE * self._error(self.begun)):
            return ()
        worst = off.index(max(off))
        where = f"as the fields were at t = {looks[worst].time:.4g} s"
        return told_of_reactions(self.method, self.dt, rates[worst], where)

    def _error(self, rates: Array) -> float:
        return float(relative_error(self.method, rates * self.dt).max(initial=0.0))


def _jumped_over(looks: Sequence[Look]) -> Iterator[Look]:
    """States between those of one look and of the next."""
    for one, other in pairwise(looks):
        mixed = {
            name: np.concatenate([(1 - part) * values + part * other.states[name] for part in BETWEEN])
            for name, values in one.states.items()
        }
        yield other._replace(states=mixed)
