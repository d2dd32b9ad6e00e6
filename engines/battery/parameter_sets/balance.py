"""How much lithium a cell has, how much its electrodes take, and what of that lies between the cut-offs.

With ``Q_k = F A L ε c_max/3600`` of each electrode and the lithium ``Q = x_n Q_n + x_p Q_p`` that goes to and fro, the
stoichiometries at a voltage are where ``U_p(x_p) − U_n(x_n)`` is that voltage on the line ``x_p = (Q − x_n Q_n)/Q_p``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from engines.api import Array, Finding
from engines.api.errors import ProblemError
from engines.battery.parameter_sets.constants import FARADAY
from engines.battery.parameter_sets.model import ParameterSet

MARGIN = 1e-6
"""How near to an empty or a full electrode potentials are asked for."""

HALVINGS = 48
"""Of the stoichiometries between empty and full, to rounding."""
PLACE = ("parameter_set",)

Pair = tuple[float, float]
"""Stoichiometries of the negative and of the positive electrode."""


@dataclass(frozen=True)
class Window:
    """Stoichiometries of the cell at rest at its cut-offs.

    ``met`` says of the lower and of the upper cut-off whether the potentials reach it; where they do not, the pair is
    that at which one of the electrodes is full or empty.
    """

    empty: Pair
    full: Pair
    met: tuple[bool, bool]

    def at(self, charge: float) -> Pair:
        """The stoichiometries at a state of charge of 0 to 1."""
        (n0, p0), (n1, p1) = self.empty, self.full
        return n0 + charge * (n1 - n0), p0 + charge * (p1 - p0)


@dataclass(frozen=True)
class Balance:
    """Capacities in A h: of each electrode from empty to full, of all lithium that cycles, and between the cut-offs."""

    negative: float
    positive: float
    lithium: float
    usable: float
    window: Window

    @property
    def ratio(self) -> float:
        """N/P: what the negative electrode can take over what the positive one gives between the cut-offs."""
        return self.negative / self.usable if self.usable else np.inf


def capacity(parameters: ParameterSet, electrode: str) -> float:
    """[A h] of an electrode from empty to full."""
    return float(_capacity(parameters.values(), electrode))


def _capacity(p: Mapping[str, Any], electrode: str) -> Any:
    solid = p["electrode_area"] * p[f"{electrode}_thickness"] * p[f"{electrode}_active_fraction"]
    return FARADAY * solid * p[f"{electrode}_maximum_concentration"] / 3600


def window(parameters: ParameterSet) -> Window:
    """Where the potentials are the cut-offs, with the lithium that the set starts with."""
    p = parameters.values()
    q_n, q_p, lithium = _capacities(p)
    low, high = max(0.0, (lithium - q_p) / q_n) + MARGIN, min(1.0, lithium / q_n) - MARGIN

    def other(x_n: float) -> float:
        return (lithium - x_n * q_n) / q_p

    def voltage(x_n: float) -> float:
        potentials = parameters.positive_ocp(np.array([other(x_n)])), parameters.negative_ocp(np.array([x_n]))
        return float(potentials[0][0] - potentials[1][0])

    ends, met = [], []
    lowest, highest = voltage(low), voltage(high)
    for cutoff in (p["lower_cutoff"], p["upper_cutoff"]):
        met.append(lowest <= cutoff <= highest)
        if met[-1]:
            x_n = float(
                scipy.optimize.brentq(lambda x, cutoff=cutoff: voltage(x) - cutoff, low, high, xtol=1e-14, rtol=1e-14)
            )
        else:
            x_n = low if cutoff < lowest else high
        ends.append((x_n, other(x_n)))
    return Window(ends[0], ends[1], (met[0], met[1]))


def balance(parameters: ParameterSet) -> Balance:
    """All of it."""
    q_n, q_p, lithium = _capacities(parameters.values())
    found = window(parameters)
    return Balance(q_n, q_p, lithium, (found.full[0] - found.empty[0]) * q_n, found)


def state_of_charge(parameters: ParameterSet) -> float:
    """Where between the cut-offs (0 to 1) the set starts; a little outside if it starts beyond one."""
    p, found = parameters.values(), window(parameters)
    start = p["negative_initial_concentration"] / p["negative_maximum_concentration"]
    span = found.full[0] - found.empty[0]
    return (start - found.empty[0]) / span if span > 0 else 1.0


def charged(parameters: ParameterSet, charge: float) -> ParameterSet:
    """The set at a state of charge of 0 to 1, at rest. Raises ProblemError if its potentials miss a cut-off."""
    p, found = parameters.values(), window(parameters)
    if not all(found.met):
        name, cutoff = ("lower", p["lower_cutoff"]) if not found.met[0] else ("upper", p["upper_cutoff"])
        raise ProblemError(
            f"The state of charge of this cell has no meaning, as its potentials never meet the {name} cut-off of "
            f"{cutoff:g} V: change the cut-off, or leave the initial state of charge out."
        )
    changed = {
        f"{electrode}_initial_concentration": x * p[f"{electrode}_maximum_concentration"]
        for electrode, x in zip(("negative", "positive"), found.at(charge), strict=True)
    }
    return parameters.changed(changed, f"state of charge {charge:g} between the cut-offs")


def balance_findings(parameters: ParameterSet) -> tuple[Finding, ...]:
    """The lithium balance in words."""
    p, found = parameters.values(), balance(parameters)
    low, high = p["lower_cutoff"], p["upper_cutoff"]
    (n0, p0), (n1, p1) = found.window.empty, found.window.full
    lines = [
        f"Negative electrode {found.negative:.3g} A h, positive {found.positive:.3g} A h, lithium {found.lithium:.3g} "
        f"A h; {found.usable:.3g} A h between {low:g} and {high:g} V (nominal {p['nominal_capacity']:g} A h, "
        f"N/P {found.ratio:.3g}).",
        f"Stoichiometries from empty to full: negative {n0:.4f} to {n1:.4f}, positive {p0:.4f} to {p1:.4f}.",
    ]
    findings = [Finding(line, "info", PLACE) for line in lines]
    for name, cutoff, met in zip(("lower", "upper"), (low, high), found.window.met, strict=True):
        if not met:
            sentence = f"At rest the cell never meets its {name} cut-off of {cutoff:g} V."
            findings.append(Finding(sentence, "info", PLACE))
    return tuple(findings)


def starts(parameters: ParameterSet, values: Mapping[str, Any]) -> tuple[Array, Array]:
    """Where between its cut-offs each of many cells starts (0 to 1), and its [A h] between them; ``values`` are the
    numbers of the set, of which some differ: (cells,)."""
    q_n, q_p, lithium = map(np.atleast_1d, _capacities(values))
    low, high = np.maximum(0.0, (lithium - q_p) / q_n) + MARGIN, np.minimum(1.0, lithium / q_n) - MARGIN

    def at_rest(cutoff: float) -> Array:
        below, above = low, high
        for _ in range(HALVINGS):
            x_n = (below + above) / 2
            voltage = parameters.positive_ocp((lithium - x_n * q_n) / q_p) - parameters.negative_ocp(x_n)
            below, above = np.where(voltage < cutoff, x_n, below), np.where(voltage < cutoff, above, x_n)
        return np.asarray((below + above) / 2)

    empty, full = at_rest(values["lower_cutoff"]), at_rest(values["upper_cutoff"])
    start = values["negative_initial_concentration"] / values["negative_maximum_concentration"]
    return np.asarray((start - empty) / (full - empty)), np.asarray((full - empty) * q_n)


def _capacities(p: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """[A h] of the negative electrode, of the positive one, and of the lithium in both."""
    q_n, q_p = _capacity(p, "negative"), _capacity(p, "positive")
    x_n, x_p = (
        p[f"{electrode}_initial_concentration"] / p[f"{electrode}_maximum_concentration"]
        for electrode in ("negative", "positive")
    )
    return q_n, q_p, x_n * q_n + x_p * q_p
