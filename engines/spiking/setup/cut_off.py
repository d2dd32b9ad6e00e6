"""What is drawn and cut off at a bound, so that it has another mean than the one that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.spiking.connectivity.draw import LONGEST
from engines.spiking.connectivity.files import columns_of
from engines.spiking.parameters import SpikingParameters
from engines.spiking.parameters.connections import (
    Connection,
    ConstantWeight,
    FromFile,
    LognormalWeight,
    NormalDelay,
    NormalWeight,
)
from engines.spiking.parameters.plasticity import Stdp
from engines.spiking.parameters.populations import NormalStart

CHANGED = 0.02
"""Share of a mean by which it may be off before that is told."""
LEVELS = 20_000
SMALLER = (1.0, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05)
"""Spreads that are proposed, as shares of the mean."""
Place = tuple[str | int, ...]
Values = Callable[[float], Array]
"""Of a spread: what is drawn with it, each as likely."""


@dataclass(frozen=True)
class _Drawn:
    """A mean and a spread as they stand in the form, that at ``place``; per: what a spread of 1 is of the mean."""

    what: str
    mean: float
    spread: float
    per: float
    values: Values
    why: str
    place: Place
    unit: str = ""

    def becomes(self, spread: float) -> float:
        return float(np.mean(self.values(spread)))

    def is_off(self, spread: float) -> bool:
        return abs(self.becomes(spread) - self.mean) > CHANGED * abs(self.mean)

    def told(self, places: list[Place]) -> Finding:
        """places: of all that are drawn like this."""
        smaller = [float(f"{share * self.per:.6g}") for share in SMALLER]
        fits = next((each for each in smaller if each < self.spread and not self.is_off(each)), None)
        spread = f" and a spread of {self.spread:g}" if self.spread else ""
        return Finding(
            f"{self.what} with a mean of {self.mean:g}{self.unit}{spread} come out with one of "
            f"{self.becomes(self.spread):.4g}{self.unit}: {self.why}.",
            place=self.place,
            remedy=None if fits is None else Remedy(f"Make the spread {fits:g}", dict.fromkeys(places, fits)),
            distorts=True,
        )


def cut_off(parameters: SpikingParameters) -> Iterator[Finding]:
    """Means that are off; one sentence for all that are drawn alike."""
    found: dict[tuple[object, ...], list[_Drawn]] = {}
    for each in (*_synapses(parameters), *_starts(parameters)):
        if each.is_off(each.spread):
            found.setdefault((each.what, each.mean, each.spread, each.why), []).append(each)
    for alike in found.values():
        yield alike[0].told([each.place for each in alike])


@cache
def _normal() -> Array:
    """(LEVELS,) of mean 0 and variance 1."""
    from scipy.special import ndtri  # only where something is drawn

    return np.asarray(ndtri((np.arange(LEVELS) + 0.5) / LEVELS))


def _delays(mean: float, step: float, spread: float) -> Array:
    steps: Array = np.rint(mean / step * (1 + spread * _normal())).clip(1, LONGEST)
    return step * steps


def _conductances(mean: float, spread: float) -> Array:
    return (mean + spread * _normal()).clip(0)


def _synapses(parameters: SpikingParameters) -> Iterator[_Drawn]:
    step = parameters.numerics.step
    for k, connection in enumerate(parameters.connections):
        rule, delay = connection.rule, connection.delay
        own = columns_of(rule.path) if isinstance(rule, FromFile) else ()
        if "weight" not in own:
            yield from _weights(connection, ("connections", k, "weight"))
        if "delay" not in own and isinstance(delay, NormalDelay):
            yield _Drawn(
                "Delays", delay.delay, delay.spread, 1.0,
                partial(_delays, delay.delay, step),
                f"each is a whole number of steps of {step:g} ms, from 1 to {LONGEST:,}; use a smaller spread or step",
                ("connections", k, "delay", "spread"), " ms",
            )  # fmt: skip


def _weights(connection: Connection, place: Place) -> Iterator[_Drawn]:
    weight, rule, low, high = connection.weight, connection.plasticity, 0.0, np.inf
    spread = 0.0 if isinstance(weight, ConstantWeight) else weight.spread
    if isinstance(rule, Stdp):
        low, high = rule.lowest, rule.highest
        why = f"their rule keeps weights between {low:g} and {high:g}; begin there, or move these"
    elif isinstance(weight, NormalWeight):
        why = "what has the other sign becomes 0; use a smaller spread or a lognormal distribution"
    else:
        return
    sign = np.copysign(1.0, weight.weight)

    def values(spread: float) -> Array:
        shares = 1 + spread * _normal()
        if isinstance(weight, LognormalWeight):
            shares = np.exp(np.sqrt(np.log1p(spread**2)) * _normal())
            shares /= shares.mean()
        return sign * (abs(weight.weight) * shares).clip(low, high)

    what, field = ("First weights" if isinstance(rule, Stdp) else "Weights"), "spread" if spread else "weight"
    yield _Drawn(what, weight.weight, spread, 1.0, values, why, (*place, field))


def _starts(parameters: SpikingParameters) -> Iterator[_Drawn]:
    for k, population in enumerate(parameters.populations):
        start = population.start
        if not population.number or not isinstance(start, NormalStart):
            continue
        for name, mean, spread in (
            ("excitation", start.excitation, start.excitation_spread),
            ("inhibition", start.inhibition, start.inhibition_spread),
        ):
            yield _Drawn(
                f"Numbers of the {name} at first", mean, spread, mean,
                partial(_conductances, mean),
                "what is below 0 becomes 0", ("populations", k, "start", f"{name}_spread"),
            )  # fmt: skip
