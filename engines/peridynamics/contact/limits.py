"""The longest step with contact, how stiff particles push each other away, and on how stiff a contact they chatter."""

from __future__ import annotations

import math
from collections.abc import Iterator

from engines.api import Finding, Remedy
from engines.api.errors import ProblemError
from engines.peridynamics.contact.rigid import stiffness_rate
from engines.peridynamics.contact.rows import STICK
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.parameters import PeridynamicParameters

KISSING = {2: 3.0, 3: 4.0}
"""Largest eigenvalue of Σ n nᵀ over particles that touch one: six in a plane, twelve in space."""

STEADY, TOLD = 0.2, 0.4
"""Friction of what slides on a contact of stiffness 1 that is its coefficient within 0.2 %, and from where on more than
2 % is missing, which is told."""
SOFTER = -0.25
"""The power of stiffness that it grows with: of a block of 10 × 5 mm on slopes of 30° and 45°, undamped, friction up to
0.5, 0.57 and 0.8 was its coefficient within 0.2 % at 0.1, 0.03 and 0.01."""
SOFTEST = 0.003
"""Softer than this nothing was tried, and what presses would sink in too far."""


def repulsion_rate(parameters: PeridynamicParameters, lattice: Lattice) -> float:
    """S [1/s²] of ``particles.cu``: c_s/δ V/ρ (the short-range force of Silling and Askari 2005), c_s so many times the
    stiffness of a bond: Parks et al. (2008) take 15, and less leaves the step of the bonds as it is."""
    if parameters.contact.kind == "none":
        return 0.0
    return parameters.contact.stiffness * lattice.bond_stiffness(1.0) / lattice.family.reach


def contact_step(
    parameters: PeridynamicParameters, lattice: Lattice, limit: float, surface_share: float, lightest: float = 1.0
) -> float:
    """[s]; infinite without contact. ``limit`` [s] of the bonds alone: their bound is 4/limit², of which a particle
    that is touched has ``surface_share``, or nothing where its bonds are gone. ``lightest``: the lattice's density over
    the least one.

    Gershgorin's bound ``dt² (B + P + 2 S Σ) + T <= 4``: B of bonds, P of a penetrator, S Σ of particles, on one side
    where there are bonds, T of what sticks. Raises ProblemError for a radius of contact that is too large."""
    stiffest = max((each.stiffness for each in parameters.penetrators), default=0.0)
    penetration, repulsion = (
        lightest * stiffest * stiffness_rate(lattice),
        lightest * repulsion_rate(parameters, lattice),
    )
    if repulsion and parameters.contact.radius > 1:
        raise ProblemError(
            "Particles would push each other before anything has moved: let the radius of their contact be 1 spacing "
            "at most.",
            ("contact", "radius"),
        )
    if not penetration and not repulsion:
        return math.inf
    touching = KISSING[lattice.family.dimensions]
    bonded = surface_share * 4 / limit**2 + penetration + repulsion * touching
    alone = penetration + 2 * repulsion * touching
    rubbing = any(each.friction for each in parameters.penetrators)
    return math.sqrt((4 - STICK * rubbing) / max(bonded, alone))


def chatter(parameters: PeridynamicParameters) -> Iterator[Finding]:
    """Of much friction on so stiff a contact that what slides leaves it and comes back: it rubs less."""
    for number, each in enumerate(parameters.penetrators):
        if each.friction <= TOLD * each.stiffness**SOFTER:
            continue
        softer = float(f"{(each.friction / STEADY) ** (1 / SOFTER):.0e}")
        told = (
            f"With a friction of {each.friction:g} particles that slide chatter on so stiff a contact, and it takes "
            "less than its coefficient says: of a block on a slope of 30°, 0.45 for 0.5. What sticks is held."
        )
        remedy = None
        if softer >= SOFTEST:
            deeper = each.stiffness / softer
            told += f" They do not on a softer one, into which what presses sinks {deeper:.2g} times as far."
            remedy = Remedy(f"Make the contact's stiffness {softer:g}", {("penetrators", number, "stiffness"): softer})
        yield Finding(told, place=("penetrators", number, "friction"), remedy=remedy, distorts=True)
