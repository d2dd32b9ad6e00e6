"""What a simulation owes by the contract, looked at where a mistake of its author would else end as a wrong number.

Engines are packages of others, too: a run of one that breaks its word ends with a sentence.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from engines.api.errors import WorkbenchError
from engines.api.simulation.base import Simulation
from engines.api.simulation.shown import FieldInfo
from engines.api.values import Array, KernelTraffic

FOR_THE_AUTHOR = "That is for the author of this engine to mend."


class BrokenContract(WorkbenchError):
    """A simulation is not, or gives not, what it has declared."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} {FOR_THE_AUTHOR}")


def check_declared(simulation: Simulation) -> None:
    """What the clock, the meters and the viewers of a run count with. Raises BrokenContract."""
    for name in ("step", "sample_steps", "whole_batch"):
        value, least = getattr(simulation, name, None), 0 if name == "step" else 1
        if not _is_whole(value, least):
            raise BrokenContract(f"The simulation's {name} is {value!r:.40}, and no whole number from {least} on.")
    dt = getattr(simulation, "dt", None)
    if not isinstance(dt, int | float | np.number) or not math.isfinite(dt) or dt < np.finfo(float).tiny:
        raise BrokenContract(f"The simulation's dt is {dt!r:.40}, and no time that passes in a step.")
    for name, kind in (("fields", FieldInfo), ("traffic", KernelTraffic)):
        value = getattr(simulation, name, None)
        if not isinstance(value, tuple) or not all(isinstance(each, kind) for each in value):
            raise BrokenContract(f"The simulation's {name} are no tuple of {kind.__name__}.")
    for each in simulation.traffic:
        if not all(0 <= number < math.inf for number in (each.bytes_read, each.bytes_written, each.flops)):
            raise BrokenContract(f"What the kernel '{each.kernel}' moves or computes in a step is no number from 0 on.")


def check_taken(simulation: Simulation, before: int, asked: int, finished: bool) -> None:
    """What ``advance(asked)`` has done from the step ``before`` on. Raises BrokenContract."""
    step = simulation.step
    if not _is_whole(step, before) or step - before > asked or (step == before and not finished):
        error = BrokenContract(f"The simulation was to go {asked} steps on from step {before}, and is at {step!r:.40}.")
        error.torn = True
        raise error


def fields_of(simulation: Simulation, fields: Iterable[FieldInfo]) -> dict[str, Array]:
    """Whole fields on the host, by name. Raises BrokenContract for one that is not as long as the geometry has it."""
    return {info.name: whole_field(simulation, info) for info in fields}


def whole_field(simulation: Simulation, info: FieldInfo) -> Array:
    """See :func:`fields_of`."""
    values, geometry = np.asarray(simulation.field(info.name)), simulation.geometry
    counts = {getattr(geometry, name, None) for name in ("n_cells", "n_points")}
    if values.dtype.kind not in "biuf" or values.size not in {n * info.components for n in counts if n is not None}:
        raise BrokenContract(
            f"The field '{info.name}' has {values.size} values of the kind {values.dtype}, not one for each element."
        )
    return values


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= least)
