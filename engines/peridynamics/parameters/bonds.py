"""The particles and how far their bonds reach."""

from __future__ import annotations

from typing import Literal

from engines.api.parameters import ParameterGroup, quantity
from engines.peridynamics.parameters.body.kinds import BOND_BASED, ON_A_LATTICE


class Bonds(ParameterGroup):
    """The lattice of particles, and how far bonds reach."""

    spacing: float = quantity(
        1 / 3,
        "mm",
        "Distance of neighbouring particles; of points from a file, the size of those without a volume",
        finer="smaller",
        gt=0,
    )
    reach: int = quantity(3, "1", "Horizon over spacing: 2 or 3, in a plate also 4", title="Horizon", ge=1, le=20)
    theory: Literal["bond-based", "state-based"] = quantity(
        "bond-based",
        "",
        "Bond-based: each bond is a spring of its own, which fixes Poisson's ratio; state-based: bonds also feel how "
        "far the surroundings of their ends have grown, which frees it and takes about twice the time",
        when=ON_A_LATTICE,
    )
    influence: Literal["constant", "triangular", "quartic", "normal"] = quantity(
        "constant",
        "",
        "How much bonds count by their length: all alike, or longer ones less",
        advanced=True,
        when=BOND_BASED,
    )
    partial_volumes: bool = quantity(
        False,
        "",
        "Particles at the rim of the horizon count by the part of them that is inside",
        advanced=True,
        when=BOND_BASED,
    )
    surface_correction: bool = quantity(
        False, "", "Stiffer bonds where a surface cuts families short (volume method)", advanced=True, when=BOND_BASED
    )
    surfaces: Literal["dilation", "tension"] = quantity(
        "dilation",
        "",
        "What surfaces are corrected for, where they are (state-based bodies always are): a dilation of the body, by "
        "which thin ones are too stiff in tension, or tension along them",
        title="Surfaces are right in",
        advanced=True,
        when=ON_A_LATTICE,
    )
    crack: Literal["continuum", "lattice", "slow crack"] = quantity(
        "continuum",
        "",
        "The critical stretch from the fracture energy: of a continuous family, of the bonds that a crack along the "
        "lattice cuts, or such that a slow brittle crack takes it (the lattice holds that up)",
        title="Fracture energy of",
        advanced=True,
        when=ON_A_LATTICE,
    )

    @property
    def weighted(self) -> bool:
        """Whether bonds count otherwise than all alike and whole."""
        return self.influence != "constant" or self.partial_volumes or self.surface_correction
