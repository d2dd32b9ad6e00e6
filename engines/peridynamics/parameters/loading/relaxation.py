"""How a body is loaded so slowly that it is always at rest."""

from __future__ import annotations

from engines.api.parameters import ParameterGroup, quantity


class Relaxation(ParameterGroup):
    """The histories of the loads are gone through in load steps, with equilibrium after each."""

    lasts: float = quantity(100.0, "us", "The time of the loads' histories that is gone through", title="Time", gt=0)
    load_steps: int = quantity(20, "1", "Load steps that it is cut into", ge=1, le=100_000)
    tolerance: float = quantity(
        1e-3, "1", "A body is at rest when forces are out of balance by less than this part of the loads", gt=0, lt=1
    )
    most_iterations: int = quantity(
        20_000, "1", "Iterations after which a load step without equilibrium ends the run", ge=10, advanced=True
    )
