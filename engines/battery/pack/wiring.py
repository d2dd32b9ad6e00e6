"""Currents of cells that are wired: groups in parallel share a voltage, groups in series share a current.

Within a step the voltage of a cell at the step's end is nearly linear in its current, ``V = a − r I``, and depends on
no other cell's. So the network of the lines is solved exactly, the cells tell their voltages at these currents, each
line is drawn anew through the last two points (a secant per cell), until the network agrees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engines.api import Array
from engines.battery.protocol.instructions import Kind


@dataclass(frozen=True)
class Demand:
    """What holds for the pack: a group's current [A], or the voltage [V] or power [W] of all groups together."""

    kind: Kind
    value: float


def shared(intercept: Array, resistance: Array, demand: Demand) -> Array:
    """(groups, m) currents [A] of cells with ``V = intercept − resistance I``, (groups, m) each [V], [Ω].

    A power that the pack cannot give becomes the largest that it can.
    """
    conductance = (1 / resistance).sum(axis=1)
    open_voltage = (intercept / resistance).sum(axis=1) / conductance
    total, inner = float(open_voltage.sum()), float((1 / conductance).sum())
    if demand.kind == Kind.VOLTAGE:
        current = (total - demand.value) / inner
    elif demand.kind == Kind.POWER:
        current = (total - math.sqrt(max(total * total - 4 * inner * demand.value, 0.0))) / (2 * inner)
    else:
        current = demand.value
    voltage = open_voltage - current / conductance
    return np.asarray((intercept - voltage[:, None]) / resistance)


class Lines:
    """The line of each cell, (groups, m), drawn through its last two points."""

    def __init__(self, groups: int, m: int, resistance: float) -> None:
        self.resistance = np.full((groups, m), resistance)
        self._current = np.full((groups, m), np.nan)
        self._voltage = np.full((groups, m), np.nan)

    def begin(self) -> None:
        """A new step: its points have nothing to do with those of the last; the slopes remain."""
        self._current = np.full_like(self._current, np.nan)

    def through(self, current: Array, voltage: Array) -> Array:
        """Intercepts of lines through these points; slopes by those before, where the current has moved enough for
        the voltage to tell."""
        moved = current - self._current
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = (self._voltage - voltage) / moved
            usable = np.abs(moved) * self.resistance > 1e-4
        slope = np.clip(slope, self.resistance / 10, self.resistance * 10)
        self.resistance = np.where(usable & np.isfinite(slope), slope, self.resistance)
        self._current, self._voltage = current, voltage
        return np.asarray(voltage + self.resistance * current)
