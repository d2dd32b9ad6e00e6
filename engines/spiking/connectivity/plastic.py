"""Synapses that change: sorted by sender, and listed by target."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from engines.api import Array
from engines.spiking.connectivity import draw
from engines.spiking.parameters.plasticity import Stdp


@dataclass(frozen=True, eq=False)
class Listed:
    """Row r is what neuron r sends; ``listed[into[t]:into[t + 1]]`` are the synapses of target t, in order.

    starts, into: (n + 1,) int64; words: (synapses, 2) int32, target << 8 | delay [steps], sender; late: what of the
    delay is above 8 bits, as of ``wiring.Wiring``; listed: (synapses,) int64; weights: (synapses,) float32 first values
    """

    starts: Array
    words: Array
    late: Array
    weights: Array
    into: Array
    listed: Array

    @property
    def inputs(self) -> Array:
        """(n,) how many synapses each neuron hears."""
        return np.diff(self.into)


@dataclass(frozen=True, eq=False)
class Plastic(Listed):
    """With weights that change by a rule."""

    rule: Stdp


class Runs(NamedTuple):
    """Synapses of a sender with the same delay stand together, in runs. who: (runs, 2) int32, the sender and the delay
    [steps]; starts: (runs + 1,) int64"""

    who: Array
    starts: Array


@dataclass(frozen=True, eq=False)
class Joined(Listed):
    """Of one connection with equations of its own, those of a sender by their delays. source, target: the first neuron
    and the one after the last; delay: the longest [steps]; largest: what a spike adds at most"""

    connection: int
    source: tuple[int, int]
    target: tuple[int, int]
    delay: int
    largest: float

    @cached_property
    def runs(self) -> Runs:
        """What a spike sets off at once, when it has arrived."""
        who = np.stack([self.words[:, 1], delays_of(self.words, self.late)], axis=1)
        begin = np.flatnonzero(np.any(np.diff(who, axis=0, prepend=-1), axis=1))
        return Runs(np.ascontiguousarray(who[begin]), np.append(begin, len(who)))


def delays_of(words: Array, late: Array) -> Array:
    """(synapses,) int32 [steps]"""
    steps: Array = words[:, 0] & draw.SHORT
    return steps + (late.astype(np.int32) << 8) if len(late) else steps


def by_delay(starts: Array, words: Array, late: Array) -> tuple[Array, Array, Array]:
    """The same synapses, those of each sender by their delays and otherwise as they were."""
    steps = delays_of(words, late)
    if not len(steps) or steps.min() == steps.max():
        return starts, words, late
    order = np.lexsort((steps, np.repeat(np.arange(len(starts) - 1), np.diff(starts))))
    return starts, words[order], late[order] if len(late) else late


def plastic(rule: Stdp, starts: Array, words: Array, late: Array) -> Plastic:
    """First weights are cut off at the rule's bounds."""
    found = listed(starts, words, late)
    weights = np.clip(found.weights, rule.lowest, rule.highest).astype(np.float32)
    return Plastic(**{**vars(found), "weights": weights}, rule=rule)


def listed(starts: Array, words: Array, late: Array) -> Listed:
    """From drawn synapses whose second word is a float32 weight."""
    n = len(starts) - 1
    targets = words[:, 0] >> 8
    senders = np.repeat(np.arange(n, dtype=np.int32), np.diff(starts))
    into = np.concatenate([[0], np.cumsum(np.bincount(targets, minlength=n))])
    order = np.argsort(targets, kind="stable")
    weights = words.view(np.float32)[:, 1].copy()
    return Listed(starts, np.stack([words[:, 0], senders], axis=1), late, weights, into, order)


def coefficients(rule: Stdp, dt: float, quantum: float) -> Array:
    """(9,) float32: a step up is (c0 + c1 w) times the sender's trace, a step down (c2 + c3 w) times the target's;
    bounds; what the traces lose in a step; quanta of a weight of 1"""
    up, down = rule.potentiation * rule.highest, rule.depression * rule.highest
    steps = (up, 0.0, down, 0.0)
    if rule.rule == "multiplicative":
        steps = (up, -rule.potentiation, -rule.depression * rule.lowest, rule.depression)
    losses = np.expm1(-dt / rule.potentiation_time), np.expm1(-dt / rule.depression_time)
    return np.array([*steps, rule.lowest, rule.highest, *losses, 1 / quantum], np.float32)
