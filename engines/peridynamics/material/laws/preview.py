"""The curve of a law, force as a stress over stretch, for the form in which it is chosen or typed."""

from __future__ import annotations

import math

import numpy as np

from engines.api.charts import ChartData, ChartInfo, Curve, Fact, Inspection
from engines.api.errors import ProblemError
from engines.peridynamics.material.laws.calibration import Breaking, calibrated
from engines.peridynamics.parameters.laws import LawChoice

CHART = ChartInfo("law", "Stress of a bond, E (1 − d) s", "MPa", x_title="Stretch", x_unit="%", y_title="Stress")
SHOWN = 12.0
"""A law that never fails is drawn up to so many times its critical stretch."""
MARGIN = 1.08
"""Of the abscissa beyond failure."""
LEFT = 2e-3
"""Of the largest force: where a law keeps less for good, its tail is not drawn."""


def preview(choice: LawChoice, material: Breaking) -> Inspection:
    """The curve of one pull, its peak, where it ends, and what a crack takes; a sentence where there is no law."""
    try:
        made = calibrated(choice, material)
    except ProblemError as error:
        in_a_line = any(isinstance(key, int) for key in error.place)  # the text's own editor says what is wrong there
        return Inspection("" if in_a_line else str(error))
    pull = made.pull
    end = MARGIN * made.failure if math.isfinite(made.failure) else SHOWN * made.brittle_stretch
    carrying = pull.stretch[pull.force > LEFT * pull.peak]
    if carrying.size:
        end = min(end, MARGIN * float(carrying[-1]))
    shown = pull.stretch <= end
    stretch = np.concatenate([[0.0], pull.stretch[shown]])
    force = np.concatenate([[0.0], pull.force[shown]])
    if made.failure <= end:
        stretch, force = np.append(stretch, [made.failure, end]), np.append(force, [0.0, 0.0])
    curve = Curve("Stress", 100 * stretch, material.young * 1e-6 * force)
    breaks = math.isfinite(made.failure)
    taken = material.fracture_energy * made.work / (made.brittle_stretch**2 / 2) if breaks else math.nan
    peak = float(pull.force[shown].max(initial=min(made.elastic_limit, end))) * material.young * 1e-6
    facts = (
        Fact("Largest stress", peak if breaks else math.nan, "MPa"),
        Fact("Elastic limit", 100 * made.elastic_limit, "%"),
        Fact("Failure stretch", 100 * made.failure, "%"),
        Fact("Fracture energy", taken, "J/m²"),
    )
    return Inspection(" ".join(finding.message for finding in made.findings), facts, ((CHART, ChartData((curve,))),))
