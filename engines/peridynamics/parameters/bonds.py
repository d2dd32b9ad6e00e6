"""The particles and how far their bonds reach."""

from __future__ import annotations

from engines.parameters import ParameterGroup, quantity


class Bonds(ParameterGroup):
    """The lattice of particles, and how far bonds reach."""

    spacing: float = quantity(1 / 3, "mm", "Distance of neighbouring particles", gt=0)
    reach: int = quantity(3, "1", "Horizon over spacing: 2 or 3, in a plate also 4", title="Horizon", ge=1, le=20)
