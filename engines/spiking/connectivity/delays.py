"""Delays that a formula gives each synapse; those of other distributions as formulas, where there is no kernel's way.

Numbers that are drawn are functions of the seed, the connection and the place of a synapse in it: the same on every
machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engines.api import Array
from engines.api.errors import ProblemError, placed_at
from engines.formulas.emit_numpy import Program
from engines.formulas.graph import Node, ordered
from engines.formulas.typed.units import NONE, UNITS, in_kept
from engines.spiking.connectivity import draw
from engines.spiking.parameters.connections import Delay, DistanceDelay, FormulaDelay, NormalDelay, UniformDelay
from engines.spiking.typed.names import Names, drawn

TIME = UNITS["second"][0]
GIVEN = {"i": NONE, "j": NONE, "N_pre": NONE, "N_post": NONE, "dt": TIME, "distance": UNITS["metre"][0]}
"""What formulas may name."""
AT_ONCE = 1 << 20
"""Synapses whose delays are worked out at a time."""
SAMPLES = 4096
"""Of what a formula hangs on, from which its longest delay is told; half of them are at the ends."""
FAR = 6.0
"""Standard deviations that a drawn number may be from 0, there."""
Place = tuple[str | int, ...]


def formula_of(delay: Delay, dt: float) -> str:
    """As our parser and Brian2 read it; of constant delays nothing."""
    at_least = f"{dt!r}, {float(f'{draw.LONGEST * dt:.12g}')!r}"
    match delay:
        case FormulaDelay():
            return delay.formula
        case UniformDelay():
            spread = float(f"{delay.longest - delay.shortest:.12g}")
            return f"({delay.shortest!r} + {spread!r}*rand())*ms"
        case NormalDelay():
            return f"clip({delay.delay!r} + {float(f'{delay.delay * delay.spread:.12g}')!r}*randn(), {at_least})*ms"
        case DistanceDelay():
            return f"clip(distance/({delay.velocity!r}*mm), {at_least})*ms"
    return ""


def delay_from(text: str, dt: float) -> UniformDelay | NormalDelay | FormulaDelay:
    """The distribution whose formula this is, or one of its own."""
    numbers = [float(each) for each in re.findall(r"(?<![\w.])[\d.e+-]*\d", text)[:2]]
    if len(numbers) == 2 and numbers[0] > 0:
        low, wide = numbers
        made: list[UniformDelay | NormalDelay] = []
        with suppress(ValueError):
            made += [UniformDelay(shortest=low, longest=float(f"{low + wide:.12g}"))]
            made += [NormalDelay(delay=low, spread=float(f"{wide / low:.12g}"))]
        for each in made:
            if formula_of(each, dt) == text:
                return each
    return FormulaDelay(formula=text)


def checked(delay: UniformDelay | FormulaDelay, dt: float, place: Place) -> None:
    """Raises ProblemError for what is no time."""
    if isinstance(delay, FormulaDelay):
        read(delay.formula, (*place, "formula"))
    elif delay.shortest > delay.longest:
        raise ProblemError(
            f"The shortest delay ({delay.shortest:g} ms) is above the longest ({delay.longest:g} ms): exchange them.",
            (*place, "shortest"),
        )
    elif round(delay.longest / dt) > draw.LONGEST:
        raise _too_long(delay.longest, dt, (*place, "longest"))


def read(text: str, place: Place) -> Node:
    """Of a time [ms]. Raises ProblemError."""
    with placed_at(*place):
        return _read(text)


@lru_cache(maxsize=64)
def _read(text: str) -> Node:
    names = Names(GIVEN)
    with names.drawing():
        return in_kept(names.formula(text, "The delay", TIME))


def _too_long(time: float, dt: float, place: Place) -> ProblemError:
    return ProblemError(
        f"A delay of {time:g} ms is {time / dt:,.0f} steps, and there is room for {draw.LONGEST:,}: use a longer step.",
        place,
    )


@dataclass(frozen=True, eq=False)
class Formula:
    """Of a connection. stream: of its random numbers; place: where it is typed"""

    node: Node
    dt: float
    stream: tuple[int, ...]
    place: Place

    def write(self, of: draw.Drawn, rows: Rows, ends: Ends) -> None:
        """Into the synapses of a connection that were drawn without delays. Raises ProblemError for others."""
        for part, (places, sender) in enumerate(rows):
            hearer = of.words[places, 0] >> 8
            steps = self._steps(ends.of(sender, hearer), len(places), part)
            of.words[places, 0] |= steps & draw.SHORT
            of.late[places] = steps >> 8

    def _steps(self, given: dict[str, Array], number: int, part: int) -> Array:
        """(number,) int32; halves of a step are rounded as constant delays are."""
        known = {**given, "dt": self.dt, **drawn([self.node], number, [*self.stream, part])}
        times = np.broadcast_to(Program([self.node])(known)[0], number)
        if len(bad := np.flatnonzero(~(times >= 0))):
            what = f"is {times[bad[0]]:.4g} ms" if np.isfinite(times[bad[0]]) else "is no number"
            raise ProblemError(
                f"The delay of {len(bad):,} synapses is below 0 or no number; that of the first {what}: keep them "
                "above, as clip(…, 0*ms, 20*ms) does.",
                self.place,
            )
        steps = np.rint(times / self.dt)
        if number and steps.max() > draw.LONGEST:
            raise _too_long(float(times.max()), self.dt, self.place)
        return steps.astype(np.int32)


@dataclass(frozen=True, eq=False)
class Ends:
    """The neurons of a connection. first: of senders and of hearers; places, period: as of ``draw.Synapse``"""

    first: tuple[int, int]
    senders: int
    hearers: int
    places: Array
    period: Array

    def of(self, sender: Array, hearer: Array) -> dict[str, Array]:
        """What formulas may name, of (k,) synapses between these."""
        gaps = np.abs(self.places[sender] - self.places[hearer])
        gaps = np.where(self.period > 0, np.minimum(gaps, self.period - gaps), gaps)
        return {
            "i": sender - self.first[0], "j": hearer - self.first[1], "distance": np.sqrt((gaps**2).sum(axis=1)),
            "N_pre": np.float64(self.senders), "N_post": np.float64(self.hearers),
        }  # fmt: skip


Rows = Iterator[tuple[Array, Array]]


def rows_between(begun: Array, ended: Array) -> Rows:
    """(places, senders) of the synapses of senders s at begun[s] … ended[s] − 1, some at a time."""
    counts = ended - begun
    stops = np.cumsum(counts)
    for first in range(0, int(stops[-1]) if len(stops) else 0, AT_ONCE):
        k = np.arange(first, min(first + AT_ONCE, int(stops[-1])))
        sender = np.searchsorted(stops, k, side="right")
        yield begun[sender] + k - (stops[sender] - counts[sender]), sender


def longest(node: Node, dt: float, numbers: tuple[int, int], far: float) -> int:
    """About the longest delay that a formula gives [steps], of so many senders and hearers that are at most so far
    apart [µm]: of samples of what it hangs on, many at the ends of their ranges."""
    names = sorted({str(each.value) for each in ordered([node]) if each.op == "symbol"})
    ranges = {"i": (0, numbers[0] - 1), "j": (0, numbers[1] - 1), "distance": (0, far)}
    ranges |= dict.fromkeys((name for name in names if name.startswith("@rand.")), (0, 1))
    known: dict[str, Array | float] = {"dt": dt, "N_pre": numbers[0], "N_post": numbers[1]}
    random = np.random.default_rng(0)
    for name in names:
        if name not in known:
            low, high = ranges.get(name, (-FAR, FAR))
            share = random.random(SAMPLES)
            share[: SAMPLES // 2] = np.rint(share[: SAMPLES // 2])
            known[name] = low + (high - low) * share
    steps = np.asarray(Program([node])(known)[0]) / dt
    return int(np.rint(np.clip(np.nan_to_num(steps, nan=0.0), 0, draw.LONGEST)).max(initial=0))
