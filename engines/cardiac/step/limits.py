"""Time steps that are refused for they are not stable."""

from __future__ import annotations

from engines.api.errors import ProblemError
from engines.quantities import rounded_down


def check_step(step: float, stable_step: float, worst: str = "") -> None:
    """Raises ProblemError if the time step [ms] is above the stable one; ``worst`` says which cell limits it."""
    if step > stable_step:
        limit = rounded_down(stable_step, digits=3)
        where = f" (it is set by {worst})" if worst else ""
        raise ProblemError(
            f"The time step of {step:g} ms is above the stable limit of this mesh and tissue{where}: use at most "
            f"{limit:g} ms."
        )


def check_reaction_step(step: float, stable_step: float) -> None:
    """Raises ProblemError if the time step [ms] is above what the cell model bears."""
    if step > stable_step:
        raise ProblemError(
            f"The time step of {step:g} ms is above the stable limit of the cell model: use at most {stable_step:g} ms."
        )
