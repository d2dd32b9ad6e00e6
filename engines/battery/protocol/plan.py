"""What the kernels make of a protocol: its steps in amperes, volts, watts and time steps of one cell.

The language is told in ``protocol/steps.py``. A step that says no voltage ends at the cell's own cut-off.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engines.api import Array, Finding, Remedy
from engines.api.errors import ProblemError
from engines.battery.parameter_sets import ParameterSet
from engines.battery.parameter_sets.balance import state_of_charge, window
from engines.battery.protocol.drive_cycles import Cycle, drive_cycle, read_drive_cycle
from engines.battery.protocol.instructions import LONGEST, NEVER, Instruction, Kind
from engines.battery.protocol.steps import MOST_STEPS, Step, parse, parse_step

if TYPE_CHECKING:
    from engines.battery.parameters import BatteryParameters

__all__ = [
    "Plan",
    "cycle_findings",
    "drive_cycle",
    "duration_findings",
    "instructions",
    "parse",
    "parse_step",
    "plan_of",
    "shorter_step",
    "start_findings",
    "step_of",
]

LARGEST_RATE = 100.0
"""C-rates beyond this are taken for a slip: no cell carries them."""
USUAL_STEP = 5.0
"""[s] where nothing says otherwise; of a drive cycle no more than its rows are apart."""
NEARLY = 0.02
"""State of charge within which a cell is called empty or full."""
NOTICED, WRONG = 1e-6, 1e-3
"""Relative errors of a duration from which it is told, and told as a warning."""
SHORTEST = 0.01
"""Time steps [s] below this are not proposed."""
CHARGE = ("initial_state_of_charge",)


@dataclass(frozen=True)
class Plan:
    """A protocol in the kernels' terms. ``drive: (steps, 2)`` is the mean of current or power over each step and its
    value at the end; None without a drive cycle."""

    instructions: list[Instruction]
    drive: Array | None = None


def plan_of(parameters: BatteryParameters, cell: ParameterSet, dt: float | None = None) -> Plan:
    """The protocol of a problem with all its cycles, in steps of ``dt`` [s] (None: the problem's own).

    Raises ProblemError, at the line of the protocol where it is one.
    """
    dt = step_of(parameters) if dt is None else dt
    steps = parse(parameters.protocol)
    if len(steps) * parameters.cycles > MOST_STEPS:
        raise ProblemError(f"All cycles together have more than {MOST_STEPS:,} steps: take fewer.", ("cycles",))
    cycle = cycle_of(parameters)
    drive = None if cycle is None else cycle.per_step(dt)
    power = cycle is not None and cycle.kind == "power"
    return Plan(instructions(steps, cell, dt, drive, power) * parameters.cycles, drive)


def cycle_of(parameters: BatteryParameters) -> Cycle | None:
    """The drive cycle of a problem: its file, or else its lists."""
    given = parameters.drive_cycle
    if given.file:
        cycle = read_drive_cycle(Path(given.file), given.time_column, given.value_column)
        return replace(cycle, values=-cycle.values) if given.charge_positive else cycle
    if given.times or given.currents:
        return Cycle(np.array(given.times), np.array(given.currents))
    return None


def step_of(parameters: BatteryParameters) -> float:
    """The time step [s] of a problem: its own, or the usual one; with a drive cycle one that goes into its rows."""
    if parameters.numerics.step is not None:
        return parameters.numerics.step
    cycle = _cycle_that_runs(parameters)
    if cycle is None:
        return USUAL_STEP
    return cycle.spacing / math.ceil(cycle.spacing / USUAL_STEP * (1 - 1e-9))


def _cycle_that_runs(parameters: BatteryParameters) -> Cycle | None:
    runs = any(line.split()[:1] and line.split()[0].lower() == "run" for line in parameters.protocol)
    return cycle_of(parameters) if runs else None


def instructions(
    steps: Sequence[Step], parameters: ParameterSet, dt: float, drive: Array | None = None, power_drive: bool = False
) -> list[Instruction]:
    """The steps in amperes, volts and steps of ``dt`` [s] of this cell; ``drive: (steps, 2)``: currents, or with
    ``power_drive`` powers. Raises ProblemError."""
    if not steps:
        raise ProblemError("The protocol has no step: add one, such as 'Discharge at 1C until 2.5 V'.", ("protocol",))
    once = dict.fromkeys(steps)  # not again for each repetition
    made = {step: _instruction(step, parameters, dt, drive, power_drive) for step in once}
    return [made[step] for step in steps]


def shorter_step(seconds: float, steps: int, place: tuple[str, str] = ("numerics", "step")) -> Remedy:
    """A time step of which so many fit into ``seconds``; ``place``: of its field."""
    longest = seconds / (1.001 * steps)
    unit = 10.0 ** (math.floor(math.log10(longest)) - 1)
    step = float(f"{math.floor(longest / unit) * unit:.2g}")
    return Remedy(f"Make the step {step:g} s", {place: step})


def cycle_findings(parameters: BatteryParameters) -> list[Finding]:
    """Whether the protocol runs the drive cycle that was chosen, and whether a time step passes over its rows."""
    cycle, step = _cycle_that_runs(parameters), parameters.numerics.step
    given = parameters.drive_cycle
    if cycle is None and (given.file or given.times):
        return [_unused("file" if given.file else "times")]
    if cycle is None:
        return []
    longer = _longer_than(cycle, parameters)
    if step is None or step <= cycle.spacing * (1 + 1e-6):
        return longer
    return [
        *longer,
        Finding(
            f"The rows of the drive cycle are {cycle.spacing:g} s apart and the time step is {step:g} s: no charge is "
            "lost, but what happens within a step is not seen, neither its voltage nor its heat.",
            place=("numerics", "step"),
            remedy=Remedy("Let the step follow from the drive cycle", {("numerics", "step"): None}),
        ),
    ]


def _longer_than(cycle: Cycle, parameters: BatteryParameters) -> list[Finding]:
    """Of the first line that drives the cycle for longer than it lasts."""
    lasts = float(cycle.times[-1] - cycle.times[0])
    for step in parse(parameters.protocol):
        if step.action == "run" and step.duration is not None and step.duration > lasts + step_of(parameters) / 2:
            return [
                Finding(
                    f"'{step.text}' ends after {lasts:g} s, with the drive cycle, which is driven once: for more of it "
                    "put the line between 'Repeat N times' and 'End'.",
                    place=("protocol",),
                )
            ]
    return []


def duration_findings(parameters: BatteryParameters) -> list[Finding]:
    """Whether a step of the protocol lasts otherwise than it says, for it takes whole time steps."""
    dt = step_of(parameters)
    given = {step.text: step.duration for step in parse(parameters.protocol) if step.duration is not None}
    lasting = {text: max(1, round(seconds / dt)) * dt for text, seconds in given.items()}
    off = {text: abs(lasting[text] / seconds - 1) for text, seconds in given.items()}
    worst = max(off, key=lambda text: off[text], default="")
    if not worst or off[worst] < NOTICED:
        return []
    common = math.gcd(*(round(1e3 * seconds) for seconds in given.values())) / 1e3
    fits = float(f"{common / math.ceil(common / dt):.9g}") if common else 0.0
    place = ("numerics", "step")
    return [
        Finding(
            f"'{worst}' lasts {lasting[worst]:g} s, for a step of the protocol takes whole time steps of {dt:g} s.",
            "warning" if off[worst] > WRONG else "info",
            place,
            Remedy(f"Make the step {fits:g} s", {place: fits}) if fits >= SHORTEST else None,
            distorts=off[worst] > WRONG,
        )
    ]


def _unused(field: str) -> Finding:
    nothing: dict[str, object] = {"file": ""} if field == "file" else {"times": [], "currents": []}
    return Finding(
        "The drive cycle is not used: no line of the protocol says 'Run drive cycle'.",
        place=("drive_cycle", field),
        remedy=Remedy("Run the drive cycle instead of the protocol", {("protocol",): ["Run drive cycle"]}),
        alternative=Remedy("Leave it out", {("drive_cycle", name): value for name, value in nothing.items()}),
    )


def start_findings(cell: ParameterSet, first: Instruction) -> list[Finding]:
    """Whether the first step of a protocol ends at once, for the cell is already where it leads."""
    if first.kind not in (Kind.CURRENT, Kind.POWER) or not first.value:
        return []
    charge, may_be_set = state_of_charge(cell), all(window(cell).met)
    if first.value < 0 and charge > 1 - NEARLY:
        return [
            Finding(
                "The cell starts full, and the protocol begins with a charge: it will end at once.",
                place=("protocol",),
                remedy=Remedy("Let it start empty", {CHARGE: 0.0}) if may_be_set else None,
            )
        ]
    if first.value > 0 and charge < NEARLY:
        return [
            Finding(
                "The cell starts empty, and the protocol begins with a discharge: it will end at once.",
                place=("protocol",),
                remedy=Remedy("Let it start full", {CHARGE: 1.0}) if may_be_set else None,
            )
        ]
    return []


def _instruction(
    step: Step, parameters: ParameterSet, dt: float, drive: Array | None, power_drive: bool
) -> Instruction:
    p = parameters.values()
    low, high, capacity = p["lower_cutoff"], p["upper_cutoff"], p["nominal_capacity"]
    count = LONGEST if step.duration is None else max(1, round(step.duration / dt))
    if count > LONGEST:
        raise step.error(f"it has more than {LONGEST:,} time steps; use a longer time step.")
    kind, value = step.value
    if step.action == "run":
        if drive is None:
            raise step.error("the problem has no drive cycle; choose a file with times and currents.")
        largest, most = float(np.abs(drive).max()), capacity * (high if power_drive else 1.0)
        if largest > LARGEST_RATE * most:
            unit = "W" if power_drive else "A"
            raise step.error(
                f"no cell carries the {largest:g} {unit} of the drive cycle; this one has {capacity:g} A h."
            )
        return Instruction(Kind.POWER_DRIVE if power_drive else Kind.DRIVE, 0.0, min(count, len(drive)), low, high)
    if kind == "voltage":
        if not low <= value <= high:
            raise step.error(f"this cell is held between {low:g} and {high:g} V.")
        limits = [limit * (capacity if unit == "rate" else 1.0) for unit, limit in step.until]
        return Instruction(Kind.VOLTAGE, value, count, least_current=max(limits, default=-1.0))
    if kind == "rate":
        kind, value = "current", value * capacity
    typical = capacity if kind == "current" else capacity * high
    if abs(value) > LARGEST_RATE * typical:
        raise step.error(f"no cell carries that; this one has {capacity:g} A h.")
    if value and 3600 * typical / abs(value) > LONGEST * dt and step.duration is None:
        raise step.error(f"its end would come after more than {LONGEST:,} time steps; use a larger current.")
    lowest, highest = -NEVER, NEVER
    limits = [limit for _, limit in step.until]
    for limit in limits:
        if not low <= limit <= high:
            raise step.error(f"{limit:g} V is never reached, as this cell stops at {low:g} and {high:g} V.")
    if value > 0:
        lowest = max(limits, default=low)
    elif value < 0:
        highest = min(limits, default=high)
    return Instruction(Kind.CURRENT if kind == "current" else Kind.POWER, value, count, lowest, highest)
