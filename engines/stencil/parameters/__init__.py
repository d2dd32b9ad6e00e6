"""The parameters of a stencil problem: grid, equation, sides, numerics."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engines.api.parameters import ParameterGroup, quantity
from engines.backend.precision import Precision
from engines.recording import Recording
from engines.stencil.parameters.equations import IN_3D, OwnEquations
from engines.stencil.parameters.patterns import PatternName
from engines.stencil.parameters.sides import FixedValue, Side

MOST_CELLS = 1_000_000
Place = tuple[float, float, float]
FUSED = {"equation.kind": ("diffusion", "Gray-Scott")}
IN_TIME = {"equation.kind": ("diffusion", "Gray-Scott", "own equations")}
"""For which problems a field matters: with steps of time, several of which a pass may take."""


class Plane(ParameterGroup):
    """A rectangle of cells."""

    kind: Literal["2D"] = "2D"
    cells_x: int = quantity(512, "1", "Number of cells along x", finer="larger", ge=2, le=MOST_CELLS)
    cells_y: int = quantity(512, "1", "Number of cells along y", finer="larger", ge=2, le=MOST_CELLS)
    size_x: float = quantity(100.0, "mm", "Length along x", gt=0)
    size_y: float = quantity(100.0, "mm", "Length along y", gt=0)


class Box(ParameterGroup):
    """A box of cells."""

    kind: Literal["3D"] = "3D"
    cells_x: int = quantity(96, "1", "Number of cells along x", finer="larger", ge=2, le=MOST_CELLS)
    cells_y: int = quantity(96, "1", "Number of cells along y", finer="larger", ge=2, le=MOST_CELLS)
    cells_z: int = quantity(96, "1", "Number of cells along z", finer="larger", ge=2, le=MOST_CELLS)
    size_x: float = quantity(100.0, "mm", "Length along x", gt=0)
    size_y: float = quantity(100.0, "mm", "Length along y", gt=0)
    size_z: float = quantity(100.0, "mm", "Length along z", gt=0)


GridSetting = Annotated[Plane | Box, Field(discriminator="kind")]


class Picture(ParameterGroup):
    """Values from the brightness of a picture; in three dimensions the same in each layer along z."""

    kind: Literal["picture"] = "picture"
    picture: str = quantity("", "", "A PNG or JPEG file; its top is at the highest y", file="picture")
    low: float = quantity(0.0, "", "Value where the picture is black or transparent, and beside it")
    high: float = quantity(1.0, "", "Value where the picture is white")
    fitting: Literal["stretch", "fit"] = quantity(
        "fit", "", "Stretch the picture over the grid, or fit it in without distortion", title="If not the same shape"
    )


# ---- where a diffusion problem starts --------------------------------------------------------------------------------


class Uniform(ParameterGroup):
    """The same value everywhere."""

    kind: Literal["uniform"] = "uniform"
    value: float = quantity(0.0, "", "Value in every cell")


class Spot(ParameterGroup):
    """A Gaussian hump that is added to the background."""

    center: Place = quantity((50.0, 50.0, 50.0), "mm", "Where it is highest; z counts in three dimensions only")
    radius: float = quantity(10.0, "mm", "Distance at which it has fallen to 1/e", gt=0)
    height: float = quantity(1.0, "", "Highest value above the background")


class Spots(ParameterGroup):
    """Gaussian humps on a uniform background."""

    kind: Literal["spots"] = "spots"
    background: float = quantity(0.0, "", "Value far from all spots")
    spots: list[Spot] = quantity([Spot()], "", "The humps")


class Mode(ParameterGroup):
    """One eigenmode of the grid with its sides: it decays without changing its shape.

    A sine between sides with a value, a cosine between sides with a gradient, whole sine waves on a periodic axis.
    """

    kind: Literal["mode"] = "mode"
    m: int = quantity(1, "1", "Half waves along x (whole waves if periodic)", title="m along x", ge=0, le=100_000)
    n: int = quantity(1, "1", "Half waves along y (whole waves if periodic)", title="n along y", ge=0, le=100_000)
    p: int = quantity(
        1, "1", "Half waves along z (whole waves if periodic)", title="p along z", when=IN_3D, ge=0, le=100_000
    )
    amplitude: float = quantity(1.0, "", "Largest value")


class Noise(ParameterGroup):
    """Independent random values, evenly distributed."""

    kind: Literal["noise"] = "noise"
    low: float = quantity(0.0, "", "Lowest value")
    high: float = quantity(1.0, "", "Highest value")
    seed: int = quantity(1, "1", "Start of the random numbers: the same seed gives the same field", ge=0, le=2**31)


Initial = Annotated[Uniform | Spots | Mode | Noise | Picture, Field(discriminator="kind")]


# ---- conductivity ----------------------------------------------------------------------------------------------------


class SameEverywhere(ParameterGroup):
    """One material."""

    kind: Literal["uniform"] = "uniform"


class TwoLayers(ParameterGroup):
    """Two materials that meet in a plane."""

    kind: Literal["two layers"] = "two layers"
    axis: Literal["x", "y", "z"] = quantity("x", "", "Axis that crosses the layers")
    position: float = quantity(0.5, "1", "Where the second layer begins, as a fraction of the length", ge=0, le=1)
    factor: float = quantity(0.1, "1", "Diffusivity of the second layer over that of the first", gt=0)


class Inclusion(ParameterGroup):
    """A disc, or a ball in three dimensions, of another material."""

    center: Place = quantity((50.0, 50.0, 50.0), "mm", "Centre; z counts in three dimensions only")
    radius: float = quantity(10.0, "mm", "Radius of the disc or ball", gt=0)
    factor: float = quantity(0.01, "1", "Diffusivity inside over that outside", gt=0)


class Inclusions(ParameterGroup):
    """Discs or balls of other materials; where they overlap the later one counts."""

    kind: Literal["inclusions"] = "inclusions"
    inclusions: list[Inclusion] = quantity([Inclusion()], "", "The inclusions")


Conductivity = Annotated[SameEverywhere | TwoLayers | Inclusions | Picture, Field(discriminator="kind")]


# ---- equations -------------------------------------------------------------------------------------------------------


class Diffusion(ParameterGroup):
    """u_t = div(α grad u) + s: heat, or a dissolved substance."""

    kind: Literal["diffusion"] = "diffusion"
    diffusivity: float = quantity(
        100.0, "mm²/s", "Diffusivity (thermal: copper 117, steel 4 to 20, water 0.14)", title="Diffusivity α", gt=0
    )
    diffusivity_scale: float = quantity(
        1.0, "1", "Factor on the diffusivity, within the limit of the time step", live=True, gt=0, le=1000
    )
    conductivity: Conductivity = quantity(SameEverywhere(), "", "How the diffusivity varies from place to place")
    source: float = quantity(0.0, "1/s", "Rate at which u is produced everywhere, before anything is painted")
    initial: Initial = quantity(Spots(), "", "Where it starts")


class NamedPattern(ParameterGroup):
    """Feed and kill rate of a pattern that has a name."""

    kind: Literal["named"] = "named"
    pattern: PatternName = quantity("coral growth", "", "A pattern of Pearson's and Munafo's maps", live=True)


class OwnRates(ParameterGroup):
    """Feed and kill rate as you like."""

    kind: Literal["own rates"] = "own rates"
    feed: float = quantity(0.0545, "1/s", "Rate F at which U is fed", title="Feed F", live=True, ge=0, le=0.5)
    kill: float = quantity(0.062, "1/s", "Rate k at which V is removed", title="Kill k", live=True, ge=0, le=0.5)


Reaction = Annotated[NamedPattern | OwnRates, Field(discriminator="kind")]


class Seeds(ParameterGroup):
    """U = 1 and V = 0, but for squares (cubes) of U = 1/2 and V = 1/4 at random places."""

    kind: Literal["seeds"] = "seeds"
    count: int = quantity(20, "1", "Number of squares", ge=0, le=100_000)
    width: float = quantity(10.0, "mm", "Side of a square", gt=0)
    noise: float = quantity(0.01, "1", "Random part of all values", ge=0, le=0.5)
    seed: int = quantity(1, "1", "Start of the random numbers: the same seed gives the same field", ge=0, le=2**31)


class PictureOfV(Picture):
    """V from a picture, U = 1 − 2 V."""

    high: float = quantity(0.25, "", "Value where the picture is white")


Start = Annotated[Seeds | PictureOfV, Field(discriminator="kind")]


class GrayScott(ParameterGroup):
    """u_t = Du ∇²u − u v² + F (1 − u), v_t = Dv ∇²v + u v² − (F + k) v (Pearson, doi 10.1126/science.261.5118.189)."""

    kind: Literal["Gray-Scott"] = "Gray-Scott"
    diffusion_u: float = quantity(0.16, "mm²/s", "Diffusivity of U", title="Diffusivity Du", gt=0)
    diffusion_v: float = quantity(0.08, "mm²/s", "Diffusivity of V", title="Diffusivity Dv", gt=0)
    reaction: Reaction = quantity(NamedPattern(), "", "Which pattern grows", live=True)
    start: Start = quantity(Seeds(), "", "Where it starts")


class NoSource(ParameterGroup):
    """No source but what is painted and what the sides bring in."""

    kind: Literal["painted only"] = "painted only"


class UniformSource(ParameterGroup):
    """The same source everywhere."""

    kind: Literal["uniform"] = "uniform"
    value: float = quantity(1.0, "1/mm²", "Source in every cell")


class PointCharge(ParameterGroup):
    """A source in one cell."""

    center: Place = quantity((50.0, 50.0, 50.0), "mm", "Where it is; z counts in three dimensions only")
    strength: float = quantity(1.0, "", "Integral of the source over the grid")


class Charges(ParameterGroup):
    """Sources in single cells."""

    kind: Literal["point charges"] = "point charges"
    charges: list[PointCharge] = quantity([PointCharge()], "", "The charges")


Source = Annotated[NoSource | UniformSource | Charges | Picture, Field(discriminator="kind")]


class Poisson(ParameterGroup):
    """−div(k grad u) = s, solved by iteration; without a source Laplace's equation."""

    kind: Literal["Poisson"] = "Poisson"
    method: Literal["multigrid", "sor", "jacobi"] = quantity(
        "multigrid", "", "V-cycles of geometric multigrid, red-black over-relaxation (SOR), or Jacobi's iteration"
    )
    relaxation: float | None = quantity(
        None, "1", "Relaxation factor; none takes the best one for a uniform grid", gt=0, lt=2, advanced=True
    )
    conductivity: Conductivity = quantity(SameEverywhere(), "", "How k varies from place to place")
    source: Source = quantity(Charges(), "", "The right-hand side s")


Equation = Annotated[Diffusion | GrayScott | Poisson | OwnEquations, Field(discriminator="kind")]


# ---- sides and numerics ----------------------------------------------------------------------------------------------


class Sides(ParameterGroup):
    """What holds at each side."""

    x_low: Side = quantity(FixedValue(), "", "Side of lowest x", title="x low")
    x_high: Side = quantity(FixedValue(), "", "Side of highest x", title="x high")
    y_low: Side = quantity(FixedValue(), "", "Side of lowest y", title="y low")
    y_high: Side = quantity(FixedValue(), "", "Side of highest y", title="y high")
    z_low: Side = quantity(FixedValue(), "", "Side of lowest z", title="z low", when=IN_3D)
    z_high: Side = quantity(FixedValue(), "", "Side of highest z", title="z high", when=IN_3D)

    def pairs(self, dimensions: int) -> list[tuple[Side, Side]]:
        """(low, high) for x, y (and z)."""
        return [(self.x_low, self.x_high), (self.y_low, self.y_high), (self.z_low, self.z_high)][:dimensions]


class Numerics(ParameterGroup):
    """How the equation is solved."""

    step: float | None = quantity(
        None,
        "s",
        "Time step; none takes 90 % of the largest stable one",
        title="Time step",
        when=IN_TIME,
        finer="smaller",
        gt=0,
    )
    lower_step: bool = quantity(False, "", "Lower a time step that is not stable instead of refusing it", when=IN_TIME)
    precision: Precision = quantity("fp32", "", "Arithmetic of the kernels")
    fuse: bool = quantity(
        True, "", "Take several steps at each pass over the grid: the same result, several times faster", advanced=True,
        when=FUSED,
    )  # fmt: skip


class StencilParameters(ParameterGroup):
    """A problem on a uniform grid."""

    grid: GridSetting = quantity(Plane(), "", "Dimensions, cells and size")
    equation: Equation = quantity(Diffusion(), "", "What is solved", labels={"own equations": "Your own equations"})
    sides: Sides = quantity(Sides(), "", "What holds at the sides of the grid")
    numerics: Numerics = quantity(Numerics(), "", "Step and precision")
    recording: Recording = quantity(Recording(), "", "What is written into a folder of results", folded=True)
