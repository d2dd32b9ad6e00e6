"""The steps of a protocol as kernels take them: a row of six numbers each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from engines.api import Array


class Kind(IntEnum):
    """What an instruction holds."""

    CURRENT = 0  # [A], positive in discharge
    VOLTAGE = 1  # [V]
    POWER = 2  # [W], positive in discharge
    DRIVE = 3  # currents of each step (:func:`per_step`), from this place in the drive cycle on
    POWER_DRIVE = 4  # powers of each step


class Field(IntEnum):
    """Columns of the table of instructions (:class:`Instruction`)."""

    KIND = 0
    VALUE = 1
    STEPS = 2
    LOWEST = 3
    HIGHEST = 4
    LEAST_CURRENT = 5


class DriveColumn(IntEnum):
    """Columns of a drive cycle (:func:`per_step`)."""

    MEAN = 0  # of the step
    END = 1  # at its end


def per_step(drive: Array | None) -> Array:
    """(steps, 2) as kernels take a drive cycle: the mean of each step, which flows, and the value at its end, to which
    the voltage belongs. (steps,) are values that are constant during a step; None: one of nothing."""
    given = np.zeros(1) if drive is None else np.asarray(drive, float)
    return np.ascontiguousarray(given if given.ndim == 2 else np.stack([given, given], axis=1))


def check_places(instructions: Array, instruction: Array, elapsed: Array) -> None:
    """Kernels look up where cells are in their protocol. Raises ValueError where a checkpoint says that they are at an
    instruction or a step of it that ``instructions: (n, len(Field))`` does not have; n is after the last."""
    there = (instruction >= 0) & (instruction <= len(instructions)) & (elapsed >= 0)
    steps = np.append(instructions[:, Field.STEPS], np.inf)
    if not there.all() or not (elapsed < steps[instruction.astype(np.int64)]).all():
        raise ValueError("a cell is where the protocol has no step")


NEVER = 3.0e38
"""A limit that no voltage reaches, finite in float32."""
LONGEST = 2**24
"""Steps of an instruction at most: the largest number that float32 counts to."""


@dataclass(frozen=True)
class Instruction:
    """One step of a protocol in the kernel's terms.

    It ends after ``steps``, at a voltage of ``lowest`` or less or ``highest`` or more [V], or when a held voltage needs
    no more than ``least_current`` [A].
    """

    kind: Kind
    value: float
    steps: int = LONGEST
    lowest: float = -NEVER
    highest: float = NEVER
    least_current: float = -1.0

    def row(self) -> list[float]:
        return [float(self.kind), self.value, float(self.steps), self.lowest, self.highest, self.least_current]
