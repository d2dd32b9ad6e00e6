"""What is known of two cells of a tissue together: how far apart, how fast the wave went from one to the other."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from engines.api import Selection, Simulation
from engines.api.charts import Fact, Inspection
from engines.cardiac.cells.tt06_tissue import NOT_ACTIVATED

DURATIONS = "apd"
"""Fields whose names begin so are durations of action potentials [ms]."""


def between(simulation: Simulation, first: int, second: int) -> Inspection:
    """What is known of two cells of a run."""
    pair = np.array([first, second], np.int32)
    handle = simulation.select(Selection(pair))
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


def measured(
    distance: float, activations: tuple[float | None, float | None], durations: Mapping[str, tuple[float, float]]
) -> Inspection:
    """``distance`` [mm] along the straight line, ``activations`` [ms] (None: not yet), ``durations`` by title [ms].

    The velocity is that along the line: the wave's own where it runs straight from one cell to the other, more where
    it meets both from the side.
    """
    facts = [Fact("Distance", distance, "mm")]
    for which, time in zip(("first", "second"), activations, strict=True):
        if time is not None:
            facts.append(Fact(f"Activation of the {which} point", time, "ms"))
    first, second = activations
    if first is not None and second is not None:
        facts.append(Fact("From first to second", second - first, "ms"))
        if first != second:
            facts.append(Fact("Conduction velocity", distance / abs(second - first), "m/s"))
    for title, (one, other) in durations.items():
        if math.isfinite(one) and math.isfinite(other):
            facts.append(Fact(f"{title}, difference", other - one, "ms"))
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
            return "Both points were activated at once: there is no velocity between them."
    return "Conduction between two points"
