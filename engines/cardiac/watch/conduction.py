"""What is known of a cell of a tissue, and of two: how far apart, how fast the wave seemed to go between them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from engines.api import Selection, Simulation
from engines.api.charts import Fact, Inspection
from engines.cardiac.cells.tt06_tissue import NOT_ACTIVATED
from engines.cardiac.watch.maps import ACTIVATION, LATEST_ACTIVATION

DURATIONS = "apd"
"""Fields whose names begin so are durations of action potentials [ms]."""
ONE_BEAT = 50.0
"""Activations that are less apart [ms] are of one beat, as the maps have it (``maps.cu``)."""


def between(simulation: Simulation, first: int, second: int) -> Inspection:
    """What is known of two cells of a run; of one, where they are the same."""
    pair = np.array([first, second], np.int32)
    handle = simulation.select(Selection(pair))
    if first == second:
        return _of_one(simulation, handle)
    one, other = simulation.geometry.centers(pair)
    times = [None if time == NOT_ACTIVATED else float(time) for time in simulation.gather("activation", handle)]
    durations = {}
    for info in simulation.fields:
        if info.name.startswith(DURATIONS):
            values = [
                math.nan if value == info.missing else float(value) for value in simulation.gather(info.name, handle)
            ]
            durations[info.title] = (values[0], values[1])
    return measured(float(np.linalg.norm(other - one)), (times[0], times[1]), durations)


def _of_one(simulation: Simulation, handle: int) -> Inspection:
    """All that the maps hold of the cell. Of one beat they have the time of activation twice, linear in its step and
    between two looks, which are farther apart: the first is nearer, and stands alone."""
    held = [(info, float(simulation.gather(info.name, handle)[0])) for info in simulation.fields if info.summary]
    known = [(info, value) for info, value in held if value != info.missing]
    first = next((value for info, value in known if info.name == ACTIVATION), math.nan)
    facts = []
    for info, value in known:
        if info.name == LATEST_ACTIVATION and abs(value - first) < ONE_BEAT:
            continue
        facts.append(Fact("First activation" if info.name == ACTIVATION else info.title, value, info.unit))
    return Inspection("At this point" if facts else "This point has not been activated yet.", tuple(facts))


def measured(
    distance: float, activations: tuple[float | None, float | None], durations: Mapping[str, tuple[float, float]]
) -> Inspection:
    """``distance`` [mm] along the straight line, first ``activations`` [ms] (None: not yet), ``durations`` [ms] of the
    latest beat by title.

    The speed is that along the line: the wave's own where it runs straight from one cell to the other, more where it
    meets the line from the side.
    """
    facts = [Fact("Distance", distance, "mm")]
    for which, time in zip(("first", "second"), activations, strict=True):
        if time is not None:
            facts.append(Fact(f"First activation of the {which} point", time, "ms"))
    first, second = activations
    if first is not None and second is not None:
        facts.append(Fact("From first to second", second - first, "ms"))
        if first != second:
            facts.append(Fact("Apparent speed along the line", distance / abs(second - first), "m/s"))
    for title, values in durations.items():
        for which, value in zip(("first", "second"), values, strict=True):
            if math.isfinite(value):
                facts.append(Fact(f"{title} of the {which} point, latest beat", value, "ms"))
        if all(map(math.isfinite, values)):
            facts.append(Fact(f"{title}, difference", values[1] - values[0], "ms"))
    return Inspection(_sentence(activations), tuple(facts))


def _sentence(activations: tuple[float | None, float | None]) -> str:
    match activations:
        case (None, None):
            return "Neither point has been activated yet."
        case (None, _):
            return "The first point has not been activated yet."
        case (_, None):
            return "The second point has not been activated yet."
        case (first, second) if first == second:
            return "Both points were first activated at once: there is no speed between them."
    return "Between two points, as each was first activated"
