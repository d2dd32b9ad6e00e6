"""How large the particles of the many-particle model are: distributions as they are set."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import ParameterGroup, quantity

Weighting = Literal["number", "area", "volume"]
MOST_PARTICLES = 1_000_000
"""Of each electrode."""


class Lognormal(ParameterGroup):
    """A lognormal distribution of radii."""

    kind: Literal["lognormal"] = "lognormal"
    weighting: Weighting = quantity("area", "", "What the mean and the spread count: particles, surface or volume")
    mean_radius: float = quantity(0.0, "µm", "Mean radius in this weighting; 0: the radius of the cell's set", ge=0)
    spread: float = quantity(0.3, "1", "Standard deviation over the mean, in this weighting", ge=0, le=2)


class Measured(ParameterGroup):
    """A measured histogram of radii: classes between edges, or of one radius each."""

    kind: Literal["measured"] = "measured"
    weighting: Weighting = quantity("volume", "", "What was counted: particles, their surface or their volume")
    file: str = quantity("", "", "CSV file of two columns, radius [µm] and weight, instead of the lists", file="table")
    radii: list[float] = quantity(
        [], "µm", "Radius of each class; one more than weights: edges of the classes", when={"file": ("",)}
    )
    weights: list[float] = quantity([], "1", "Share of each class, in any unit", when={"file": ("",)})


SizeDistribution = Annotated[Lognormal | Measured, Field(discriminator="kind")]


class ParticleSizes(ParameterGroup):
    """How large the particles of the two electrodes are, and how many stand for them."""

    particles: int = quantity(1000, "1", "Particles of each electrode", ge=1, le=MOST_PARTICLES)
    draw: Literal["quantiles", "random"] = quantity(
        "quantiles", "", "Particles of equal shares of the surface, or picked at random as they lie in the electrode"
    )
    seed: int = quantity(0, "1", "Seed of the random numbers", when={"draw": ("random",)}, ge=0, le=2**32 - 1)
    negative: SizeDistribution = quantity(Lognormal(), "", "Radii in the negative electrode")
    positive: SizeDistribution = quantity(Lognormal(), "", "Radii in the positive electrode")
