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

MOST_LINES = 60
"""Choices of the lines between points until they are those of the voltages that come of them."""
FLATTEST = 1e-3
"""Of slopes between points, over the last ones."""


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

    def __init__(self, groups: int, m: int, resistance: float, telling: float) -> None:
        """``telling``: a change of voltage [V] from which on a slope is to be had."""
        self._telling = telling
        self.resistance = np.full((groups, m), resistance)
        self._current = np.full((groups, m), np.nan)
        self._voltage = np.full((groups, m), np.nan)
        self._points: list[tuple[Array, Array]] = []

    def begin(self) -> None:
        """A new step: its points have nothing to do with those of the last; the slopes remain."""
        self._current = np.full_like(self._current, np.nan)
        self._points = []

    def through(self, current: Array, voltage: Array) -> Array:
        """Intercepts of lines through these points; slopes by those before, where the current has moved enough for
        the voltage to tell."""
        moved = current - self._current
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = (self._voltage - voltage) / moved
            usable = np.abs(moved) * self.resistance > self._telling
        slope = np.clip(slope, self.resistance / 10, self.resistance * 10)
        self.resistance = np.where(usable & np.isfinite(slope), slope, self.resistance)
        self._current, self._voltage = current, voltage
        self._points.append((current, voltage))
        return np.asarray(voltage + self.resistance * current)

    def between(self, demand: Demand) -> tuple[Array, Array]:
        """Currents by the points of this step, joined by lines, and the voltages of the groups, (groups, 1): wherever
        the voltage falls with the current they come nearer with each point, however it bends."""
        points: Array = np.array(self._points)  # (points, 2, groups, m)
        order = np.argsort(points[:, 0], axis=0)
        current = np.take_along_axis(points[:, 0], order, 0)
        voltage = np.minimum.accumulate(np.take_along_axis(points[:, 1], order, 0))
        shared_voltage = self._voltage.mean(axis=1, keepdims=True)
        for number in range(MOST_LINES):
            right = np.clip((voltage > shared_voltage).sum(axis=0), 1, len(points) - 1)[None]
            (i0, v0), (i1, v1) = (
                [np.take_along_axis(each, place, 0)[0] for each in (current, voltage)] for place in (right - 1, right)
            )
            with np.errstate(invalid="ignore", divide="ignore"):
                slope = (v0 - v1) / (i1 - i0)
            slope = np.where(
                np.isfinite(slope) & (slope > self.resistance * FLATTEST), slope, self.resistance * FLATTEST
            )
            wanted = shared(v0 + slope * i0, slope, demand)
            found = (v0 + slope * (i0 - wanted)).mean(axis=1, keepdims=True)
            if np.abs(found - shared_voltage).max() < 1e-12:
                break
            shared_voltage = found if number < MOST_LINES // 2 else (found + shared_voltage) / 2
        return wanted, found
