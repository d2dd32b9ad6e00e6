"""What a simulation owes by the contract, looked at where a mistake of its author would else end as a wrong number.

Engines are packages of others, too: a run of one that breaks its word ends with a sentence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from engines.api.abilities import Heeding
from engines.api.charts import ChartData, ChartInfo, Inspection
from engines.api.errors import WorkbenchError
from engines.api.simulation.base import Simulation
from engines.api.simulation.shown import FieldInfo, FrontInfo, MarkerInfo, PaintInfo, SeriesInfo, VectorInfo
from engines.api.values import Array, Finding, KernelTraffic

LISTED: Mapping[str, type] = {
    "fields": FieldInfo, "traffic": KernelTraffic, "charts": ChartInfo, "series": SeriesInfo, "brushes": PaintInfo,
    "vectors": VectorInfo,
}  # fmt: skip
SINGLE: Mapping[str, type] = {"front": FrontInfo, "marked": MarkerInfo}
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
    for name, kind in LISTED.items():
        value = getattr(simulation, name, None if kind in (FieldInfo, KernelTraffic) else ())
        if not isinstance(value, tuple) or not all(isinstance(each, kind) for each in value):
            raise BrokenContract(f"The simulation's {name} are no tuple of {kind.__name__}.")
    for name, kind in SINGLE.items():
        if not isinstance(getattr(simulation, name, None), kind | None):
            raise BrokenContract(f"The simulation's {name} is no {kind.__name__}.")
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


def noticed_of(simulation: Simulation) -> tuple[Finding, ...]:
    """What one should know of a run at its end: of its answers, of what live changes made of them, and whether values
    were too large to be handed out."""
    beyond = simulation.beyond
    large = () if beyond is None else (Finding(beyond.told_beyond()),)
    return (*simulation.noticed(), *of_changes(simulation), *large)


def of_changes(simulation: Simulation) -> tuple[Finding, ...]:
    """See :class:`engines.api.abilities.Heeding`; nothing of a simulation that is none."""
    return tuple(simulation.of_changes()) if isinstance(simulation, Heeding) else ()


def fields_of(simulation: Simulation, fields: Iterable[FieldInfo]) -> dict[str, Array]:
    """Whole fields on the host, by name. Raises BrokenContract for one that is not as long as the geometry has it."""
    return {info.name: whole_field(simulation, info) for info in fields}


def whole_field(simulation: Simulation, info: FieldInfo) -> Array:
    """See :func:`fields_of`."""
    with np.errstate(over="ignore"):  # ``beyond`` tells it
        values, geometry = np.asarray(simulation.field(info.name)), simulation.geometry
    counts = {getattr(geometry, name, None) for name in ("n_cells", "n_points")}
    if values.dtype.kind not in "biuf" or values.size not in {n * info.components for n in counts if n is not None}:
        raise BrokenContract(
            f"The field '{info.name}' has {values.size} values of the kind {values.dtype}, not one for each element."
        )
    return values


def gathered(simulation: Simulation, name: str, handle: Any, count: int) -> Array:
    """A field on a selection of ``count``. Raises BrokenContract for what is not as many numbers."""
    return gathered_later(simulation, name, handle, count)()


def gathered_later(simulation: Simulation, name: str, handle: Any, count: int) -> Callable[[], Array]:
    """As :func:`gathered`, of now; whoever wants several begins all of them before the first is asked for."""
    with np.errstate(over="ignore"):  # ``beyond`` tells it
        found = simulation.gather_later(name, handle)
    return partial(_checked, simulation, name, found, count)


def _checked(simulation: Simulation, name: str, found: Callable[[], Array], count: int) -> Array:
    with np.errstate(over="ignore"):
        values = np.asarray(found())
    known = next((info.components for info in simulation.fields if info.name == name), None)
    each = values.size // count if count else 0
    right = values.dtype.kind in "biuf" and values.ndim in (1, 2) and len(values) == count
    if not right or (known is not None and count and each != known):
        raise BrokenContract(
            f"The field '{name}' is {values.shape} of {values.dtype} where {count} elements were asked for."
        )
    return values


def chart_of(simulation: Simulation, info: ChartInfo) -> ChartData:
    """One that is not over time, at this moment. Raises BrokenContract."""
    data = simulation.chart(info.name)
    check_chart(info, data)
    return data


def check_chart(info: ChartInfo, data: ChartData) -> None:
    """Raises BrokenContract for curves of which a plot cannot draw point by point."""
    for curve in data.curves:
        n = np.size(curve.y)
        beside = [each for each in (curve.y, curve.shade, curve.low, curve.high, curve.across) if each is not None]
        right = _are_numbers(curve.x, n + 1 if info.kind == "bar" else n) and all(_are_numbers(b, n) for b in beside)
        right = right and (curve.low is None) == (curve.high is None)
        right = right and (curve.told is None or not n or -n <= curve.told < n)
        if not right or (info.kind == "matrix" and n != len(data.columns)):
            raise BrokenContract(f"The chart '{info.title}' has points that are no numbers, or not as many of each.")


def check_inspection(told: Inspection | None) -> None:
    """What is known of an element, or of two. Raises BrokenContract."""
    for info, data in () if told is None else told.profiles:
        check_chart(info, data)
    if told is not None and told.links is not None:
        check_segments(told.links.segments, told.links.displacements)
        if not _are_numbers(told.links.values, len(told.links.segments)):
            raise BrokenContract("There are not as many values as links.")


def check_segments(segments: Array, displacements: Array | None) -> None:
    """Lines that are drawn. Raises BrokenContract."""
    wanted = (len(segments), 2, 3)
    if not all(_are_numbers(each, *wanted) for each in (segments, displacements) if each is not None):
        raise BrokenContract("What is to be drawn as lines is no list of pairs of points.")


def check_markers(positions: Array, signs: Array) -> None:
    """Points that are drawn. Raises BrokenContract."""
    if not _are_numbers(positions, len(signs), 3) or not _are_numbers(signs, len(signs)):
        raise BrokenContract("What is to be drawn as points is no list of points with a sign each.")


def _are_numbers(values: Any, *shape: int) -> bool:
    return np.shape(values) == shape and np.asarray(values).dtype.kind in "biuf"


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= least)
