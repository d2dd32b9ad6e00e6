"""Protocols in English steps, as PyBaMM's users write them, and what the kernels make of them.

    Discharge at C/10 for 10 hours or until 3.3 V      Rest for 1 hour
    Charge at 1 A until 4.1 V                          Hold at 4.1 V until 50 mA
    Discharge at 2 W for 30 minutes                    Run drive cycle

A step that says no voltage ends at the cell's own cut-off.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engines.api import Array
from engines.battery.cells.launcher import LONGEST, NEVER, Instruction, Kind
from engines.battery.parameter_sets import ParameterSet
from engines.errors import ProblemError

SECONDS = {
    **dict.fromkeys(("s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
}
UNITS = {
    "A": ("current", 1.0), "mA": ("current", 1e-3), "V": ("voltage", 1.0), "mV": ("voltage", 1e-3),
    "W": ("power", 1.0), "mW": ("power", 1e-3), "kW": ("power", 1e3), "C": ("rate", 1.0),
    **{unit: ("time", seconds) for unit, seconds in SECONDS.items()},
}  # fmt: skip
LARGEST_RATE = 100.0
"""C-rates beyond this are taken for a slip: no cell carries them."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")

Quantity = tuple[str, float]
"""("current", A), ("rate", multiples of the capacity), ("power", W), ("voltage", V) or ("time", s)."""


@dataclass(frozen=True)
class Step:
    """One step as written. ``value`` is what is held, in the sign of discharge; ``duration`` in s."""

    text: str
    action: Literal["discharge", "charge", "hold", "rest", "run"]
    value: Quantity = ("current", 0.0)
    duration: float | None = None
    until: Quantity | None = None


def parse_step(text: str, number: int = 1) -> Step:
    """Read one step; ``number`` is its place in the protocol. Raises ProblemError that names the word."""
    words = _Words(text, number)
    action = words.take("an action").lower()
    if action not in ("discharge", "charge", "hold", "rest", "run"):
        words.refuse("a step begins with Discharge, Charge, Hold, Rest or Run")
    value: Quantity = ("current", 0.0)
    if action == "run":
        words.expect("drive")
        words.expect("cycle")
    elif action != "rest":
        words.expect("at")
        value = words.quantity(("voltage",) if action == "hold" else ("current", "rate", "power"))
        if action != "hold" and value[1] <= 0:
            words.refuse("a current or power is positive: Charge and Discharge say which way it flows")
        if action == "charge":
            value = (value[0], -value[1])
    duration, until = None, None
    while not words.at_end:
        word = words.take("'for' or 'until'").lower()
        if word == "or" and (duration is not None or until is not None) and not words.at_end:
            continue
        if word == "for" and duration is None:
            duration = words.quantity(("time",))[1]
            if duration <= 0:
                words.refuse("a step lasts longer than nothing")
        elif word == "until" and until is None and action in ("discharge", "charge", "hold"):
            until = words.quantity(("current", "rate") if action == "hold" else ("voltage",))
        else:
            words.refuse("'for' and a time, or 'until' and a limit, may stand here once each")
    if action == "rest" and duration is None:
        raise ProblemError(f"{words.where}: say how long with 'for', as in 'Rest for 1 hour'.")
    if action == "hold" and duration is None and until is None:
        raise ProblemError(f"{words.where}: say when it ends, as in 'Hold at 4.1 V until 50 mA'.")
    return Step(text, action, value, duration, until)  # type: ignore[arg-type]  # one of the five, checked above


class _Words:
    """The words of a step, taken one after the other; numbers and units that were written together are two."""

    def __init__(self, text: str, number: int) -> None:
        self.where = f"Step {number} of the protocol, '{text}'"
        self._words = text.split()
        self._next = 0

    @property
    def at_end(self) -> bool:
        return self._next >= len(self._words)

    def take(self, wanted: str) -> str:
        if self.at_end:
            raise ProblemError(f"{self.where}: it ends where {wanted} should stand.")
        self._next += 1
        return self._words[self._next - 1]

    def expect(self, word: str) -> None:
        if self.take(f"'{word}'").lower() != word:
            self.refuse(f"'{word}' should stand here")

    def refuse(self, why: str) -> None:
        raise ProblemError(f"{self.where}: '{self._words[self._next - 1]}' is not understood; {why}.")

    def quantity(self, kinds: Sequence[str]) -> Quantity:
        """A number with a unit of one of ``kinds``, or a C-rate written C/10."""
        usual = {
            "current": "A, mA", "rate": "C", "power": "W", "voltage": "V, mV", "time": "seconds, minutes, hours",
        }  # fmt: skip
        units = ", ".join(usual[kind] for kind in kinds)
        word = self.take(f"a number in {units}")
        if "rate" in kinds and (match := re.fullmatch(rf"C/({_NUMBER.pattern})", word)):
            if float(match[1]) <= 0:
                self.refuse("C is divided by a positive number")
            return "rate", 1 / float(match[1])
        match = _NUMBER.match(word)
        if match is None:
            self.refuse(f"a number in {units} should stand here")
        assert match is not None
        unit = word[match.end() :] or self.take(f"a unit ({units})")
        kind, scale = UNITS.get(unit, ("", 1.0))
        if kind not in kinds:
            self.refuse(f"the unit should be one of {units}")
        return kind, float(match[0]) * scale


def drive_cycle(times: Array, currents: Array, dt: float) -> Array:
    """Currents [A] per step of ``dt`` [s]: means of a cycle given at rising ``times`` [s], linear in between.

    Raises ProblemError for what is no cycle.
    """
    times, currents = np.asarray(times, float), np.asarray(currents, float)
    if times.ndim != 1 or times.shape != currents.shape or len(times) < 2:
        raise ProblemError("A drive cycle needs two columns, time and current, of at least two rows.")
    bad = ~(np.isfinite(times) & np.isfinite(currents))
    if bad.any():
        raise ProblemError(f"Row {int(np.argmax(bad)) + 1} of the drive cycle has a gap or text: fill in a number.")
    backward = np.diff(times) <= 0
    if backward.any():
        row = int(np.argmax(backward)) + 2
        raise ProblemError(f"The time in row {row} of the drive cycle is not after the row before: sort the rows.")
    steps = max(1, round((times[-1] - times[0]) / dt))
    edges = times[0] + dt * np.arange(steps + 1)
    charge = np.concatenate([[0.0], np.cumsum(np.diff(times) * (currents[1:] + currents[:-1]) / 2)])
    within = np.clip(np.searchsorted(times, edges, "right") - 1, 0, len(times) - 2)
    into = np.minimum(edges, times[-1]) - times[within]
    slope = (currents[within + 1] - currents[within]) / (times[within + 1] - times[within])
    return np.diff(charge[within] + into * (currents[within] + slope * into / 2)) / dt


def instructions(
    steps: Sequence[Step], parameters: ParameterSet, dt: float, drive: Array | None = None
) -> list[Instruction]:
    """The steps in amperes, volts and steps of ``dt`` [s] of this cell. Raises ProblemError."""
    if not steps:
        raise ProblemError("The protocol has no step: add one, such as 'Discharge at 1C until 2.5 V'.")
    p = parameters.values()
    low, high, capacity = p["lower_cutoff"], p["upper_cutoff"], p["nominal_capacity"]
    found = []
    for number, step in enumerate(steps, 1):
        where = f"Step {number} of the protocol, '{step.text}'"
        count = LONGEST if step.duration is None else max(1, round(step.duration / dt))
        if count > LONGEST:
            raise ProblemError(f"{where}: it has more than {LONGEST:,} time steps; use a longer time step.")
        kind, value = step.value
        if step.action == "run":
            if drive is None:
                raise ProblemError(f"{where}: the problem has no drive cycle; give its times and currents.")
            length = min(count, len(drive))
            found.append(Instruction(Kind.DRIVE, 0.0, length, low, high))
            continue
        if kind == "voltage":
            if not low <= value <= high:
                raise ProblemError(f"{where}: this cell is held between {low:g} and {high:g} V.")
            least = -1.0
            if step.until is not None:
                least = step.until[1] * (capacity if step.until[0] == "rate" else 1.0)
            found.append(Instruction(Kind.VOLTAGE, value, count, least_current=least))
            continue
        if kind == "rate":
            kind, value = "current", value * capacity
        typical = capacity if kind == "current" else capacity * high
        if abs(value) > LARGEST_RATE * typical:
            raise ProblemError(f"{where}: no cell carries that; this one has {capacity:g} A h.")
        limit = step.until[1] if step.until is not None else None
        if limit is not None and not low <= limit <= high:
            raise ProblemError(f"{where}: {limit:g} V is never reached, as this cell stops at {low:g} and {high:g} V.")
        lowest, highest = -NEVER, NEVER
        if value > 0:
            lowest = low if limit is None else limit
        elif value < 0:
            highest = high if limit is None else limit
        found.append(Instruction(Kind.CURRENT if kind == "current" else Kind.POWER, value, count, lowest, highest))
    return found
