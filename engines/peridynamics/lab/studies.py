"""The studies of the Kernel Lab: the forces of a body in the ways that people write them, in the plane and in space."""

from __future__ import annotations

from engines.api.lab import Study
from engines.peridynamics.lab.variants import forces


def studies() -> tuple[Study, ...]:
    """In the plane and in space."""
    return forces.STUDIES
