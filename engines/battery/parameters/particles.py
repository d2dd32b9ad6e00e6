"""What a person may set of the model "particles": which particles, how fast lithium moves in them, what enters them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import ParameterGroup, quantity

Scheme = Literal["explicit", "implicit", "eigenmodes"]


class SetDiffusivity(ParameterGroup):
    """The parameter set's diffusivity: a number, or of the stoichiometry where the set says so and the scheme is
    explicit."""

    kind: Literal["of the set"] = "of the set"
    factor: float = quantity(1.0, "1", "Factor on the set's diffusivity", gt=0, le=1000)


class ConstantDiffusivity(ParameterGroup):
    """One number."""

    kind: Literal["constant"] = "constant"
    value: float = quantity(
        3.3e-14, "m²/s", "Diffusivity of lithium in the solid; graphite and NMC 1e-15 to 1e-13", gt=0, le=1e-6
    )


class LinearDiffusivity(ParameterGroup):
    """D₀ (1 + κ (x − x₀)): what a first measurement at two states of charge gives."""

    kind: Literal["linear"] = "linear"
    value: float = quantity(3.3e-14, "m²/s", "Diffusivity D₀ at the reference stoichiometry", gt=0, le=1e-6)
    slope: float = quantity(-0.8, "1", "κ: relative change of D from x = 0 to 1")
    reference: float = quantity(0.5, "1", "Reference stoichiometry x₀", ge=0, le=1)


class PublishedDiffusivity(ParameterGroup):
    """A measured curve."""

    kind: Literal["published"] = "published"
    curve: Literal["graphite, Ecker 2015", "NCO, Ecker 2015"] = quantity(
        "graphite, Ecker 2015", "", "Measured by GITT at 23 °C; the fits are those of Richardson et al. 2020"
    )
    factor: float = quantity(1.0, "1", "Factor on the curve", gt=0, le=1000)


class TableDiffusivity(ParameterGroup):
    """Measured points; between them a curve without overshoot, beyond them the last value."""

    kind: Literal["table"] = "table"
    stoichiometries: list[float] = quantity([0.0, 0.5, 1.0], "1", "Stoichiometries, rising from 0 to 1")
    diffusivities: list[float] = quantity([6e-14, 3e-14, 2e-14], "m²/s", "Diffusivity at each of them")


Diffusivity = Annotated[
    SetDiffusivity | ConstantDiffusivity | LinearDiffusivity | PublishedDiffusivity | TableDiffusivity,
    Field(discriminator="kind"),
]


class Rate(ParameterGroup):
    """What the electrode's particles take together when the cell is discharged at this rate."""

    kind: Literal["C-rate"] = "C-rate"
    c_rate: float = quantity(1.0, "1", "Current over capacity; positive discharges: it empties the negative electrode")
    shared: Literal["by volume", "by surface"] = quantity(
        "by volume", "", "By volume: all particles fill at the same rate; by surface: small ones fill first"
    )


class Flux(ParameterGroup):
    """Lithium per area and time."""

    kind: Literal["flux"] = "flux"
    value: float = quantity(-3e-5, "mol/m²/s", "Flux through the surface of each particle, inwards positive")


Drive = Annotated[Rate | Flux, Field(discriminator="kind")]


class Pulses(ParameterGroup):
    """The flux comes and goes, as in a galvanostatic intermittent titration (GITT)."""

    on: float = quantity(600.0, "s", "How long the flux is on", title="On", gt=0, le=1e7)
    off: float = quantity(0.0, "s", "How long it is off after that; 0 leaves it on", title="Off", ge=0, le=1e7)


class ParticleSettings(ParameterGroup):
    """Bare diffusion in many particles; radius, stoichiometry and capacity are those of the parameter set."""

    electrode: Literal["negative", "positive"] = quantity("negative", "", "Whose particles they are")
    number: int = quantity(1, "1", "Number of particles", ge=1, le=10_000_000)
    radius_spread: float = quantity(
        0.0, "1", "Standard deviation of the logarithm of the radius around the set's", ge=0, le=1
    )
    seed: int = quantity(0, "1", "Seed of the radii", ge=0, le=2**32 - 1, advanced=True)
    start: float | None = quantity(
        None, "1", "Stoichiometry at the start; none takes the set's", title="Start stoichiometry", gt=0, lt=1
    )
    diffusivity: Diffusivity = quantity(SetDiffusivity(), "", "How fast lithium moves")
    drive: Drive = quantity(Rate(), "", "What enters or leaves through the surface")
    pulses: Pulses = quantity(Pulses(), "", "Whether the flux comes and goes")
    flux_factor: float = quantity(
        1.0, "1", "Factor on the flux, live; negative turns it round", live=True, ge=-100, le=100
    )
    scheme: Scheme = quantity(
        "explicit", "", "Finite volumes, explicit or implicit, or eigenmodes (exact in time, constant diffusivity)"
    )
    shells: int = quantity(32, "1", "Shells from the centre to the surface", finer="larger", ge=8, le=128)
    step: float | None = quantity(
        None,
        "s",
        "Time step; none takes 90 % of the largest stable one",
        title="Time step",
        finer="smaller",
        gt=0,
        le=1e5,
    )
    lower_step: bool = quantity(
        False, "", "Lower a time step that is not stable instead of refusing it", when={"scheme": ("explicit",)}
    )
