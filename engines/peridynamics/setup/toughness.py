"""What a slow crack takes on the lattice: said before a run, and taken into account where it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from engines.api import Finding, Remedy
from engines.api.errors import ProblemError
from engines.peridynamics.material.brittle import Lattice
from engines.peridynamics.material.toughness import LEAST, MOST, trapping_of
from engines.peridynamics.parameters import PeridynamicParameters

SLOW = "slow crack"
CHOICE, PLACE = ("bonds", "crack"), ("material", "fracture_energy")

Kind = TypeVar("Kind", bound=Lattice)


def slow_crack(lattice: Kind, parameters: PeridynamicParameters) -> Kind:
    """With a critical stretch by which a slow crack takes the fracture energy, where that is chosen. Raises
    ProblemError."""
    if parameters.bonds.crack != SLOW:
        return lattice
    if not _brittle(parameters):
        raise ProblemError(
            "What a slow crack takes on the lattice is known of brittle bonds: choose them, or the fracture energy of "
            "the continuum.",
            CHOICE,
        )
    trapping = trapping_of(lattice)
    if trapping is None:
        raise ProblemError(
            "What a slow crack takes on the lattice is not known of this influence or Poisson's ratio: choose the "
            "fracture energy of the continuum, or constant influence.",
            CHOICE,
        )
    return replace(lattice, trapping=trapping.rows)


def told_of_slow_cracks(lattice: Lattice, parameters: PeridynamicParameters) -> Iterator[Finding]:
    """That a slow crack takes more than what is set, where nothing else is asked for."""
    trapping = trapping_of(lattice)
    if parameters.bonds.crack == SLOW or not _brittle(parameters):
        return
    if trapping is None:
        yield Finding(
            "A slow crack along the rows of particles takes more than the fracture energy here, for the lattice holds "
            "it up; one that runs takes less. By how much is not known of these bonds: of others "
            f"{LEAST:g} to {MOST:g} times.",
            "info",
            PLACE,
        )
        return
    energy, taken = parameters.material.fracture_energy, trapping.rows
    yield Finding(
        f"A slow crack along the rows of particles takes {taken:.3g} times the fracture energy here, "
        f"{_three(taken * energy)} J/m², for the lattice holds it up; one that runs takes less. Where cracks are slow "
        f"calibrate for them, which is as if {_three(energy / taken)} J/m² were set.",
        "info",
        PLACE,
        Remedy("Calibrate for slow cracks", {CHOICE: SLOW}),
    )


def _three(value: float) -> str:
    """Three digits, and thousands apart: ``434,000``."""
    return f"{float(f'{value:.3g}'):,.10g}"


def _brittle(parameters: PeridynamicParameters) -> bool:
    return all(each.law.kind == "brittle" for each in (parameters.material, *parameters.materials))
