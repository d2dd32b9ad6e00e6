"""Synapses whose weights change: sorted by sender, and listed by target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.spiking.parameters.plasticity import Stdp


@dataclass(frozen=True, eq=False)
class Plastic:
    """Row r is what neuron r sends; ``listed[into[t]:into[t + 1]]`` are the synapses of target t, in order.

    starts, into: (n + 1,) int64; words: (synapses, 2) int32, target << 8 | delay [steps], sender; late: what of the
    delay is above 8 bits, as of ``wiring.Wiring``; listed: (synapses,) int64; weights: (synapses,) float32 first values
    """

    rule: Stdp
    starts: Array
    words: Array
    late: Array
    weights: Array
    into: Array
    listed: Array


def plastic(rule: Stdp, starts: Array, words: Array, late: Array) -> Plastic:
    """From drawn synapses whose second word is a float32 weight; first weights are cut off at the rule's bounds."""
    n = len(starts) - 1
    weights = np.clip(words.view(np.float32)[:, 1], rule.lowest, rule.highest).astype(np.float32)
    targets = words[:, 0] >> 8
    senders = np.repeat(np.arange(n, dtype=np.int32), np.diff(starts))
    into = np.concatenate([[0], np.cumsum(np.bincount(targets, minlength=n))])
    listed = np.argsort(targets, kind="stable")
    return Plastic(rule, starts, np.stack([words[:, 0], senders], axis=1), late, weights, into, listed)


def coefficients(rule: Stdp, dt: float, quantum: float) -> Array:
    """(9,) float32: a step up is (c0 + c1 w) times the sender's trace, a step down (c2 + c3 w) times the target's;
    bounds; what the traces lose in a step; quanta of a weight of 1"""
    up, down = rule.potentiation * rule.highest, rule.depression * rule.highest
    steps = (up, 0.0, down, 0.0)
    if rule.rule == "multiplicative":
        steps = (up, -rule.potentiation, -rule.depression * rule.lowest, rule.depression)
    losses = np.expm1(-dt / rule.potentiation_time), np.expm1(-dt / rule.depression_time)
    return np.array([*steps, rule.lowest, rule.highest, *losses, 1 / quantum], np.float32)
